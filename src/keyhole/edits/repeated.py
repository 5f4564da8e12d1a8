"""Additions that stand at their place already are reported or refused, never made twice.

A call that only adds still finds its quote when it is sent again after a time-out. It was made
before if it turns a known older version into the present one. Else a long enough text counts as
made; with a short one, nobody can tell whether a second copy is meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from keyhole.edits.by_text.explain import ExplainedRefusal, Offering, offer_of
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.plan import FilePlan, LocatedEdit, Snapshot
from keyhole.fastclasses import dataclass, replace
from keyhole.matching.already_applied import Span, beside, place_now
from keyhole.matching.follow import LostPlace, follow
from keyhole.matching.revision import Revision
from keyhole.phrases import FileName, say
from keyhole.refusals import Candidate, Refusal
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import diff, numbered, window
from keyhole.text.document import Document
from keyhole.text.lines import line_span

# The characters, blanks aside, from which on an addition counts as made before.
_LEAST_TOLD = 20
_MOST_SHOWN = 20
# How much is looked through for the lines that a call adds, in characters.
_MOST_LOOKED = 1 << 25
_HELP = (
    "if the edit was sent again, nothing is left to do; "
    "for a second copy, quote the one that stands there and give both"
)


def without_repeated(
    target: Target, placed: Sequence[LocatedEdit], was_made: Callable[[], bool] | None
) -> Sequence[LocatedEdit]:
    """Return the edits of a file, without the changes of those that were made before; or refuse.

    `was_made` tells whether the same edits, made on an older version, come to the present text.
    """
    document = target.document
    together = _together(document, placed)
    placed = [_marked(edit, together) for edit in placed]
    looked = _SearchBudget(document.text)
    found = [_somewhere(looked, edit) for edit in placed] if was_made else []
    if was_made and any(found) and was_made():
        pairs = zip(placed, found, strict=True)
        return [
            _as_applied(document, edit, at or edit.span) if edit.changes else edit
            for edit, at in pairs
        ]
    unsure = [edit for edit in placed if edit.stands and not edit.by_number]
    if untold := [edit for edit in unsure if not _tells(document, edit.changes)]:
        raise Offering(*(refuse_again(target.path, document, edit) for edit in untold))
    made = {edit.index for edit in unsure}
    return [
        _as_applied(document, edit, edit.stands) if edit.index in made else edit for edit in placed
    ]


class _SearchBudget:
    """A text, and how much of it may still be searched."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._left = max(_MOST_LOOKED, len(text))

    def is_enough(self) -> bool:
        return self._left <= 0

    def find(self, line: str) -> int:
        at = self.text.find(line)
        self._left -= at if at >= 0 else len(self.text)
        return at


def _somewhere(looked: _SearchBudget, edit: LocatedEdit) -> Span | None:
    """Return where the lines that an edit adds stand in the file; None if the edit does more.

    A call that was made before left all of its lines: of very many, the first are enough.
    """
    if edit.stands or edit.again or not edit.changes:
        return edit.stands
    changes = [change for change in edit.changes if change.text.strip()]
    if not edit.adds and not all(_only_adds(looked.text, change) for change in changes):
        return None
    every = (line.strip() for change in changes for line in change.text.split("\n"))
    lines = list(filter(None, dict.fromkeys(every)))
    if looked.is_enough() or not lines:
        return None
    if not all(looked.is_enough() or looked.find(line) >= 0 for line in lines):
        return None
    at = looked.find(lines[0])
    return at, at + len(lines[0])


def _only_adds(text: str, change: Change) -> bool:
    return (added := added_by(text, change)).start == added.end


def added_by(text: str, change: Change) -> Change:
    """Return a change without the old text that it repeats above or below its addition."""
    gone = text[change.start : change.end]
    if change.text.startswith(gone):
        return Change(change.end, change.end, change.text[len(gone) :])
    if change.text.endswith(gone):
        return Change(change.start, change.start, change.text.removesuffix(gone))
    return change


