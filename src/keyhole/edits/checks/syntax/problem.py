"""A problem: one thing that is wrong with a text, and where; answers kept for texts seen last."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from keyhole.fastclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong at `[start, end)` of a text.

    A doubtful problem may be none: the grammar does not know everything.
    """

    start: int
    end: int
    message: str
    doubtful: bool = False
    code: str = "syntax-broken"


@dataclass(frozen=True, slots=True)
class ProblemDelta:
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


Answer = TypeVar("Answer")
_MOST = 64


class ProblemCache(Generic[Answer]):
    """The answers for the texts asked about last.

    A text is known by its length and hash: keeping the texts would keep every file ever edited.
    """

    def __init__(self) -> None:
        self._answers: dict[tuple[int, int], Answer] = {}
        self._lock = allocate_lock()

    def get(self, text: str) -> Answer | None:
        """Return the answer for a text, or None if it is not known."""
        return self._answers.get((len(text), hash(text)))

    def put(self, text: str, answer: Answer) -> Answer:
        """Keep an answer, and forget the oldest if there are too many."""
        key = len(text), hash(text)
        with self._lock:
            self._answers.pop(key, None)
            self._answers[key] = answer
            if len(self._answers) > _MOST:
                del self._answers[next(iter(self._answers))]
        return answer
