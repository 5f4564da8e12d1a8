"""A check of the shared journal: connection, schema, rights, clock, and what waits to be sent."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import cast

from keyhole.fastclasses import dataclass
from keyhole.journal.place import JOURNAL as NAME
from keyhole.sharing.outbox import Outbox
from keyhole.sharing.postgres.journal import PostgresJournal
from keyhole.sharing.postgres.schema import VERSION, version
from keyhole.sharing.sender import Sharer
from keyhole.sharing.server import Unreachable

# Claims go by the server's clock alone; a larger difference only makes histories hard to read.
_SKEW_SECONDS = 5.0

# The tables that sharing reads and adds to.
_TABLES = (
    *("project", "workspace", "source", "entry", "touch", "undo", "blob", "attempt", "task"),
    *("lease", "settled"),
)


@dataclass(frozen=True, slots=True)
class CheckupItem:
    """One thing that was looked at; a note says what could be better although it works."""

    name: str
    ok: bool
    said: str
    note: str = ""

    def as_data(self) -> dict[str, object]:
        """Return the finding as a JSON object."""
        return {"check": self.name, "ok": self.ok, "said": self.said, "note": self.note}


@dataclass(frozen=True, slots=True)
class SharedCheckup:
    """What a check of the shared journal found."""

    server: str
    checks: tuple[CheckupItem, ...]

    @property
    def ok(self) -> bool:
        """Tell whether sharing works."""
        return all(check.ok for check in self.checks)

    def as_data(self) -> dict[str, object]:
        """Return the findings as a JSON object."""
        checks = [check.as_data() for check in self.checks]
        return {"journal": self.server, "ok": self.ok, "checks": checks}

    def rows(self) -> Iterator[str]:
        """Yield a line a finding."""
        yield f"shared journal: {self.server}"
        for check in self.checks:
            yield f"  {check.name}: {'' if check.ok else 'FAILED, '}{check.said}"
            if check.note:
                yield f"    note: {check.note}"


def examine(shared: Sharer) -> SharedCheckup:
    """Send what waits, then look at everything that sharing depends on."""
    started = time.monotonic()
    try:
        shared.ask(lambda _: None)
        took = 1000 * (time.monotonic() - started)
        found = shared.ask(_examined)
    except Unreachable as unreachable:
        return SharedCheckup(
            shared.server, (CheckupItem("connection", ok=False, said=str(unreachable)),)
        )
    connection = CheckupItem(
        "connection", ok=True, said=f"connected and exchanged in {took:.0f} ms"
    )
    return SharedCheckup(shared.server, (connection, *found, _outbox(shared)))


def _examined(journal: PostgresJournal) -> tuple[CheckupItem, ...]:
    return (
        _encryption(journal),
        _schema(journal),
        _permissions(journal),
        _clock(journal),
        _project(journal),
    )


def _encryption(journal: PostgresJournal) -> CheckupItem:
    rows = journal.server.rows(
        """SELECT
            coalesce((SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl), ''),
            coalesce(inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1', true)"""
    )
    protocol, local = cast("tuple[str, bool]", rows[0])
    if protocol:
        return CheckupItem("encryption", ok=True, said=protocol)
    note = "" if local else "texts of files cross the network unencrypted: use sslmode=verify-full"
    return CheckupItem(
        "encryption", ok=True, said="none, on this machine" if local else "none", note=note
    )


def _schema(journal: PostgresJournal) -> CheckupItem:
    found = version(journal.server)
    return CheckupItem("schema", ok=found == VERSION, said=f"version {found} of {VERSION}")


def _permissions(journal: PostgresJournal) -> CheckupItem:
    rows = journal.server.rows(
        "SELECT current_user, r.rolsuper, pg_has_role(current_user, c.relowner, 'member')"
        " FROM pg_roles r, pg_class c"
        " WHERE r.rolname = current_user AND c.oid = 'keyhole.entry'::regclass"
    )
    role, is_super, owns = cast("tuple[str, bool, bool]", rows[0])
    missing = [
        f"{right} on {table}"
        for table in _TABLES
        for right in ("SELECT", "INSERT")
        if journal.server.rows("SELECT has_table_privilege(%s, %s)", (f"keyhole.{table}", right))
        != [(True,)]
    ]
    if missing:
        return CheckupItem("permissions", ok=False, said=f"role {role} lacks {', '.join(missing)}")
    kind = "a superuser" if is_super else "the owner of the tables" if owns else ""
    note = f"{role} is {kind}: agents need only what keyhole.admit gives" if kind else ""
    return CheckupItem("permissions", ok=True, said=f"role {role} may share", note=note)


def _clock(journal: PostgresJournal) -> CheckupItem:
    before = time.time()
    rows = journal.server.rows("SELECT extract(epoch FROM clock_timestamp())::float8")
    after = time.time()
    skew = cast("float", rows[0][0]) - (before + after) / 2
    said = f"the server is {abs(skew):.2f} s {'ahead' if skew > 0 else 'behind'}"
    note = "set the clocks: moments in the history come from each machine's own"
    return CheckupItem("clock", ok=True, said=said, note=note if abs(skew) > _SKEW_SECONDS else "")


def _project(journal: PostgresJournal) -> CheckupItem:
    rows = journal.server.rows(
        """SELECT count(DISTINCT workspace), count(DISTINCT machine),
            (SELECT count(*) FROM keyhole.entry WHERE project = %s)
        FROM keyhole.source WHERE project = %s""",
        (journal.me.project, journal.me.project),
    )
    workspaces, machines, entries = cast("tuple[int, int, int]", rows[0])
    said = f"{workspaces} workspaces on {machines} machines, {entries} entries"
    return CheckupItem("project", ok=True, said=f"{journal.checkout.project}: {said}")


def _outbox(shared: Sharer) -> CheckupItem:
    if not (shared.state / NAME).exists():
        return CheckupItem("outbox", ok=True, said="nothing was ever done here")
    outbox = Outbox(shared.state)
    try:
        last, source = outbox.last(), outbox.source()
    finally:
        outbox.close()
    there = shared.ask(
        lambda journal: journal.server.rows(
            "SELECT entries_through FROM keyhole.source WHERE project = %s AND journal = %s",
            (journal.me.project, source),
        )
    )
    through = cast("int", there[0][0]) if there else 0
    said = f"entries up to {through} of {last} are shared"
    return CheckupItem("outbox", ok=through >= last, said=said)
