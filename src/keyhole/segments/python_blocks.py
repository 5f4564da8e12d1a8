"""Python's blocks: where each definition begins and ends, by the indentation of logical lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from keyhole.segments.outline import Span, holds, merged
from keyhole.segments.python_lines import join_lines, line_starts
from keyhole.values import dataclass

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
class Blocks:
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


def read_blocks(code: str) -> Blocks:
    """Find every definition of `code` and the lines that belong to it."""
    lines = join_lines(code)
    starts = line_starts(code) if lines.continued or lines.broken else []
    continued = frozenset(starts[number] for number in lines.continued)
    broken = merged((starts[first], starts[last + 1]) for first, last in lines.broken)
    blocks = Blocks(code, [], [], continued, broken)
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


def _find_definitions(blocks: Blocks) -> None:
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


def _logical_lines(blocks: Blocks) -> Iterator[tuple[int, int, int, int | None]]:
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
