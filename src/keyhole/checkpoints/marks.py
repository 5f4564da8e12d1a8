"""Marks: what hosts told and when, and up to which entry of the journal the tree was looked at.

Who acts is known by the marks: a tool that began and has not ended is at work.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from keyhole.checkpoints.happenings import (
    AFTER,
    BEFORE,
    ENDS_BACKGROUND,
    ENDS_TOOLS,
    PROMPT,
    Happening,
)
from keyhole.checkpoints.kept_out import ListedFile
from keyhole.fastclasses import dataclass
from keyhole.journal.layout import make_private

# A tool that never said that it ended is over by then.
_LONGEST = 24 * 3600.0
_MOST = 100_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS mark(
  id INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, position INTEGER NOT NULL,
  kind TEXT NOT NULL, host TEXT NOT NULL, session TEXT NOT NULL, prompt TEXT NOT NULL,
  tool TEXT NOT NULL, use TEXT NOT NULL, said TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS mark_prompt ON mark(prompt) WHERE prompt <> '';
CREATE INDEX IF NOT EXISTS mark_use ON mark(use) WHERE use <> '';
CREATE INDEX IF NOT EXISTS mark_session ON mark(session) WHERE session <> '';
CREATE TABLE IF NOT EXISTS at_work(
  host TEXT NOT NULL, session TEXT NOT NULL, use TEXT NOT NULL, tool TEXT NOT NULL,
  prompt TEXT NOT NULL, said TEXT NOT NULL, writes TEXT NOT NULL, time REAL NOT NULL,
  PRIMARY KEY(host, session, use)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS in_background(
  host TEXT NOT NULL, session TEXT NOT NULL, use TEXT NOT NULL, tool TEXT NOT NULL,
  prompt TEXT NOT NULL, said TEXT NOT NULL, writes TEXT NOT NULL, time REAL NOT NULL,
  PRIMARY KEY(host, session, use)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS listed(
  path BLOB PRIMARY KEY, why TEXT NOT NULL, size INTEGER NOT NULL, changed INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fact(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """A happening in its order; `position` is the last entry of the journal that came before."""

    id: int
    time: float
    position: int
    happening: Happening


_COLUMNS = "id, time, position, kind, host, session, prompt, tool, use, said"
_OPEN = "host, session, prompt, tool, use, said, writes"


class Marks:
    """The marks of one workspace, in a small database beside its journal."""

    def __init__(self, directory: Path) -> None:
        path = directory / "marks.db"
        make_private(path)
        self._db = sqlite3.connect(path, isolation_level=None, timeout=10.0)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.executescript(_SCHEMA)

    def close(self) -> None:
        """Let the database go."""
        self._db.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write all that the block writes, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def add(self, happening: Happening, position: int, now: float) -> Mark:
        """Add a mark, and keep account of which tools are at work."""
        one = happening
        values = (one.kind, one.host, one.session, one.prompt, one.tool, one.use, one.said)
        query = f"INSERT INTO mark({_COLUMNS}) VALUES(NULL, ?, ?{', ?' * 7})"
        number = self._db.execute(query, (now, position, *values)).lastrowid
        key = (one.host, one.session)
        if one.kind == BEFORE:
            query = "INSERT OR REPLACE INTO at_work VALUES(?, ?, ?, ?, ?, ?, ?, ?)"
            writes = json.dumps(one.writes)
            self._db.execute(query, (*key, one.use, one.tool, one.prompt, one.said, writes, now))
        if one.goes_on:
            query = """INSERT OR REPLACE INTO in_background
                SELECT * FROM at_work WHERE host = ? AND session = ? AND use = ?"""
            self._db.execute(query, (*key, one.use))
        self._end(one)
        assert number is not None, "BUG: an insert has a row"
        if number % 1000 == 0:
            self._db.execute("DELETE FROM mark WHERE id < ?", (number - _MOST,))
        return Mark(number, now, position, one)

    def _end(self, one: Happening) -> None:
        """Keep account of the tools that a happening ends."""
        key = (one.host, one.session)
        for use in (*one.ended, *([one.use] if one.kind == AFTER else [])):
            query = "DELETE FROM at_work WHERE host = ? AND session = ? AND use = ?"
            self._db.execute(query, (*key, use))
        for use in one.ended:
            query = "DELETE FROM in_background WHERE host = ? AND session = ? AND use = ?"
            self._db.execute(query, (*key, use))
        if one.kind in ENDS_TOOLS:
            self._db.execute("DELETE FROM at_work WHERE host = ? AND session = ?", key)
        if one.kind in ENDS_BACKGROUND:
            self._db.execute("DELETE FROM in_background WHERE host = ? AND session = ?", key)

    def at_work(self, now: float) -> tuple[Happening, ...]:
        """Return the tools that began and have not ended."""
        return self._tools("at_work", now)

    def begun_by(self, moment: float) -> frozenset[tuple[str, str, str]]:
        """Return the uses of tools that have been at work since a time, by host and session."""
        query = "SELECT host, session, use FROM at_work WHERE time <= ?"
        return frozenset(self._db.execute(query, (moment,)))

    def in_background(self, now: float) -> tuple[Happening, ...]:
        """Return the tools whose programs go on, as far as anybody told."""
        return self._tools("in_background", now)

    def _tools(self, table: str, now: float) -> tuple[Happening, ...]:
        query = f"SELECT {_OPEN} FROM {table} WHERE time > ? ORDER BY time"  # noqa: S608 - our own words
        rows = self._db.execute(query, (now - _LONGEST,))
        return tuple(
            Happening(BEFORE, host, session, prompt, tool, use, said, _paths(writes))
            for host, session, prompt, tool, use, said, writes in rows
        )

    def hosts(self) -> frozenset[str]:
        """Return the hosts that told of anything."""
        rows = self._db.execute("SELECT DISTINCT host FROM mark WHERE host <> ''")
        return frozenset(row[0] for row in rows)

    def sessions(self, hosts: Collection[str], since: float) -> frozenset[str]:
        """Return the sessions of some hosts that told of anything since a time."""
        query = "SELECT DISTINCT host, session FROM mark WHERE session <> '' AND time >= ?"
        rows = self._db.execute(query, (since,))
        return frozenset(session for host, session in rows if host in hosts)

    def began(self, prompt: str) -> Mark | None:
        """Return the mark at which a prompt began; its beginning is enough if no other has it."""
        query = f"SELECT {_COLUMNS} FROM mark WHERE prompt = ? ORDER BY id LIMIT 1"  # noqa: S608 - our own words
        found = self._marks(query, (prompt,))
        if not found and len(prompt) >= 4:
            query = f"""SELECT {_COLUMNS} FROM mark WHERE substr(prompt, 1, ?) = ?
                GROUP BY prompt HAVING id = min(id) ORDER BY id"""  # noqa: S608 - our own words
            alike = self._marks(query, (len(prompt), prompt))
            found = alike if len(alike) == 1 else []
        return found[0] if found else None

    def mark(self, number: int) -> Mark | None:
        """Return a mark by its number."""
        found = self._marks(f"SELECT {_COLUMNS} FROM mark WHERE id = ?", (number,))  # noqa: S608 - our own words
        return found[0] if found else None

    def at(self, moment: float) -> Mark | None:
        """Return the last mark that was made by then."""
        query = f"SELECT {_COLUMNS} FROM mark WHERE time <= ? ORDER BY id DESC LIMIT 1"  # noqa: S608 - our own words
        found = self._marks(query, (moment,))
        return found[0] if found else None

    def of_use(self, use: str) -> Mark | None:
        """Return the mark of a use of a tool."""
        query = f"SELECT {_COLUMNS} FROM mark WHERE use = ? ORDER BY id LIMIT 1"  # noqa: S608 - our own words
        found = self._marks(query, (use,)) if use else []
        return found[0] if found else None

    def after(self, number: int) -> Iterator[Mark]:
        """Yield the marks behind one, oldest first."""
        query = f"SELECT {_COLUMNS} FROM mark WHERE id > ? ORDER BY id"  # noqa: S608 - our own words
        for row in self._db.execute(query, (number,)):
            yield _mark(row)

    def open_at(self, number: int) -> tuple[Happening, ...]:
        """Return the tools that were at work after a mark, that one included."""
        first = self.mark(number)
        begun = first.time - _LONGEST if first else 0.0
        query = f"SELECT {_COLUMNS} FROM mark WHERE id <= ? AND time > ? ORDER BY id"  # noqa: S608 - our own words
        found = dict[tuple[str, str, str], Happening]()
        for row in self._db.execute(query, (number, begun)):
            one = _mark(row).happening
            if one.kind == BEFORE:
                found[one.host, one.session, one.use] = one
            elif one.kind == AFTER:
                found.pop((one.host, one.session, one.use), None)
            elif one.kind in ENDS_TOOLS:
                found = {
                    key: each for key, each in found.items() if key[:2] != (one.host, one.session)
                }
        return tuple(found.values())

    def prompts(self, limit: int) -> list[Mark]:
        """Return the marks of prompts, the latest first."""
        query = f"SELECT {_COLUMNS} FROM mark WHERE kind = ? ORDER BY id DESC LIMIT ?"  # noqa: S608 - our own words
        return self._marks(query, (PROMPT, limit))

    def _marks(self, query: str, values: tuple[object, ...]) -> list[Mark]:
        rows = self._db.execute(query, values).fetchall()
        return [*map(_mark, rows)]

    def was_listed(self) -> Mapping[str, str]:
        """Return the files that were not kept at the last look, and why."""
        rows = self._db.execute("SELECT path, why FROM listed")
        return {os.fsdecode(path): why for path, why in rows}

    def unkept_since(self, moment: float) -> list[ListedFile]:
        """Return the files that are not kept and were written after a time, by their paths."""
        query = "SELECT path, why, size, changed FROM listed WHERE changed > ? ORDER BY path"
        rows = self._db.execute(query, (int(moment * 1e9),))
        return [ListedFile(os.fsdecode(row[0]), *row[1:]) for row in rows]

    def fact(self, name: str) -> str:
        """Return what is remembered under a name."""
        row = self._db.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def remember(self, name: str, value: str) -> None:
        """Remember a value under a name."""
        self._db.execute("INSERT OR REPLACE INTO fact VALUES(?, ?)", (name, value))

    def relist(self, files: Iterable[ListedFile]) -> list[ListedFile]:
        """Remember the files that are not kept, and return those that are new, changed or gone."""
        now = {each.path: each for each in files}
        found = self.unlike(now.values())
        if found:
            self._db.execute("DELETE FROM listed")
            rows = [
                (os.fsencode(path), one.why, one.size, one.changed_ns) for path, one in now.items()
            ]
            self._db.executemany("INSERT INTO listed VALUES(?, ?, ?, ?)", rows)
        return found

    def unlike(self, files: Iterable[ListedFile]) -> list[ListedFile]:
        """Return those of the files that are not kept that are new, changed or gone."""
        now = {each.path: each for each in files}
        rows = self._db.execute("SELECT path, why, size, changed FROM listed")
        was = {os.fsdecode(row[0]): ListedFile(os.fsdecode(row[0]), *row[1:]) for row in rows}
        both = (was | now).items()
        return [now.get(path, one) for path, one in both if now.get(path) != was.get(path)]


def _paths(writes: str) -> tuple[str, ...] | None:
    named = json.loads(writes)
    return None if named is None else tuple(named)


def _mark(row: tuple[int, float, int, str, str, str, str, str, str, str]) -> Mark:
    return Mark(row[0], row[1], row[2], Happening(*row[3:]))
