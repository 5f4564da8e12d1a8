"""keyhole share: send what waits to the shared journal now."""

from __future__ import annotations

from keyhole.surfaces.cli.grammar import LOOKING, OUTPUT, Command, Given
from keyhole.surfaces.cli.output import DONE, REFUSED, answer
from keyhole.surfaces.cli.session import opened


def run(given: Given) -> int:
    """Send what waits and say how sharing stands; exit code 1 while something waits."""
    with opened(given) as engine:
        shared = engine.administration.share()
    answer(shared, given)
    return DONE if shared.ok else REFUSED


COMMAND = Command(
    "share",
    "send what waits to the shared journal, and say how sharing stands",
    run,
    about="""\
Edits are sent by themselves: by a server while it runs, by a command after its edit is done. What
could not be sent, because the server was out of reach, goes with the next edit or with this.""",
    example="$ keyhole share --journal postgresql://db.example.org/team",
    groups={"workspace": LOOKING, "output": OUTPUT},
)
