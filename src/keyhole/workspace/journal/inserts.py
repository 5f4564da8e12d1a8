"""How an entry is written into the SQLite journal."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Mapping

from keyhole.text.document import spelled
from keyhole.workspace.journal import blobs, queries, record
from keyhole.workspace.journal.base import APPLIED, EntryDraft, Regions

_MOST_KNOWN = 20_000
_Key = tuple[str, ...]


class KnownRows:
    """Numbers of paths and people that are in the database for good."""

    def __init__(self) -> None:
        self._numbers: dict[_Key, int] = {}

    def get(self, key: _Key) -> int | None:
        """Return the number of a name, if it was met before."""
        return self._numbers.get(key)

    def update(self, numbers: Mapping[_Key, int]) -> None:
        """Keep numbers whose transaction is committed."""
        if len(self._numbers) > _MOST_KNOWN:
            self._numbers.clear()
        self._numbers.update(numbers)


class Names:
    """Paths and people by number, within one transaction that may yet be rolled back."""

    def __init__(self, db: sqlite3.Connection, known: KnownRows) -> None:
        self.db = db
        self.new: dict[_Key, int] = {}
        self._known = known

    def path(self, path: str) -> int:
        """Return the number of a path, given to it if need be."""
        found = self._known.get((path,)) or self.new.get((path,))
        if found is None:
            raw = (os.fsencode(path),)
            found = self._find("SELECT id FROM path WHERE name = ?", raw)
            found = found or self._add("INSERT INTO path(name) VALUES(?)", raw)
            self.new[path,] = found
        return found

    def who(self, actor: str, task: str) -> int:
        """Return the number of an actor at a task."""
        key = (spelled(task), spelled(actor))
        found = self._known.get(key)
        if found is None:
            found = self._find("SELECT id FROM who WHERE task = ? AND actor = ?", key)
            found = found or self._add("INSERT INTO who(task, actor) VALUES(?, ?)", key)
            self.new[key] = found
        return found

    def _find(self, query: str, values: tuple[object, ...]) -> int | None:
        row = self.db.execute(query, values).fetchone()
        return int(row[0]) if row else None

    def _add(self, statement: str, values: tuple[object, ...]) -> int:
        number = self.db.execute(statement, values).lastrowid
        assert number is not None, "BUG: an insert has a row"
        return number


def insert(names: Names, draft: EntryDraft, body: str, images: Mapping[str, bytes]) -> int:
    """Append an entry to the chain, with its images, and return its number."""
    db = names.db
    last = db.execute("SELECT number, chain FROM entry ORDER BY number DESC LIMIT 1").fetchone()
    number, before = last or (0, b"")
    number += 1
    chain = hashlib.sha256(before + body.encode("ascii")).digest()
    who = names.who(draft.call.actor, draft.call.task)
    db.execute(
        "INSERT INTO entry(number, who, time, state, body, chain) VALUES(?, ?, ?, ?, ?, ?)",
        (number, who, draft.time, APPLIED, body, chain),
    )
    for file in draft.files:
        old = blobs.put(db, file.before, images[file.before]) if file.before else None
        new = blobs.put(db, file.after, images[file.after], old) if file.after else None
        touch = (names.path(file.path), number, old and old.id, new and new.id)
        db.execute("INSERT INTO touch(path, number, before, after) VALUES(?, ?, ?, ?)", touch)
    for undone in draft.call.undoes:
        # -1 is no edit: which file it is stands in the body.
        edit = -1 if undone.path else undone.edit
        link = (queries.number_of(undone.entry), number, edit)
        db.execute("INSERT OR IGNORE INTO undo(target, number, edit) VALUES(?, ?, ?)", link)
    db.execute("INSERT INTO unfinished(number, token) VALUES(?, ?)", (number, draft.token))
    return int(number)


def lay_regions(names: Names, regions: Mapping[str, Regions], entry: str) -> None:
    """Replace what is known of where tasks edited these files."""
    query = "INSERT OR REPLACE INTO claim(path, hash, body) VALUES(?, ?, ?)"
    for path, laid in regions.items():
        body = record.regions_to_json(laid.regions, entry)
        names.db.execute(query, (names.path(path), laid.hash, body))
