"""The files that other checkouts changed lately, so that most edits need not ask the server."""

from __future__ import annotations

import time
from typing import cast

from keyhole.fastclasses import dataclass
from keyhole.sharing.postgres.journal import PostgresJournal

# What nobody merged for so long is not waited for any more.
WINDOW = "14 days"


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
    """Return the recent changes, brought up to date by the server."""
    now = time.monotonic()
    query = "SELECT last FROM keyhole.project WHERE id = %s"
    since = known.seen or _before_window(journal)
    last = journal.server.later(query, (journal.me.project,))
    rows = journal.server.rows(
        """SELECT DISTINCT path, false FROM keyhole.touch
        WHERE project = %s AND number > %s AND workspace <> %s
        UNION ALL SELECT path, true FROM keyhole.lease
        WHERE project = %s AND NOT released AND expires > clock_timestamp()""",
        (
            journal.me.project,
            since,
            journal.me.workspace,
            journal.me.project,
        ),
    )
    found = cast("list[tuple[bytes, bool]]", rows)
    claimed = frozenset(path for path, is_lease in found if is_lease)
    changed = known.paths | {path for path, is_lease in found if not is_lease}
    return RecentChanges(changed, claimed, cast("int", last.rows[0][0]), now)


def _before_window(journal: PostgresJournal) -> int:
    """Return the number before the first entry that is recent enough to matter."""
    rows = journal.server.rows(
        """SELECT number - 1 FROM keyhole.entry WHERE project = %s
        AND arrived > now() - %s::interval ORDER BY arrived LIMIT 1""",
        (journal.me.project, WINDOW),
    )
    return cast("int", rows[0][0]) if rows else 0
