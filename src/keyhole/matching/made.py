"""Tell that an edit was made before, from a version of the file in which its quote still stood."""

from __future__ import annotations

from itertools import islice

from keyhole.matching.ladder import find
from keyhole.matching.place import Laid, Quote, Site, Sites
from keyhole.matching.rungs import Scope, occurrences
from keyhole.matching.transplant import lay
from keyhole.matching.view import View
from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.diff import diff


def made_since(view: View, base: View, quote: Quote, scope: Scope) -> Site | None:
    """Return where an edit stands that was made since `base`, or None.

    There the quote stood at one place. With the edit made on it, the lines of that place and those
    next to them are as they are now, and nothing that happened since touches them. That holds for
    the shortest text, which by itself would prove nothing.
    """
    found = find(base, quote, (0, len(base.flat)))
    if not isinstance(found, Sites) or len(found.found) != 1:
        return None
    laid = lay(base, found.found[0])
    edit = ChangeSet.of(len(base.document.text), laid.changes) if isinstance(laid, Laid) else None
    if not isinstance(edit, ChangeSet) or not edit.changes:
        return None
    made, now = edit.apply(base.document.text), view.document.text
    spans = tuple(edit.spans_after())
    start, end = spans[0][0], spans[-1][1]
    place = place_now(made, now, start, end, base.document.terminator)
    if place is None or not scope[0] <= view.flat_offset(place) <= scope[1]:
        return None
    first = view.flat_offset(place)
    return Site(first, view.flat_offset(place + end - start), "exact", quote)


def place_now(made: str, now: str, start: int, end: int, mark: str) -> int | None:
    """Return where a span of one text begins in another, if it is certain to be there."""
    if made == now:
        return start
    first, last = _with_neighbours(made, start, end, mark)
    lines = made[first:last]
    if any(
        len(list(islice(occurrences(text, lines, 0, len(text)), 2))) != 1 for text in (made, now)
    ):
        return None
    around = ChangeSet(len(made), (Change(first, last, ""),)).rebase(diff(made, now))
    return None if isinstance(around, Clash) else around.changes[0].start + start - first


def _with_neighbours(text: str, start: int, end: int, mark: str) -> tuple[int, int]:
    """Return the lines of a span and one more on each side."""
    first = text.rfind(mark, 0, max(text.rfind(mark, 0, start), 0)) + 1
    last = end
    for _ in range(1 if text.endswith(mark, 0, end) else 2):
        last = text.find(mark, last) + 1 or len(text)
    return first, last
