"""Upkeep of the SQLite journal: forget, compress, examine, count."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from keyhole.journal import blobs, record
from keyhole.journal.model import PENDING, Health, Retention
from keyhole.journal.tallies import CountedCall, Tally, tally_of
from keyhole.refusals import Refusal, Refused

_PACK_AT_ONCE = 100
_TIDY_EVERY_SECONDS = 24 * 3600.0
_FIXED_IN = (3, 51, 3)


def tidy(db: sqlite3.Connection, retention: Retention, now: float) -> int:
    """Forget the oldest entries beyond the retention, and compress images stored in a hurry."""
    last = retention.keep_from - 1 if retention.keep_from else _ends(db)[1]
    forgotten = _forget_up_to(db, min(last, _last_before(db, now - retention.seconds)))
    while _size(db) > retention.size:
        # A quarter at a time: sizes are only known once nothing refers to an image any more.
        first, end = _ends(db)
        gone = _forget_up_to(db, min(last, first + (end - first) // 4))
        if not gone:
            break
        forgotten += gone
    blobs.pack(db, _PACK_AT_ONCE)
    db.execute("INSERT OR REPLACE INTO meta(name, value) VALUES('tidied', ?)", (now,))
    return forgotten


def is_due(db: sqlite3.Connection, now: float) -> bool:
    """Tell whether nobody has tidied up for a day."""
    row = db.execute("SELECT value FROM meta WHERE name = 'tidied'").fetchone()
    return row is None or now - row[0] > _TIDY_EVERY_SECONDS


def examine(db: sqlite3.Connection) -> Health:
    """Check the database, the chain of entries, and every image."""
    damage = [row[0] for row in db.execute("PRAGMA quick_check(20)") if row[0] != "ok"]
    damage += _broken_chain(db)
    damage += _broken_images(db)
    entries = db.execute("SELECT count(*) FROM entry").fetchone()[0]
    pending = db.execute("SELECT count(*) FROM unfinished").fetchone()[0]
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    size = pages * db.execute("PRAGMA page_size").fetchone()[0]
    store = f"SQLite {sqlite3.sqlite_version}"
    return Health(store, entries, pending, size, tuple(damage), tuple(_notes()))


def tally(db: sqlite3.Connection, since: float) -> Tally:
    """Count entries and refusals since a time."""
    return tally_of([*_done(db, since), *_refused(db, since)])


def _done(db: sqlite3.Connection, since: float) -> Iterator[CountedCall]:
    query = """SELECT CASE WHEN p.number IS NULL THEN e.state ELSE ? END, e.body FROM entry e
        LEFT JOIN unfinished p ON p.number = e.number WHERE e.time >= ?"""
    for state, body in db.execute(query, (PENDING, since)):
        yield record.deed_from_json(body, state)


def _refused(db: sqlite3.Connection, since: float) -> Iterator[CountedCall]:
    query = "SELECT time, actor, tool, codes, path FROM attempt WHERE time >= ?"
    for at, actor, tool, codes, path in db.execute(query, (since,)):
        paths = (path.decode("utf-8", "surrogatepass"),)
        yield CountedCall(at, actor, tool, paths, tuple(codes.split(",")))


def _last_before(db: sqlite3.Connection, time: float) -> int:
    """Return the last entry older than `time`."""
    query = "SELECT min(number) - 1 FROM entry WHERE time >= ?"
    row = db.execute(query, (time,)).fetchone()
    return int(row[0]) if row[0] is not None else _ends(db)[1]


def _ends(db: sqlite3.Connection) -> tuple[int, int]:
    first, last = db.execute("SELECT min(number), max(number) FROM entry").fetchone()
    return int(first or 0), int(last or 0)


def _forget_up_to(db: sqlite3.Connection, number: int) -> int:
    """Forget entries from the beginning; the last stays, so that no number is used twice."""
    unfinished = db.execute("SELECT min(number) FROM unfinished").fetchone()[0]
    number = min(number, _ends(db)[1] - 1, unfinished - 1 if unfinished else number)
    row = db.execute("SELECT chain FROM entry WHERE number = ?", (number,)).fetchone()
    if row is None:
        return 0
    # The chain goes on from here: its last forgotten link is kept.
    db.execute("INSERT OR REPLACE INTO meta(name, value) VALUES('chain', ?)", row)
    db.execute("DELETE FROM touch WHERE number <= ?", (number,))
    db.execute("DELETE FROM undo WHERE number <= ?", (number,))
    # What was put together from entries holds their texts.
    db.execute("DELETE FROM meta WHERE name LIKE 'run %'")
    gone = db.execute("DELETE FROM entry WHERE number <= ?", (number,)).rowcount
    first = db.execute("SELECT time FROM entry ORDER BY number LIMIT 1").fetchone()
    db.execute("DELETE FROM attempt WHERE time < ?", first)
    blobs.drop_unused(db)
    return gone


def _size(db: sqlite3.Connection) -> int:
    images = db.execute("SELECT total(length(data)) FROM blob").fetchone()[0]
    return int(images + db.execute("SELECT total(length(body)) FROM entry").fetchone()[0])


def _broken_chain(db: sqlite3.Connection) -> Iterator[str]:
    row = db.execute("SELECT value FROM meta WHERE name = 'chain'").fetchone()
    chain: bytes = row[0] if row else b""
    expected: int | None = None
    for number, body, stored in db.execute("SELECT number, body, chain FROM entry ORDER BY number"):
        if expected is not None and number != expected:
            yield f"entries {expected} to {number - 1} are missing"
        text = body.encode("utf-8") if isinstance(body, str) else bytes(body)
        if hashlib.sha256(chain + text).digest() != stored:
            yield f"entry {number} is not what was written"
        chain, expected = stored, number + 1


def _broken_images(db: sqlite3.Connection) -> Iterator[str]:
    for (hash_,) in db.execute("SELECT hash FROM blob"):
        name = bytes(hash_).hex()
        try:
            blobs.get(db, name)
        except blobs.DamagedImage:
            yield f"image {name} is damaged"


def _notes() -> Iterator[str]:
    if sqlite3.sqlite_version_info < _FIXED_IN:  # pragma: no cover: as the machine's SQLite is
        yield (
            "this SQLite can corrupt a log that two processes reset and write at once; "
            "keyhole keeps commits and checkpoints apart, so it cannot happen here"
        )


NAME = "journal.db"
APPLICATION_ID = 0x6B657968  # "keyh"
VERSION = 3

# An entry's body is never changed after it was written; what moves is in tables of its own
# (`unfinished`) or follows from the bodies and could be rebuilt (`touch`, `undo`, `claim`). Few
# pages per commit are what makes a commit cheap, so there is one index per question and no more.
TABLES = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE path(id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
CREATE TABLE who(
  id INTEGER PRIMARY KEY, actor TEXT NOT NULL, task TEXT NOT NULL, UNIQUE(task, actor)
);
CREATE TABLE entry(
  number INTEGER PRIMARY KEY,
  who INTEGER NOT NULL REFERENCES who,
  time REAL NOT NULL,
  state TEXT NOT NULL,
  body TEXT NOT NULL,
  chain BLOB NOT NULL
);
CREATE INDEX entry_who ON entry(who, number);
CREATE TABLE unfinished(number INTEGER PRIMARY KEY, token TEXT NOT NULL);
CREATE TABLE touch(
  path INTEGER NOT NULL, number INTEGER NOT NULL, before INTEGER, after INTEGER,
  PRIMARY KEY(path, number)
) WITHOUT ROWID;
CREATE TABLE undo(
  target INTEGER NOT NULL, number INTEGER NOT NULL, edit INTEGER,
  PRIMARY KEY(target, number, edit)
);
CREATE TABLE blob(
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  base INTEGER, prefix INTEGER, suffix INTEGER,
  packed INTEGER NOT NULL,
  data BLOB NOT NULL
);
CREATE TABLE claim(path INTEGER PRIMARY KEY, hash TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE task(name TEXT PRIMARY KEY, ended REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE attempt(
  id INTEGER PRIMARY KEY, time REAL NOT NULL, actor TEXT NOT NULL, task TEXT NOT NULL,
  tool TEXT NOT NULL, codes TEXT NOT NULL, path BLOB NOT NULL, said TEXT NOT NULL DEFAULT ''
);
"""