def makes_present_text(
    path: str, snapshot: Snapshot, on: Callable[[Snapshot], FilePlan | None]
) -> bool:
    """Tell whether a call turns an older version into the present text: then it was made before."""
    now = snapshot.files[path]
    assert now is not None, "BUG: what is not there has no older version"
    seen = {now.hash}
    for base in chain(snapshot.shown.get(path, ()), snapshot.past(path) if snapshot.past else ()):
        if base.hash in seen:
            continue
        seen.add(base.hash)
        plan = on(Snapshot({path: base}, detect=snapshot.detect))
        if plan is not None and _stands_now(plan, now):
            return True
    return False


def _stands_now(plan: FilePlan, now: Document) -> bool:
    """Tell whether the present text has at its place what a plan makes of an older version."""
    if plan.after is None or plan.changes.is_empty:
        return False
    made = plan.after.text
    return place_now(made, now.text, *_span_to_match(plan, made), now.terminator) is not None


def _span_to_match(plan: FilePlan, made: str) -> Span:
    """Return the span that must be in the file: all places of the call, and its lines beside them.

    Where lines are added among equal ones, any of them might be the new one.
    """
    changes = plan.changes.changes
    low = min([changes[0].start, *(edit.span[0] for edit in plan.edits if edit.changes)])
    high = max([changes[-1].end, *(edit.span[1] for edit in plan.edits if edit.changes)])
    high += sum(change.growth for change in changes)
    added = {line for change in changes for line in change.text.split("\n")} | {""}
    low = made.rfind("\n", 0, low) + 1
    while low and made[made.rfind("\n", 0, low - 1) + 1 : low - 1] in added:
        low = made.rfind("\n", 0, low - 1) + 1
    while (
        high < len(made) and made[high : (made.find("\n", high) + 1 or len(made) + 1) - 1] in added
    ):
        high = made.find("\n", high) + 1 or len(made)
    return low, high


def _marked(edit: LocatedEdit, together: dict[int, Span]) -> LocatedEdit:
    if edit.again or not edit.changes:
        return replace(edit, stands=None) if edit.stands else edit
    if edit.stands or not together:
        return edit
    return replace(edit, stands=together[edit.index])


def _together(document: Document, placed: Sequence[LocatedEdit]) -> dict[int, Span]:
    """Return where the additions of several edits stand, edit by edit, if all of them stand.

    Of two additions at one point only one is right beside it.
    """
    text, added = document.text, [edit for edit in placed if edit.changes]
    if len(added) < 2 or any(edit.again for edit in added):
        return {}
    points = {edit.index: _points(text, edit) for edit in added}
    times = Counter(point for own in points.values() for point in own)
    crowd = [edit for edit in added if any(times[point] > 1 for point in points[edit.index])]
    crowded = {edit.index for edit in crowd}
    if any(not edit.stands and edit.index not in crowded for edit in added):
        return {}
    changes = ChangeSet.of(len(text), [one for edit in crowd for one in edit.changes])
    found = places_of(document, changes.changes) if isinstance(changes, ChangeSet) else {}
    return {edit.index: found[min(points[edit.index])] for edit in crowd} if found else {}


def _points(text: str, edit: LocatedEdit) -> set[int]:
    return {added_by(text, change).start for change in edit.changes}


def places_of(document: Document, changes: Sequence[Change]) -> dict[int, Span]:
    """Return where each added text stands, by its insertion point; {} if one does not stand."""
    texts: dict[int, str] = {}
    for change in (added_by(document.text, change) for change in changes):
        if change.end > change.start:
            return {}
        texts[change.start] = texts.get(change.start, "") + change.text
    there: dict[int, Span] = {}
    for at, text in texts.items():
        span = beside(document, Change(at, at, text))
        if not span:
            return {}
        there[at] = span
    return there


def _tells(document: Document, changes: Sequence[Change]) -> bool:
    return sum(_size(document, change) for change in changes) >= _LEAST_TOLD


def _size(document: Document, change: Change) -> int:
    gone = document.text[change.start : change.end]
    return len("".join(change.text.split())) - len("".join(gone.split()))


def _as_applied(document: Document, edit: LocatedEdit, stands: Span | None) -> LocatedEdit:
    assert stands, "BUG: it does not stand"
    line = document.place_shown(document.line_at(stands[0]))
    note = f"the new text already stands at line {line}"
    if edit.span[0] < edit.span[1] and _holds(stands, edit.span):
        note += ", and the quoted text is a part of it"
    made = replace(edit, changes=(), notes=(note,), span=stands, stands=None)
    return replace(made, already_applied=True)


