"""Two texts side by side: which lines stand beside which, and which words of them differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from keyhole.fastclasses import dataclass
from keyhole.text.align import AlignedHunk, differences, line_differences, unchanged
from keyhole.text.document import Document, chop, split_lines

Span = tuple[int, int]

# A word; of a very long one, such as an image in a string, pieces that come again behind a change.
_WORD = re.compile(r"\w{1,200}+(?!\w)|[A-Z\d]?[^\WA-Z\d]{1,39}|\w|\s+|.", re.DOTALL)
# Beyond this many pairs of words a hunk is shown as replaced whole.
_MOST_PAIRS = 1_000_000
# Lines that share less than this part of their text are no two versions of one line.
_ALIKE = 0.4


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end, its 1-based number, and the stretches that the other has not."""

    number: int
    text: str
    marks: tuple[Span, ...] = ()
    # The end of the line where that is the difference: "CRLF", "LF", "no newline".
    end: str = ""


@dataclass(frozen=True, slots=True)
class RowPair:
    """What stands on one row: a line on each side, or on one of them."""

    old: Line | None
    new: Line | None


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Rows that belong together: a stretch both texts have, or one hunk of what differs."""

    changed: bool
    pairs: tuple[RowPair, ...]
    old: Span
    new: Span


@dataclass(frozen=True, slots=True)
class CellHead:
    """The line of a notebook's text that tells of a cell: its number, and what it says.

    `stored` are the lines of the file in which the source of the cell stands.
    """

    line: int
    language: str
    id: str
    outputs: int
    stored: Span = (1, 1)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """A whole comparison; `added` and `removed` count lines. Of notebooks it has the cells too."""

    blocks: tuple[RowBlock, ...]
    added: int
    removed: int
    old_cells: tuple[CellHead, ...] = ()
    new_cells: tuple[CellHead, ...] = ()

    def stored_line(self, line: int) -> int:
        """Return the line of the new file for a line of its text; a notebook's file is JSON."""
        cell = next((each for each in reversed(self.new_cells) if each.line <= line), None)
        if cell is None:
            return line
        first, last = cell.stored
        return min(max(first + line - cell.line - 1, first), last)


def sides(before: Document | None, after: Document | None) -> SideBySide:
    """Compare two versions of a file; None is a file that is not there."""
    old, new = _lines(before), _lines(after)
    hunks = line_differences(old, new, old, new)
    blocks = tuple(_blocks(old, new, hunks))
    return SideBySide(blocks, *_counted(hunks), _cells(before), _cells(after))


def line_counts(before: Document | None, after: Document | None) -> tuple[int, int]:
    """Return how many lines a change adds, and how many it removes."""
    return _counted(differences(_lines(before), _lines(after)))


def _cells(document: Document | None) -> tuple[CellHead, ...]:
    notebook = document.notebook if document else None
    if document is None or notebook is None:
        return ()
    found, at, reached = [], 1, 0
    for line, cell in zip(document.marks, notebook.cells, strict=True):
        source = cell.members["source"]
        at += notebook.stored.count("\n", reached, source.start)
        reached = source.start
        more = notebook.stored.count("\n", source.start, source.end)
        stored = (at + 1, at + more - 1) if more > 1 else (at, at)
        found.append(CellHead(line, cell.word, cell.id, cell.outputs, stored))
    return tuple(found)


def _lines(document: Document | None) -> list[str]:
    return split_lines(document.text, document.terminator) if document else []


def _counted(hunks: Sequence[AlignedHunk]) -> tuple[int, int]:
    added = sum(hunk.new_end - hunk.new_start for hunk in hunks)
    return added, sum(hunk.old_end - hunk.old_start for hunk in hunks)


def _blocks(old: list[str], new: list[str], hunks: Sequence[AlignedHunk]) -> Iterator[RowBlock]:
    i = j = 0
    for hunk in [*hunks, AlignedHunk(len(old), len(old), len(new), len(new))]:
        if hunk.old_start > i:
            both = zip(range(i, hunk.old_start), range(j, hunk.new_start), strict=True)
            pairs = tuple(RowPair(_line(a, old[a]), _line(b, new[b])) for a, b in both)
            yield RowBlock(False, pairs, (i, hunk.old_start), (j, hunk.new_start))  # noqa: FBT003
        i, j = hunk.old_end, hunk.new_end
        if (hunk.old_start, hunk.new_start) != (i, j):
            spans = (hunk.old_start, i), (hunk.new_start, j)
            yield RowBlock(True, tuple(_hunk(old, new, hunk)), *spans)  # noqa: FBT003


def _line(index: int, text: str, marks: tuple[Span, ...] = (), end: str = "") -> Line:
    return Line(index + 1, chop(text), marks, end)


