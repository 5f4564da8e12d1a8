"""The journal in SQLite: the embedded default, and always the place of the local intents."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from keyhole.refusals import Refusal, Refused
from keyhole.workspace import failpoints
from keyhole.workspace.journal import blobs, queries, record, upkeep
from keyhole.workspace.journal.base import (
    APPLIED,
    ROLLING_BACK,
    Attempt,
    Claims,
    Draft,
    Entry,
    Health,
    Query,
    Retention,
    Tally,
)
from keyhole.workspace.journal.connection import Connection, journal_refusal, reporting

_CHECKPOINT_EVERY = 16


class SqliteJournal:
    """A `Journal` in one file of the state directory."""

    def __init__(self, directory: Path) -> None:
        self.connection = Connection.open(directory)
        self._settled = 0

    def begin(
        self, draft: Draft, images: Mapping[str, bytes], claims: Mapping[str, Claims]
    ) -> Entry:
        """Record the intent durably; from then on the outcome is decided."""
        body = record.to_json(draft)
        try:
            with self.connection.writing() as db:
                number = _insert(db, draft, body, images)
                _lay_claims(db, claims, queries.entry_id(number, draft.token))
                failpoints.reach("intent-open")
        except sqlite3.Error as error:
            number = self._after_failed_commit(draft, error)
        return Entry(queries.entry_id(number, draft.token), number, draft)

    def _after_failed_commit(self, draft: Draft, error: sqlite3.Error) -> int:
        """Find out whether a commit that reported an error is in the journal all the same."""
        try:
            self.connection.reopen()
            query = "SELECT number FROM pending WHERE token = ?"
            row = self.connection.db.execute(query, (draft.token,)).fetchone()
            if row is not None:
                # It is visible, but its way to the disk failed: copy it there by the other way.
                self.connection.db.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        except sqlite3.Error as again:
            raise Refused(_undecided(again)) from again
        if row is None:
            raise Refused(journal_refusal(error)) from error
        return int(row[0])

    def settle(self, entry: Entry, state: str) -> Entry:
        """Move an entry on to `state`.

        Not durable at once: when a power cut takes this back, recovery comes to the same result
        again.
        """
        with reporting(), self.connection.writing(durable=state == ROLLING_BACK) as db:
            if state != APPLIED:
                db.execute("UPDATE entry SET state = ? WHERE number = ?", (state, entry.order))
            if state != ROLLING_BACK:
                db.execute("DELETE FROM pending WHERE number = ?", (entry.order,))
        self._settled += 1
        if self._settled % _CHECKPOINT_EVERY == 0:
            self.connection.checkpoint_if_due()
        return replace(entry, state=state)

    def pending(self, paths: frozenset[str] | None = None) -> tuple[Entry, ...]:
        """Return the entries that are not finished, of these paths or of all."""
        with self.connection.reading() as db:
            return queries.pending(db, paths)

    def entry(self, name: str) -> Entry | None:
        """Return the entry with this id."""
        with self.connection.reading() as db:
            return queries.entry(db, name)

    def entries(self, query: Query) -> tuple[Entry, ...]:
        """Return the entries that fit, newest first."""
        with self.connection.reading() as db:
            return queries.entries(db, query)

    def later(self, path: str, order: int, limit: int) -> tuple[Entry, ...]:
        """Return the applied entries that touched `path` after `order`, oldest first."""
        with self.connection.reading() as db:
            return queries.later(db, path, order, limit)

    def undoers(self, name: str) -> tuple[tuple[str, int | None], ...]:
        """Return which entries took this one back, wholly or one edit of it."""
        with self.connection.reading() as db:
            return queries.undoers(db, name)

    def image(self, hash_: str) -> bytes | None:
        """Return a file's exact bytes by their hash, if this journal keeps them."""
        try:
            with self.connection.reading() as db:
                return blobs.get(db, hash_)
        except blobs.DamagedImage as error:
            raise Refused(_damaged_image(str(error))) from None

    def has_version(self, path: str, hash_: str) -> bool:
        """Tell whether `path` is known to have had these bytes."""
        with self.connection.reading() as db:
            return queries.has_version(db, path, hash_)

    def claims(self, path: str) -> Claims | None:
        """Return where live tasks edited `path`."""
        query = "SELECT hash, body FROM claim WHERE path = (SELECT id FROM path WHERE name = ?)"
        with self.connection.reading() as db:
            row = db.execute(query, (os.fsencode(path),)).fetchone()
        return Claims(row[0], record.claims_from_json(row[1])) if row else None

    def refuse(self, attempt: Attempt) -> None:
        """Remember a refused call; cheap, and not durable at once."""
        values = (
            attempt.time,
            _plain(attempt.actor),
            _plain(attempt.task),
            _plain(attempt.tool),
            ",".join(attempt.codes),
            attempt.path.encode("utf-8", "surrogatepass"),
        )
        query = "INSERT INTO attempt(time, actor, task, tool, codes, path) VALUES(?, ?, ?, ?, ?, ?)"
        with reporting(), self.connection.writing(durable=False) as db:
            db.execute(query, values)

    def end_task(self, task: str, time: float) -> bool:
        """End a task, so that its edits no longer conflict; tell whether it was ever seen."""
        name = _plain(task)
        with reporting(), self.connection.writing() as db:
            known = db.execute("SELECT 1 FROM who WHERE task = ? LIMIT 1", (name,)).fetchone()
            db.execute("INSERT OR REPLACE INTO task(name, ended) VALUES(?, ?)", (name, time))
        return known is not None

    def task_ended(self, task: str) -> float:
        """Return when a task was last ended, or 0."""
        with self.connection.reading() as db:
            row = db.execute("SELECT ended FROM task WHERE name = ?", (_plain(task),)).fetchone()
        return float(row[0]) if row else 0.0

    def tidy(self, retention: Retention, now: float) -> int:
        """Forget what is older or more than the retention allows; return how many entries."""
        with reporting(), self.connection.writing(durable=False) as db:
            return upkeep.tidy(db, retention, now)

    def tidy_if_due(self, retention: Retention, now: float) -> int:
        """Tidy up if nobody did for a day."""
        with self.connection.reading() as db:
            due = upkeep.is_due(db, now)
        return self.tidy(retention, now) if due else 0

    def examine(self) -> Health:
        """Check everything that is stored against its hashes; slow on a long history."""
        with self.connection.reading() as db:
            return upkeep.examine(db)

    def tally(self, since: float) -> Tally:
        """Count how calls went."""
        with self.connection.reading() as db:
            return upkeep.tally(db, since)

    def close(self) -> None:
        """Let the store go."""
        self.connection.close()


