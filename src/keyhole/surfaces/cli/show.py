"""keyhole show: one transaction with its reasons and diffs."""

from __future__ import annotations

from keyhole.surfaces.cli.grammar import LOOKING, OUTPUT, Argument, Command, Given
from keyhole.surfaces.cli.output import answer
from keyhole.surfaces.cli.session import opened


def run(given: Given) -> int:
    """Show one transaction."""
    with opened(given) as engine:
        name = given.text("ID") or ""
        if name.startswith("p-"):
            return answer(engine.named(name), given)
        return answer(engine.show(name), given)


COMMAND = Command(
    "show",
    "show one transaction: who, why, and the diff",
    run,
    example="$ keyhole show 12",
    arguments=(Argument("ID", "the id, or its number alone", kind="transaction"),),
    groups={"workspace": LOOKING, "output": OUTPUT},
)
