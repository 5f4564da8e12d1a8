"""Changes as values: what replaces what, taken back, put in sequence, carried over others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from keyhole.fastclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """Replace `[start, end)` of a text by `text`."""

    start: int
    end: int
    text: str

    @property
    def growth(self) -> int:
        """Return how much longer the text gets."""
        return len(self.text) - (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Clash:
    """Two changes that cannot both happen."""

    ours: Change
    theirs: Change


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Changes to one text of `length` characters: in its positions, sorted, never overlapping."""

    length: int
    changes: tuple[Change, ...] = ()

    @staticmethod
    def of(length: int, changes: Iterable[Change]) -> ChangeSet | Clash:
        """Put loose changes in order, or return the first two that touch the same text.

        Insertions at one point keep the order they came in.
        """
        ordered = sorted(changes, key=lambda change: (change.start, change.end))
        for change in ordered:
            assert 0 <= change.start <= change.end <= length, "BUG: change outside its text"
        for left, right in pairwise(ordered):
            if right.start < left.end:
                return Clash(left, right)
        return ChangeSet(length, tuple(ordered))

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing changes."""
        return not self.changes

    @property
    def new_length(self) -> int:
        """Return the length of the text afterwards."""
        return self.length + sum(change.growth for change in self.changes)

    def apply(self, text: str) -> str:
        """Return `text` with the changes made."""
        assert len(text) == self.length, "BUG: change set belongs to another text"
        pieces: list[str] = []
        at = 0
        for change in self.changes:
            pieces += (text[at : change.start], change.text)
            at = change.end
        pieces.append(text[at:])
        return "".join(pieces)

    def invert(self, text: str) -> ChangeSet:
        """Return the set that takes this one back, for the `text` this one was made for."""
        assert len(text) == self.length, "BUG: change set belongs to another text"
        inverse, shift = [], 0
        for change in self.changes:
            start = change.start + shift
            inverse.append(Change(start, start + len(change.text), text[change.start : change.end]))
            shift += change.growth
        return ChangeSet(self.new_length, tuple(inverse))

    def then(self, later: ChangeSet) -> ChangeSet:
        """Return the one set that does this and then `later`."""
        assert self.new_length == later.length, "BUG: change sets do not follow each other"
        return ChangeSet(self.length, tuple(_compose(self.changes, later.changes)))

    def rebase(self, over: ChangeSet) -> ChangeSet | Clash:
        """Return this set as it reads after `over`, or the first clash."""
        assert self.length == over.length, "BUG: change sets of different texts"
        rebased, shift, index = [], 0, 0
        for change in self.changes:
            while index < len(over.changes) and _lies_before(over.changes[index], change):
                shift += over.changes[index].growth
                index += 1
            if index < len(over.changes) and not _lies_before(change, over.changes[index]):
                return Clash(change, over.changes[index])
            rebased.append(Change(change.start + shift, change.end + shift, change.text))
        return ChangeSet(over.new_length, tuple(rebased))

    def spans_after(self) -> Iterator[tuple[int, int]]:
        """Yield where each change's new text lies afterwards."""
        shift = 0
        for change in self.changes:
            start = change.start + shift
            yield start, start + len(change.text)
            shift += change.growth

    def carried(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return where a span lies afterwards that belongs to none of the changes."""
        return self._carried(span[0]), self._carried(span[1])

    def _carried(self, offset: int) -> int:
        moved = offset
        for change in self.changes:
            if change.start < offset:
                # What lay inside of a change is where the change begins.
                moved += change.growth if change.end <= offset else change.start - offset
        return moved


def _lies_before(left: Change, right: Change) -> bool:
    """Tell whether `left` ends before `right` begins; insertions at one point have no order."""
    if left.end < right.start:
        return True
    both_insert = left.start == left.end == right.start == right.end
    return left.end == right.start and not both_insert


def _compose(first: tuple[Change, ...], second: tuple[Change, ...]) -> Iterator[Change]:
    """Merge two sequences of changes; those that meet in the text between the two become one.

    Worked example: "abc", first c -> XYZ at [2,3), then Y -> nothing at [3,4) of "abXYZ". They
    meet, so the result is the one change [2,3) -> "XZ". A stretch where changes meet is covered by
    them without a gap, so its new text needs no look at the text itself.
    """
    i = j = shift = 0
    while i < len(first) or j < len(second):
        starts = [first[i].start + shift] if i < len(first) else []
        starts += [second[j].start] if j < len(second) else []
        begin = reach = min(starts)
        old_start = begin - shift
        kept: list[tuple[int, str]] = []
        laid: list[Change] = []
        while True:
            if i < len(first) and first[i].start + shift <= reach:
                kept.append((first[i].start + shift, first[i].text))
                reach = max(reach, kept[-1][0] + len(first[i].text))
                shift += first[i].growth
                i += 1
            elif j < len(second) and second[j].start <= reach:
                laid.append(second[j])
                reach = max(reach, second[j].end)
                j += 1
            else:
                break
        yield Change(old_start, reach - shift, _overlay(kept, laid, begin, reach))


def _overlay(kept: list[tuple[int, str]], laid: list[Change], begin: int, end: int) -> str:
    """Return the text of a stretch: `kept` pieces by position, with `laid` changes on top."""
    pieces, at, index = [], begin, 0
    for change in [*laid, Change(end, end, "")]:
        while index < len(kept) and kept[index][0] < change.start:
            position, text = kept[index]
            pieces.append(text[max(at - position, 0) : change.start - position])
            if position + len(text) > change.start:
                break
            index += 1
        pieces.append(change.text)
        at = change.end
    return "".join(pieces)
