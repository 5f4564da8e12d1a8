"""The layout of the SQLite journal, and what is said of a journal that is damaged or not ours."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from keyhole.journal.place import JOURNAL as NAME
from keyhole.refusals import Refusal, Refused

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


def layout_of(db: sqlite3.Connection) -> int:
    """Return the layout; refuse one that this keyhole does not know, and what is none of ours."""
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise DamagedJournal("the file is not a journal of keyhole")
    if version != VERSION and version not in STEPS:
        raise Refused(other_version(version))
    return int(version)


def newest_settled(directory: Path) -> int | None:
    """Return the number of the last entry, 0 if there is none, of a journal that stays unopened.

    None where there is no journal of ours, and where an entry is not finished.
    """
    path = directory / NAME
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
            if layout_of(db) != VERSION:
                return None
            query = "SELECT (SELECT count(*) FROM unfinished), (SELECT max(number) FROM entry)"
            unfinished, newest = db.execute(query).fetchone()
            return None if unfinished else int(newest or 0)
    except (sqlite3.Error, DamagedJournal, Refused):
        return None


def make_private(path: Path) -> None:
    """Make an empty file for a database that only its owner can read.

    A database that is there is not touched: closing a file drops every lock that the process has on
    it, also those of another connection to the same database.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
