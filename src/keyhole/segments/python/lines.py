"""Python's logical lines: which physical lines continue the one before, and which cannot be read.

The common case takes a few passes of the regular-expression engine. What does not add up there
(an open bracket at the end, a quote without its partner or inside an f-string) is read with care.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from keyhole.fastclasses import dataclass
from keyhole.segments.outline import Span, holds, merged
from keyhole.segments.python.strings import QUOTE, STRING, string_end

_TOKEN = re.compile(rf"{STRING}|#[^\n]*+|\\\r?\n|['\"\\]")
_EVENT = re.compile(rf"{QUOTE}|[()\[\]{{}}\n]|#[^\n]*+|\\\r?\n")
# Words that begin a statement and stand nowhere inside brackets: at the start of a line they prove
# that a bracket was never closed.
_STATEMENT = re.compile(
    r"[ \t\f]*+(?:(?:async[ \t\f]+)?def|class|return|import|while|try|except|finally|raise|pass"
    r"|break|continue|global|nonlocal|del|assert|with|elif)\b|[ \t\f]*+@[ \t\f]*+[^\W\d]"
)
_DEFINES = re.compile(r"\n[ \t\f]*+(?:(?:async[ \t\f]+)?def|class)[ \t\f]+[^\W\d]\w*[ \t\f]*[(:\[]")
_OPENERS = {")": "(", "]": "[", "}": "{"}
_PAIRS = (b"()", b"[]", b"{}")
_NOT_SHAPE = bytes(set(range(256)) - set(b"()[]{}\n\v"))


class Lines(NamedTuple):
    """Numbers, from 0, of lines that continue the one before, and ranges that are broken."""

    continued: frozenset[int]
    broken: tuple[Span, ...] = ()


def join_lines(code: str) -> Lines:
    r"""Tell which lines of `code`, which has no `\r`, begin inside a string or a bracket."""
    shape = _shape(code)
    continued = None if shape is None else _continued(shape)
    return _read_with_care(code) if continued is None else Lines(continued)


def line_starts(code: str) -> list[int]:
    """Return the offset of each line's first character."""
    lengths = accumulate(map(len, code.split("\n")))
    return [0, *(length + number for number, length in enumerate(lengths, 1))]


def _shape(code: str) -> bytes | None:
    r"""Return the brackets and line ends of `code`, ends inside strings as `\v`; None if odd."""
    if "\v" in code:
        return None
    pieces, at = [], 0
    for sign in _TOKEN.finditer(code):
        start, end = sign.span()
        first = code[start]
        if end - start == 1 and first != "#":
            return None
        pieces.append(code[at:start])
        if first != "#" and (inside := code.count("\n", start, end)):
            pieces.append("\v" * inside)
        at = end
    pieces.append(code[at:])
    return "".join(pieces).encode("latin-1", "replace").translate(None, _NOT_SHAPE)


def _continued(shape: bytes) -> frozenset[int] | None:
    """Return the lines that continue the one before, or None where brackets do not match."""
    continued: list[int] = []
    opened = bytearray()
    number = 0
    for line in shape.split(b"\n"):
        inside = line.count(b"\v")
        if inside:
            continued.extend(range(number + 1, number + 1 + inside))
        number += inside + 1
        for bracket in _reduce(line) if line else b"":
            if bracket in b"([{":
                opened.append(bracket)
            elif not opened or bytes([opened.pop(), bracket]) not in _PAIRS:
                return None
        if opened:
            continued.append(number)
    return None if opened else frozenset(continued)


@lru_cache(maxsize=4096)
def _reduce(brackets: bytes) -> bytes:
    """Return `brackets` without the pairs that match."""
    left = bytearray()
    for bracket in brackets.replace(b"\v", b""):
        if left and left[-1:] + bytes([bracket]) in _PAIRS:
            left.pop()
        else:
            left.append(bracket)
    return bytes(left)


class _Reader:
    """Reads with care: brackets on a stack, f-strings by field, broken stretches noted."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.continued: set[int] = set()
        self.broken: list[Span] = []
        self.open: list[tuple[str, int]] = []
        self.number = 0

    def read(self) -> Lines:
        """Read to the end, or to a string that never ends."""
        at = 0
        while event := _EVENT.search(self.code, at):
            at = self._step(event)
        if self.open:
            self.broken.append((self.open[0][1], self.number))
        return Lines(frozenset(self.continued), tuple(self.broken))

    def _step(self, event: re.Match[str]) -> int:
        sign = event.group()
        if sign == "\n":
            self.number += 1
            return self._line_begins(event.end())
        if sign[0] == "\\":
            self._skip(1)
        elif sign in _OPENERS:
            self._close(sign)
        elif sign in "([{":
            self.open.append((sign, self.number))
        elif sign[0] != "#":
            return self._string(event)
        return event.end()

    def _line_begins(self, at: int) -> int:
        if not self.open:
            return at
        if _STATEMENT.match(self.code, at):
            self.broken.append((self.open[0][1], self.number - 1))
            self.open.clear()
        else:
            self.continued.add(self.number)
        return at

    def _skip(self, lines: int) -> None:
        self.continued.update(range(self.number + 1, self.number + 1 + lines))
        self.number += lines

    def _close(self, bracket: str) -> None:
        if not self.open or self.open[-1][0] != _OPENERS[bracket]:
            self.broken.append((self.open[0][1] if self.open else self.number, self.number))
        if self.open:
            self.open.pop()

    def _string(self, event: re.Match[str]) -> int:
        end = string_end(self.code, event)
        if end > 0:
            self._skip(self.code.count("\n", event.start(), end))
            return end
        if len(event["quote"]) == 3:
            return self._never_ends(event.start())
        # A quote without its partner spoils its line, and the brackets it may have hidden.
        self.broken.append((self.open[0][1] if self.open else self.number, self.number))
        self.open = [bracket for bracket in self.open if bracket[1] < self.number]
        line_end = self.code.find("\n", event.end())
        return line_end if line_end >= 0 else len(self.code)

    def _never_ends(self, start: int) -> int:
        """Give up on the rest, from the first string that seems to have swallowed a definition."""
        first = next(_swallowing(self.code, start), start)
        number = self.code.count("\n", 0, first)
        last = self.code.count("\n")
        self._skip(last - self.number)
        self.continued -= set(range(number, last + 1))
        self.broken.append((number, last))
        self.open.clear()
        return len(self.code)


def _swallowing(code: str, end: int) -> Iterator[int]:
    for sign in _TOKEN.finditer(code, 0, end):
        if sign.group().startswith(('"""', "'''")) and _DEFINES.search(sign.group()):
            yield sign.start()


