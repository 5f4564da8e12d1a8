"""Queries of the SQLite journal; each uses an index."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Sequence

from keyhole.journal import record
from keyhole.journal.layout import DAMAGED
from keyhole.journal.model import (
    PENDING,
    ROLLED_BACK,
    ROLLING_BACK,
    Attempt,
    Entry,
    Query,
    Regions,
)
from keyhole.refusals import Refusal, Refused

# An entry, what its chain goes on from, and which entries took some of it back.
_COLUMNS = f"""e.number, e.state, e.body, e.chain, p.number,
    coalesce((SELECT b.chain FROM entry b WHERE b.number = e.number - 1),
        (SELECT value FROM meta WHERE name = 'chain'), x''),
    (SELECT group_concat(x.number) FROM undo u JOIN entry x ON x.number = u.number
        WHERE u.target = e.number AND x.state <> '{ROLLED_BACK}')"""  # noqa: S608 - our own words
_FROM = "entry e LEFT JOIN unfinished p ON p.number = e.number"
_RECENT_VERSIONS = 1000

_Row = tuple[int, str, str, bytes, int | None, bytes, str | None]


def entry_id(number: int, token: str) -> str:
    """Return the name of an entry: its number, and a mark that no other journal's has."""
    return f"{number}-{token[:4]}"


def number_of(name: str) -> int:
    """Return the number in an entry's name, or 0 for what is no name."""
    number, _, _ = name.partition("-")
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 18 else 0


def entry(db: sqlite3.Connection, name: str) -> Entry | None:
    """Return the entry with this id; the number alone will do."""
    rows = _select(db, "WHERE e.number = ?", (number_of(name),))
    found = rows[0] if rows else None
    return found if found and name in {found.id, str(found.order)} else None


def pending(db: sqlite3.Connection, paths: frozenset[str] | None) -> tuple[Entry, ...]:
    """Return the entries that are not finished."""
    numbers = [row[0] for row in db.execute("SELECT number FROM unfinished ORDER BY number")]
    entries = [
        found for number in numbers for found in _select(db, "WHERE e.number = ?", (number,))
    ]
    if paths is None:
        return tuple(entries)
    return tuple(each for each in entries if any(file.path in paths for file in each.files))


def entries(db: sqlite3.Connection, query: Query) -> tuple[Entry, ...]:
    """Return the entries that fit, newest first."""
    if not query.path and (query.actor is not None or query.task is not None):
        return _entries_of_people(db, query)
    source, wheres, values = "", ["e.time >= ?"], [query.since]
    parameters: list[object] = [*values]
    alone = False
    if query.path:
        found = _paths_at(db, query.path, alone=query.alone)
        alone = len(found) == 1
        source = f"JOIN touch t ON t.number = e.number AND t.path IN ({_marks(found)})"
        parameters = [*found, *parameters]
    if query.actor is not None or query.task is not None:
        people, named = _people(query)
        known = [row[0] for row in db.execute(f"SELECT id FROM who WHERE {people}", named)]  # noqa: S608 - our own words
        wheres.append(f"e.who IN ({_marks(known)})")
        parameters += known
    if query.before is not None:
        wheres.append("t.number < ?" if alone else "e.number < ?")
        parameters.append(query.before)
    if query.until is not None:
        wheres.append("e.time < ?")
        parameters.append(query.until)
    # An entry touches one file once, and the index has its entries in order: nothing to sort.
    order = "ORDER BY t.number DESC" if alone else "GROUP BY e.number ORDER BY e.number DESC"
    tail = f"{source} WHERE {' AND '.join(wheres)} {order} LIMIT ?"
    return _select(db, tail, (*parameters, query.limit))


def attempts(db: sqlite3.Connection, query: Query) -> tuple[Attempt, ...]:
    """Return the refused calls that fit, newest first."""
    wheres, values = ["time >= ?"], [query.since]
    parameters: list[object] = [*values]
    if query.until is not None:
        wheres.append("time < ?")
        parameters.append(query.until)
    for column, value in (("actor", query.actor), ("task", query.task)):
        if value is not None:
            wheres.append(f"{column} = ?")
            parameters.append(value)
    if query.path:
        raw = query.path.encode("utf-8", "surrogatepass")
        wheres.append("(path = ? OR (path >= ? AND path < ?))")
        parameters += (raw, raw + b"/", raw + b"0")
    source = f"""SELECT time, actor, task, tool, codes, path, said FROM attempt
        WHERE {" AND ".join(wheres)} ORDER BY id DESC LIMIT ?"""  # noqa: S608 - our own words
    return tuple(
        Attempt(time, actor, task, tool, tuple(codes.split(",")), _spelled(path), said)
        for time, actor, task, tool, codes, path, said in db.execute(
            source, (*parameters, query.limit)
        )
    )


