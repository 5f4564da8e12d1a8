"""One connection to the SQLite journal: how it is asked, written to and checkpointed."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from keyhole.fastclasses import dataclass, field
from keyhole.journal.opening import connect, open_checked
from keyhole.journal.upkeep import NAME, journal_refusal
from keyhole.refusals import Refused

_P = ParamSpec("_P")
_R = TypeVar("_R")

_CHECKPOINT_FROM, _CHECKPOINT_AT_LAST = 1 << 20, 32 << 20


@dataclass(slots=True)
class Connection:
    """The database, a lock between threads, and a gate between commits and checkpoints."""

    directory: Path
    db: sqlite3.Connection
    gate: int
    alive: int
    # What is committed survives a power cut; if not, still no power cut damages the database.
    durable: bool = True
    lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        """Wait for the disk as often as what is kept is worth."""
        self.db.execute(self._level)

    @property
    def _level(self) -> str:
        return f"PRAGMA synchronous = {'FULL' if self.durable else 'NORMAL'}"

    @staticmethod
    def open(directory: Path, *, durable: bool = True) -> Connection:
        """Open or make the journal in `directory`; a damaged one is set aside and refused."""
        gate = os.open(directory / "checkpoint.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        alive = os.open(directory / "alive.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            return Connection(directory, open_checked(directory, alive, gate), gate, alive, durable)
        except BaseException:
            os.close(gate)
            os.close(alive)
            raise

    def close(self) -> None:
        """Close the database; the last one to do so brings the log into the file."""
        with self.lock:
            self.db.close()
            os.close(self.gate)
            os.close(self.alive)

    def reopen(self) -> None:
        """Start over after an error that leaves open what was written."""
        with suppress(sqlite3.Error):
            self.db.close()
        self.db = connect(self.directory, self.gate, self.alive)
        self.db.execute(self._level)

    def ask(
        self,
        question: Callable[Concatenate[sqlite3.Connection, _P], _R],
        *values: _P.args,
        **named: _P.kwargs,
    ) -> _R:
        """Run a query; an error of the database becomes a refusal."""
        with self.lock:
            try:
                return question(self.db, *values, **named)
            except sqlite3.Error as error:
                raise Refused(journal_refusal(error)) from error

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """Do everything inside in one transaction that is on the disk when this ends.

        What need not be `durable` may be taken back by a power cut, as a whole.
        """
        import fcntl

        with self.lock:
            # Keeps checkpoints out while something commits: SQLite before 3.51.3 can corrupt a log
            # when one process resets it while another writes to it.
            fcntl.flock(self.gate, fcntl.LOCK_SH)
            try:
                if self.durable and not durable:
                    self.db.execute("PRAGMA synchronous = NORMAL")
                self.db.execute("BEGIN IMMEDIATE")
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    if self.db.in_transaction:
                        self.db.execute("ROLLBACK")
                raise
            finally:
                if self.durable and not durable:
                    with suppress(sqlite3.Error):
                        self.db.execute(self._level)
                self._leave_gate()

    def note(self, statement: str, values: tuple[object, ...]) -> None:
        """Write one statement without waiting for the disk; a power cut may take it back."""
        import fcntl

        with self.lock:
            fcntl.flock(self.gate, fcntl.LOCK_SH)
            try:
                if self.durable:
                    self.db.execute("PRAGMA synchronous = NORMAL")
                self.db.execute(statement, values)
            finally:
                if self.durable:
                    with suppress(sqlite3.Error):
                        self.db.execute(self._level)
                self._leave_gate()

    def _leave_gate(self) -> None:
        """Let checkpoints in again; failing to is no reason to doubt what was committed."""
        import fcntl

        with suppress(OSError):
            fcntl.flock(self.gate, fcntl.LOCK_UN)

    def checkpoint_if_due(self) -> None:
        """Bring a long log into the database when nobody commits; a very long one in any case."""
        with suppress(sqlite3.Error, OSError):  # The log only gets longer, until the next try.
            size = os.stat(self.directory / f"{NAME}-wal").st_size
            if size >= _CHECKPOINT_FROM:
                self._checkpoint(wait=size >= _CHECKPOINT_AT_LAST)

    def _checkpoint(self, *, wait: bool) -> None:
        import fcntl

        with self.lock:
            fcntl.flock(self.gate, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            try:
                # The log keeps its length and is written over from its start: flushing a file that
                # does not grow is cheaper, because its metadata stays as it is.
                self.db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            finally:
                self._leave_gate()
