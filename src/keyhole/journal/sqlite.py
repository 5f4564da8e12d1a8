"""The journal in SQLite: the embedded default, and always the place of the local intents."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from keyhole import deferred
from keyhole.disk import failpoints
from keyhole.journal import blobs, queries, record, upkeep
from keyhole.journal.connection import Connection
from keyhole.journal.layout import DAMAGED, journal_refusal, set_aside
from keyhole.journal.model import (
    APPLIED,
    ROLLING_BACK,
    Attempt,
    Entry,
    EntryDraft,
    Health,
    Query,
    Regions,
    Retention,
    TaskSum,
)
from keyhole.journal.tallies import Tally
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import spelled

_MOST_KNOWN = 20_000
_Key = tuple[str, ...]


class KnownRows:
    """Numbers of paths and people that are committed to the database."""

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


def insert(
    names: Names,
    draft: EntryDraft,
    body: str,
    images: Mapping[str, bytes],
    *,
    packs: bool = False,
) -> tuple[int, list[int]]:
    """Append an entry to the chain, with its images.

    Returns its number, and the images that are left to be compressed; none if it `packs`.
    """
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
    raw: list[int] = []
    for file in draft.files:
        put = partial(blobs.put, packs=packs)
        old = put(db, file.before, images[file.before]) if file.before else None
        new = put(db, file.after, images[file.after], old) if file.after else None
        raw += [image.id for image in (old, new) if image and image.is_raw]
        touch = (names.path(file.path), number, old and old.id, new and new.id)
        db.execute("INSERT INTO touch(path, number, before, after) VALUES(?, ?, ?, ?)", touch)
    for undone in draft.call.undoes:
        # -1 is no edit: which file it is stands in the body.
        edit = -1 if undone.path else undone.edit
        link = (queries.number_of(undone.entry), number, edit)
        db.execute("INSERT OR IGNORE INTO undo(target, number, edit) VALUES(?, ?, ?)", link)
    db.execute("INSERT INTO unfinished(number, token) VALUES(?, ?)", (number, draft.token))
    return int(number), raw


def store_regions(names: Names, regions: Mapping[str, Regions], entry: str) -> None:
    """Replace the regions of these files."""
    query = "INSERT OR REPLACE INTO claim(path, hash, body) VALUES(?, ?, ?)"
    for path, known in regions.items():
        body = record.regions_to_json(known.regions, entry)
        names.db.execute(query, (names.path(path), known.hash, body))


_CHECKPOINT_EVERY = 32
_PACK_AT_ONCE = 16


class SqliteJournal:
    """A `Journal` in one file of the state directory."""

    def __init__(self, directory: Path, *, durable: bool = True) -> None:
        self.connection = Connection.open(directory, durable=durable)
        self._settled = 0
        # Images of this process that wait to be compressed.
        self._raw: list[int] = []
        self._known = KnownRows()
        self._counted: upkeep.Counted | None = None

    def begin(
        self, draft: EntryDraft, images: Mapping[str, bytes], regions: Mapping[str, Regions]
    ) -> Entry:
        """Record the intent durably; from then on the outcome is decided."""
        body = record.to_json(draft)
        try:
            with self.connection.writing() as db:
                names = Names(db, self._known)
                number, raw = insert(names, draft, body, images)
                store_regions(names, regions, queries.entry_id(number, draft.token))
                failpoints.reach("intent-open")
        except sqlite3.Error as error:
            number = self._after_failed_commit(draft, error)
        else:
            self._known.update(names.new)
            self._raw += raw
        return Entry(queries.entry_id(number, draft.token), number, draft)

    def record(self, draft: EntryDraft, images: Mapping[str, bytes]) -> Entry:
        """Append what others did: it is done, so no file will be touched for it."""
        body = record.to_json(draft)
        with _reporting(), self.connection.writing() as db:
            names = Names(db, self._known)
            number, _ = insert(names, draft, body, images, packs=True)
            # It is finished in the same transaction: recovery never sees it.
            db.execute("DELETE FROM unfinished WHERE number = ?", (number,))
        self._known.update(names.new)
        return Entry(queries.entry_id(number, draft.token), number, draft, APPLIED)

    def _after_failed_commit(self, draft: EntryDraft, error: sqlite3.Error) -> int:
        """Find out whether a commit that reported an error is in the journal all the same."""
        try:
            self.connection.reopen()
            query = "SELECT number FROM unfinished WHERE token = ?"
            row = self.connection.db.execute(query, (draft.token,)).fetchone()
            if row is not None:
                # It is visible, but its way to the disk failed: copy it there by the other way.
                self.connection.db.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        except (sqlite3.Error, OSError, Refused) as again:
            raise Refused(_undecided(again)) from again
        if row is None:
            raise Refused(journal_refusal(error)) from error
        return int(row[0])

    def settle(self, entry: Entry, state: str) -> Entry:
        """Move an entry on to `state`.

        Not durable at once: when a power cut takes this back, recovery comes to the same result
        again.
        """
        with _reporting():
            if state == APPLIED:
                self.connection.note("DELETE FROM unfinished WHERE number = ?", (entry.order,))
            else:
                self._settle_back(entry, state)
        self._settled += 1
        if self._raw:
            deferred.leave(self._pack)
        if self._settled % _CHECKPOINT_EVERY == 0:
            deferred.leave(self.connection.checkpoint_if_due)
        return Entry(entry.id, entry.order, entry.draft, state)

    def _pack(self) -> None:
        """Compress a few images when the answer is out; those of a killed process wait longer."""
        numbers, self._raw = self._raw[:_PACK_AT_ONCE], self._raw[_PACK_AT_ONCE:]
        with suppress(sqlite3.Error, OSError), self.connection.writing(durable=False) as db:
            for number in numbers:
                blobs.pack_one(db, number)

    def _settle_back(self, entry: Entry, state: str) -> None:
        with self.connection.writing() as db:
            db.execute("UPDATE entry SET state = ? WHERE number = ?", (state, entry.order))
            if state != ROLLING_BACK:
                db.execute("DELETE FROM unfinished WHERE number = ?", (entry.order,))

    def pending(self, paths: frozenset[str] | None = None) -> tuple[Entry, ...]:
        """Return the entries that are not finished, of these paths or of all."""
        return self.connection.ask(queries.pending, paths)

    def entry(self, name: str) -> Entry | None:
        """Return the entry with this id."""
        return self.connection.ask(queries.entry, name)

    def entries(self, query: Query) -> tuple[Entry, ...]:
        """Return the entries that fit, newest first."""
        return self.connection.ask(queries.entries, query)

    def attempts(self, query: Query) -> tuple[Attempt, ...]:
        """Return the refused calls that fit, newest first."""
        return self.connection.ask(queries.attempts, query)

    def mark(self) -> str:
        """Return a word that is another one whenever anything was recorded."""
        return self.connection.ask(queries.mark)

    def later(self, path: str, order: int, limit: int) -> tuple[Entry, ...]:
        """Return the applied entries that touched `path` after `order`, oldest first."""
        return self.connection.ask(queries.later, path, order, limit)

    def last_touch(self, path: str) -> int:
        """Return the last entry that touched `path`, finished or not, by its order; 0 for none."""
        return self.connection.ask(queries.last_touch, path)

    def touches(self, path: str) -> tuple[int, ...]:
        """Return the applied entries that touched `path`, oldest first, by their order."""
        return self.connection.ask(queries.touches, path)

    def departures(self, path: str, order: int) -> tuple[Entry, ...]:
        """Return the applied entries after `order` that left no file at `path`, oldest first."""
        return self.connection.ask(queries.departures, path, order)

    def reached(self, path: str, hash_: str) -> tuple[int, bool] | None:
        """Return the last applied entry at `path` that left these bytes (True) or found them."""
        return self.connection.ask(queries.reached, path, hash_)

    def kept(self, name: str) -> bytes | None:
        """Return what was kept under a name."""
        return self.connection.ask(queries.kept, name)

    def keep(self, name: str, data: bytes) -> None:
        """Keep a value that can be computed again; failing to is no error."""
        with suppress(sqlite3.Error, OSError):
            query = "INSERT OR REPLACE INTO meta(name, value) VALUES(?, ?)"
            self.connection.note(query, (name, data))

    def undoers(self, name: str) -> tuple[str, ...]:
        """Return the names of the entries that took some of this one back, oldest first."""
        return self.connection.ask(queries.undoers, name)

    def image(self, hash_: str) -> bytes | None:
        """Return a file's exact bytes by their hash, if this journal keeps them."""
        try:
            return self.connection.ask(blobs.get, hash_)
        except blobs.DamagedImage as error:
            raise Refused(_damaged_image(str(error))) from None

    def has_version(self, path: str, hash_: str) -> bool:
        """Tell whether `path` is known to have had these bytes."""
        return self.connection.ask(queries.has_version, path, hash_)

    def regions(self, path: str) -> Regions | None:
        """Return where live tasks edited `path`."""
        return self.connection.ask(queries.regions, path)

    def refuse(self, attempt: Attempt) -> None:
        """Remember a refused call; cheap, and not durable at once."""
        values = (
            attempt.time,
            spelled(attempt.actor),
            spelled(attempt.task),
            spelled(attempt.tool),
            ",".join(attempt.codes),
            attempt.path.encode("utf-8", "surrogatepass"),
            spelled(attempt.said),
        )
        query = """INSERT INTO attempt(time, actor, task, tool, codes, path, said)
            VALUES(?, ?, ?, ?, ?, ?, ?)"""
        with _reporting():
            self.connection.note(query, values)

    def end_task(self, task: str, time: float) -> bool:
        """End a task, so that its edits no longer conflict; tell whether it was ever seen."""
        name = spelled(task)
        with _reporting(), self.connection.writing() as db:
            known = db.execute("SELECT 1 FROM who WHERE task = ? LIMIT 1", (name,)).fetchone()
            db.execute("INSERT OR REPLACE INTO task(name, ended) VALUES(?, ?)", (name, time))
        return known is not None

    def tasks_ended(self, tasks: Collection[str]) -> dict[str, float]:
        """Return when each of these tasks was last ended, or 0."""
        names = {task: spelled(task) for task in tasks}
        ended = self.connection.ask(queries.tasks_ended, list(names.values())) if names else {}
        return {task: ended.get(name, 0.0) for task, name in names.items()}

    def tasks(self, limit: int) -> tuple[TaskSum, ...]:
        """Return what tasks did, those that edited last first."""
        return self.connection.ask(upkeep.tasks, self._count(), limit)

    def tidy(self, retention: Retention, now: float) -> int:
        """Forget what is older or more than the retention allows; return how many entries."""
        with _reporting(), self.connection.writing() as db:
            return upkeep.tidy(db, retention, now)

    def tidy_if_due(self, retention: Retention, now: float) -> int:
        """Tidy up if nobody did for a day."""
        due = self.connection.ask(upkeep.is_due, now)
        return self.tidy(retention, now) if due else 0

    def examine(self) -> Health:
        """Check everything that is stored against its hashes; slow on a long history."""
        return self.connection.ask(upkeep.examine)

    def tally(self, since: float) -> Tally:
        """Count how calls went."""
        return self.connection.ask(upkeep.tally, self._count(), since)

    def _count(self) -> upkeep.Counted:
        """Return what is counted for good, and keep what is new of it."""
        known = self._counted or upkeep.Counted.from_bytes(self.kept(upkeep.COUNTED))
        found = self.connection.ask(upkeep.counted, known)
        if found is not known and found.chunks:
            self.keep(upkeep.COUNTED, found.as_bytes())
        self._counted = found
        return found

    def set_aside(self, why: str) -> Refusal:
        """Give up a damaged journal: the next one starts empty."""
        self.connection.close()
        return set_aside(self.connection.directory, why)

    def close(self) -> None:
        """Let the store go."""
        self.connection.close()


@contextmanager
def _reporting() -> Iterator[None]:
    """Turn errors of the database into refusals."""
    try:
        yield
    except sqlite3.Error as error:
        raise Refused(journal_refusal(error)) from error


def _undecided(error: Exception) -> Refusal:
    return Refusal(
        "journal",
        f"the journal failed while it recorded the edit: {error}",
        help="run `keyhole doctor` before the next edit; it finishes the edit or takes it back",
        data={"outcome": "committed_pending"},
    )


def _damaged_image(name: str) -> Refusal:
    return Refusal(
        "journal",
        f"the journal's image {name} is damaged or missing",
        help="run `keyhole doctor` to see what is affected; no file of the workspace was changed",
        data={DAMAGED: True},
    )
