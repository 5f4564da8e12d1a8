"""Syntax colours: the lines of a text as pieces with a class each. The one home of pygments."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

# A piece of one line: the class of its colour ("" for plain text), and the text.
Piece = tuple[str, str]

# Colours are a comfort. What is large, has lines no person wrote, or takes long is shown plain,
# for the lexers are made of expressions that hostile text can slow down.
_LARGEST, _WIDEST, _SECONDS = 200_000, 2_000, 0.5

_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (String, "s"),
    (Number, "m"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (Name.Function, "f"),
    (Name.Class, "t"),
    (Name.Decorator, "f"),
    (Name.Builtin, "b"),
    (Name.Tag, "k"),
    (Name.Attribute, "f"),
)


def coloured(path: str, lines: Sequence[str]) -> Sequence[tuple[Piece, ...]]:
    """Return each line as pieces; a text that cannot be read by its name is one piece a line."""
    return _coloured(path.rpartition("/")[2], tuple(lines))


def coloured_cells(
    cells: Iterable[tuple[str, Sequence[str]]],
) -> Iterator[Sequence[tuple[Piece, ...]]]:
    """Yield the lines of each cell of a notebook as pieces, by its language; all share the time.

    Code of no named language is Python.
    """
    until, left = time.thread_time() + _SECONDS, _LARGEST
    for language, lines in cells:
        left -= sum(map(len, lines))
        lexer = _lexer_of("python" if language == "code" else language)
        yield _pieces(lexer if left >= 0 else None, lines, until)


@lru_cache(maxsize=64)
def _coloured(name: str, lines: tuple[str, ...]) -> tuple[tuple[Piece, ...], ...]:
    lexer = _lexer(name) if sum(map(len, lines)) <= _LARGEST else None
    # Of its own time: what else the machine does meanwhile takes no colours away.
    return _pieces(lexer, lines, time.thread_time() + _SECONDS)


def _pieces(
    lexer: Lexer | None, lines: Sequence[str], until: float
) -> tuple[tuple[Piece, ...], ...]:
    if lexer is None or max(map(len, lines), default=0) > _WIDEST:
        return tuple((("", line),) for line in lines)
    return tuple(_by_line(lexer, lines, until))


@lru_cache(maxsize=64)
def _lexer(name: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(name)
    except ClassNotFound:
        return None


@lru_cache(maxsize=64)
def _lexer_of(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        return None


def _by_line(lexer: Lexer, lines: Sequence[str], until: float) -> Iterator[tuple[Piece, ...]]:
    """Yield the pieces of each line; whatever the lexer does, they spell the line."""
    marks = list(_marks(lexer, "\n".join(lines), until))
    start, at = 0, 0
    for line in lines:
        end = start + len(line)
        pieces: list[Piece] = []
        reached = start
        while at < len(marks) and marks[at][0] < end:
            left, right, kind = marks[at]
            left, stop = max(left, reached), min(right, end)
            if left > reached:
                pieces.append(("", line[reached - start : left - start]))
            if stop > left:
                pieces.append((kind, line[left - start : stop - start]))
            reached = max(reached, stop)
            if right > end:
                break
            at += 1
        if reached < end or not pieces:
            pieces.append(("", line[reached - start :]))
        yield tuple(pieces)
        start = end + 1


def _marks(lexer: Lexer, text: str, until: float) -> Iterator[tuple[int, int, str]]:
    """Yield the coloured stretches of a text, in order, for as long as there is time."""
    for start, token, value in lexer.get_tokens_unprocessed(text):
        kind = next((name for known, name in _CLASSES if token in known), "")
        if kind and value:
            yield start, start + len(value), kind
        if time.thread_time() > until:
            return