def _insert(db: sqlite3.Connection, draft: Draft, body: str, images: Mapping[str, bytes]) -> int:
    last = db.execute("SELECT number, chain FROM entry ORDER BY number DESC LIMIT 1").fetchone()
    if last is None:
        last = db.execute("SELECT 0, value FROM meta WHERE name = 'chain'").fetchone() or (0, b"")
    number, chain = last[0] + 1, hashlib.sha256(last[1] + body.encode("ascii")).digest()
    row = (number, _who(db, draft), draft.time, APPLIED, body, chain)
    db.execute(
        "INSERT INTO entry(number, who, time, state, body, chain) VALUES(?, ?, ?, ?, ?, ?)", row
    )
    for file in draft.files:
        before = blobs.put(db, file.before, images[file.before]) if file.before else None
        parent = (file.before, images[file.before]) if file.before else None
        after = blobs.put(db, file.after, images[file.after], parent) if file.after else None
        touch = (_path(db, file.path), number, before, after)
        db.execute("INSERT INTO touch(path, number, before, after) VALUES(?, ?, ?, ?)", touch)
    for undone in draft.call.undoes:
        link = (queries.number_of(undone.entry), number, undone.edit)
        db.execute("INSERT INTO undo(target, number, edit) VALUES(?, ?, ?)", link)
    db.execute("INSERT INTO pending(number, token) VALUES(?, ?)", (number, draft.token))
    return int(number)


def _lay_claims(db: sqlite3.Connection, claims: Mapping[str, Claims], entry: str) -> None:
    query = "INSERT OR REPLACE INTO claim(path, hash, body) VALUES(?, ?, ?)"
    for path, laid in claims.items():
        body = record.claims_to_json(laid.claims, entry)
        db.execute(query, (_path(db, path), laid.hash, body))


def _who(db: sqlite3.Connection, draft: Draft) -> int:
    key = (_plain(draft.call.task), _plain(draft.call.actor))
    row = db.execute("SELECT id FROM who WHERE task = ? AND actor = ?", key).fetchone()
    if row:
        return int(row[0])
    return int(db.execute("INSERT INTO who(task, actor) VALUES(?, ?)", key).lastrowid or 0)


def _path(db: sqlite3.Connection, path: str) -> int:
    key = (os.fsencode(path),)
    row = db.execute("SELECT id FROM path WHERE name = ?", key).fetchone()
    if row:
        return int(row[0])
    return int(db.execute("INSERT INTO path(name) VALUES(?)", key).lastrowid or 0)


def _plain(text: str) -> str:
    """Return text that SQLite can hold: lone surrogates spelled out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _undecided(error: sqlite3.Error) -> Refusal:
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
    )
