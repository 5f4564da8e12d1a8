"""The state directory: journal, locks, versions shown, sessions; each is opened when needed."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.disk import kernel
from keyhole.disk.files import FileRead
from keyhole.disk.locks import Locks, is_locked, locked_file
from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.journal.last_changes import LastChanges
from keyhole.journal.layout import make_private
from keyhole.journal.model import Journal, Retention, server_of
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document, stored_as

if TYPE_CHECKING:
    from keyhole.disk.broker import Broker
    from keyhole.sharing.identity import Sharing


class State:
    """Everything keyhole keeps outside the tree, private to the user."""

    def __init__(
        self, directory: Path, lock_timeout: float, retention: Retention, *, durable: bool = True
    ) -> None:
        self.directory = directory
        self._lock_timeout = lock_timeout
        self._retention = retention
        self._durable = durable
        self.outside: Broker | None = None
        self.last = LastChanges()

    @property
    def exists(self) -> bool:
        """Tell whether there is a journal."""
        return "journal" in self.__dict__ or (self.directory / "journal.db").exists()

    @cached_property
    def journal(self) -> Journal:
        """Return the journal, opened when it is first needed."""
        from keyhole.journal.sqlite import SqliteJournal

        self._make()
        return SqliteJournal(self.directory, durable=self._durable)

    @cached_property
    def locks(self) -> Locks:
        """Return the locks between processes."""
        self._make()
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        return Locks(os.open(self.directory / "locks", flags), self._lock_timeout)

    @cached_property
    def shown(self) -> ShownVersions:
        """Return the memory of what agents were shown."""
        self._make()
        return ShownVersions(self.directory)

    @cached_property
    def sessions(self) -> Sessions:
        """Return who else is connected to this workspace."""
        return Sessions(self.directory, durable=self._durable)

    @property
    def has_shown(self) -> bool:
        """Tell whether anybody was shown anything."""
        return "shown" in self.__dict__ or (self.directory / "shown.db").exists()

    def leave_git_outside(self, root: str) -> None:
        """Have git be asked outside of the fence that comes next, where this tree is observed."""
        if is_observed(self.directory):
            from keyhole.checkpoints.kept_files import kept_outside

            self.outside = kept_outside(self.directory, root)

    def close(self) -> None:
        """Let go of what was opened, and tidy up once a day."""
        opened = self.__dict__
        if self.outside:
            self.outside.close()
            self.outside = None
        if "shown" in opened:
            self.shown.close()
        if "journal" in opened:
            with suppress(Refused):
                self.journal.tidy_if_due(self._retention, time.time())
            self.journal.close()
        if "locks" in opened:
            os.close(self.locks.dir_fd)
        if "sessions" in opened:
            self.sessions.close()
        for name in ("shown", "journal", "locks", "sessions"):
            opened.pop(name, None)

    def set_aside(self, refused: Refused) -> Refusal:
        """Give up a journal that is damaged; the next call starts a new one."""
        journal: Journal = self.__dict__.pop("journal")
        return journal.set_aside(refused.refusals[0].headline)

    def _make(self) -> None:
        try:
            _make_lasting(self.directory / "locks")
            self.directory.chmod(0o700)
        except OSError as error:
            raise Refused(_no_state(self.directory, error)) from None


def _make_lasting(directory: Path) -> None:
    """Make a directory and those above it durable, so that no intent is lost."""
    if directory.is_dir():
        return
    _make_lasting(directory.parent)
    directory.mkdir(mode=0o700, exist_ok=True)
    fd = os.open(directory.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        kernel.flush(fd)
    finally:
        os.close(fd)


def is_observed(directory: Path) -> bool:
    """Tell whether anybody looks for what others do in the workspace of a state directory."""
    return os.path.isdir(f"{directory}/checkpoints/git")


def record_outsiders(
    state: State, root: str, seen: Mapping[str, FileRead | None], plan: Plan
) -> None:
    """Record what others did to the files of a plan, if this workspace is observed.

    No edit fails for it: what is not recorded now is found by the next look.
    """
    if not is_observed(state.directory):
        return
    from keyhole.checkpoints.outside import record_outsiders

    files = {file.path: seen[file.path] for file in plan.files if not file.is_unchanged}
    with suppress(Refused, OSError, sqlite3.Error):
        record_outsiders(state.directory, root, state.journal, files, state.outside, state.last)


def until_shared(retention: Retention, sharing: Sharing | None, state: Path) -> Retention:
    """Return how much history to keep: at least what is not shared yet."""
    if sharing is None:
        return retention
    from keyhole.sharing.status import keeping

    return keeping(retention, state)


def state_trouble(directory: Path, error: OSError) -> Refusal:
    """Return the refusal of a call that the state directory, or recovery, could not serve."""
    return Refusal(
        "journal",
        f"keyhole's own files in {directory} cannot be used: {error.strerror or error}",
        help="send the same request again; if it stays so, check the disk and `keyhole doctor`",
    )


def _no_state(directory: Path, error: OSError) -> Refusal:
    return Refusal(
        "journal",
        f"the state directory {directory} cannot be made: {error.strerror}",
        help="make it writable, or set XDG_STATE_HOME to a directory that is",
    )


# How many versions that actors know last are remembered while a process lives.
_MOST_KNOWN = 10_000


class VersionsKnown:
    """Which version of a file each actor knows last, as long as this process lives."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], str] = {}

    def note(self, path: str, hash_: str, actor: str) -> None:
        """Note which version of a file an actor knows from now on."""
        if len(self._last) > _MOST_KNOWN:
            self._last.clear()
        self._last[actor, path] = hash_

    def is_last(self, path: str, hash_: str, actor: str) -> bool:
        """Tell whether an actor is known to know this version of a file last."""
        return self._last.get((actor, path)) == hash_


