"""One connection to the SQLite journal: how it is opened, written to and checkpointed."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from keyhole.refusals import Refusal, Refused
from keyhole.values import dataclass, field
from keyhole.workspace.journal.schema import APPLICATION_ID, TABLES, VERSION

_P = ParamSpec("_P")
_R = TypeVar("_R")

NAME = "journal.db"
_BUSY_SECONDS = 5.0
_CHECK_UP_TO = 64 << 20
_CHECKPOINT_FROM, _CHECKPOINT_AT_LAST = 1 << 20, 32 << 20
_PRAGMAS = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA foreign_keys = ON",
    "PRAGMA mmap_size = 0",
    "PRAGMA journal_mode = WAL",
    "PRAGMA wal_autocheckpoint = 0",
    f"PRAGMA journal_size_limit = {16 << 20}",
    "PRAGMA synchronous = FULL",
)


@dataclass(slots=True)
class Connection:
    """The database, a lock between threads, and a gate between commits and checkpoints."""

    directory: Path
    db: sqlite3.Connection
    gate: int
    alive: int
    lock: threading.RLock = field(default_factory=threading.RLock)

    @staticmethod
    def open(directory: Path) -> Connection:
        """Open or make the journal in `directory`; a damaged one is set aside and refused."""
        gate = os.open(directory / "checkpoint.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        alive = os.open(directory / "alive.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            return Connection(directory, _open_checked(directory, alive), gate, alive)
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
        self.db = _connect(self.directory)

    def ask(
        self,
        question: Callable[Concatenate[sqlite3.Connection, _P], _R],
        *values: _P.args,
        **named: _P.kwargs,
    ) -> _R:
        """Answer a question to the database; trouble with it is a refusal."""
        with self.lock:
            try:
                return question(self.db, *values, **named)
            except sqlite3.Error as error:
                raise Refused(journal_refusal(error)) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Do everything inside in one transaction that is on the disk when this ends."""
        import fcntl

        with self.lock:
            # Keeps checkpoints out while something commits: SQLite before 3.51.3 can corrupt a log
            # when one process resets it while another writes to it.
            fcntl.flock(self.gate, fcntl.LOCK_SH)
            try:
                self.db.execute("BEGIN IMMEDIATE")
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    if self.db.in_transaction:
                        self.db.execute("ROLLBACK")
                raise
            finally:
                fcntl.flock(self.gate, fcntl.LOCK_UN)

    def note(self, statement: str, values: tuple[object, ...]) -> None:
        """Write one statement without waiting for the disk; a power cut may take it back."""
        import fcntl

        with self.lock:
            fcntl.flock(self.gate, fcntl.LOCK_SH)
            try:
                self.db.execute("PRAGMA synchronous = NORMAL")
                self.db.execute(statement, values)
            finally:
                with suppress(sqlite3.Error):
                    self.db.execute("PRAGMA synchronous = FULL")
                fcntl.flock(self.gate, fcntl.LOCK_UN)

    def checkpoint_if_due(self) -> None:
        """Bring a long log into the database when nobody commits; a very long one in any case."""
        import fcntl

        try:
            size = os.stat(self.directory / f"{NAME}-wal").st_size
        except FileNotFoundError:
            return
        if size < _CHECKPOINT_FROM:
            return
        wait = 0 if size >= _CHECKPOINT_AT_LAST else fcntl.LOCK_NB
        with self.lock:
            try:
                fcntl.flock(self.gate, fcntl.LOCK_EX | wait)
            except BlockingIOError:
                return
            try:
                # The log keeps its length and is written over from its start: flushing a file that
                # does not grow is cheaper, because its metadata stays as it is.
                self.db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            finally:
                fcntl.flock(self.gate, fcntl.LOCK_UN)


@contextmanager
def reporting() -> Iterator[None]:
    """Turn trouble with the database into a refusal."""
    try:
        yield
    except sqlite3.Error as error:
        raise Refused(journal_refusal(error)) from error


def journal_refusal(error: sqlite3.Error) -> Refusal:
    """Return what a failing journal means to the caller."""
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return Refusal(
            "busy",
            "the journal is in use by another process for longer than the time limit",
            help="send the same request again; nothing was changed",
        )
    return Refusal(
        "journal",
        f"the journal cannot be used: {error}",
        help="run `keyhole doctor`; no file of the workspace was changed",
    )


def _open_checked(directory: Path, alive: int) -> sqlite3.Connection:
    import fcntl

    alone = True
    try:
        fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        alone = False
    try:
        return _connect(directory, check=alone and _ended_badly(directory))
    except _Foreign as error:
        raise Refused(_set_aside(directory, str(error))) from None
    except sqlite3.DatabaseError as error:
        refusal = journal_refusal(error)
        if isinstance(error, sqlite3.OperationalError):
            raise Refused(refusal) from error
        raise Refused(_set_aside(directory, str(error))) from None
    finally:
        fcntl.flock(alive, fcntl.LOCK_SH)


class _Foreign(Exception):  # noqa: N818 - it names what was found
    """The file is not a sound journal of ours."""


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


def _connect(directory: Path, *, check: bool = False) -> sqlite3.Connection:
    path = directory / NAME
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    db = sqlite3.connect(
        path,
        isolation_level=None,
        timeout=_BUSY_SECONDS,
        check_same_thread=False,
        cached_statements=256,
    )
    try:
        for pragma in _PRAGMAS:
            db.execute(pragma)
        if check:
            _check_quickly(db)
        _ensure_schema(db, directory)
    except BaseException:
        db.close()
        raise
    return db


def _check_quickly(db: sqlite3.Connection) -> None:
    if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise _Foreign("the check of the database found damage")


def _ensure_schema(db: sqlite3.Connection, directory: Path) -> None:
    if _is_ours(db):
        return
    db.execute("BEGIN EXCLUSIVE")
    try:
        if not _is_ours(db):
            for statement in TABLES.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    # SQLite makes its files' contents durable, but not the name of a new database in its directory.
    fd = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _is_ours(db: sqlite3.Connection) -> bool:
    """Tell whether the tables are there; refuse a newer layout, and what somebody else made."""
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if (application, version) == (APPLICATION_ID, VERSION):
        return True
    if application == APPLICATION_ID:
        raise Refused(_other_version(version))
    if db.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
        raise _Foreign("the file is not a journal of keyhole")
    return False


def _other_version(version: int) -> Refusal:
    return Refusal(
        "journal",
        f"the journal has layout {version}, and this keyhole knows layout {VERSION}",
        help="use the version of keyhole that wrote it, or move the state directory aside",
    )


def _set_aside(directory: Path, why: str) -> Refusal:
    """Rename a journal that cannot be used; files of the workspace stay as they are."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    aside = f"{NAME}.damaged-{stamp}-{os.getpid()}"
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.rename(directory / f"{NAME}{suffix}", directory / f"{aside}{suffix}")
    return Refusal(
        "journal",
        f"the journal was damaged and is set aside: {why}",
        where=str(directory / aside),
        help="send the request again to begin a new journal; edits before it cannot be undone",
    )
