"""The ladder: rungs from exact to loose, one place or a refusal, never a guess.

At each rung every place is counted. None: the next rung. One: it is the place. Several: stop, and
let the caller choose or refuse; a looser rung never settles what a stricter one left open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from keyhole.matching.elision import pieces
from keyhole.matching.place import Laid, Obstacle, Quote, Site, Sites
from keyhole.matching.repairs import Repair, repairs
from keyhole.matching.rungs import Scope, exact, whole_lines
from keyhole.matching.transplant import lay
from keyhole.matching.view import View, keys_of
from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.diff import diff


@dataclass(frozen=True, slots=True)
class Several:
    """More than one place fits, and nothing says which: where they are, in document offsets."""

    rung: str
    spans: tuple[tuple[int, int], ...]


Found = Sites | Obstacle | None
_ORDER = ("exact", "whitespace", "blank-lines", "indentation")


def find(view: View, quote: Quote, scope: Scope, *, tolerant: bool = True) -> Found:
    """Return every place of the strictest rung that has any; None where no rung has one."""
    found: Found = exact(view, quote, scope)
    if found or not tolerant or view.is_huge:
        return found
    return whole_lines(view, quote, scope) or _transport(view, quote, scope)


def _transport(view: View, quote: Quote, scope: Scope) -> Found:
    """Try each repair; the strictest matches count, and they must not disagree about the place."""
    hits = [hit for repair in repairs(quote) if (hit := _repaired(view, repair, scope))]
    best = min((_ORDER.index(rung) for rung, _ in hits), default=0)
    spans: dict[tuple[int, int], Site] = {}
    for rung, sites in hits:
        if _ORDER.index(rung) == best:
            for site in sites:
                spans.setdefault((site.start, site.end), site)
    return Sites("transport", tuple(spans[span] for span in sorted(spans))) if spans else None


def _repaired(view: View, repair: Repair, scope: Scope) -> tuple[str, list[Site]] | None:
    quote = repair.quote
    if not quote.old.strip():
        return None
    found = exact(view, quote, scope) or (
        None if repair.exact_only else whole_lines(view, quote, scope)
    )
    if not found or (found.rung == "indentation" and not repair.may_shift):
        return None
    sites = [replace(site, rung="transport", notes=(repair.note,)) for site in found.found]
    if len(sites) > 1 and repair.line:
        # The numbers that came with the lines say which of several equal places was read.
        sites = [site for site in sites if view.line_of(site.start) + 1 == repair.line] or sites
    return found.rung, sites


def elided(view: View, quote: Quote, scope: Scope) -> Laid | Several | Obstacle | None:
    """Place a quote that leaves stretches out: each piece once in what follows the one before."""
    parts = pieces(quote)
    if not parts:
        return None
    low, laid = scope[0], []
    for part in parts:
        found = find(view, part, (low, scope[1]))
        if not isinstance(found, Sites):
            return found
        if len(found.found) > 1:
            return several(view, found)
        site = found.found[0]
        piece = lay(view, site)
        if isinstance(piece, Obstacle):
            return piece
        laid.append(piece)
        low = site.end
    changes = tuple(change for piece in laid for change in piece.changes)
    gap = sum(b.start - a.end for a, b in pairwise(laid))
    note = f"the quote leaves out {gap} characters of the file"
    return Laid(laid[0].start, laid[-1].end, "elision", changes, (note,))


def from_base(view: View, base: View, quote: Quote) -> Laid | None:
    """Place a quote in the version its author was shown, and carry the edit over to the file.

    Nothing that changed since may touch an edited line or the lines next to it.
    """
    whole = (0, len(base.flat))
    found = find(base, quote, whole)
    laid = _only(base, found) if isinstance(found, Sites) else elided(base, quote, whole)
    if not isinstance(laid, Laid):
        return None
    since = diff(base.document.text, view.document.text)
    edit = ChangeSet.of(since.length, laid.changes)
    place = ChangeSet(since.length, (Change(*_with_neighbours(base, laid), ""),))
    rebased = edit if isinstance(edit, Clash) else edit.rebase(since)
    if isinstance(rebased, Clash) or isinstance(place.rebase(since), Clash):
        return None
    moved = ChangeSet(since.length, (Change(laid.start, laid.end, ""),)).rebase(since)
    span = (
        (moved.changes[0].start, moved.changes[0].end) if isinstance(moved, ChangeSet) else (0, 0)
    )
    note = "placed in the version last shown; the file has changed elsewhere since"
    return Laid(*span, "base", rebased.changes, (*laid.notes, note))


def _only(view: View, found: Sites) -> Laid | Obstacle | None:
    return lay(view, found.found[0]) if len(found.found) == 1 else None


def _with_neighbours(view: View, laid: Laid) -> tuple[int, int]:
    """Return the span of the edited lines and one line on each side."""
    spans = laid.changes or (Change(laid.start, laid.end, ""),)
    text, end_of_line = view.document.text, view.document.terminator
    start = text.rfind(end_of_line, 0, spans[0].start) + 1
    start = text.rfind(end_of_line, 0, max(start - 1, 0)) + 1
    end = spans[-1].end
    for _ in range(2 if end < len(text) and not text[:end].endswith(end_of_line) else 1):
        end = text.find(end_of_line, end) + 1 or len(text)
    return start, end


def several(view: View, found: Sites) -> Several:
    """Return the places of a rung as document spans."""
    spans = tuple((view.offset(site.start), view.offset(site.end)) for site in found.found)
    return Several(found.rung, spans)


def already_there(view: View, quote: Quote, scope: Scope) -> Site | None:
    """Return where the new text stands already: it adds something, and nothing it takes out is in the file.

    An edit that only removes lines leaves no trace by which it could be known.
    """
    new = quote.new or ""
    if "\n" not in new.strip("\n") and len(new.strip()) < _LEAST_APPLIED:
        return None
    had, has = set(keys_of(quote.old)), set(keys_of(new))
    if not has - had or any(key in view.units.text for key in had - has):
        return None
    found = exact(view, Quote(new), scope) or whole_lines(view, Quote(new), scope)
    if not found or found.rung == "indentation" or len(found.found) > 1:
        return None
    return found.found[0]


_LEAST_APPLIED = 20

_RUNGS = (*_ORDER, "transport", "elision", "base", "accepted")


def looseness(rung: str) -> int:
    """Return how far down the ladder a rung is."""
    return _RUNGS.index(rung)