_MOST_FILES = 32
_MOST_CHARACTERS = 1 << 20
# Of a notebook, whose cells take long to read. There is one that is larger than other files may be.
_MOST_STORED = 1 << 25


class DocumentCache:
    """A few documents by path; one is used only if the file still has the same bytes.

    Agents edit one file many times; its hash, its lines and its outline stay computed.
    """

    def __init__(self, encoding: str | None) -> None:
        self._encoding = encoding
        self._documents: dict[str, Document] = {}
        self._lock = threading.Lock()

    def document(self, path: str, data: bytes) -> Document:
        """Return the document of a file with these bytes."""
        document = Document.from_bytes(
            data, stored_as(path, self._encoding), self._documents.get(path)
        )
        self._keep(path, document)
        return document

    def keep(self, files: Iterable[FilePlan]) -> None:
        """Remember the files of a plan that was carried out."""
        for file in files:
            if file.after is not None:
                self._keep(file.path, file.after)

    def _keep(self, path: str, document: Document) -> None:
        if len(document.text) > _MOST_CHARACTERS or len(document.stored) > _MOST_STORED:
            return
        with self._lock:
            self._documents.pop(path, None)
            if _is_large(document):
                kept = self._documents.items()
                self._documents = {name: each for name, each in kept if not _is_large(each)}
            self._documents[path] = document
            while len(self._documents) > _MOST_FILES:
                del self._documents[next(iter(self._documents))]


def _is_large(document: Document) -> bool:
    return len(document.text) + len(document.stored) > _MOST_CHARACTERS


KEEP_SECONDS = 24 * 3600.0
KEEP_BYTES = 64 << 20
VERSIONS_PER_FILE = 4
_TIDY_EVERY = 256
_SCHEMA = """
CREATE TABLE IF NOT EXISTS version(hash TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shown(
  actor TEXT NOT NULL, path BLOB NOT NULL, hash TEXT NOT NULL, encoding TEXT NOT NULL,
  time REAL NOT NULL, PRIMARY KEY(actor, path, hash)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS shown_time ON shown(time);
"""


