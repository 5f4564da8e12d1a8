"""keyhole stats: how calls went."""

from __future__ import annotations

from keyhole.engine.history.recall import HistoryRequest
from keyhole.surfaces.cli.grammar import LOOKING, OUTPUT, WORKSPACES, Command, Flag, Given
from keyhole.surfaces.cli.history import since
from keyhole.surfaces.cli.output import answer
from keyhole.surfaces.cli.session import opened


def run(given: Given) -> int:
    """Count transactions and refusals."""
    start = since(given.text("--since"))
    with opened(given) as engine:
        machine, worktree = given.text("--machine"), given.text("--worktree")
        stats = engine.stats(start, HistoryRequest(machine=machine, worktree=worktree))
    return answer(stats, given)


COMMAND = Command(
    "stats",
    "count transactions, refusals by code, and retries",
    run,
    about="""\
An effort is one actor's calls at one file up to the one that goes through. The retry rate is the
share of efforts that met a refusal, self-recovery the share of those that the same actor brought
to an edit, and a catastrophic failure one after which the whole file was written anew.""",
    example="$ keyhole stats --since 1w",
    groups={
        "which": (Flag("--since", "90s, 30m, 2h, 3d, 1w, or a date", "WHEN"), *WORKSPACES),
        "workspace": LOOKING,
        "output": OUTPUT,
    },
)
