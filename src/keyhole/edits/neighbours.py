"""Several edits of one file: what stands between two segments goes with one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from keyhole.edits.by_text.hunks import refuse_swapped
from keyhole.edits.by_text.target import Target
from keyhole.edits.combine import combine
from keyhole.edits.locate import locate
from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import LocatedEdit
from keyhole.fastclasses import replace
from keyhole.text.changes import Change, ChangeSet


def fitted_together(
    target: Target, edits: Sequence[tuple[int, Edit | Hunk]], placed: list[LocatedEdit]
) -> list[LocatedEdit]:
    """Return the edits of a call as they go together, or refuse hunks that would change places."""
    refuse_swapped(target.document, edits, placed)
    return _parted(target, edits, placed)


def _parted(
    target: Target, edits: Sequence[tuple[int, Edit | Hunk]], placed: list[LocatedEdit]
) -> list[LocatedEdit]:
    """Return the edits of a call, those of neighbours parted where both take what is between them.

    Worked example: `a, b, c` without b and c. Alone, b goes with the comma behind it (`b, `) and c
    with the one before it (`, c`), which overlap. So c is taken out first, then b out of the `a, b`
    that this leaves (`, b`). Together that is `, b, c`, parted where b alone ends.
    """
    asked = {index: edit for index, edit in edits if isinstance(edit, Edit) and _is_sibling(edit)}
    named = [each for each in placed if each.changes and each.index in asked]
    moved = _overlapping(named, {index for index, edit in asked.items() if edit.action == "delete"})
    segments = {each.segment: target.outline.by_address.get(each.segment) for each in moved}
    spans = {address: segment.span for address, segment in segments.items() if segment}
    are_apart = all(one[1] <= other[0] for one, other in pairwise(sorted(spans.values())))
    if not moved or len(spans) < len(moved) or not are_apart:
        return placed
    moved.sort(key=lambda each: spans[each.segment])
    shared = _shared_out(moved, _last_first(target, moved, asked))
    shares = dict(zip((each.index for each in moved), shared, strict=True))
    return [replace(each, changes=shares.get(each.index, each.changes)) for each in placed]


def _is_sibling(edit: Edit) -> bool:
    """Tell whether an edit adds a segment beside another, or takes one away."""
    is_whole = bool(edit.segment) and edit.part == "whole" and not (edit.find or edit.lines)
    return is_whole and edit.action in {"before", "after", "delete"}


def _overlapping(named: Iterable[LocatedEdit], removing: set[int]) -> list[LocatedEdit]:
    """Return the edits that overlap one that takes a segment away, and all that take one away."""
    ordered = sorted(named, key=lambda each: (each.changes[0].start, each.changes[-1].end))
    clashing = {
        edit.index
        for one, other in pairwise(ordered)
        if other.changes[0].start < one.changes[-1].end and one.changes != other.changes
        for edit in (one, other)
    }
    if not clashing & removing:
        return []
    return [each for each in ordered if each.index in clashing | removing]


def _last_first(
    target: Target, moved: Sequence[LocatedEdit], asked: Mapping[int, Edit]
) -> ChangeSet:
    """Return what edits make of a text, each located on what those behind it leave."""
    now, total = target.document, ChangeSet(len(target.document.text))
    for each in reversed(moved):
        left = target.at_version(now)
        plan = combine(left, [locate(asked[each.index], left, {})])
        assert plan.after is not None, "BUG: an edit of a file leaves a file"
        now, total = plan.after, total.then(plan.changes)
    return total


def _shared_out(moved: Sequence[LocatedEdit], together: ChangeSet) -> Iterator[tuple[Change, ...]]:
    """Yield for each edit its part of the changes: up to where it ends alone."""
    left = list(together.changes)
    for each in moved:
        is_last = each is moved[-1]
        end = together.length if is_last else each.changes[-1].end
        own: list[Change] = []
        while left and left[0].start <= end:
            change = left.pop(0)
            own.append(Change(change.start, min(change.end, end), change.text))
            if change.end > end:
                left.insert(0, Change(end, change.end, ""))
                break
        yield tuple(change for change in own if change.end > change.start or change.text)
