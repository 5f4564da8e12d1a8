"""Anchors of a hunk: the lines above it that a patch names, and where they let it stand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from keyhole.edits.by_text import explain
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.hunk import Hunk
from keyhole.fastclasses import dataclass
from keyhole.matching.query import Occurrences, Quote
from keyhole.matching.rungs import Scope, find_lines, occurrences
from keyhole.refusals import Refusal

_MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class Anchored:
    """Where the lines of a hunk are looked for, and what is wrong with its anchors."""

    scope: Scope
    # The 0-based line of the last anchor.
    last: int
    refusal: Refusal | None = None


def anchored_scope(hunk: Hunk, target: Target) -> Anchored:
    """Return the part of the file below the hunk's anchors, each of which should stand once."""
    view = target.view
    line = last = 0
    for anchor in hunk.anchors:
        found = _anchor_lines(anchor, target, line)
        if len(found) == 1:
            last = found[0]
            line = last + anchor.count("\n") + 1
        elif not hunk.anchors_hint:
            return Anchored((0, len(view.flat)), last, _bad_anchor(anchor, found))
    return Anchored((view.starts[line] if line else 0, len(view.flat)), last)


def _anchor_lines(anchor: str, target: Target, first: int) -> Sequence[int]:
    """Return the lines from a 0-based one on where an anchor stands, which may be a block."""
    view = target.view
    if "\n" not in anchor:
        wanted = anchor.strip()
        parts = occurrences(view.flat, wanted, view.starts[first], len(view.flat))
        lines = target.sorted_lines.below(wanted, first)
        return lines or list(dict.fromkeys(view.line_of(at) for at in islice(parts, _MOST_LISTED)))
    found = find_lines(view, Quote(anchor, anchor), (view.starts[first], len(view.flat)))
    return [view.line_of(site.start) for site in found.found] if found else ()


def _bad_anchor(anchor: str, found: Sequence[int]) -> Refusal:
    if found:
        first = [line + 1 for line in found[:_MOST_LISTED]]
        where = explain.lines_as_words(first, more=len(found) - len(first))
        headline = f"the anchor `{anchor[:80]}` stands at {len(found)} places"
        help_line = "use a line that stands once, or give more lines of context"
        return Refusal("ambiguous", headline, where=where, help=help_line)
    headline = f"the anchor `{anchor[:80]}` is not in the file, or not below the one before it"
    return Refusal("not-found", headline, help="use a line as it stands in the file")


def find_anchored(quote: Quote, target: Target, anchored: Anchored) -> Occurrences | None:
    """Find the lines of a hunk below its anchors, else where they stand once in the file.

    An anchor that repeats, or is among the lines themselves, tells nothing against that place; one
    that is not in the file is passed over for lines that stand to the character and hold a word.
    """
    view, whole = target.view, (0, len(target.view.flat))
    found = None if anchored.refusal else find_lines(view, quote, anchored.scope)
    if found or (anchored.scope == whole and not anchored.refusal):
        return found
    found = find_lines(view, quote, whole)
    if found is None or found.more or len(found.found) != 1:
        return None
    if anchored.refusal is None:
        is_there = found.found[0].end > view.starts[anchored.last]
    else:
        tells = found.rung == "exact" and any(map(str.isalnum, quote.old))
        is_there = anchored.refusal.code == "ambiguous" or tells
    return found if is_there else None
