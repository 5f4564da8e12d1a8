"""Records of a whole project; of this workspace if the server is unreachable."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from keyhole.journal.model import Attempt, Entry, Health, Query, Records, TaskSum
from keyhole.journal.tallies import Tally
from keyhole.sharing.sender import Sharer
from keyhole.sharing.server import Unreachable

_R = TypeVar("_R")
_SECONDS = 4.0


class SharedRecords:
    """`Records` for those who ask one thing after another, such as the pages of a browser."""

    def __init__(self, shared: Sharer, local: Records) -> None:
        self._shared, self._local = shared, local

    def _ask(self, question: Callable[[Records], _R]) -> _R:
        if not self._shared.is_failing:
            try:
                return self._shared.ask(question, _SECONDS)
            except Unreachable:
                pass
        return question(self._local)

    def entry(self, name: str) -> Entry | None:
        """Return the entry with this id."""
        return self._local.entry(name) or self._ask(lambda records: records.entry(name))

    def entries(self, query: Query) -> tuple[Entry, ...]:
        """Return the entries that fit, newest first."""
        return self._ask(lambda records: records.entries(query))

    def undoers(self, name: str) -> tuple[str, ...]:
        """Return the names of the entries that took some of this one back, oldest first."""
        return self._ask(lambda records: records.undoers(name))

    def image(self, hash_: str) -> bytes | None:
        """Return a file's exact bytes by their hash, if anybody shared them."""
        known = self._local.image(hash_)
        return known if known is not None else self._ask(lambda records: records.image(hash_))

    def attempts(self, query: Query) -> tuple[Attempt, ...]:
        """Return the refused calls that fit, newest first."""
        return self._ask(lambda records: records.attempts(query))

    def tally(self, since: float) -> Tally:
        """Count how calls went."""
        return self._ask(lambda records: records.tally(since))

    def tasks(self, limit: int) -> tuple[TaskSum, ...]:
        """Return what tasks did, those that edited last first."""
        return self._ask(lambda records: records.tasks(limit))

    def examine(self) -> Health:
        """Check what is stored."""
        return self._ask(lambda records: records.examine())
