"""View: the forms of a document that the ladder compares, each made once and on demand."""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, count
from operator import add
from typing import NamedTuple

from keyhole.matching.query import Structure
from keyhole.text.document import Document
from keyhole.text.indent import BLANK, IndentStyle, style_of

_QUOTES = dict.fromkeys("‘’‚‛′", "'")
_DOUBLE = dict.fromkeys("“”„‟″", '"')
_DASHES = dict.fromkeys("‐‑‒–—―−", "-")
_SPACES = {chr(code): " " for code in (0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)}
# A byte that is not valid in the file's encoding is shown to agents as U+FFFD, and may be quoted
# so.
_BYTES = {chr(code): "\ufffd" for code in range(0xDC80, 0xDD00)}
# Spellings of another length; they count only where whole lines are compared, never inside one.
_WIDE = str.maketrans(
    {
        "\u2026": "...",
        **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
        **dict(
            zip("\ufb00\ufb01\ufb02\ufb03\ufb04", ("ff", "fi", "fl", "ffi", "ffl"), strict=True)
        ),
    }
)
_WORD = re.compile(r"\w", re.ASCII)
_NEAR = 4096
_FEW = 16
_FOLD = str.maketrans({**_QUOTES, **_DOUBLE, **_DASHES, **_SPACES, **_BYTES})


def fold(text: str) -> str:
    """Return `text` with typographic quotes, dashes and spaces made plain, one for one."""
    return text if text.isascii() else text.translate(_FOLD)


def plain_newlines(text: str, terminator: str = "\n") -> str:
    r"""Return `text` with every line end as `\n`; a lone `\r` counts if the file's lines end so."""
    if "\r" not in text:
        return text
    text = text.replace("\r\n", "\n")
    return text.replace("\r", "\n") if terminator == "\r" else text


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a text whose line ends are `\n`, without them."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def quote_lines(old: str, new: str | None) -> tuple[list[str], list[str]]:
    """Return the lines of a quote's two texts.

    A line end that closes both texts adds no line; one that closes only one of them adds a blank
    line there.
    """
    if old.endswith("\n") and (not new or new.endswith("\n")):
        return old[:-1].split("\n"), new[:-1].split("\n") if new else []
    return old.split("\n"), new.split("\n") if new is not None else []


class LineUnits(NamedTuple):
    r"""Lines in normal form: a non-blank line, or a run of blank ones, is one unit.

    `text` is every unit's key, stripped and folded, each between two `\n`; `firsts` is each unit's
    first line, and the number of lines at the end.
    """

    text: str
    firsts: array[int]