def _read_with_care(code: str) -> Lines:
    return _Reader(code).read()


# Applied to the code with a line end in front, so that a match begins at the offset of its line.
_LOGICAL = re.compile(r"\n([ \t\f]*+)(?:(@)|((?:async[ \t\f]+)?def|class)(?=[ \t\f\\])|(?=[^\s#]))")
_SOMETHING = re.compile(r"[ \t\f]*(?:[^\s#]|#[^\n]*['\"])")
_DECORATOR, _DEFINITION = 2, 3


@dataclass(slots=True)
class Definition:
    """A definition: offsets of its first line, its own line, its first word, its last line."""

    first: int
    start: int
    at: int
    column: int
    outer: Definition | None
    last: int
    inside: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class PythonBlocks:
    """The definitions of a module, its outermost statements, and what of it is broken."""

    code: str
    definitions: list[Definition]
    statements: list[int]
    continued: frozenset[int]
    broken: tuple[Span, ...]

    def is_broken(self, at: int) -> bool:
        """Tell whether `at` lies in a broken stretch."""
        return holds(self.broken, at)

    def line_end(self, at: int) -> int:
        """Return the offset behind the logical line that holds `at`, its terminator included."""
        find, continued = self.code.find, self.continued
        end = find("\n", at) + 1
        while end in continued:
            end = find("\n", end) + 1
        return end or len(self.code)


def read_blocks(code: str) -> PythonBlocks:
    """Find every definition of `code` and the lines that belong to it."""
    lines = join_lines(code)
    starts = line_starts(code) if lines.continued or lines.broken else []
    continued = frozenset(starts[number] for number in lines.continued)
    broken = merged((starts[first], starts[last + 1]) for first, last in lines.broken)
    blocks = PythonBlocks(code, [], [], continued, broken)
    _find_definitions(blocks)
    ends: dict[int, int] = {}
    for block in blocks.definitions:
        if block.last not in ends:
            ends[block.last] = _last_token_end(code, block.last, blocks.line_end(block.last))
        block.end = ends[block.last]
    return blocks


def _last_token_end(code: str, start: int, end: int) -> int:
    """Return `end` without lines that a last backslash joined though there is nothing on them."""
    while (line := code.rfind("\n", start, end - 1) + 1) > start:
        if not code[start:line].rstrip("\r\n").endswith("\\") or _SOMETHING.match(code, line):
            break
        end = line
    return end


def _find_definitions(blocks: PythonBlocks) -> None:
    """Walk the logical lines; one no deeper than an open definition ends it."""
    nested: list[Definition] = []
    previous = decorated = 0
    decorates = -1
    fresh: Definition | None = None
    for start, at, column, word in _logical_lines(blocks):
        while nested and column <= nested[-1].column:
            nested.pop().last = previous
        if fresh and column > fresh.column:
            fresh.inside = at
        fresh = None
        if not column:
            blocks.statements.append(at)
        if word == _DECORATOR and decorates != column:
            decorated, decorates = start, column
        elif word == _DEFINITION:
            first = decorated if decorates == column else start
            fresh = Definition(first, start, at, column, nested[-1] if nested else None, start)
            blocks.definitions.append(fresh)
            nested.append(fresh)
        if word != _DECORATOR:
            decorates = -1
        previous = start
    for block in nested:
        block.last = previous


def _logical_lines(blocks: PythonBlocks) -> Iterator[tuple[int, int, int, int | None]]:
    """Yield each logical line: its offset, that of its first word, its column, that word's kind."""
    continued = blocks.continued
    is_plain = "\t" not in blocks.code and "\f" not in blocks.code
    for line in _LOGICAL.finditer("\n" + blocks.code):
        start = line.start()
        if start in continued:
            continue
        at = line.end(1) - 1
        column = at - start if is_plain else _column(line.group(1))
        word = line.lastindex
        yield start, at, column, word if word != 1 else None


def _column(indent: str) -> int:
    """Measure as the language does: tabs reach a multiple of eight, a form feed starts over."""
    return len(indent.rpartition("\f")[2].expandtabs(8))
