"""Problem: one thing that is wrong with a text, and where; Delta: what of it an edit brought."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from keyhole.values import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong at `[start, end)` of a text.

    A doubtful one may be right after all: the grammar at hand does not know all there is.
    """

    start: int
    end: int
    message: str
    doubtful: bool = False
    code: str = "syntax-broken"


@dataclass(frozen=True, slots=True)
class Delta:
    """What is wrong with a text after an edit: what the edit brought, and what was there."""

    new: tuple[Problem, ...] = ()
    old: tuple[Problem, ...] = ()


# A checker returns what is wrong with a text: the first thing, or as much as it can tell.
Checker = Callable[[str], Sequence[Problem]]


def at_line(text: str, line: int, column: int, message: str) -> Problem:
    """Return a problem at a 1-based line and column, as other parsers tell them."""
    start = 0
    for _ in range(line - 1):
        end = text.find("\n", start)
        if end < 0:
            break
        start = end + 1
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    at = min(start + max(column - 1, 0), max(line_end, start))
    return Problem(at, min(at + 1, line_end), message)
