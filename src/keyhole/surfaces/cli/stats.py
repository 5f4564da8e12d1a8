"""keyhole stats: how calls went."""

from __future__ import annotations

from keyhole.surfaces.cli.flags import LOOKING, OUTPUT, Command, Flag, Given


def run(given: Given) -> int:
    """Count transactions and refusals."""
    from keyhole.surfaces.cli.moments import since
    from keyhole.surfaces.cli.output import answer
    from keyhole.surfaces.cli.session import opened
    from keyhole.tending import Stats

    start = since(given.text("--since"))
    with opened(given) as engine:
        stats = Stats(engine.tree.journal.tally(start), start)
    return answer(stats, given)


COMMAND = Command(
    "stats",
    "count transactions, refusals by code, and retries",
    run,
    example="$ keyhole stats --since 1w",
    groups={
        "which": (Flag("--since", "90s, 30m, 2h, 3d, 1w, or a date", "WHEN"),),
        "workspace": LOOKING,
        "output": OUTPUT,
    },
)