# What brings an older layout up to the next, by the layout it is for. An older keyhole that has the
# journal open when it is brought up to date asks for `pending` before each call, and is refused.
STEPS = {
    1: "ALTER TABLE attempt ADD COLUMN said TEXT NOT NULL DEFAULT ''",
    2: "ALTER TABLE pending RENAME TO unfinished",
}


# In a refusal's data: says that the journal itself is damaged, not merely out of reach.
DAMAGED = "damaged"

BEGUN_ANEW = Refusal(
    "busy",
    "the journal was damaged, and another process has begun a new one",
    help="send the same request again; nothing was changed",
)


class DamagedJournal(Exception):  # noqa: N818 - it names what was found
    """The file is not a sound journal of ours."""


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
        data={DAMAGED: True} if is_damage(error) else {},
    )


def is_damage(error: sqlite3.Error) -> bool:
    """Tell whether the database itself is broken: its pages, or what they hold."""
    passing = (sqlite3.OperationalError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(error, passing)


def is_damaged(refused: Refused) -> bool:
    """Tell whether a refusal says that the journal is damaged."""
    return any(DAMAGED in refusal.data for refusal in refused.refusals)


def other_version(version: int) -> Refusal:
    """Say that another keyhole wrote this journal."""
    return Refusal(
        "journal",
        f"the journal has layout {version}, and this keyhole knows layout {VERSION}",
        help="use the version of keyhole that wrote it, or move the state directory aside",
    )


def older_at_work(who: str) -> Refusal:
    """Say that a keyhole of an older version has the journal open."""
    named = f": {who}" if who else ""
    return Refusal(
        "journal",
        f"an older version of keyhole is at work in this workspace{named}",
        help="end it, or the host that started it, then send the same request again; nothing was "
        "changed",
    )


def set_aside(directory: Path, why: str) -> Refusal:
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
