"""Leases: a task has a file or a segment to itself for a while, by the server's clock."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import cast

from keyhole.fastclasses import dataclass
from keyhole.sharing.identity import write_quickly
from keyhole.sharing.postgres.journal import PostgresJournal
from keyhole.sharing.postgres.schema import LONGEST_PATH
from keyhole.sharing.postgres.writes import storable

LONGEST_SECONDS = 24 * 3600.0
# How addresses of segments lead from one to those inside it.
_JOINTS = (".", "::", "/", " > ")


@dataclass(frozen=True, slots=True)
class Lease:
    """One lease on the server; `left` are seconds by its clock, negative once it ran out."""

    token: int
    path: str
    segment: str
    task: str
    actor: str
    machine: str
    reason: str
    left: float
    # Whether it is for this very checkout.
    mine: bool

    @property
    def is_live(self) -> bool:
        """Tell whether it has not run out."""
        return self.left > 0

    def covers(self, path: str, segment: str) -> bool:
        """Tell whether the lease overlaps this place."""
        return self.path == path and overlapping(self.segment, segment)


@dataclass(frozen=True, slots=True)
class LeaseRequest:
    """What a task wants to have to itself."""

    path: str
    segment: str
    task: str
    seconds: float
    actor: str = ""
    reason: str = ""


def overlapping(one: str, other: str) -> bool:
    """Tell whether two segments share text; no name is the whole file."""
    if not one or not other or one == other:
        return True
    return any(one.startswith(other + joint) or other.startswith(one + joint) for joint in _JOINTS)


_COLUMNS = """token, path, segment, task, actor, machine, reason,
    extract(epoch FROM expires - clock_timestamp())::float8, workspace"""


def leases(journal: PostgresJournal, paths: Iterable[str] | None = None) -> tuple[Lease, ...]:
    """Return the unreleased leases of some files, or all; also those that lately ran out."""
    named = None if paths is None else [_raw(journal, path) for path in paths]
    rows = journal.server.rows(
        f"""SELECT {_COLUMNS} FROM keyhole.lease WHERE project = %s AND NOT released
        AND expires > clock_timestamp() - interval '1 day'
        AND (%s::bytea[] IS NULL OR path = ANY(%s)) ORDER BY token""",  # noqa: S608 - our own words
        (journal.me.project, named, named),
    )
    found = cast("list[tuple[int, bytes, str, str, str, str, str, float, int]]", rows)
    inward, own = journal.checkout.inward, journal.me.workspace
    return tuple(Lease(row[0], inward(row[1]), *row[2:8], row[8] == own) for row in found)


def take(journal: PostgresJournal, wanted: LeaseRequest) -> tuple[Lease, ...] | Lease:
    """Claim a place; return the lease, or the leases of others in this checkout that forbid it.

    A lease gets a higher token than any before it. A task's own lease is replaced, not prolonged.
    """
    raw = _raw(journal, wanted.path)
    journal.server.run(
        "SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (journal.me.project, raw.hex())
    )
    against = tuple(
        lease
        for lease in leases(journal, [wanted.path])
        if lease.is_live and lease.mine and lease.task != storable(wanted.task)
        if lease.covers(wanted.path, wanted.segment)
    )
    if against:
        return against
    words = (wanted.segment, wanted.task, wanted.actor, journal.checkout.machine, wanted.reason)
    rows = journal.server.rows(
        """INSERT INTO keyhole.lease(project, workspace, path, segment, task, actor, machine,
            reason, expires)
        VALUES(%s, %s, %s, %s, %s, %s, %s, %s, clock_timestamp() + make_interval(secs => %s))
        RETURNING token""",
        (journal.me.project, journal.me.workspace, raw, *map(storable, words), wanted.seconds),
    )
    token = cast("int", rows[0][0])
    return Lease(token, wanted.path, *words, wanted.seconds, mine=True)


def release(journal: PostgresJournal, task: str, path: str | None = None) -> int:
    """Give claims of a task in this checkout back; return how many."""
    raw = None if path is None else _raw(journal, path)
    return journal.server.run(
        """UPDATE keyhole.lease SET released = true WHERE project = %s AND workspace = %s
        AND task = %s AND NOT released AND (%s::bytea IS NULL OR path = %s)""",
        (journal.me.project, journal.me.workspace, storable(task), raw, raw),
    )


def _raw(journal: PostgresJournal, path: str) -> bytes:
    return journal.checkout.outward(path)[:LONGEST_PATH]


_NAME = "claims.json"
# For so long after it ran out a claim is remembered, for its holder may yet come back.
_REMEMBERED = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class KnownLease:
    """A lease by its place and task, and when it runs out by the clock of this machine."""

    path: str
    segment: str
    task: str
    until: float


def load(state: Path) -> tuple[KnownLease, ...]:
    """Return the leases that processes of this machine know."""
    file = f"{state}/{_NAME}"
    try:
        found = os.stat(file)
    except OSError:
        return ()
    # Whoever writes it puts another file in its place.
    known = _written(file, (found.st_ino, found.st_mtime_ns))
    return tuple(each for each in known if each.until > time.time() - _REMEMBERED)


@lru_cache(maxsize=8)
def _written(file: str, stamp: tuple[int, int]) -> tuple[KnownLease, ...]:  # noqa: ARG001 - part of the key
    with suppress(OSError, ValueError, TypeError):
        return tuple(KnownLease(*row) for row in json.loads(Path(file).read_bytes()))
    return ()


def learn(state: Path, paths: Iterable[str], leases: Iterable[Lease]) -> None:
    """Replace what is known of some files by what the server says of this checkout."""
    asked, now = set(paths), time.time()
    kept = [each for each in load(state) if each.path not in asked]
    new = [
        KnownLease(lease.path, lease.segment, lease.task, now + lease.left)
        for lease in leases
        if lease.mine and lease.path in asked
    ]
    rows = [[each.path, each.segment, each.task, each.until] for each in [*kept, *new]]
    with suppress(OSError):
        write_quickly(state / _NAME, json.dumps(rows))