def _spelled(path: bytes) -> str:
    return path.decode("utf-8", "surrogatepass")


def mark(db: sqlite3.Connection) -> str:
    """Return a word that is another one whenever anything was recorded."""
    row = db.execute(
        """SELECT (SELECT max(number) FROM entry), (SELECT group_concat(number) FROM unfinished),
        (SELECT max(id) FROM attempt)"""
    ).fetchone()
    return "-".join(str(each or 0) for each in row)


def later(db: sqlite3.Connection, path: str, order: int, limit: int) -> tuple[Entry, ...]:
    """Return the applied entries that touched `path` after `order`, oldest first."""
    tail = """JOIN touch t ON t.number = e.number
        WHERE t.path = (SELECT id FROM path WHERE name = ?) AND t.number > ?
        AND p.number IS NULL AND e.state <> ? ORDER BY t.number LIMIT ?"""
    return _select(db, tail, (os.fsencode(path), order, ROLLED_BACK, limit))


_TOUCHES = f"""touch t JOIN ({_FROM}) ON e.number = t.number
    WHERE t.path = (SELECT id FROM path WHERE name = ?) AND p.number IS NULL AND e.state <> ?"""  # noqa: S608 - our own words


def last_touch(db: sqlite3.Connection, path: str) -> int:
    """Return the last entry that touched `path`, by its place in the order; 0 for none."""
    query = "SELECT max(number) FROM touch WHERE path = (SELECT id FROM path WHERE name = ?)"
    return db.execute(query, (os.fsencode(path),)).fetchone()[0] or 0


def touches(db: sqlite3.Connection, path: str) -> tuple[int, ...]:
    """Return the applied entries that touched `path`, oldest first, by their place in the order."""
    query = f"SELECT t.number FROM {_TOUCHES} ORDER BY t.number"  # noqa: S608 - our own words
    return tuple(row[0] for row in db.execute(query, (os.fsencode(path), ROLLED_BACK)))


def departures(db: sqlite3.Connection, path: str, order: int) -> tuple[Entry, ...]:
    """Return the applied entries after `order` that left no file at `path`, oldest first."""
    query = f"""SELECT t.number FROM {_TOUCHES} AND t.number > ? AND t.after IS NULL
        ORDER BY t.number"""  # noqa: S608 - our own words
    rows = db.execute(query, (os.fsencode(path), ROLLED_BACK, order)).fetchall()
    return tuple(each for row in rows for each in _select(db, "WHERE e.number = ?", row))


def reached(db: sqlite3.Connection, path: str, hash_: str) -> tuple[int, bool] | None:
    """Return the last applied entry at `path` that left these bytes (True) or found them."""
    query = f"""SELECT t.number, t.after IS b.id FROM blob b, {_TOUCHES}
        AND b.hash = ? AND b.id IN (t.before, t.after) ORDER BY t.number DESC LIMIT 1"""  # noqa: S608 - our own words
    values = (os.fsencode(path), ROLLED_BACK, bytes.fromhex(hash_))
    row = db.execute(query, values).fetchone()
    return (row[0], bool(row[1])) if row else None


def kept(db: sqlite3.Connection, name: str) -> bytes | None:
    """Return what was kept under a name."""
    row = db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return bytes(row[0]) if row and isinstance(row[0], bytes) else None