def _holds(outer: Span, inner: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def refuse_again(path: str, document: Document, edit: LocatedEdit) -> ExplainedRefusal:
    """Refuse an addition that may have been made before, and offer to make it again."""
    assert edit.stands, "BUG: it does not stand"
    offer = offer_of(path, document, edit)
    line = document.place_shown(document.line_at(edit.stands[0]))
    there = Candidate(
        document.lines_of(edit.stands),
        numbered(window(document, edit.stands, around=0, most=_MOST_SHOWN)),
        "accept it to add the text a second time",
        accept=offer.accept,
    )
    refusal = Refusal(
        "stale",
        say(
            "the new text already stands at line {} of {}: added again, it would stand twice",
            line,
            FileName(path),
        ),
        help=_HELP,
        edit=edit.index,
        path=path,
        candidates=(there,),
        hash_current=document.hash,
    )
    return ExplainedRefusal(refusal, (offer,))


def if_already_applied(plan: FilePlan) -> FilePlan | None:
    """Return a plan without changes, if its additions stand beside their places."""
    assert plan.before is not None, "BUG: a new file has no places"
    changes = [change for change in plan.changes.changes if change.text.strip()]
    found = places_of(plan.before, changes)
    if not found or any(edit.again for edit in plan.edits):
        return None
    return without_changes(plan, plan.before, next(iter(found.values())))


def without_changes(plan: FilePlan, now: Document, stands: Span) -> FilePlan:
    """Return a plan without its changes, because the file has them already."""
    edits = tuple(_as_applied(now, edit, stands) if edit.changes else edit for edit in plan.edits)
    return replace(plan, before=now, after=now, changes=ChangeSet(len(now.text)), edits=edits)


def if_applied_since(plan: FilePlan, now: Document) -> FilePlan | None:
    """Return a plan for an older version without its changes, if the file is its result."""
    if plan.changes.is_empty or plan.after is None or plan.after.text != now.text:
        return None
    return without_changes(plan, now, next(plan.changes.spans_after()))


def unless_applied_since(plan: FilePlan, carried: FilePlan) -> FilePlan:
    """Return a plan that was carried over to the present text; as made if it was made since.

    Then its additions stand in the present text, and not in the version it was made for.
    """
    return (if_already_applied(carried) or carried) if if_already_applied(plan) is None else carried


_ENDS = "\r\n"


@dataclass(frozen=True, slots=True)
class OwnTransaction:
    """A transaction of the caller: the version that it found, its changes, the version it left."""

    before: Document
    after: Document
    changes: ChangeSet
    # How many edits it made in the file.
    edits: int


class SentAgain(Exception):  # noqa: N818 - an answer with what it offers, not an error
    """The call was made, and what it added was changed since: nobody can tell what is meant."""

    def __init__(self, explained: Sequence[ExplainedRefusal]) -> None:
        super().__init__("; ".join(each.refusal.headline for each in explained))
        self.explained = tuple(explained)


# How many characters are looked through for what a plan writes.
_MOST_LOOKED_THROUGH = 2**26


def may_repeat(plan: FilePlan) -> bool:
    """Tell whether a plan writes a line that stands in its file, or too many to look for each.

    A file that comes, goes or moves has no such places.
    """
    is_moved = plan.moved_from or plan.moved_to
    if plan.before is None or plan.after is None or is_moved:
        return False
    text = plan.before.text
    written = (change for edit in plan.edits if not edit.again for change in edit.changes)
    lines = {line.strip() for change in written for line in change.text.split("\n")} - {""}
    if len(lines) * len(text) > _MOST_LOOKED_THROUGH:
        return True
    return any(line in text for line in lines) or adds_blank(plan)


def adds_blank(plan: FilePlan) -> bool:
    """Tell whether a plan does nothing but add blank lines, which no place tells apart."""
    changes = plan.changes.changes
    return all(change.start == change.end and not change.text.strip() for change in changes)


def is_call_of(sent: OwnTransaction, plan: FilePlan) -> bool:
    """Tell whether a plan, made for the version that a transaction found, is that transaction.

    The transaction may also have refreshed the date in a header.
    """
    own = plan.changes.changes
    is_whole = len(plan.edits) == sent.edits
    return is_whole and bool(own) and set(own) <= set(sent.changes.changes)


def resend(
    plan: FilePlan, mine: FilePlan, sent: OwnTransaction, since: Sequence[Revision]
) -> FilePlan:
    """Return the plan of a call that was carried out before; as made if all of it still stands.

    `mine` is its plan for the version that it was made on. A call of which nothing stands is
    carried out again; of which a part stands, it is refused.
    """
    now = plan.before
    assert now is not None, "BUG: what is not there was not edited before"
    again = _added_again(plan, mine)
    if not again:
        return plan
    found = [_find(core, sent.after, now, since) for core in _additions(mine, sent)]
    places = [place for place in found if place]
    if not places:
        return plan
    is_all = all(edit in again for edit in plan.edits if edit.changes)
    if is_all and len(places) == len(found) and all(place.is_whole for place in places):
        return without_changes(plan, now, places[0].span)
    marked = [replace(edit, stands=places[0].span) for edit in again]
    raise SentAgain([refuse_again(plan.path, now, edit) for edit in marked])


class _AddedPlace(NamedTuple):
    """Where an addition stands by now, and whether it is as it was added."""

    span: Span
    is_whole: bool


def _additions(mine: FilePlan, sent: OwnTransaction) -> Iterator[Span]:
    """Yield where the text that a call added lies, without the line ends around it."""
    own, before, after = set(mine.changes.changes), sent.before.text, sent.after.text
    for change, (first, _) in zip(sent.changes.changes, sent.changes.spans_after(), strict=True):
        for start, end in _added_by(before, change).spans_after() if change in own else ():
            text = after[first + start : first + end]
            if adds_blank(mine):
                yield first + start, first + end
            elif text.strip():
                skipped = len(text) - len(text.lstrip(_ENDS))
                yield first + start + skipped, first + start + len(text.rstrip(_ENDS))


def _added_by(text: str, change: Change) -> ChangeSet:
    """Return the new text of a change, without the lines that it keeps."""
    gone = text[change.start : change.end]
    added = added_by(text, change)
    if added.start == added.end:
        at = added.start - change.start
        return ChangeSet(len(gone), (Change(at, at, added.text),))
    return diff(*(each.rstrip(_ENDS) + "\n" for each in (gone, change.text)))


def _find(
    core: Span, was: Document, now: Document, since: Sequence[Revision]
) -> _AddedPlace | None:
    """Return where an addition, or the rest of it, stands by now; None if nothing is left."""
    place = follow(core, since)
    if place is LostPlace.DELETED:
        return None
    if not isinstance(place, LostPlace) and _lines(now, place) == _lines(was, core):
        return _AddedPlace(place, is_whole=True)
    span = (0, len(now.text)) if isinstance(place, LostPlace) else place
    there = now.text[slice(*span)]
    words = [line.strip() for line in was.text[slice(*core)].split(was.terminator)]
    left = next((word for word in words if word and word in there), "")
    if not left:
        return None
    start = span[0] + there.index(left)
    return _AddedPlace((start, start + len(left)), is_whole=False)


def _lines(document: Document, span: Span) -> list[str]:
    start, end = line_span(document, *span)
    lines = document.text[start:end].rstrip(_ENDS).split(document.terminator)
    return [line.rstrip("\r") for line in lines]


def _added_again(plan: FilePlan, mine: FilePlan) -> list[LocatedEdit]:
    """Return the edits that only added when the call was made, and now have changes again.

    A line number names another line by now, so such an edit may seem to replace that line.
    """
    assert mine.before is not None, "BUG: a new file has no older version"
    pairs, text = zip(plan.edits, mine.edits, strict=True), mine.before.text
    return [now for now, was in pairs if now.changes and not now.again and _is_addition(text, was)]


def _is_addition(text: str, edit: LocatedEdit) -> bool:
    changes = (each for change in edit.changes for each in _added_by(text, change).changes)
    return edit.adds or all(change.start == change.end for change in changes)