def keys_of(text: str) -> list[str]:
    """Return the normal form of each line of a text: folded, composed, without blanks around."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(_FOLD).translate(_WIDE))
    return [line.strip(BLANK) for line in text.split("\n")]


def units_of(pieces: Iterable[list[str]]) -> LineUnits:
    """Return the units of lines whose normal forms come in pieces, one behind the other."""
    firsts, texts, count, above = array("Q"), [""], 0, "none"
    for keys in pieces:
        beside = enumerate(zip(keys, [above, *keys], strict=False))
        if begin := [i for i, (key, before) in beside if key or before]:
            firsts.extend([count + i for i in begin])
            texts.append("\n".join([keys[i] for i in begin]))
        count, above = count + len(keys), keys[-1] if keys else above
    firsts.append(count)
    return LineUnits("\n".join([*texts, ""]), firsts)


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces of whole lines."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PIECE) + 1 or len(text)
        yield text[start:end]
        start = end


# As many characters as are looked at line by line at once: lines take several times their text.
_PIECE = 1 << 20
# Beyond this many characters a file is searched to the character only: comparing its lines one by
# one would take several times its size in memory.
_MOST_COMPARED = 32 * 1024 * 1024
_MOST_COMPARISONS = 500_000
# As many lines as tell how a file indents.
_SAMPLED = 1000


class View:
    """A document with plain line ends, its lines, their normal form, and the way back."""

    def __init__(
        self, document: Document, structure_of: Callable[[Document], Structure] | None = None
    ) -> None:
        self.document = document
        self._structure_of = structure_of
        self.flat = self.plain(document.text)
        self.is_huge = len(self.flat) > _MOST_COMPARED
        self._asked = 0
        # How many lines may still be compared to say what is like those that are missing.
        self.comparisons = _MOST_COMPARISONS

    def plain(self, text: str) -> str:
        r"""Return a text with the line ends that count in this document as `\n`."""
        return plain_newlines(text, self.document.terminator)

    @cached_property
    def _returns(self) -> list[int]:
        """Offsets in `flat` of each line end that is two characters in the document."""
        if len(self.flat) == len(self.document.text):
            return []
        found, at, shift = [], -1, 0
        while (at := self.document.text.find("\r\n", at + 1)) >= 0:
            found.append(at - shift)
            shift += 1
        return found

    def offset(self, flat_offset: int) -> int:
        """Return the document offset of an offset in `flat`."""
        return flat_offset + bisect_left(self._returns, flat_offset)

    def flat_offset(self, offset: int) -> int:
        """Return the offset in `flat` of a document offset."""
        low, high = 0, len(self._returns)
        while low < high:
            middle = (low + high) // 2
            if self._returns[middle] + middle < offset:
                low = middle + 1
            else:
                high = middle
        return offset - low

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return lines_of(self.flat)

    @cached_property
    def starts(self) -> array[int]:
        """Where each line starts in `flat`, and where the text ends."""
        # The sum of the lengths so far, and one line end for each line: all of it at native speed.
        starts = array("Q", [0])
        starts.extend(map(add, accumulate(map(len, self.lines)), count(1)))
        starts[-1] = len(self.flat)
        return starts

    @cached_property
    def keys(self) -> list[str]:
        """The normal form of each line."""
        if self.flat.isascii():
            # A line without blanks around is its own normal form, and is not kept twice.
            return [line.strip(BLANK) for line in self.lines]
        return keys_of(self.flat)[: len(self.lines)]

    @cached_property
    def units(self) -> LineUnits:
        """The normal form of all lines, runs of blank lines taken together."""
        if len(self.flat) <= _PIECE or "keys" in self.__dict__:
            return units_of([self.keys])
        return units_of(keys_of(piece.removesuffix("\n")) for piece in _pieces(self.flat))

    @cached_property
    def structure(self) -> Structure:
        """What the file says of its blocks; of a huge one nothing is asked."""
        if self.is_huge or self._structure_of is None:
            return Structure()
        return self._structure_of(self.document)

    @cached_property
    def style(self) -> IndentStyle:
        """How the file indents."""
        return style_of(self.lines[:_SAMPLED])

    def may_hold(self, key: str) -> bool:
        """Tell whether a line in normal form may stand here, without looking at each line."""
        return key in self.flat or not self.flat.isascii()

    def line_of(self, flat_offset: int) -> int:
        """Return the 0-based line that holds an offset in `flat`."""
        self._asked += 1
        # Who asks for one line counts up to it; who asks for many has them all numbered once.
        if self._asked > _FEW or "starts" in self.__dict__:
            return min(bisect_right(self.starts, flat_offset), len(self.lines) or 1) - 1
        at_end = 0 < flat_offset == len(self.flat) and self.flat.endswith("\n")
        return self.flat.count("\n", 0, flat_offset) - at_end

    def around(self, start: int, end: int) -> tuple[str, str]:
        """Return what stands on the lines of a span of `flat` before it and behind it."""
        before, after = self._near(start, end)
        # Of a very long line a piece will do: whether it has words is what is asked.
        if not _WORD.search(before):
            before = self.flat[self.flat.rfind("\n", 0, start) + 1 : start]
        if not _WORD.search(after):
            stop = self.flat.find("\n", end)
            after = self.flat[end : stop if stop >= 0 else None]
        return before, after

    def _near(self, start: int, end: int) -> tuple[str, str]:
        before = self.flat[max(start - _NEAR, 0) : start]
        return before.rpartition("\n")[2], self.flat[end : end + _NEAR].partition("\n")[0]

    def ending(self, line: int) -> str:
        """Return the terminator a line has in the document; "" for a last line without one."""
        end = self.offset(self.starts[line + 1])
        text = self.document.text
        if text[end - 2 : end] == "\r\n":
            return "\r\n"
        return text[end - 1] if end and text[end - 1] in "\r\n" and self._ends(line) else ""

    def _ends(self, line: int) -> bool:
        return line < len(self.lines) - 1 or self.flat.endswith("\n")


class SortedLines:
    """The lines of a file, without blanks around, that are a text or begin with it."""

    def __init__(self, view: View) -> None:
        self._lines = [line.strip() for line in view.lines]
        self._order = sorted(range(len(self._lines)), key=self._lines.__getitem__)
        # Each text is looked up once: all that one line begins with are together as long as many
        # lines of its length.
        self._found: dict[tuple[str, int | None], list[int]] = {}

    def below(self, wanted: str, first: int) -> Sequence[int]:
        """Return the lines from a 0-based one on that are a text; else those that begin with it."""
        return self._below(wanted, None, first) or self._below(wanted, len(wanted), first)

    def _below(self, wanted: str, size: int | None, first: int) -> Sequence[int]:
        found = self._found.get((wanted, size))
        if found is None:
            found = self._found[wanted, size] = self._beginning(wanted, size)
        at = bisect_left(found, first)
        return found[at:] if at else found

    def _beginning(self, wanted: str, size: int | None) -> list[int]:
        """Return the lines whose text, cut to a size, is the one wanted, in file order."""

        def cut(line: int) -> str:
            return self._lines[line][:size]

        low = bisect_left(self._order, wanted, key=cut)
        return sorted(self._order[low : bisect_right(self._order, wanted, lo=low, key=cut)])
