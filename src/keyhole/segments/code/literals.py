"""Literals that span lines, in languages with a grammar: their lines, and which may be moved."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from keyhole.segments.languages.table import row_of
from keyhole.segments.outline import Span

_SQUIGGLY = re.compile(r"<<~")
_TOML = re.compile(r'"""(?:[^"\\]++|\\(?s:.)|"(?!""))*+"{3,5}' r"|'''(?:[^']++|'(?!''))*+'{3,5}")


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
