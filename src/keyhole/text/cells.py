"""Cells: the source of a notebook's cell as text, and changed text back into the bytes it had.

A source is stored as one JSON string or as a list of them, one a line. Lines that stay keep their
bytes; new ones are spelled as the notebook spells its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from keyhole.fastclasses import dataclass, replace
from keyhole.text.align import common_head, common_tail, differences

_scan = json.JSONDecoder().raw_decode
_BLANK = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]",
    re.DOTALL,
)
_SURROGATE = re.compile("[\ud800-\udfff]")
# One character, how a notebook spells it, in which string of a list it stands (-1: it is new), and
# whether it is the last one there, with another string behind.
Token = tuple[str, str, int, bool]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a notebook spells what is new: non-ASCII characters, and what parts a list of lines."""

    is_ascii: bool = False
    is_list: bool = True
    opening: str = ""
    between: str = ", "
    closing: str = ""

    def text(self, text: str) -> str:
        """Return text as it stands in a JSON string."""
        spelled = json.dumps(text, ensure_ascii=self.is_ascii)[1:-1]
        return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", spelled)

    def source(self, text: str) -> str:
        """Return a whole source as a JSON value."""
        tokens = [(character, self.text(character), -1, False) for character in text]
        return self.value(tokens) if self.is_list else f'"{self.text(text)}"'

    def value(self, tokens: Sequence[Token]) -> str:
        """Return a source as a list of strings."""
        if not tokens:
            return "[]"
        items = [f'"{"".join(token[1] for token in item)}"' for item in _items(tokens)]
        return f"[{self.opening}{self.between.join(items)}{self.closing}]"


def items_of(stored: str, span: Span) -> tuple[Span, ...] | None:
    """Return where the strings of a list stand, quotes included; None if the value is a string."""
    start, end = span
    if stored[start] == '"':
        return None
    found: list[Span] = []
    at = _skip(stored, start + 1)
    while at < end and stored[at] == '"':
        _, stop = _scan(stored, at)
        found.append((at, stop))
        at = _skip(stored, stop)
        at = _skip(stored, at + 1) if stored[at] == "," else at
    return tuple(found)


def spelling_of(stored: str, span: Span, usual: Spelling) -> Spelling:
    """Return how one source is spelled; what it does not show is as `usual`."""
    items = items_of(stored, span)
    if items is None:
        return replace(usual, is_list=False)
    if not items:
        return replace(usual, is_list=True)
    opening, closing = stored[span[0] + 1 : items[0][0]], stored[items[-1][1] : span[1] - 1]
    between = f",{opening}" if opening else usual.between
    if len(items) > 1:
        between = stored[items[0][1] : items[1][0]]
    return Spelling(usual.is_ascii, opening=opening, between=between, closing=closing)


def respelled(stored: str, span: Span, new: str, spelling: Spelling) -> str:
    """Return the value of a source with another text; `spelling` is for what is new in it."""
    items = items_of(stored, span)
    pieces = (span,) if items is None else items
    tokens: list[Token] = []
    for number, (start, end) in enumerate(pieces, 1):
        found = [*_tokens(stored[start + 1 : end - 1], number)]
        if found and number < len(pieces):
            found[-1] = (*found[-1][:3], True)
        tokens += found
    tokens = [each for line in _exchanged(_lines(tokens), new, spelling) for each in line]
    return f'"{"".join(each[1] for each in tokens)}"' if items is None else spelling.value(tokens)


def _exchanged(old: list[list[Token]], new: str, spelling: Spelling) -> list[list[Token]]:
    """Return the lines of the new text; what it shares with the old keeps its spelling."""
    had = ["".join(token[0] for token in line) for line in old]
    has = new.split("\n")
    wanted = [line + "\n" for line in has[:-1]] + ([has[-1]] if has[-1] else [])
    made: list[list[Token]] = []
    at = 0
    for hunk in differences(had, wanted):
        made += old[at : hunk.old_start]
        before = [token for line in old[hunk.old_start : hunk.old_end] for token in line]
        after = "".join(wanted[hunk.new_start : hunk.new_end])
        made += _lines(_spelled(before, after, spelling))
        at = hunk.old_end
    return made + old[at:]


def _spelled(before: Sequence[Token], after: str, spelling: Spelling) -> list[Token]:
    had = [token[0] for token in before]
    has = list(after)
    head = common_head(had, has)
    tail = common_tail(had, has, head)
    middle = has[head : len(has) - tail]
    new = [(character, spelling.text(character), -1, False) for character in middle]
    return [*before[:head], *new, *before[len(before) - tail :]]


def _tokens(body: str, item: int) -> Iterator[Token]:
    if "\\" not in body:
        return ((each, each, item, False) for each in body)
    spelled = (found.group() for found in _TOKEN.finditer(body))
    return (
        (json.loads(f'"{each}"') if each[0] == "\\" else each, each, item, False)
        for each in spelled
    )


def _items(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the strings of a list: those that there were, and one for each new line."""
    start = 0
    for at, (one, other) in enumerate(pairwise(tokens), 1):
        is_inside = one[2] == other[2] >= 0
        if one[3] or (one[0] == "\n" and not is_inside):
            yield tokens[start:at]
            start = at
    yield tokens[start:]


def _lines(tokens: Sequence[Token]) -> list[list[Token]]:
    lines: list[list[Token]] = []
    line: list[Token] = []
    for token in tokens:
        line.append(token)
        if token[0] == "\n":
            lines.append(line)
            line = []
    return [*lines, line] if line else lines


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
