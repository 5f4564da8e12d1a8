"""One connection to the SQLite journal: opened or made, sound and ours; asked and written to."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from keyhole.disk.locks import holder_of
from keyhole.fastclasses import dataclass, field
from keyhole.journal.layout import (
    APPLICATION_ID,
    BEGUN_ANEW,
    STEPS,
    TABLES,
    VERSION,
    DamagedJournal,
    is_damage,
    journal_refusal,
    layout_of,
    make_private,
    older_at_work,
    set_aside,
)
from keyhole.journal.place import JOURNAL as NAME
from keyhole.refusals import Refused

_P = ParamSpec("_P")
_R = TypeVar("_R")

_BUSY_SECONDS = 5.0
_CHECK_UP_TO = 64 << 20
# A command of an older version is done soon; a server is not.
_ELDERS_SECONDS, _LOOK_SECONDS = 2.0, 0.02
_PRAGMAS = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA foreign_keys = ON",
    "PRAGMA mmap_size = 0",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA journal_mode = WAL",
    "PRAGMA wal_autocheckpoint = 0",
    f"PRAGMA journal_size_limit = {16 << 20}",
    "PRAGMA synchronous = FULL",
)
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


def open_checked(directory: Path, alive: int, gate: int) -> sqlite3.Connection:
    """Open the journal; check it if nobody uses it and somebody died, set it aside if damaged."""
    import fcntl

    alone = _is_alone(alive)
    opened = _which(directory)
    try:
        return connect(directory, gate, alive, check=alone and _ended_badly(directory))
    except (DamagedJournal, sqlite3.Error) as error:
        if isinstance(error, sqlite3.Error) and not is_damage(error):
            raise Refused(journal_refusal(error)) from error
        with _alone(gate):
            if _which(directory) != opened:
                raise Refused(BEGUN_ANEW) from None
            raise Refused(set_aside(directory, str(error))) from None
    finally:
        fcntl.flock(alive, fcntl.LOCK_SH)


def _is_alone(alive: int) -> bool:
    """Tell whether nobody else has the journal open; nobody can until this lock is given up."""
    import fcntl

    try:
        fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _which(directory: Path) -> int:
    """Return the inode of the journal, which tells it from one that was made since."""
    try:
        return os.stat(directory / NAME).st_ino
    except FileNotFoundError:
        return 0


def _ended_badly(directory: Path) -> bool:
    """Tell whether the last process to use a journal died, and a full check is affordable.

    A check reads the whole file, so a long history is checked by `keyhole doctor` only. It does not
    rest on this: every entry and every image is compared with its hash before it is used.
    """
    try:
        log = os.stat(directory / f"{NAME}-wal").st_size
        return log > 0 and os.stat(directory / NAME).st_size <= _CHECK_UP_TO
    except FileNotFoundError:
        return False


def connect(directory: Path, gate: int, alive: int, *, check: bool = False) -> sqlite3.Connection:
    """Connect to the database with our settings, made first if there is none."""
    path = directory / NAME
    if not _is_there(path):
        with _alone(gate):
            if not _is_there(path):
                _make(directory)
    db = _opened(path)
    try:
        if layout_of(db) < VERSION and _outlasts(db, alive):
            with _alone(gate):
                _bring_up_to_date(db)
        _settle_in(db)
        if check:
            _check_quickly(db)
    except BaseException:
        db.close()
        raise
    return db


def _is_there(path: Path) -> bool:
    try:
        return os.stat(path).st_size > 0
    except FileNotFoundError:
        return False


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        path,
        isolation_level=None,
        timeout=_BUSY_SECONDS,
        check_same_thread=False,
        cached_statements=256,
    )


def _settle_in(db: sqlite3.Connection) -> None:
    for pragma in _PRAGMAS:
        db.execute(pragma)


def _make(directory: Path) -> None:
    """Make a journal under another name, and give it its own when it is whole.

    Whoever opens a journal finds none or all of it, however many begin at once and whenever one of
    them is killed.
    """
    new = directory / f"{NAME}.new"
    for path in (new, directory / NAME):
        for suffix in (
            "-journal",
            "-wal",
            "-shm",
        ):  # what a log without its database would do to a new one
            Path(f"{path}{suffix}").unlink(missing_ok=True)
    new.unlink(missing_ok=True)
    make_private(new)
    db = _opened(new)
    try:
        _settle_in(db)
        db.execute("BEGIN EXCLUSIVE")
        for statement in TABLES.split(";"):
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    finally:
        db.close()
    os.rename(new, directory / NAME)
    # SQLite makes its files' contents durable, but not the name of a new database in its directory.
    fd = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def _alone(gate: int) -> Iterator[None]:
    import fcntl

    fcntl.flock(gate, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(gate, fcntl.LOCK_UN)


def _check_quickly(db: sqlite3.Connection) -> None:
    if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise DamagedJournal("the check of the database found damage")


def _outlasts(db: sqlite3.Connection, alive: int) -> bool:
    """Wait for those who use an older layout; refuse if they stay.

    Returns False if one of our own version brought the journal up to date meanwhile.
    """
    deadline = time.monotonic() + _ELDERS_SECONDS
    while not _is_alone(alive):
        if layout_of(db) == VERSION:
            return False
        if time.monotonic() > deadline:
            raise Refused(older_at_work(holder_of(alive)))
        threading.Event().wait(_LOOK_SECONDS)
    return True


def _bring_up_to_date(db: sqlite3.Connection) -> None:
    """Change an older layout into ours, all of it or nothing, unless somebody else just did."""
    db.execute("PRAGMA synchronous = FULL")
    db.execute("BEGIN IMMEDIATE")
    try:
        for version in range(layout_of(db), VERSION):
            db.execute(STEPS[version])
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