class ShownVersions:
    """The versions shown; without them edits are found less often, never wrongly."""

    def __init__(self, state: Path) -> None:
        self._path = state / "shown.db"
        self._lock = threading.Lock()
        self._db = self._open()
        self._recent: dict[tuple[str, str], str] = {}
        self._count = 0

    def remember(self, path: str, document: Document, actor: str) -> None:
        """Note that `actor` was shown this version of `path`."""
        with self._lock:
            if self._recent.get((actor, path)) == document.hash:
                return
            self._recent[actor, path] = document.hash
            with suppress(sqlite3.Error):
                self._store(path, document, actor)
            self._count += 1
            if self._count % _TIDY_EVERY == 0:
                self._recent.clear()
                self.tidy()

    def has_seen(self, path: str, hash_: str, actor: str) -> bool:
        """Tell whether an actor was shown this version of `path`."""
        query = "SELECT 1 FROM shown WHERE actor = ? AND path = ? AND hash = ?"
        with self._lock, suppress(sqlite3.Error):
            values = _plain(actor), os.fsencode(path), hash_
            return self._db.execute(query, values).fetchone() is not None
        return False

    def actors(self) -> tuple[str, ...]:
        """Return who was shown anything of late."""
        with self._lock, suppress(sqlite3.Error):
            return tuple(row[0] for row in self._db.execute("SELECT DISTINCT actor FROM shown"))
        return ()

    def hashes(self, path: str, actor: str) -> tuple[str, ...]:
        """Return the hashes of the versions that `actor` was shown, the latest first."""
        query = """SELECT hash FROM shown WHERE actor = ? AND path = ? AND time >= ?
            ORDER BY time DESC LIMIT ?"""
        values = (_plain(actor), os.fsencode(path), time.time() - KEEP_SECONDS, VERSIONS_PER_FILE)
        with self._lock, suppress(sqlite3.Error):
            return tuple(hash_ for (hash_,) in self._db.execute(query, values))
        return ()

    def shown_at(self, path: str, actor: str) -> tuple[tuple[float, Document], ...]:
        """Return the versions of `path` that `actor` was shown and when, the latest first."""
        query = """SELECT v.data, s.encoding, s.hash, s.time
            FROM shown s JOIN version v ON v.hash = s.hash
            WHERE s.actor = ? AND s.path = ? AND s.time >= ? ORDER BY s.time DESC LIMIT ?"""
        values = (_plain(actor), os.fsencode(path), time.time() - KEEP_SECONDS, VERSIONS_PER_FILE)
        with self._lock:
            try:
                rows = self._db.execute(query, values).fetchall()
            except sqlite3.Error:
                return ()
        found = (Document.from_bytes(data, encoding) for data, encoding, *_ in rows)
        return tuple(
            (row[3], document)
            for document, row in zip(found, rows, strict=True)
            if document.hash == row[2]
        )

    def tidy(self) -> None:
        """Forget what is old, and the oldest of what is too much."""
        with suppress(sqlite3.Error):
            db = self._db
            db.execute("DELETE FROM shown WHERE time < ?", (time.time() - KEEP_SECONDS,))
            db.execute("DELETE FROM version WHERE hash NOT IN (SELECT hash FROM shown)")
            query = """SELECT s.hash, length(v.data) FROM shown s JOIN version v ON v.hash = s.hash
                ORDER BY s.time DESC"""
            total = 0
            for hash_, size in db.execute(query).fetchall():
                total += size
                if total > KEEP_BYTES:
                    db.execute("DELETE FROM shown WHERE hash = ?", (hash_,))
                    db.execute("DELETE FROM version WHERE hash = ?", (hash_,))

    def close(self) -> None:
        """Let the store go."""
        with self._lock:
            self._db.close()

    def _store(self, path: str, document: Document, actor: str) -> None:
        db = self._db
        known = db.execute("SELECT 1 FROM version WHERE hash = ?", (document.hash,)).fetchone()
        db.execute("BEGIN IMMEDIATE")
        try:
            if known is None:
                row = (document.hash, document.to_bytes())
                db.execute("INSERT OR IGNORE INTO version(hash, data) VALUES(?, ?)", row)
            shown = (
                _plain(actor),
                os.fsencode(path),
                document.hash,
                document.encoding,
                time.time(),
            )
            db.execute("INSERT OR REPLACE INTO shown VALUES(?, ?, ?, ?, ?)", shown)
            db.execute("COMMIT")
        except sqlite3.Error:
            db.execute("ROLLBACK")
            raise

    def _open(self) -> sqlite3.Connection:
        try:
            return self._opened()
        except (sqlite3.Error, OSError):
            # The disk is full, or not ours to write to: this process alone remembers.
            return self._connect(":memory:")

    def _opened(self) -> sqlite3.Connection:
        try:
            make_private(self._path)
            return self._connect(self._path)
        except sqlite3.DatabaseError:
            # Damaged or foreign: nothing in it is worth keeping.
            for suffix in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    os.unlink(f"{self._path}{suffix}")
            make_private(self._path)
            return self._connect(self._path)

    def _connect(self, place: Path | str) -> sqlite3.Connection:
        db = sqlite3.connect(place, isolation_level=None, timeout=1.0, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = OFF")
            db.executescript(_SCHEMA)
        except sqlite3.DatabaseError:
            db.close()
            raise
        return db


def _plain(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class Sessions:
    """A file for each server that edits here, locked as long as the server lives."""

    def __init__(self, state: Path, *, durable: bool = True) -> None:
        self._directory = state / "sessions"
        self._held: dict[str, int] = {}
        # What the file says: nothing, unless edits do not wait for the disk.
        self._note = b"" if durable else b"process"

    def keep(self, session: str) -> None:
        """Let others know that the server of a session is there."""
        server = server_of(session)
        if not server or server in self._held:
            return
        with suppress(OSError):  # who cannot say so is not warned of
            self._directory.mkdir(mode=0o700, exist_ok=True)
            self._held[server] = locked_file(self._directory / server)
            os.write(self._held[server], self._note)

    def is_kept(self, session: str) -> bool:
        """Tell whether the server of a session is in this process, and edited here."""
        return server_of(session) in self._held

    def is_open(self, session: str) -> bool:
        """Tell whether the server of a session lives; what a dead one left is cleared away."""
        server = server_of(session)
        if server in self._held:
            return True
        path = self._directory / server
        with suppress(OSError):
            if is_locked(path):
                return True
            path.unlink()
        return False

    def undurable(self) -> int:
        """Return how many servers edit here without waiting for the disk."""
        found = 0
        for path in self._directory.glob("*"):
            with suppress(OSError):
                found += is_locked(path) and path.stat().st_size > 0
        return found

    def close(self) -> None:
        """Let the servers of this process go."""
        for server, fd in self._held.items():
            with suppress(OSError):
                (self._directory / server).unlink()
            os.close(fd)
        self._held.clear()
