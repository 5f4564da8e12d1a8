"""The files that other checkouts changed lately, so that most edits need not ask the server."""

from __future__ import annotations

import time
from typing import cast

from keyhole.fastclasses import dataclass
from keyhole.sharing.postgres.journal import PostgresJournal

# What nobody merged for so long is not waited for any more.
WINDOW = "14 days"
_BEFORE = """SELECT number - 1 FROM keyhole.entry WHERE project = %(project)s
    AND arrived > now() - %(window)s::interval ORDER BY arrived LIMIT 1"""
_LATEST = """SELECT last FROM keyhole.project WHERE id = %(project)s;
    SELECT DISTINCT path, false FROM keyhole.touch
    WHERE project = %(project)s AND number > %(since)s AND workspace <> %(workspace)s
    UNION ALL SELECT path, true FROM keyhole.lease
    WHERE project = %(project)s AND NOT released AND expires > clock_timestamp()"""


@dataclass(frozen=True, slots=True)
class RecentChanges:
    """The files that other checkouts changed, as of a number of the shared order and a moment.

    `claimed` are the files on which anybody has a lease.
    """

    paths: frozenset[bytes] = frozenset()
    claimed: frozenset[bytes] = frozenset()
    seen: int = 0
    at: float = float("-inf")


def refresh(journal: PostgresJournal, known: RecentChanges) -> RecentChanges:
    """Return the recent changes, brought up to date by the server in one round trip."""
    now = time.monotonic()
    values = {
        "project": journal.me.project,
        "workspace": journal.me.workspace,
        "since": known.seen or _before_window(journal),
    }
    found = journal.server.at_once(_LATEST, values)
    (last,), rows = found[0], cast("list[tuple[bytes, bool]]", found[1])
    claimed = frozenset(path for path, is_lease in rows if is_lease)
    changed = known.paths | {path for path, is_lease in rows if not is_lease}
    return RecentChanges(changed, claimed, cast("int", last[0]), now)


def _before_window(journal: PostgresJournal) -> int:
    """Return the number before the first entry that is recent enough to matter."""
    values = {"project": journal.me.project, "window": WINDOW}
    rows = journal.server.at_once(_BEFORE, values)[0]
    return cast("int", rows[0][0]) if rows else 0
