"""Literals that span lines: which lines they are on, and which may be moved with the code.

Indentation inside them is part of a value. Python's are found in text that need not parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from keyhole.segments.languages.table import row_of
from keyhole.segments.outline import Span
from keyhole.segments.python.lines import join_lines
from keyhole.segments.python.strings import QUOTE, string_end
from keyhole.text.document import plain_lines

_SQUIGGLY = re.compile(r"<<~")
_TOML = re.compile(
    r'"""(?>(?:[^"\\]++|\\(?s:.)|"(?!""))*)"{3,5}' r"|'''(?>(?:[^']++|'(?!''))*)'{3,5}"
)
_TOKEN = re.compile(rf"{QUOTE}|#[^\n]*+")
_OPENS_LONG = re.compile(r"\"\"\"|'''|\\\n")
_AFTER_DOC = re.compile(r"[ \t\f]*(?:#[^\n]*)?(?:\n|\Z)")


class Literal(NamedTuple):
    """A literal by the lines it begins and ends on; one that `follows` is moved with the code."""

    first: int
    last: int
    follows: bool

    @property
    def inside(self) -> range:
        """The lines that begin inside the literal."""
        return range(self.first + 1, self.last + 1)


def long_literals(language: str, text: str, within: Span) -> tuple[Literal, ...]:
    """Return the literals that span lines inside a part of a text, by the lines of that part."""
    start, end = within
    return tuple(
        Literal(text.count("\n", start, first), text.count("\n", start, last), follows)
        for first, last, follows in _found(language, text)
        if start <= first and last <= end
    )


def quoted_in(language: str, text: str, kinds: tuple[str, ...]) -> list[Span]:
    """Return the comments or strings of a text, by what the grammar calls them.

    Code that stands in a string is none of it: `${name}`.
    """
    from keyhole.segments.code.parser import parse, span_of

    spans, todo = [], [parse(language, plain_lines(text))]
    while todo:
        node = todo.pop()
        if not any(kind in node.kind() for kind in kinds):
            todo += node.children()
            continue
        start, end = span_of(node)
        for inner in node.children():
            if "interpol" in inner.kind() or "substitution" in inner.kind():
                spans.append((start, span_of(inner)[0]))
                start = span_of(inner)[1]
                todo += inner.children()
        spans.append((start, end))
    return spans


@lru_cache(maxsize=8)
def _found(language: str, text: str) -> tuple[tuple[int, int, bool], ...]:
    """Return the spans of a text's long literals, without those inside another."""
    spans = sorted(_spans(language, text), key=lambda span: (span[0], -span[1]))
    out: list[tuple[int, int, bool]] = []
    for start, end in spans:
        if "\n" in text[start:end] and (not out or start >= out[-1][1]):
            out.append((start, end, _may_move(language, text, start)))
    return tuple(out)


def _spans(language: str, text: str) -> list[Span]:
    if language == "toml":
        return [found.span() for found in _TOML.finditer(text)]
    kinds = row_of(language).literals
    if not kinds:
        return []
    from keyhole.segments.code.parser import parse, span_of

    root = parse(language, text)
    return [span_of(node) for kind in kinds for node in root.find_all(kind=kind)]


def _may_move(language: str, text: str, start: int) -> bool:
    pattern = row_of(language).movable_literals
    if not pattern or not re.compile(pattern).match(text, start):
        return False
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return language != "ruby" or _SQUIGGLY.search(line) is not None


def python_literals(code: str) -> tuple[Literal, ...]:
    """Return the strings of Python text that span lines; as statements, they are docstrings."""
    if not _OPENS_LONG.search(code):
        return ()
    continued = join_lines(code).continued
    found: list[Literal] = []
    number = at = 0
    for start, end in _long_strings(code):
        number += code.count("\n", at, start)
        last = number + code.count("\n", start, end)
        follows = number not in continued and _is_statement(code, start, end)
        found.append(Literal(number, last, follows))
        number, at = last, end
    return tuple(found)


def _long_strings(code: str) -> Iterator[tuple[int, int]]:
    at = 0
    while token := _TOKEN.search(code, at):
        at = token.end()
        if not token["quote"]:
            continue
        end = string_end(code, token)
        if end < 0:
            # A quote without its partner: the syntax check will speak of it.
            at = code.find("\n", at) if len(token["quote"]) == 1 else -1
            if at < 0:
                return
            continue
        if "\n" in code[at:end]:
            yield token.start(), end
        at = end


def _is_statement(code: str, start: int, end: int) -> bool:
    """Tell whether a string stands alone, and is of the kind that documents."""
    before = code[code.rfind("\n", 0, start) + 1 : start]
    prefix = code[start : start + 2].lower().partition("'")[0].partition('"')[0]
    return not before.strip() and prefix in {"", "r", "u"} and bool(_AFTER_DOC.match(code, end))
