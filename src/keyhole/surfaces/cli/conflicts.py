"""keyhole conflicts: where workspaces of one project changed the same."""

from __future__ import annotations

from keyhole.surfaces.cli.grammar import LOOKING, OUTPUT, Command, Given
from keyhole.surfaces.cli.output import answer
from keyhole.surfaces.cli.session import opened


def run(given: Given) -> int:
    """List the conflicts that will meet when branches are merged."""
    with opened(given) as engine:
        found = engine.conflicts()
    return answer(found, given)


COMMAND = Command(
    "conflicts",
    "list where workspaces of the project changed the same",
    run,
    about="""\
Of all workspaces that share a journal, the pairs whose edits are not merged yet: hot where they
changed the same lines, soft where they changed the same segment or file. A pair is off the list
once git has brought the two together, or one of the tasks is ended.""",
    example="$ keyhole conflicts --journal postgresql://db.example.org/team",
    groups={"workspace": LOOKING, "output": OUTPUT},
)
