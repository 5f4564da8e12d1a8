"""Segment and Outline: what the parts of a file are called, and where each one lies."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from keyhole.fastclasses import dataclass, field, replace
from keyhole.text.document import Document

Span = tuple[int, int]


CELL_KINDS = ("code_cell", "markdown_cell", "raw_cell")


@dataclass(frozen=True, slots=True)
class Segment:
    """A named part of a file, in offsets into its text; the spans of one outline nest, none cross.

    `span` covers whole lines, the last terminator included, when the segment has its lines for
    itself, and the exact characters otherwise (two keys on one line of JSON). The same holds for
    a part; but `signature` ends with its last character, so that a comment behind it stays.
    """

    address: str
    kind: str
    span: Span
    parts: Mapping[str, Span] = field(hash=False)
    indent: str
    parent: str
    name: str
    path: tuple[str, ...] = ()
    level: int = 0

    def below(self, parent: str) -> Segment:
        """Return the segment with another parent."""
        return replace(self, parent=parent)

    @property
    def is_cell(self) -> bool:
        """Tell whether the segment is a cell of a notebook or of a script."""
        return self.kind in CELL_KINDS


class SegmentDraft(NamedTuple):
    """A segment before it has an address: `stem` is the address if no other segment has it."""

    kind: str
    stem: str
    path: tuple[str, ...]
    span: Span
    parts: Mapping[str, Span]
    indent: str = ""
    level: int = 0


class _Names(NamedTuple):
    """The names of an outline: the numbers of the segments that have each, and how long they are.

    One edit looks at every name once; many edits of one file look up what they need.
    """

    numbers: Mapping[str, Sequence[int]]
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, names: Iterable[str]) -> _Names:
        """Return the index of names in their order."""
        numbers: dict[str, list[int]] = {}
        for number, name in enumerate(names):
            numbers.setdefault(name, []).append(number)
        return cls(numbers, tuple(sorted(set(map(len, numbers)))))

    def that_end(self, text: str) -> list[int]:
        """Return the numbers of the names that a text ends in."""
        size = len(text)
        endings = (text[size - each :] for each in self.lengths if each <= size)
        return sorted(number for each in endings for number in self.numbers.get(each, ()))


def _all_readable() -> tuple[Span, ...]:
    return ()


@dataclass(frozen=True)
class Outline:
    """The segments of one text in file order; `join` joins the names of an address."""

    language: str
    segments: tuple[Segment, ...] = ()
    kinds: tuple[str, ...] = ()
    join: str = "."
    find_unreadable: Callable[[], tuple[Span, ...]] = field(
        default=_all_readable, repr=False, compare=False
    )
    # Other addresses, of the cells of a notebook, by which theirs are found.
    aliases: Mapping[str, str] = field(default_factory=dict, repr=False)
    # The cells of a script that is a notebook too. They hold segments and are no parents of theirs.
    cells: tuple[Segment, ...] = ()

    def canonical(self, address: str) -> str:
        """Return an address with the number of the cell that it names otherwise."""
        if not self.aliases or address in self.by_address:
            return address
        if address in self.aliases:
            return self.aliases[address]
        cell, slash, inner = address.partition("/")
        made = f"{self.aliases.get(cell, cell)}{slash}{inner}"
        return self.aliases.get(made, made)

    @cached_property
    def unreadable(self) -> tuple[Span, ...]:
        """Return the line ranges that cannot be read, computed on demand by a full parse."""
        return self.find_unreadable()

    @cached_property
    def by_address(self) -> Mapping[str, Segment]:
        """Return every segment under its canonical address."""
        return {each.address: each for each in (*self.segments, *self.cells)}

    @property
    def listed(self) -> tuple[Segment, ...]:
        """Return the segments in file order, those of a script below the cells they stand in."""
        if not self.cells:
            return self.segments
        starts = [cell.span[0] for cell in self.cells]
        found = [(cell.span[0], 0, cell) for cell in self.cells]
        for each in self.segments:
            at = bisect_right(starts, each.span[0]) - 1
            is_in = at >= 0 and not each.parent
            found.append((each.span[0], 1, each.below(self.cells[at].address) if is_in else each))
        return tuple(each for *_, each in sorted(found, key=lambda one: one[:2]))

    def named(self, ending: str, respell: Callable[[str], str] = str) -> list[Segment]:
        """Return the segments whose name, as `respell` spells names, ends a text."""
        if respell not in self._names:
            self._names[respell] = _Names.of(respell(segment.name) for segment in self.segments)
        return [self.segments[number] for number in self._names[respell].that_end(ending)]

    @cached_property
    def _names(self) -> dict[Callable[[str], str], _Names]:
        return {}

    def inside(self, outer: Segment) -> tuple[Segment, ...]:
        """Return the segments inside another one, however deep."""
        start, end = outer.span
        first, last = bisect_left(self._starts, start), bisect_right(self._starts, end)
        near = self.segments[first:last]
        return tuple(each for each in near if each is not outer and each.span[1] <= end)

    def enclosing(self, offset: int) -> Segment | None:
        """Return the innermost segment that holds `offset`: the last to begin, or one around it."""
        index = bisect_right(self._starts, offset)
        segment = self.segments[index - 1] if index else None
        while segment and segment.span[1] <= offset:
            segment = self.by_address.get(segment.parent)
        if segment is None:
            return next((cell for cell in self.cells if holds((cell.span,), offset)), None)
        return segment

    @cached_property
    def _starts(self) -> list[int]:
        return [segment.span[0] for segment in self.segments]

    def children(self, address: str) -> tuple[Segment, ...]:
        """Return the segments directly inside the one with `address`; "" asks for the outermost."""
        return tuple(segment for segment in self.segments if segment.parent == address)


def name_segments(drafts: Iterable[SegmentDraft]) -> tuple[Segment, ...]:
    """Put drafts in file order, outer before inner, each with a unique address and a parent."""
    ordered = sorted(drafts, key=_outer_first)
    shared = Counter(draft.stem for draft in ordered)
    single = {stem for stem, count in shared.items() if count == 1}
    numbers: Counter[str] = Counter()
    segments: list[Segment] = []
    enclosing: list[Segment] = []
    ordered.reverse()
    while ordered:  # each goes as soon as it has a name: a long text has a million
        kind, stem, path, span, parts, indent, level = ordered.pop()
        address = stem
        if shared[stem] > 1:
            numbers[stem] += 1
            address = _free(f"{stem}#{numbers[stem]}", single)
        while enclosing and enclosing[-1].span[1] <= span[0]:
            enclosing.pop()
        parent = enclosing[-1].address if enclosing else ".".join(path[:-1])
        if not enclosing and parent not in single:
            parent = ""
        segment = Segment(address, kind, span, parts, indent, parent, path[-1], path, level)
        segments.append(segment)
        enclosing.append(segment)
    return tuple(segments)


def _outer_first(draft: SegmentDraft) -> tuple[int, int]:
    return draft.span[0], -draft.span[1]


def _free(address: str, taken: set[str]) -> str:
    """Return `address`, with another number if a heading has that very name."""
    while address in taken:
        address += "#1"
    return address


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Put spans in order and join those that meet."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return tuple(merged)


def holds(spans: Sequence[Span], at: int) -> bool:
    """Tell whether one of the spans that `merged` returned holds an offset."""
    index = bisect_right(spans, (at, sys.maxsize))
    return index > 0 and at < spans[index - 1][1]


def line_ranges(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the lines that spans of a text touch, as ranges of line numbers that do not meet."""
    document = Document(text)
    # Asked for many places, the document finds their lines by its index only.
    assert document.starts, "BUG: every text has a first line"
    ranges: list[Span] = []
    for span in sorted(spans):
        first, last = document.lines_of(span)
        if ranges and first <= ranges[-1][1] + 1:
            first, last = ranges[-1][0], max(last, ranges.pop()[1])
        ranges.append((first, last))
    return tuple(ranges)
