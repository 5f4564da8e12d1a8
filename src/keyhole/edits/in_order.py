"""Edits in order: each is located on the text that those before it left, and all make one plan."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from keyhole.edits.by_text.explain import Offering, not_found
from keyhole.edits.by_text.quoted import Missing
from keyhole.edits.by_text.target import Target, versions_of
from keyhole.edits.combine import combine
from keyhole.edits.locate import DisplacedQuote, at_meant_place, locate, numbered
from keyhole.edits.model.operations import InOrder
from keyhole.edits.model.plan import FilePlan, LocatedEdit, Snapshot
from keyhole.edits.repeated import if_already_applied, makes_present_text
from keyhole.fastclasses import replace
from keyhole.phrases import FileName, say, shown
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document

# How much of the text as it then stood a refusal brings along.
_START = 500
# Each edit takes a look at the whole text and at all edits before it; this many take a second.
_MOST, _MOST_READ = 500, 600_000_000


def in_order(operation: InOrder, snapshot: Snapshot) -> FilePlan:
    """Return the plan of edits that build on each other, or the refusal of the first that fails.

    Edits behind a failed one are not looked at: they were written for a text that never existed.
    """
    before = snapshot.files[operation.path]
    if before is None:
        raise Refused(_no_file(operation.path))
    _check_count(len(operation.edits), before)
    _must_be_meant(operation, before, snapshot)
    was_made = cache(lambda: _was_applied(operation, snapshot))
    now = before
    total = ChangeSet(len(before.text))
    owners: dict[Change, tuple[int, ...]] = {}
    placed: list[LocatedEdit] = []
    for index in range(len(operation.edits)):
        target = Target(operation.path, now, detect=snapshot.detect)
        step = _step(operation, index, target, was_made)
        total, placed = total.then(step.changes), [*placed, *step.edits]
        owners = owners_after(owners, total, step)
        assert step.after is not None, "BUG: an edit of a file leaves a file"
        now = step.after
    edits = tuple(in_original_offsets(edit, owners) for edit in placed)
    warnings = tuple(warning for edit in edits for warning in edit.warnings)
    plan = FilePlan(operation.path, before, now, total, edits, warnings=warnings)
    made = if_already_applied(plan)
    return made if made and was_made() else plan


def _must_be_meant(operation: InOrder, before: Document, snapshot: Snapshot) -> None:
    """Refuse the first edit whose quote stands elsewhere than in the version its author was shown.

    An edit of what an earlier one writes has no place in the text before them all.
    """
    versions = versions_of(operation.path, snapshot)
    target = Target(operation.path, before, versions, detect=snapshot.detect)
    if not any(edit.find for edit in operation.edits) or not target.is_unseen:
        return
    for index, edit in enumerate(operation.edits):
        try:
            at_meant_place(edit, locate(edit, target, {}), target)
        except DisplacedQuote as elsewhere:
            refusal = without_ids(elsewhere.explained.refusal)
            raise Refused(refusal.at(edit=index, path=operation.path)) from None
        except (Missing, Refused):
            continue


def _was_applied(operation: InOrder, snapshot: Snapshot) -> bool:
    """Tell whether the edits, made on an older version, come to the present text."""

    def on(base: Snapshot) -> FilePlan | None:
        try:
            return in_order(operation, base)
        except Refused:
            return None

    return makes_present_text(operation.path, snapshot, on)


def _check_count(count: int, document: Document) -> None:
    most = min(_MOST, max(1, _MOST_READ // max(1, len(document.text))))
    if count > most:
        headline = f"one call holds {count} edits that build on each other; the most is {most} here"
        raise Refused(Refusal("too-large", headline, help="send them in several calls"))


def _step(operation: InOrder, index: int, target: Target, was_made: Callable[[], bool]) -> FilePlan:
    """Return the plan of one edit on the text that the edits before it left."""
    edit = operation.edits[index]
    try:
        return combine(target, [numbered(locate(edit, target, {}), index)], was_made)
    except Missing as missing:
        found = not_found(missing.name, target.path, target.view, missing.quote, missing.scope)
        # An offer would be for a text that is not on the disk.
        refusals: Sequence[Refusal] = (without_ids(found.refusal),)
    except Offering as offering:
        refusals = tuple(map(without_ids, offering.refusals))
    except Refused as refused:
        refusals = refused.refusals
    text = target.document.text
    start = {"text_start": shown(text[:_START]), "text_length": len(text)}
    at = [each.at(edit=index, path=operation.path) for each in refusals]
    raise Refused(*(replace(each, data={**each.data, **start}) for each in at))


def without_ids(refusal: Refusal) -> Refusal:
    """Return a refusal whose candidates cannot be accepted by their ids."""
    candidates = tuple(replace(candidate, accept="") for candidate in refusal.candidates)
    quote = "quote the text as it stands once the edits before this one are made"
    help_line = quote if refusal.code == "not-found" else refusal.mend or refusal.help
    return replace(refusal, candidates=candidates, help=help_line, mend="")


def owners_after(
    known: Mapping[Change, tuple[int, ...]], total: ChangeSet, step: FilePlan
) -> dict[Change, tuple[int, ...]]:
    """Return for each change of the whole which edits made it, after one more step."""
    lies = dict(zip(step.changes.changes, step.changes.spans_after(), strict=True))
    places = {
        edit.index: sorted(lies[change] for change in edit.changes if change in lies)
        for edit in step.edits
    }
    olds = sorted(known, key=lambda old: (old.start, old.end))
    starts = [old.start for old in olds]
    found: dict[Change, tuple[int, ...]] = {}
    for change, span in zip(total.changes, total.spans_after(), strict=True):
        if change in known:
            found[change] = known[change]
            continue
        near = olds[bisect_left(starts, change.start) : bisect_right(starts, change.end)]
        before = [own for old in near if old.end <= change.end for own in known[old]]
        makers = [index for index, own in places.items() if _holds_one(span, own)]
        found[change] = tuple(dict.fromkeys([*before, *makers]))
    return found


def _holds_one(span: tuple[int, int], places: Sequence[tuple[int, int]]) -> bool:
    """Tell whether one of several places, which come in order, lies within a span."""
    at = bisect_left(places, (span[0], 0))
    return at < len(places) and places[at][1] <= span[1]


def in_original_offsets(edit: LocatedEdit, owners: Mapping[Change, tuple[int, ...]]) -> LocatedEdit:
    """Return an edit with its changes in offsets of the text before the call.

    A change that several edits made belongs to each of them without its text: none of them can be
    undone alone.
    """
    if not edit.changes:
        return edit
    own = [(change, of) for change, of in owners.items() if edit.index in of]
    changes = tuple(
        change if len(of) == 1 else Change(change.start, change.end, _part(edit))
        for change, of in own
    )
    others = sorted({each for _, of in own for each in of if each < edit.index})
    notes = tuple(f"it changes what edit {each} wrote" for each in others)
    span = (own[0][0].start, own[-1][0].end) if own else edit.span
    return replace(edit, changes=changes, span=span, notes=(*edit.notes, *notes))


def _part(edit: LocatedEdit) -> str:
    return "".join(change.text for change in edit.changes)


def _no_file(path: str) -> Refusal:
    headline = say("there is no file {}", FileName(path))
    return Refusal("no-file", headline, help="check the path", path=path)
