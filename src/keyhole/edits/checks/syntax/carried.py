"""Old problems carried along by an edit, and the ones that are where none of them is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.text.changes import ChangeSet

Span = tuple[int, int]


def fresh_ones(
    older: Sequence[Problem], found: Sequence[Problem], changes: ChangeSet
) -> list[Problem]:
    """Return the problems after an edit that are not where one was before.

    Where there are no more than before, one may have moved: then only those at the changes count.
    """
    carried = sorted(_carried((problem.start, problem.end), changes) for problem in older)
    starts = [start for start, _ in carried]
    reach = [-1, *accumulate((end for _, end in carried), max)]
    # Of the old ones that begin before a problem ends, that which reaches furthest meets it first.
    fresh = [each for each in found if reach[bisect_right(starts, each.end)] < each.start]
    if len(found) > len(older):
        return fresh
    return [problem for problem in fresh if not distance(problem, changes)]


def but_carried(
    found: Sequence[Problem], older: Sequence[Problem], changes: ChangeSet
) -> list[Problem]:
    """Return the problems after an edit that do not say what one said at the same place before."""
    carried = {
        (problem.message, *_carried((problem.start, problem.end), changes)) for problem in older
    }
    return [
        problem for problem in found if (problem.message, problem.start, problem.end) not in carried
    ]


def nearest(found: Sequence[Problem], changes: ChangeSet) -> Problem:
    """Return the problem nearest to a change."""
    return min(found, key=lambda problem: distance(problem, changes))


def distance(problem: Problem, changes: ChangeSet) -> int:
    """Return how far a problem is from the nearest change, 0 if they meet."""
    spans = changes.spans_after()
    return min(max(problem.start - end, start - problem.end, 0) for start, end in spans)


def _carried(span: Span, changes: ChangeSet) -> Span:
    """Return where a span lies after the changes; a change that it meets becomes part of it."""
    start, end = span
    low, high, shift = start, end, 0
    for change in changes.changes:
        if change.end < start:
            shift += change.growth
            low, high = start + shift, end + shift
        elif change.start <= end:
            low = min(low, change.start + shift)
            shift += change.growth
            high = max(end, change.end) + shift
    return low, high