def undoers(db: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """Return the names of the entries that took some of this one back, oldest first."""
    tail = """WHERE e.number IN (SELECT number FROM undo WHERE target = ?) AND e.state <> ?
        ORDER BY e.number"""
    return tuple(entry.id for entry in _select(db, tail, (number_of(name), ROLLED_BACK)))


def has_version(db: sqlite3.Connection, path: str, hash_: str) -> bool:
    """Tell whether `path` is known to have had these bytes, as far as its recent versions go."""
    query = """SELECT 1 FROM (
        SELECT before, after FROM touch WHERE path = (SELECT id FROM path WHERE name = ?)
        ORDER BY number DESC LIMIT ?) t
        JOIN blob b ON b.hash = ? WHERE b.id IN (t.before, t.after) LIMIT 1"""
    values = (os.fsencode(path), _RECENT_VERSIONS, bytes.fromhex(hash_))
    return db.execute(query, values).fetchone() is not None


def regions(db: sqlite3.Connection, path: str) -> Regions | None:
    """Return where live tasks edited `path`."""
    query = "SELECT hash, body FROM claim WHERE path = (SELECT id FROM path WHERE name = ?)"
    row = db.execute(query, (os.fsencode(path),)).fetchone()
    return Regions(row[0], record.regions_from_json(row[1])) if row else None


def tasks_ended(db: sqlite3.Connection, tasks: list[str]) -> dict[str, float]:
    """Return when each of these tasks was last ended."""
    query = f"SELECT name, ended FROM task WHERE name IN ({_marks(tasks)})"  # noqa: S608 - our own words
    return {name: float(ended) for name, ended in db.execute(query, tasks)}


def _select(db: sqlite3.Connection, tail: str, values: tuple[object, ...]) -> tuple[Entry, ...]:
    rows = db.execute(f"SELECT {_COLUMNS} FROM {_FROM} {tail}", values).fetchall()  # noqa: S608 - our own words
    return tuple(map(_entry, rows))


def _entry(row: _Row) -> Entry:
    """Return an entry, or refuse when its bytes are not those that were written."""
    number, state, body, chain, unfinished, before, undoers = row
    if not _is_sound(before, body, chain):
        raise Refused(_damaged(number))
    draft = record.from_json(body)
    if unfinished is not None:
        state = ROLLING_BACK if state == ROLLING_BACK else PENDING
    taken_by = tuple(sorted(set(map(int, undoers.split(","))))) if undoers else ()
    return Entry(entry_id(number, draft.token), number, draft, state, undoers=taken_by)


def _is_sound(before: bytes, body: object, chain: bytes) -> bool:
    if not isinstance(body, str) or not body.isascii():
        return False
    return hashlib.sha256(before + body.encode("ascii")).digest() == chain


def _paths_at(db: sqlite3.Connection, path: str, *, alone: bool = False) -> list[object]:
    """Return the numbers of a file, and unless it is `alone` of every file below a directory."""
    raw = os.fsencode(path)
    if alone:
        return [row[0] for row in db.execute("SELECT id FROM path WHERE name = ?", (raw,))]
    below = (raw + b"/", raw + b"0")  # "0" follows "/"
    query = "SELECT id FROM path WHERE name = ? OR (name >= ? AND name < ?)"
    return [row[0] for row in db.execute(query, (raw, *below))]


def _entries_of_people(db: sqlite3.Connection, query: Query) -> tuple[Entry, ...]:
    """Return the newest entries of some people, merged from the newest of each."""
    people, named = _people(query)
    wheres, values = ["x.who = w.id", "x.time >= ?"], [query.since]
    parameters: list[object] = [*values]
    if query.before is not None:
        wheres.append("x.number < ?")
        parameters.append(query.before)
    if query.until is not None:
        wheres.append("x.time < ?")
        parameters.append(query.until)
    tail = f"""WHERE e.number IN (SELECT y.number FROM who w JOIN entry y ON y.number IN (
            SELECT x.number FROM entry x WHERE {" AND ".join(wheres)}
            ORDER BY x.number DESC LIMIT ?)
        WHERE {people}) ORDER BY e.number DESC LIMIT ?"""  # noqa: S608 - our own words
    return _select(db, tail, (*parameters, query.limit, *named, query.limit))


def _people(query: Query) -> tuple[str, list[str]]:
    """Return which rows of `who` a query means: the condition, and its values."""
    given = {"actor": query.actor, "task": query.task}
    named = {column: value for column, value in given.items() if value is not None}
    return " AND ".join(f"{column} = ?" for column in named), [*named.values()]


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _damaged(number: int) -> Refusal:
    return Refusal(
        "journal",
        f"entry {number} of the journal is not what was written",
        help="run `keyhole doctor` to see what is affected; no file of the workspace was changed",
        data={DAMAGED: True},
    )
