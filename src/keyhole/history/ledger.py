"""A ledger of one text: who wrote each stretch of it, and who took away what stood there before.

Steps are taken in as spans, without their texts, and what they took away stays in its place. So the
text as it would be without some of the steps can be told, and what each hunk of it is owed to:

    the text       one two three
    step 1         one 2 three          wrote "2", took away "two"
    step 2         one 2 3              wrote "3", took away "three"
    without 1      one two 3            what step 1 alone did is the difference to the text

A step that changed what a chosen step wrote cannot be without it, so it goes with the chosen ones.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator

from keyhole.fastclasses import dataclass

# A step by the order of its transaction, and the edit in it; -1 is what belongs to no edit.
Mark = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Step:
    """One change of the text: `[start, end)` became `length` characters, by whom."""

    start: int
    end: int
    length: int
    by: Mark


@dataclass(frozen=True, slots=True)
class Passage:
    """Some characters of a version: 0 is the first text, n what the nth call of `take` left."""

    version: int
    start: int
    end: int
    # Steps, by their number in the ledger.
    wrote: int | None = None
    took: int | None = None


class Ledger:
    """The stretches of a text in order, those that were taken away among them."""

    def __init__(self, length: int) -> None:
        self._stretches = [Passage(0, 0, length)] if length else []
        self._version = 0
        self._steps: list[Step] = []
        # How many stretches were looked at so far: what the ledger costs.
        self.cost = 0

    @property
    def length(self) -> int:
        """Return the length of the text as it stands."""
        return sum(each.end - each.start for each in self._stretches if each.took is None)

    def take(self, steps: Iterable[Step]) -> None:
        """Take in the changes that made the next version of the text, in their order."""
        self._version += 1
        self.cost += len(self._stretches)
        first = len(self._steps)
        self._steps += sorted(steps, key=lambda each: each.start)
        self._stretches = list(self._after([*enumerate(self._steps)][first:]))

    def _after(self, steps: list[tuple[int, Step]]) -> Iterator[Passage]:
        todo = steps[::-1]
        at = shift = 0
        for each in self._stretches:
            start = each.start
            while True:
                # At once: what was taken away behind the place belongs to what follows.
                while todo and at >= todo[-1][1].end:
                    number, step = todo.pop()
                    yield from self._written(number, step, shift)
                    shift += step.length - (step.end - step.start)
                if each.took is not None:
                    yield each
                    break
                if start == each.end:
                    break
                by = todo[-1][0] if todo and at >= todo[-1][1].start else None
                stop = at + each.end - start
                if todo:
                    stop = min(stop, todo[-1][1].end if by is not None else todo[-1][1].start)
                yield Passage(each.version, start, start + stop - at, each.wrote, by)
                start, at = start + stop - at, stop
        for number, step in reversed(todo):
            yield from self._written(number, step, shift)
            shift += step.length - (step.end - step.start)

    def _written(self, number: int, step: Step, shift: int) -> Iterator[Passage]:
        start = step.start + shift
        if step.length:
            yield Passage(self._version, start, start + step.length, number)

    def owners(self) -> Owners:
        """Return who wrote which characters of the text as it stands."""
        return Owners.of(
            (each.end - each.start, self._mark(each.wrote))
            for each in self._stretches
            if each.took is None
        )

    def _mark(self, step: int | None) -> Mark | None:
        return None if step is None else self._steps[step].by

    def without(self, chosen: Callable[[Mark], bool], read: Callable[[int], str]) -> Earlier:
        """Return the text as it would be without the chosen steps, and those that need them.

        `read` returns the text of a version.
        """
        inside = {at for at, step in enumerate(self._steps) if chosen(step.by)}
        while more := self._needing(inside, read):
            inside |= more
            self.cost += len(self._stretches)
        left = [each for each in self._stretches if _stays(each, inside)]
        words = "".join(read(each.version)[each.start : each.end] for each in left)
        owners = Owners.of((each.end - each.start, self._mark(each.took)) for each in left)
        return Earlier(words, owners, frozenset(self._steps[at].by for at in inside))

    def _needing(self, inside: set[int], read: Callable[[int], str]) -> set[int]:
        """Return the other steps that took what some steps wrote, or went on in a line of it."""
        found: set[int] = set()
        # The chosen step in whose line the next character would stand; -1 for none.
        line_of = -1
        for each in self._stretches:
            wrote, took = each.wrote, each.took
            if wrote in inside and took is not None and took not in inside:
                found.add(took)
            if wrote is not None and wrote not in inside and took is None and wrote > line_of >= 0:
                found.add(wrote)
            if took is None and each.end > each.start:
                ends_line = read(each.version)[each.end - 1] == "\n"
                line_of = wrote if wrote is not None and wrote in inside and not ends_line else -1
        return found


def _stays(each: Passage, inside: Collection[int]) -> bool:
    """Tell whether a stretch stands in the text without some steps."""
    if each.wrote in inside:
        return False
    return each.took is None or each.took in inside


@dataclass(frozen=True, slots=True)
class Owners:
    """Whose each character of a text is: where stretches begin, and the mark of each."""

    starts: tuple[int, ...]
    marks: tuple[Mark | None, ...]

    @staticmethod
    def of(parts: Iterable[tuple[int, Mark | None]]) -> Owners:
        """Return the owners of parts that follow each other, each given by its length."""
        starts, marks, at = [], [], 0
        for length, mark in parts:
            starts.append(at)
            marks.append(mark)
            at += length
        return Owners(tuple(starts), tuple(marks))

    def between(self, start: int, end: int) -> set[Mark]:
        """Return the marks of the characters in `[start, end)`."""
        first = max(bisect_right(self.starts, start) - 1, 0)
        found = set()
        for at in range(first, len(self.starts)):
            if self.starts[at] >= end:
                break
            if (mark := self.marks[at]) is not None:
                found.add(mark)
        return found


@dataclass(frozen=True, slots=True)
class Earlier:
    """A text without some steps, which of them took each of its characters, and whose they are."""

    text: str
    owners: Owners
    marks: frozenset[Mark]
