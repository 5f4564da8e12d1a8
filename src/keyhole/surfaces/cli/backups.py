"""keyhole backups: list the .bak files that edits left, or remove them."""

from __future__ import annotations

from keyhole.engine.options import Options
from keyhole.surfaces.cli.grammar import OUTPUT, WORKSPACE, Command, Given, switch
from keyhole.surfaces.cli.output import answer, tell
from keyhole.surfaces.cli.session import actor_of, opened


def run(given: Given) -> int:
    """List backups, or remove them in one transaction."""
    with opened(given) as engine:
        found = engine.administration.backups()
        if not given.on("--clean") or not found.backups:
            return answer(found, given)
        options = Options(actor=actor_of(given), tool="cli backups")
        receipt = engine.edit(found.removal(), options)
    return tell(receipt, given, "brief")


COMMAND = Command(
    "backups",
    "list the .bak files that edits left, or remove them",
    run,
    about="""\
Only backups that keyhole wrote and nobody has changed since are listed and removed. Everything they
hold is also in the journal: `keyhole undo` needs none of them, and takes a clean-up back too.""",
    example="$ keyhole backups --clean",
    groups={
        "what": (switch("--clean", "remove them"),),
        "workspace": WORKSPACE,
        "output": OUTPUT,
    },
)
