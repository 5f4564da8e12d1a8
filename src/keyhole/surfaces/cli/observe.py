"""keyhole observe: record what others changed since the last look."""

from __future__ import annotations

from keyhole.surfaces.cli.grammar import OUTPUT, WORKSPACE, Command, Given
from keyhole.surfaces.cli.output import answer
from keyhole.surfaces.cli.session import opened


def run(given: Given) -> int:
    """Look at the tree once."""
    with opened(given) as engine:
        found = engine.checkpoints.look()
    return answer(found, given)


COMMAND = Command(
    "observe",
    "record what others changed since the last look",
    run,
    about="""\
What the shell, editors, formatters, git and people did becomes transactions like any other:
`history`, `show`, `undo` and `rewind` know them. The first look only takes the files in, and from
then on the workspace is observed. Ignored files stay out; large files and secrets are listed and
not kept. `keyhole install HOST` lets a host look before and after each of its tools.""",
    example="$ keyhole observe",
    groups={"workspace": WORKSPACE, "output": OUTPUT},
)
