"""The state of sharing in a small file, so that the next process knows it without asking."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path

from keyhole.fastclasses import dataclass, fields, replace
from keyhole.journal.model import Retention
from keyhole.sharing.identity import write_quickly

NAME = "shared.json"
# How often it is noted that all is well.
_SELDOM = 5.0


@dataclass(frozen=True, slots=True)
class Status:
    """The last entry that the server has, and how the last attempts to reach it went."""

    # Which server this is about, and which journal there; the rest means nothing for another.
    server: str = ""
    about: str = ""
    through: int = 0
    # When a task was ended that the server knows of.
    ended: float = 0.0
    reached: float = 0.0
    failed: float = 0.0
    why: str = ""
    # Whether several machines edit this very checkout; as long as it is not known, they may.
    several: bool = True

    @property
    def is_failing(self) -> bool:
        """Tell whether the last attempt went wrong."""
        return self.failed > self.reached

    def is_like(self, other: Status) -> bool:
        """Tell whether two states differ only in time, and not by much."""
        same = (self.about, self.through, self.ended, self.several, self.is_failing)
        known = (other.about, other.through, other.ended, other.several, other.is_failing)
        return same == known and self.reached - other.reached < _SELDOM


def of_server(state: Path, server: str) -> Status:
    """Return what is known of one server."""
    known = load(state)
    return known if known.server == server else Status(server, several=known.several)


def load(state: Path) -> Status:
    """Return what is known; nothing where the file is missing or makes no sense."""
    with suppress(OSError, ValueError, TypeError):
        known = json.loads((state / NAME).read_text(encoding="utf-8"))
        if set(known) == {each.name for each in fields(Status)}:
            return Status(**known)
    return Status()


def save(state: Path, status: Status) -> None:
    """Write the state; failing to is no error."""
    known = {each.name: getattr(status, each.name) for each in fields(Status)}
    with suppress(OSError):
        write_quickly(state / NAME, json.dumps(known))


def keeping(retention: Retention, state: Path) -> Retention:
    """Return a retention that keeps what waits to be sent, unless nobody will ever ask for it."""
    known = load(state)
    given_up = known.reached < time.time() - retention.seconds
    return replace(retention, keep_from=0 if given_up else known.through + 1)
