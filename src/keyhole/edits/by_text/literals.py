"""Literals that span lines: their indentation is part of a value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from keyhole.segments.code.literals import Literal
from keyhole.segments.python.lines import join_lines
from keyhole.segments.python.strings import QUOTE, string_end

_TOKEN = re.compile(rf"{QUOTE}|#[^\n]*+")
_OPENS_LONG = re.compile(r"\"\"\"|'''|\\\n")
_AFTER_DOC = re.compile(r"[ \t\f]*(?:#[^\n]*)?(?:\n|\Z)")


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
