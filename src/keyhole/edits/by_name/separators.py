"""Separators: how many blank lines a file keeps between two segments that follow each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from keyhole.edits.by_name.segment_target import SegmentTarget
from keyhole.segments.outline import Segment, Span

# Kinds of one line each, as a rule: they stand one below the other.
_LINES = frozenset({"variable", "constant", "key", "item", "field"})
# Kinds that stand apart from everything else.
_APART = frozenset({"imports", "docstring"})


def is_line(kind: str) -> bool:
    """Tell whether segments of a kind are lines rather than blocks."""
    return kind in _LINES or kind in _APART


def _group(kind: str) -> str:
    return kind if kind in _APART else "line" if kind in _LINES else "block"


def usual_gap(spot: SegmentTarget, above: str, below: str, parent: str, indent: str) -> int:
    """Return how many blank lines the file has between a segment of one kind and one of another.

    `parent` is the address of the segment around both; gaps inside it count more than others.
    Indented definitions stand closer.
    """
    wanted = _group(above), _group(below)
    near: Counter[int] = Counter()
    far: Counter[int] = Counter()
    for owner, first, second, gap in _gaps(spot):
        is_alike = bool(first.indent) == bool(indent)
        if is_alike and (_group(first.kind), _group(second.kind)) == wanted:
            far[gap] += 1
            near[gap] += owner == parent
    for counted in (+near, far):
        if counted:
            return counted.most_common(1)[0][0]
    return _default(spot.language, wanted, is_nested=bool(indent))


def _default(language: str, groups: tuple[str, str], *, is_nested: bool) -> int:
    if language == "markdown":
        return 1
    if "block" not in groups:
        return 0 if groups[0] == groups[1] else 1
    return 2 if language == "python" and not is_nested else 1


def _gaps(spot: SegmentTarget) -> Iterator[tuple[str, Segment, Segment, int]]:
    """Yield each two segments of one parent that follow each other, and the blank lines between."""
    families: dict[str, list[Segment]] = {}
    for segment in spot.target.outline.segments:
        families.setdefault(segment.parent, []).append(segment)
    for parent, family in families.items():
        for first, second in pairwise(family):
            between = spot.flat[slice(*spot.flat_span((first.span[1], second.span[0])))]
            is_alike = first.indent == second.indent and first.span[1] <= second.span[0]
            if is_alike and not between.strip() and spot.is_lines(spot.span_of(first)):
                yield parent, first, second, between.count("\n")


def blank_above(spot: SegmentTarget, at: int) -> int:
    """Return the start of the run of blank lines that ends at the line start `at`."""
    while at:
        start = spot.line_start(at - 1)
        if spot.flat[start:at].strip():
            return at
        at = start
    return at


def blank_below(spot: SegmentTarget, at: int) -> int:
    """Return the end of the run of blank lines that begins at the line start `at`."""
    while at < len(spot.flat):
        end = spot.line_end(at)
        if spot.flat[at:end].strip():
            return at
        at = end
    return at


def gap_lines(spot: SegmentTarget, span: Span) -> int:
    """Return how many lines a run of blank lines has."""
    return spot.flat.count("\n", *span)