def _hunk(old: list[str], new: list[str], hunk: AlignedHunk) -> Iterator[RowPair]:
    """Yield the rows of a hunk: lines that are versions of each other stand side by side."""
    words = _Words(old[hunk.old_start : hunk.old_end], new[hunk.new_start : hunk.new_end])
    i = j = 0
    last = (hunk.old_end - hunk.old_start, hunk.new_end - hunk.new_start)
    for a, b in [*words.versions, last]:
        lone = zip_longest(range(i, a), range(j, b))
        for left, right in lone:
            yield RowPair(
                None if left is None else _line(hunk.old_start + left, words.old[left]),
                None if right is None else _line(hunk.new_start + right, words.new[right]),
            )
        if (a, b) != last:
            ends = _ends(words.old[a], words.new[b])
            yield RowPair(
                _line(hunk.old_start + a, words.old[a], words.gone(a), ends[0]),
                _line(hunk.new_start + b, words.new[b], words.come(b), ends[1]),
            )
        i, j = a + 1, b + 1


def _ends(old: str, new: str) -> tuple[str, str]:
    one, other = _end(old), _end(new)
    return (one, other) if one != other else ("", "")


def _end(line: str) -> str:
    if line.endswith("\r\n"):
        return "CRLF"
    return "LF" if line.endswith(("\n", "\r")) else "no newline"


class _Words:
    """The words of a hunk, lined up: which lines are versions of each other, what differs."""

    def __init__(self, old: list[str], new: list[str]) -> None:
        self.old, self.new = old, new
        left, right = _words(old), _words(new)
        same = _lined_up([each[2] for each in left], [each[2] for each in right])
        self._shared: Counter[tuple[int, int]] = Counter()
        for a, b in same:
            self._shared[left[a][0], right[b][0]] += len(left[a][2].strip())
        # Which lines stand beside each other: words were lined up in order, so whatever subset of
        # their pairs is taken is in order too.
        self.versions = sorted(self._chosen())
        chosen = dict(self.versions)
        # A word that went to another line than the one beside it is no word they share.
        kept_pairs = [(a, b) for a, b in same if chosen.get(left[a][0]) == right[b][0]]
        self._left = _stretches(left, {a for a, _ in kept_pairs})
        self._right = _stretches(right, {b for _, b in kept_pairs})

    def _alike(self, i: int, j: int) -> bool:
        size = max(len(self.old[i].strip()), len(self.new[j].strip()))
        return size > 0 and self._shared[i, j] >= _ALIKE * size

    def _chosen(self) -> Iterator[tuple[int, int]]:
        """Yield the lines that are versions of each other, each at most once, the likest first."""
        taken_old, taken_new = set[int](), set[int]()
        alike = [pair for pair in self._shared if self._alike(*pair)]
        for i, j in sorted(alike, key=lambda pair: -self._shared[pair]):
            if i not in taken_old and j not in taken_new:
                taken_old.add(i)
                taken_new.add(j)
                yield i, j

    def gone(self, index: int) -> tuple[Span, ...]:
        """Return what a line of the old side has alone."""
        return _trimmed(self._left.get(index, []), chop(self.old[index]))

    def come(self, index: int) -> tuple[Span, ...]:
        """Return what a line of the new side has alone."""
        return _trimmed(self._right.get(index, []), chop(self.new[index]))


def _words(lines: list[str]) -> list[tuple[int, int, str]]:
    """Return words with their line and offset; each line's words are its own."""
    return [
        (index, found.start(), found.group())
        for index, line in enumerate(lines)
        for found in _WORD.finditer(chop(line))
    ]


def _lined_up(left: list[str], right: list[str]) -> list[tuple[int, int]]:
    """Return the pairs of equal words in order; of very many, the middle may stay without."""
    if len(left) * len(right) <= _MOST_PAIRS:
        return list(unchanged(left, right))
    both = min(len(left), len(right))
    head = next((at for at in range(both) if left[at] != right[at]), both)
    ends = range(1, both - head + 1)
    tail = next((at - 1 for at in ends if left[-at] != right[-at]), both - head)
    last = len(left) - tail, len(right) - tail
    middle: Iterable[tuple[int, int]] = ()
    if (last[0] - head) * (last[1] - head) <= _MOST_PAIRS:
        middle = unchanged(left[head : last[0]], right[head : last[1]])
    return [
        *((at, at) for at in range(head)),
        *((head + a, head + b) for a, b in middle),
        *((last[0] + at, last[1] + at) for at in range(tail)),
    ]


def _stretches(words: list[tuple[int, int, str]], kept: set[int]) -> dict[int, list[Span]]:
    """Return, by line, the stretches of words that are not kept; neighbours are one stretch."""
    found: dict[int, list[Span]] = {}
    for at, (line, start, word) in enumerate(words):
        if at in kept:
            continue
        own = found.setdefault(line, [])
        if own and own[-1][1] == start:
            own[-1] = (own[-1][0], start + len(word))
        else:
            own.append((start, start + len(word)))
    return found


def _trimmed(spans: list[Span], line: str) -> tuple[Span, ...]:
    """Return marks joined over single blanks: two changed words in a row are one change."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and not line[joined[-1][1] : start].strip() and start - joined[-1][1] <= 1:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)
