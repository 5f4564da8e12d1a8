"""Memory: answers about texts, kept by what the text is, not by the text itself."""

from __future__ import annotations

from _thread import allocate_lock
from typing import Generic, TypeVar

Answer = TypeVar("Answer")
_MOST = 64


class Memory(Generic[Answer]):
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
