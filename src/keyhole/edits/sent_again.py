"""A call that is sent again after others wrote: it is recognised by its first transaction.

Worked example: `append "- item"` was carried out and its answer was lost; a colleague adds a line
below; the call comes again. The item is no longer beside its place. But on the version that the
caller's last transaction found, the call does what that transaction did, and what it added is still
there: the call was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from keyhole.edits.by_text.explain import ExplainedRefusal
from keyhole.edits.model.plan import FilePlan, LocatedEdit
from keyhole.edits.repeated import added_by, refuse_again, without_changes
from keyhole.fastclasses import dataclass, replace
from keyhole.matching.follow import LostPlace, follow
from keyhole.matching.revision import Revision
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import diff
from keyhole.text.document import Document
from keyhole.text.lines import line_span

Span = tuple[int, int]
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


def may_repeat(plan: FilePlan) -> bool:
    """Tell whether a plan writes a line that stands in the file."""
    assert plan.before is not None, "BUG: a new file has no places"
    written = (change for edit in plan.edits if not edit.again for change in edit.changes)
    lines = (line.strip() for change in written for line in change.text.split("\n"))
    return any(line in plan.before.text for line in lines if line) or adds_blank(plan)


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
    found = [_find(core, sent.after, now, since) for core in _additions(mine, sent)]
    places = [place for place in found if place]
    if not places:
        return plan
    again = _added_again(plan, mine)
    if not again:
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
    return [now for now, was in pairs if now.changes and not now.again and _only_adds(text, was)]


def _only_adds(text: str, edit: LocatedEdit) -> bool:
    changes = (each for change in edit.changes for each in _added_by(text, change).changes)
    return edit.adds or all(change.start == change.end for change in changes)
