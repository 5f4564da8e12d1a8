"""The entries of the SQLite journal that the shared journal does not have yet.

There is no table of messages: the journal is written in order and never changed, so a position in
it says what was sent, and an edit costs nothing more.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from keyhole.fastclasses import dataclass
from keyhole.journal import blobs
from keyhole.journal.place import JOURNAL as NAME

LARGEST_IMAGE = 8 << 20
_MANY = 500
# What others than keyhole did stays on the machine.
_SHARED = "coalesce(json_extract(body, '$.details.observed'), 0) = 0"


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """One finished entry as it is stored."""

    number: int
    state: str
    body: str


@dataclass(frozen=True, slots=True)
class PackedImage:
    """One image as it is stored: whole, or the middle between two ends of a whole one."""

    hash: bytes
    base: bytes | None
    prefix: int
    suffix: int
    packed: bool
    data: bytes


class Outbox:
    """A second connection to the journal, for reading beside those who commit."""

    def __init__(self, directory: Path) -> None:
        self._db = sqlite3.connect(
            directory / NAME, isolation_level=None, timeout=5.0, check_same_thread=False
        )
        self._directory = directory
        for pragma in ("trusted_schema = OFF", "wal_autocheckpoint = 0"):
            self._db.execute(f"PRAGMA {pragma}")

    def close(self) -> None:
        """Let the connection go."""
        self._db.close()

    def source(self) -> str:
        """Return the name of this journal among those that share, given when first asked for."""
        query = "SELECT value FROM meta WHERE name = 'source'"
        row = self._db.execute(query).fetchone()
        if row is None:
            self._name_source()
            row = self._db.execute(query).fetchone()
        return str(row[0])

    def _name_source(self) -> None:
        import fcntl

        # The gate keeps checkpoints out, as it does for every commit.
        gate = os.open(self._directory / "checkpoint.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        statement = "INSERT OR IGNORE INTO meta(name, value) VALUES('source', ?)"
        try:
            fcntl.flock(gate, fcntl.LOCK_SH)
            self._db.execute(statement, (os.urandom(16).hex(),))
        finally:
            os.close(gate)

    def last(self) -> int:
        """Return the number of the last entry up to which all are finished."""
        query = f"""SELECT coalesce((SELECT max(number) FROM entry WHERE number <= coalesce(
            (SELECT min(number) - 1 FROM unfinished), (SELECT max(number) FROM entry), 0)
            AND {_SHARED} GROUP BY number ORDER BY number DESC LIMIT 1), 0)"""  # noqa: S608 - our own words
        return int(self._db.execute(query).fetchone()[0])

    def after(self, number: int, limit: int) -> list[StoredEntry]:
        """Return the finished entries behind `number`, oldest first.

        An unfinished one holds up those behind it, since their order is what is shared.
        """
        query = f"""SELECT number, state, body FROM entry WHERE number > ? AND number <= ?
            AND {_SHARED} ORDER BY number LIMIT ?"""  # noqa: S608 - our own words
        rows = self._db.execute(query, (number, self.last(), limit))
        return [StoredEntry(*row) for row in rows]

    def images(self, hashes: Iterable[bytes]) -> Iterator[PackedImage]:
        """Yield images that are kept, and those they are the difference from."""
        wanted, seen = list(dict.fromkeys(hashes)), set[bytes]()
        while wanted:
            found = self._image(wanted.pop())
            if found is None or found.hash in seen:
                continue
            seen.add(found.hash)
            if found.base is not None and found.base not in seen:
                wanted.append(found.base)
            yield found

    def _image(self, hash_: bytes) -> PackedImage | None:
        query = """SELECT b.hash, w.hash, b.prefix, b.suffix, b.packed, b.data FROM blob b
            LEFT JOIN blob w ON w.id = b.base WHERE b.hash = ? AND length(b.data) < ?"""
        row = self._db.execute(query, (hash_, LARGEST_IMAGE)).fetchone()
        if row is None:
            return None
        own, base, prefix, suffix, packed, data = row
        if blobs.is_step(packed):
            whole, prefix, suffix, middle = blobs.beside_whole(self._db, own)
            return PackedImage(own, whole, prefix, suffix, packed=True, data=zlib.compress(middle))
        return PackedImage(own, base, prefix or 0, suffix or 0, packed == 1, bytes(data))

    def last_attempt(self) -> int:
        """Return the number of the last refused call."""
        return int(self._db.execute("SELECT coalesce(max(id), 0) FROM attempt").fetchone()[0])

    def attempts(self, number: int) -> list[tuple[int, float, str, str, str, str, str, bytes]]:
        """Return refused calls behind `number`, oldest first."""
        query = """SELECT id, time, actor, task, tool, codes, said, path FROM attempt WHERE id > ?
            ORDER BY id LIMIT ?"""
        return self._db.execute(query, (number, _MANY)).fetchall()

    def ended(self, since: float) -> list[tuple[str, float]]:
        """Return the tasks that were ended since a moment, and when."""
        query = "SELECT name, ended FROM task WHERE ended > ? ORDER BY ended"
        return self._db.execute(query, (since,)).fetchall()
