"""keyhole doctor: check the workspace, and finish what a crash left unfinished."""

from __future__ import annotations

from pathlib import Path

from keyhole import __version__
from keyhole.engine.root import overlaps
from keyhole.engine.settings import ignored
from keyhole.surfaces.cli.grammar import LOOKING, OUTPUT, Command, Given
from keyhole.surfaces.cli.output import REFUSED, answer
from keyhole.surfaces.cli.session import opened


def run(given: Given) -> int:
    """Check the journal from end to end, recover, and report; damage is exit code 1."""
    with opened(given) as engine:
        warnings = (*ignored(Path(engine.root)), *overlaps(engine.root))
        checkup = engine.administration.doctor(__version__, warnings)
    code = answer(checkup, given)
    return code if checkup.ok else REFUSED


COMMAND = Command(
    "doctor",
    "check the environment and the journal, and recover",
    run,
    about="""\
Reads every entry and every kept version, so it takes its time on a long history. Lists the hosts
that keyhole is set up in, and other workspaces that this one lies in or holds. With a shared
journal it also checks the connection, the tables, the rights, the clock, and what waits to be sent.
""",
    example="""\
$ keyhole doctor --json
$ keyhole doctor --journal postgresql://db.example.org/team""",
    groups={"workspace": LOOKING, "output": OUTPUT},
)
