"""keyhole uninstall: take keyhole out of the configuration of agent hosts."""

from __future__ import annotations

from keyhole.engine.install.installer import uninstall
from keyhole.surfaces.cli.grammar import ACTOR, DRY_RUN, OUTPUT, Command, Given
from keyhole.surfaces.cli.install import HOST, WHERE, carry_out


def run(given: Given) -> int:
    """Take keyhole out of the host that is named, or of each that is on this machine."""
    return carry_out(given, uninstall)


COMMAND = Command(
    "uninstall",
    "take keyhole out of an agent host",
    run,
    about="""\
Restores the files that `keyhole install` changed to the byte. If a file was changed since, only
the entry of keyhole is taken out.""",
    example="""\
$ keyhole uninstall codex
$ keyhole uninstall --all --dry-run""",
    arguments=(HOST,),
    groups={"where": WHERE, "how": (DRY_RUN, ACTOR), "output": OUTPUT},
)
