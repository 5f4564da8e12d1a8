"""A stretch of text, carried along by changes made elsewhere in it or across it."""

from __future__ import annotations

from collections.abc import Iterable

from keyhole.text.changes import Change


def carry(span: tuple[int, int], changes: Iterable[Change]) -> tuple[int, int]:
    """Return where a stretch lies after `changes`; those inside it become part of it."""
    start, end = span
    new_start, new_end, shift = start, end, 0
    for change in changes:
        if change.end <= start and (change.start < start or start < end):
            shift += change.growth
            new_start, new_end = start + shift, end + shift
            continue
        if change.start >= end:
            break
        new_start = min(new_start, change.start + shift)
        new_end = max(end, change.end) + shift + change.growth
        shift += change.growth
    return new_start, new_end


def overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Tell whether two stretches share text; two insertions at one point do too."""
    return one == other or (one[0] < other[1] and other[0] < one[1])
