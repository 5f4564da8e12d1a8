"""Many processes in several worktrees share one journal: every edit arrives once, in one order."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import psycopg

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.engine.history.recall import HistoryRequest
from keyhole.sharing.identity import Sharing
from keyhole.text.changes import Change, ChangeSet
from keyhole.workspace.tree import Tree, TreeOptions
from tests.postgres import running
from tests.team import Team, team
from tests.torture.arena import CALL, memory_directory, report
from tests.torture.contention import race

WORKTREES = 4


def run(writers: int, edits: int) -> Counter[str]:
    """Let each writer append numbered lines in its worktree, then compare all that is known."""
    found: Counter[str] = Counter()
    with memory_directory() as home, running() as server:
        url = server.database("race")
        with team(home, url) as made:
            for number in range(WORKTREES):
                made.worktree(f"tree{number}")
            found["failed"] = sum(
                code != 0 for code in race(writers, lambda writer: _append(made, writer, edits))
            )
            _count_orders(made, writers * edits, found)
        _count_rows(url, writers, edits, found)
    return found


def _root(made: Team, writer: int) -> Path:
    return made.home / f"tree{writer % WORKTREES}"


def _append(made: Team, writer: int, edits: int) -> None:
    """Two processes to a worktree, on one machine and with one local journal."""
    sharing = Sharing(made.url, machine=f"m{writer % WORKTREES}")
    state = made.home / "state" / f"m{writer % WORKTREES}"
    tree = Tree.open(_root(made, writer), state_home=state, options=TreeOptions(sharing=sharing))
    assert tree.shared is not None
    for number in range(edits):
        with tree.hold(["f.txt"]) as held:
            document = held.snapshot.files["f.txt"]
            assert document is not None
            end = len(document.text)
            changes = ChangeSet(end, (Change(end, end, f"w{writer}-{number}\n"),))
            after = document.with_text(changes.apply(document.text))
            entry = held.commit(Plan((FilePlan("f.txt", document, after, changes),)), CALL)
        tree.shared.note_commit(entry.order)
    tree.close()


def _count_orders(made: Team, total: int, found: Counter[str]) -> None:
    orders = set()
    for number in range(WORKTREES):
        engine = made.open(made.home / f"tree{number}", f"m{number}")
        listed = engine.history(HistoryRequest(limit=2 * total)).transactions
        orders.add(tuple(past.entry.id for past in listed))
    found["orders"] = len(orders)


def _count_rows(url: str, writers: int, edits: int, found: Counter[str]) -> None:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT token, source, local FROM keyhole.entry ORDER BY number")
        entries = rows.fetchall()
    tokens = {token for token, _, _ in entries}
    found["arrived"] = len(entries)
    found["lost"] = writers * edits - len(tokens)
    found["twice"] = len(entries) - len(tokens)
    last: dict[int, int] = {}
    for _, source, local in entries:
        found["out of order"] += local != last.get(source, 0) + 1
        last[source] = local


if __name__ == "__main__":
    report(run(*map(int, sys.argv[1:])))
