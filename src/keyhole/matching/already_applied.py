"""Tell whether an edit was made before: by an older version, or by what the file has now."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from keyhole.matching.ladder import already_there, find
from keyhole.matching.query import Occurrence, Occurrences, Quote, Rewrite
from keyhole.matching.rewrite import rewrite
from keyhole.matching.rungs import Scope, occurrences
from keyhole.matching.view import View
from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.diff import diff


def find_applied(
    view: View, bases: Iterable[View], quote: Quote, scope: Scope
) -> tuple[Occurrence, str] | None:
    """Return where an edit that was made before stands, and how that is known.

    A version in which the quote stood at one place decides: if the edit was not made there, equal
    text elsewhere is a twin.
    """
    is_known = False
    for base in bases:
        if rewritten := _rewrite_on(base, quote):
            is_known = True
            if site := _applied_on(view, base, rewritten, scope):
                return site, "the quoted text stood there before"
    there = None if is_known else already_there(view, quote, scope)
    return (there, "the quoted text is gone") if there else None


def applied_since(view: View, base: View, quote: Quote, scope: Scope) -> Occurrence | None:
    """Return where an edit that was made since `base` stands, or None.

    In `base` the quote stood at one place. The edit, made there, gives the lines that the place and
    its neighbours have now, and no later change touches them. So even the shortest text is proof.
    """
    rewritten = _rewrite_on(base, quote)
    return _applied_on(view, base, rewritten, scope) if rewritten else None


def _rewrite_on(base: View, quote: Quote) -> Rewrite | None:
    """Return the edit, made on a version in which its quote stands at one place."""
    found = find(base, quote, (0, len(base.flat)))
    if not isinstance(found, Occurrences) or len(found.found) != 1:
        return None
    rewritten = rewrite(base, found.found[0])
    return rewritten if isinstance(rewritten, Rewrite) else None


def _applied_on(view: View, base: View, rewritten: Rewrite, scope: Scope) -> Occurrence | None:
    edit = ChangeSet.of(len(base.document.text), rewritten.changes)
    if not isinstance(edit, ChangeSet) or edit.is_empty:
        return None
    made = edit.apply(base.document.text)
    start, end = _span_to_match(rewritten, edit)
    place = place_now(made, view.document.text, start, end, base.document.terminator)
    if place is None or not scope[0] <= view.flat_offset(place) <= scope[1]:
        return None
    first = view.flat_offset(place)
    return Occurrence(first, view.flat_offset(place + end - start), "exact", Quote(""))


def _span_to_match(rewritten: Rewrite, edit: ChangeSet) -> tuple[int, int]:
    """Return the span that must be in the file: all of the quote, as the edit leaves it.

    If lines that the edit keeps are gone too, a match of the rest would be chance.
    """
    low, high = edit.changes[0].start, edit.changes[-1].end
    growth = sum(change.growth for change in edit.changes)
    return min(rewritten.start, low), max(rewritten.end, high) + growth


def place_now(made: str, now: str, start: int, end: int, mark: str) -> int | None:
    """Return where a span of one text begins in another, if it is certain to be there."""
    if made == now:
        return start
    own = made.rfind(mark, 0, start) + 1, _line_end(made, end, mark)
    first, last = made.rfind(mark, 0, max(own[0] - 1, 0)) + 1, _line_end(made, own[1] + 1, mark)
    lines = made[first:last]
    if any(
        len(list(islice(occurrences(text, lines, 0, len(text)), 2))) != 1 for text in (made, now)
    ):
        return None
    around = ChangeSet(len(made), (Change(first, last, ""),)).rebase(diff(made, now))
    if isinstance(around, Clash):
        return None
    place = around.changes[0].start
    # Where the file began or ended there, with no line beside, it still does.
    edges = first < own[0] or not place, own[1] < last or place + len(lines) == len(now)
    return place + start - first if all(edges) else None


def _line_end(text: str, at: int, mark: str) -> int:
    """Return where the line ends that an offset lies in or closes."""
    if at >= len(text) or (at and text.endswith(mark, 0, at)):
        return min(at, len(text))
    return text.find(mark, at) + 1 or len(text)
