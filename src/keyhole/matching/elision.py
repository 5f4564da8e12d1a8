"""Elisions: quotes that say `...` for a stretch they leave out, paired in old and new."""

from __future__ import annotations

import re
from functools import cache

from keyhole.matching.place import Quote

_DOTS = r"(?:\.{3,}|\u2026)"
_OPEN = r"(?:\#+|//+|--|/\*+|<!--|;+|%+|\{\#|\{/\*)"
_CLOSE = r"(?:\*/\}?|-->|\#\})"
_WORDS = (
    r"(?:existing|unchanged|rest\b|remaining|same as|previous|other\b|omitted|as before"
    r"|keep|code here)"
)
_REST = (
    r"(?:the\s+)?(?:rest of (?:the |this |your )?"
    r"(?:code|file|function|method|class|module|script|implementation|content|document|section)"
    r"|(?:existing|remaining|other|previous) (?:code|content|implementation|methods|functions))"
)
_STAYS = (
    r"(?:\s+(?:(?:goes )?here|unchanged|(?:is |are )?omitted|as before|(?:is|are) unchanged"
    r"|(?:remains?|stays?)(?: (?:the same|unchanged|as (?:it )?is))?))"
)
_BARE = rf"^\s*(?:{_OPEN}\s*)?{_DOTS}\s*{_CLOSE}?\s*$"
# Without a comment mark the words must be fenced in by dots: `...rest` alone is code.
_TOLD = (
    rf"^\s*(?:{_OPEN}\s*[\[(]?\s*{_DOTS}.*{_WORDS}.*"
    rf"|[\[(]?\s*{_DOTS}\s*[\[(]?\s*(?:{_REST}{_STAYS}*|.*{_WORDS}.*(?:{_DOTS}\s*[\])]?|[\])]))\s*)$"
    rf"|^\s*{_OPEN}\s*[\[(]?(?:{_REST}{_STAYS}+|(?:the )?rest of (?:the |this |your )?code)"
    rf"\W*{_CLOSE}?\s*$"
)
_LEAST_PIECE = 20
# Nobody writes a longer placeholder, and on a million dots these patterns would take for ever.
_MOST_MARKER = 200


def is_marker(line: str) -> bool:
    """Tell whether a line stands for lines that were left out."""
    return speaks_of_omission(line) or (
        len(line) <= _MOST_MARKER and bool(_compiled(_BARE).match(line))
    )


def speaks_of_omission(line: str) -> bool:
    """Tell whether a line can only be a placeholder: a bare `...` may be code."""
    return len(line) <= _MOST_MARKER and bool(_compiled(_TOLD).match(line))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile when first asked: these take longer than an edit that needs none of them."""
    return re.compile(pattern, re.IGNORECASE)


def pieces(quote: Quote) -> list[Quote] | None:
    """Split a quote at its marker lines; None where old and new leave out different stretches."""
    if quote.new is None:
        return None
    old, marks = _split(quote.old)
    new, new_marks = _split(quote.new)
    if not marks or marks != new_marks or not all(map(_says_enough, old)):
        return None
    parts = [Quote(a, b) for a, b in zip(old, new, strict=True)]
    # Text beside a marker at the edge has nothing by which its place could be known.
    return [part for part in parts if part.old] if all(p.old or not p.new for p in parts) else None


def _says_enough(piece: str) -> bool:
    """Tell whether a piece is empty, at an edge, or long enough to name one place."""
    return not piece or piece.count("\n") > 1 or len(piece.strip()) >= _LEAST_PIECE


def _split(text: str) -> tuple[list[str], list[str]]:
    parts: list[list[str]] = [[]]
    marks: list[str] = []
    lines = text.split("\n")
    for line in lines:
        if is_marker(line):
            marks.append(line.strip())
            parts.append([])
        else:
            parts[-1].append(line)
    whole = ["".join(line + "\n" for line in part) for part in parts]
    # The text's own last line keeps its end as it came.
    whole[-1] = "\n".join(parts[-1])
    return whole, marks
