"""The shared journal: queries over what every workspace of a project did, in one order."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from keyhole.fastclasses import replace
from keyhole.journal import queries, record
from keyhole.journal.model import (
    Attempt,
    Entry,
    FileChange,
    Health,
    Origin,
    Query,
    TaskSum,
    sum_by_task,
)
from keyhole.journal.tallies import CountedCall, Tally, tally_of
from keyhole.refusals import Refusal, Refused
from keyhole.sharing.identity import Checkout
from keyhole.sharing.postgres.schema import LONGEST_PATH
from keyhole.sharing.postgres.writes import RegisteredWorkspace, storable
from keyhole.sharing.server import Row, Server
from keyhole.text.document import hash_of

_COLUMNS = """e.number, e.local, e.token, e.state, e.body, e.branch, e.base, e.workspace,
    s.machine, s.worktree, s.prefix"""
_FROM = "keyhole.entry e JOIN keyhole.source s ON s.id = e.source"

_MOST_ENTRIES, _MOST_IMAGES, _LARGE = 5000, 500, 1 << 17


_StoredImage = tuple[bytes | None, int, int, bool, bytes]


def _assembled(stored: Mapping[bytes, _StoredImage], hash_: bytes) -> bytes | None:
    """Return an image from what is stored of it and of the whole one that it differs from."""
    if hash_ not in stored:
        return None
    base, prefix, suffix, packed, data = stored[hash_]
    data = zlib.decompress(data) if packed else data
    if base is None:
        return data
    whole = stored.get(base)
    if whole is None or whole[0] is not None:
        return None
    under = zlib.decompress(whole[4]) if whole[3] else whole[4]
    return under[:prefix] + data + under[len(under) - suffix :]


class PostgresJournal:
    """`Records` of a whole project; paths come out as this workspace names them."""

    def __init__(self, server: Server, me: RegisteredWorkspace, checkout: Checkout) -> None:
        self.server = server
        self.me = me
        self.checkout = checkout
        self._undoers: dict[str, tuple[str, ...]] = {}
        # What was written is never changed, so what was fetched once need not be fetched again.
        self._known: dict[int, Entry] = {}
        self._images: dict[str, bytes] = {}

    def entry(self, name: str) -> Entry | None:
        """Return the entry with this id; of several with one number, this checkout's own."""
        number, _, mark = name.partition("-")
        if not queries.number_of(number) or not (mark or number == name):
            return None
        found = self.select(
            """WHERE e.project = %s AND e.local = %s AND starts_with(e.token, %s)
            AND (e.workspace = %s OR %s) ORDER BY (e.workspace = %s) DESC, e.number DESC LIMIT 1""",
            (
                self.me.project,
                queries.number_of(number),
                mark,
                self.me.workspace,
                bool(mark),
                self.me.workspace,
            ),
        )
        return found[0] if found else None

    def entries(self, query: Query) -> tuple[Entry, ...]:
        """Return the entries that fit, newest first."""
        wheres, given = _filters(query, "e")
        if query.path:
            wheres.append(_TOUCHES)
            raw = self.checkout.outward(query.path)[:LONGEST_PATH]
            given += [self.me.project, raw, raw + b"/", raw + b"0"]  # "0" follows "/"
        if query.before is not None:
            wheres.append("e.number < %s")
            given.append(query.before)
        wheres.append("e.project = %s")
        tail = f"WHERE {' AND '.join(wheres)} ORDER BY e.number DESC LIMIT %s"
        found = self.select(tail, (*given, self.me.project, query.limit))
        self._learn_undoers(found)
        return found

    def _learn_undoers(self, entries: Sequence[Entry]) -> None:
        """Ask once for the entries that undid those of a page."""
        rows = self.server.rows(
            """SELECT DISTINCT e.number, u.local, u.token, u.number FROM keyhole.entry e
            JOIN keyhole.undo d ON d.project = e.project AND d.source = e.source
                AND d.target = e.local
            JOIN keyhole.entry u ON u.project = d.project AND u.number = d.number
            WHERE e.project = %s AND e.number = ANY(%s) AND u.state <> 'rolled-back'
            ORDER BY u.number""",
            (self.me.project, [entry.order for entry in entries]),
        )
        for entry in entries:
            self._undoers[entry.id] = tuple(
                queries.entry_id(cast("int", local), cast("str", token))
                for number, local, token, _ in rows
                if number == entry.order
            )

    def undoers(self, name: str) -> tuple[str, ...]:
        """Return the names of the entries that took some of this one back, oldest first."""
        if name not in self._undoers:
            entry = self.entry(name)
            self._learn_undoers([entry] if entry else [])
        return self._undoers.get(name, ())

    def image(self, hash_: str) -> bytes | None:
        """Return a file's exact bytes by their hash, if they were shared."""
        if hash_ in self._images:
            return self._images[hash_]
        data = self._image(bytes.fromhex(hash_), 1)
        if data is not None and hash_of(data) != hash_:
            headline = f"the shared journal's image {hash_} is damaged"
            raise Refused(Refusal("journal", headline, help="look at the file where it lives"))
        if data is not None and len(data) < _LARGE:
            if len(self._images) >= _MOST_IMAGES:
                self._images.clear()
            self._images[hash_] = data
        return data

    def images(self, hashes: Iterable[str]) -> dict[str, bytes]:
        """Return the images among these that were shared, by one question to the server."""
        wanted = {hash_ for hash_ in hashes if hash_ not in self._images}
        found = {hash_: self._images[hash_] for hash_ in hashes if hash_ in self._images}
        if not wanted:
            return found
        query = """WITH wanted AS (SELECT hash, base, prefix, suffix, packed, data
              FROM keyhole.blob WHERE project = %s AND hash = ANY(%s))
            SELECT * FROM wanted UNION ALL
            SELECT hash, base, prefix, suffix, packed, data FROM keyhole.blob
            WHERE project = %s AND hash IN (SELECT base FROM wanted)
            AND hash NOT IN (SELECT hash FROM wanted)"""
        keys = [bytes.fromhex(hash_) for hash_ in wanted]
        rows = self.server.rows(query, (self.me.project, keys, self.me.project))
        stored = {cast("bytes", row[0]): cast("_StoredImage", row[1:]) for row in rows}
        for hash_ in wanted:
            data = _assembled(stored, bytes.fromhex(hash_))
            if data is not None and hash_of(data) == hash_:
                found[hash_] = data
        return found

    def _image(self, hash_: bytes, depth: int) -> bytes | None:
        query = """SELECT base, prefix, suffix, packed, data FROM keyhole.blob
            WHERE project = %s AND hash = %s"""
        rows = self.server.rows(query, (self.me.project, hash_))
        if not rows:
            return None
        base, prefix, suffix, packed, stored = cast(
            "tuple[bytes | None, int, int, bool, bytes]", rows[0]
        )
        data = zlib.decompress(stored) if packed else stored
        if base is None:
            return data
        whole = self._image(base, depth - 1) if depth else None
        return whole and whole[:prefix] + data + whole[len(whole) - suffix :]

    def attempts(self, query: Query) -> tuple[Attempt, ...]:
        """Return the refused calls that fit, newest first."""
        wheres, given = _filters(query, "x")
        if query.path:
            whole = "s.prefix || x.path"
            wheres.append(f"({whole} = %s OR ({whole} >= %s AND {whole} < %s))")
            raw = self.checkout.outward(query.path)
            given += [raw, raw + b"/", raw + b"0"]  # "0" follows "/"
        wheres.append("x.project = %s")
        tail = f"WHERE {' AND '.join(wheres)} ORDER BY x.time DESC LIMIT %s"
        rows = self.server.rows(
            f"""SELECT x.time, x.actor, x.task, x.tool, x.codes, x.path,
                x.said, s.prefix, s.machine, s.worktree, s.workspace FROM {_ATTEMPTS} {tail}""",  # noqa: S608 - our own words
            (*given, self.me.project, query.limit),
        )
        return tuple(self._attempt(row) for row in rows)

    def _attempt(self, row: Row) -> Attempt:
        time, actor, task, tool, codes, raw, said, prefix, machine, worktree, workspace = cast(
            "tuple[float, str, str, str, str, bytes, str, bytes, str, str, int]", row
        )
        path = self.checkout.inward(prefix + raw) if raw else ""
        origin = self._origin(machine, worktree, "", workspace)
        return Attempt(time, actor, task, tool, tuple(codes.split(",")), path, said, origin)

    def tally(self, since: float, query: Query | None = None) -> Tally:
        """Count how calls went, on all machines or on those that `query` names."""
        wheres, given = _filters(replace(query or Query(), since=since), "x")
        where = " AND ".join(["x.project = %s", *wheres])
        values = (self.me.project, *given)
        done = self.server.rows(
            f"SELECT x.body, x.state, s.machine FROM {_ENTRIES} WHERE {where}",  # noqa: S608 - our own words
            values,
        )
        refused = self.server.rows(
            f"""SELECT x.time, x.actor, x.tool, x.path, x.codes, s.machine
            FROM {_ATTEMPTS} WHERE {where}""",  # noqa: S608 - our own words
            values,
        )
        deeds = [
            replace(record.deed_from_json(body, state), machine=machine)
            for body, state, machine in cast("list[tuple[str, str, str]]", done)
        ]
        deeds += [
            CountedCall(
                time, actor, tool, (os.fsdecode(path),), tuple(codes.split(",")), machine=machine
            )
            for time, actor, tool, path, codes, machine in cast(
                "list[tuple[float, str, str, bytes, str, str]]", refused
            )
        ]
        return tally_of(deeds)

    def tasks(self, limit: int) -> tuple[TaskSum, ...]:
        """Return what tasks did, those that edited last first, and where each did it."""
        rows = self.server.rows(
            """SELECT g.task, g.count, g.time, g.last <= coalesce(t.through, 0),
                s.machine, s.worktree, g.branch, s.workspace
            FROM (
                SELECT e.task, e.source, e.branch, count(*) AS count, max(e.time) AS time,
                    max(e.number) AS last, max(max(e.number)) OVER (PARTITION BY e.task) AS latest
                FROM keyhole.entry e WHERE e.project = %s AND e.task <> ''
                GROUP BY e.task, e.source, e.branch
            ) g JOIN keyhole.source s ON s.id = g.source
            LEFT JOIN keyhole.task t ON t.project = %s AND t.name = g.task
            ORDER BY g.latest DESC, g.last DESC LIMIT %s""",
            (self.me.project, self.me.project, limit),
        )
        found = cast("list[tuple[str, int, float, bool, str, str, str, int]]", rows)
        return sum_by_task(
            TaskSum(name, count, last, ended, (self._origin(machine, worktree, branch, checkout),))
            for name, count, last, ended, machine, worktree, branch, checkout in found
        )

    def _origin(self, machine: str, worktree: str, branch: str, workspace: int) -> Origin:
        mine = workspace == self.me.workspace
        return Origin(machine, worktree, branch, "", mine, workspace)

    def examine(self) -> Health:
        """Count what is stored for this project."""
        rows = self.server.rows(
            """SELECT (SELECT count(*) FROM keyhole.entry WHERE project = %s),
                (SELECT coalesce(sum(length(data)), 0) FROM keyhole.blob WHERE project = %s),
                current_setting('server_version')""",
            (self.me.project, self.me.project),
        )
        entries, size, number = cast("tuple[int, int, str]", rows[0])
        return Health(f"PostgreSQL {number.split()[0]}", entries, 0, int(size))

    def select(self, tail: str, values: Row) -> tuple[Entry, ...]:
        """Return entries, with where each was made."""
        rows = self.server.rows(f"SELECT {_COLUMNS} FROM {_FROM} {tail}", values)  # noqa: S608 - our own words
        return tuple(self._entry(row) for row in rows)

    def _entry(self, row: Row) -> Entry:
        number, local, token, state, body, branch, base, workspace, machine, worktree, prefix = (
            cast("tuple[int, int, str, str, str, str, str, int, str, str, bytes]", row)
        )
        if number in self._known:
            return self._known[number]
        draft = record.from_json(body)
        mine = workspace == self.me.workspace
        if os.fsdecode(prefix) != self.checkout.prefix:
            named = tuple(self._renamed(file, os.fsdecode(prefix)) for file in draft.files)
            draft = replace(draft, files=named)
        origin = Origin(machine, worktree, branch, base, mine, workspace)
        if len(self._known) >= _MOST_ENTRIES:
            self._known.clear()
        entry = Entry(queries.entry_id(local, token), number, draft, state, origin=origin)
        self._known[number] = entry
        return entry

    def _renamed(self, file: FileChange, prefix: str) -> FileChange:
        """Return a change with its paths as seen from this workspace."""

        def inward(path: str) -> str:
            return self.checkout.inward(os.fsencode(prefix + path)) if path else ""

        return replace(
            file,
            path=inward(file.path),
            moved_from=inward(file.moved_from),
            moved_to=inward(file.moved_to),
        )


# Which project is given once more: taken from the entry, it would be looked up entry by entry.
_TOUCHES = """e.number IN (SELECT t.number FROM keyhole.touch t WHERE t.project = %s
    AND (t.path = %s OR (t.path >= %s AND t.path < %s)))"""
_ENTRIES = "keyhole.entry x JOIN keyhole.source s ON s.id = x.source"
_ATTEMPTS = "keyhole.attempt x JOIN keyhole.source s ON s.id = x.source"


def _filters(query: Query, name: str) -> tuple[list[str], list[object]]:
    """Return the conditions that entries and refused calls have in common."""
    wheres, given = [f"{name}.time >= %s"], [query.since]
    values: list[object] = [*given]
    if query.until is not None:
        wheres.append(f"{name}.time < %s")
        values.append(query.until)
    for column, value in (
        (f"{name}.actor", query.actor),
        (f"{name}.task", query.task),
        ("s.machine", query.machine),
        ("s.worktree", query.worktree),
    ):
        if value is not None:
            wheres.append(f"{column} = %s")
            values.append(storable(value))
    return wheres, values
