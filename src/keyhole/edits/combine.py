"""Combine the edits of one file: what repeats is done once, what overlaps is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from keyhole.edits.by_text.target import Target
from keyhole.edits.checks.guards import echoes
from keyhole.edits.model.plan import FilePlan, LocatedEdit
from keyhole.edits.repeated import without_repeated
from keyhole.fastclasses import replace
from keyhole.matching.repairs import DAMAGE
from keyhole.phrases import FileName, kind_of, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import ChangeSet, Clash
from keyhole.text.document import Document
from keyhole.text.lines import range_shown

_LEAST_TELLING = 8


def combine(
    target: Target, placed: Sequence[LocatedEdit], was_made: Callable[[], bool] | None = None
) -> FilePlan:
    """Return the plan of a file's edits, or refuse the two that touch the same text.

    `was_made` tells whether a known older version shows that the edits were made before.
    """
    placed = without_repeated(target, placed, was_made)
    document, first = target.document, _firsts(placed)
    once = [edit for edit in placed if first[edit.index] == edit.index]
    changes = [change for edit in once for change in edit.changes]
    together = ChangeSet.of(len(document.text), changes)
    if isinstance(together, Clash):
        owners = {id(change): edit.index for edit in once for change in edit.changes}
        raise Refused(_overlap(target, together, owners))
    _must_not_repeat(document, once)
    if len(once) > 1:
        _must_be_undamaged(document, once)
    _must_be_spelled(document, once)
    after = document
    if changes:
        after = document.changed(together)
    noted = tuple(_noted(document, edit, first[edit.index]) for edit in placed)
    warnings = tuple(warning for edit in noted for warning in edit.warnings)
    return FilePlan(target.path, document, after, together, noted, warnings=warnings)


def _firsts(placed: Sequence[LocatedEdit]) -> dict[int, int]:
    """Return for each edit the first one that does the same: an edit sent twice is made once.

    Two that insert the same text count as one only if they name the same place.
    """
    if len(placed) == 1:
        return {placed[0].index: placed[0].index}
    first: dict[int, int] = {}
    seen: dict[object, int] = {}
    for edit in placed:
        replaces = any(change.end > change.start for change in edit.changes)
        key = edit.changes, () if replaces else edit.span
        first[edit.index] = seen.setdefault(key, edit.index) if edit.changes else edit.index
    return first


def _noted(document: Document, edit: LocatedEdit, first: int) -> LocatedEdit:
    notes = [f"the same as edit {first}, and made once"] if first != edit.index else []
    notes += [] if notes else echoes(document, edit.changes)
    return replace(edit, notes=(*edit.notes, *notes)) if notes else edit


def _must_not_repeat(document: Document, edits: Sequence[LocatedEdit]) -> None:
    """Refuse to add lines that the file has, if other edits of the call are already applied.

    Such a call was carried out before, and what it added may have been changed since.
    """
    if not any(edit.already_applied for edit in edits):
        return
    stands = {line.strip() for line in document.text.split("\n")}
    if again := [edit for edit in edits if _adds_what(edit, stands)]:
        raise Refused(*(_added_before(edit.index) for edit in again))


def _adds_what(edit: LocatedEdit, stands: set[str]) -> bool:
    """Tell whether an edit only adds, and half of its distinctive lines are in the file."""
    if not edit.changes or any(change.end > change.start for change in edit.changes):
        return False
    lines = [line.strip() for change in edit.changes for line in change.text.split("\n")]
    telling = [line for line in lines if len(line) >= _LEAST_TELLING]
    return bool(telling) and sum(line in stands for line in telling) * 2 >= len(telling)


def _added_before(index: int) -> Refusal:
    return Refusal(
        "stale",
        "other edits of the call are in the file already, and so are lines that this one adds",
        help="look whether the addition is there; if it is not, send this edit alone",
    ).at(edit=index)


def _must_be_undamaged(document: Document, edits: Sequence[LocatedEdit]) -> None:
    """Refuse new text that looks escaped, if the quotes of other edits came escaped.

    What escapes one edit of a call escapes them all; a quote with nothing to escape does not show
    it.
    """
    for note, damage in DAMAGE.items():
        undone = {edit.index for edit in edits if kind_of(note) in map(kind_of, edit.notes)}
        if not undone:
            continue
        left = [
            edit.index
            for edit in edits
            if edit.index not in undone
            for change in edit.changes
            if damage.search(change.text)
            and not damage.search(document.text[change.start : change.end])
        ]
        if left:
            raise Refused(*(_damaged(index, min(undone), note) for index in dict.fromkeys(left)))


def _damaged(index: int, other: int, note: str) -> Refusal:
    headline = say("{} in edit {}, and the new text of this one may have them too", note, other)
    help_line = "send the texts of all edits as they shall stand in the file"
    return Refusal("bad-request", headline, help=help_line).at(edit=index)


def _must_be_spelled(document: Document, edits: Sequence[LocatedEdit]) -> None:
    """Refuse new text that the file's encoding cannot spell, edit by edit."""
    refusals: list[Refusal] = []
    for edit in edits:
        try:
            document.spelled("".join(change.text for change in edit.changes))
        except Refused as refused:
            refusals += [refusal.at(edit=edit.index) for refusal in refused.refusals]
    if refusals:
        raise Refused(*refusals)


def _overlap(target: Target, clash: Clash, owners: dict[int, int]) -> Refusal:
    first, second = sorted((owners[id(clash.ours)], owners[id(clash.theirs)]))
    spans = [(each.start, each.end) for each in (clash.ours, clash.theirs)]
    document = target.document
    lines = [range_shown(document, document.lines_of(span)) for span in spans]
    return Refusal(
        "overlapping-edits",
        say("edits {} and {} touch the same text of {}", first, second, FileName(target.path)),
        where=f"lines {lines[0]} and lines {lines[1]}",
        help="make one edit of the two; edits of one call are located on the text before the call",
        edit=second,
        hash_current=target.document.hash,
        data={"edits": [first, second]},
    )
