"""keyhole reject: turn a proposal down."""

from __future__ import annotations

from keyhole.engine.proposals import Decision
from keyhole.engine.verdicts import ShownProposal, whole_decision
from keyhole.surfaces.cli.approve import COMMENT, SHOWN, decide
from keyhole.surfaces.cli.grammar import LOOKING, OUTPUT, Argument, Command, Given


def run(given: Given) -> int:
    """Turn all of a proposal down."""

    def decided(proposal: ShownProposal, by: str, shown: str, comment: str) -> Decision:
        return whole_decision(proposal, by, accept=False, shown=shown, comment=comment)

    return decide(given, "Turn it down", decided)


COMMAND = Command(
    "reject",
    "turn a proposal down, with a word for the agent",
    run,
    about="On a terminal the proposal is shown and you are asked; elsewhere --shown names it.",
    example="$ keyhole reject p-0f3a9c21 --comment 'the limit is right as it is'",
    arguments=(Argument("ID", "the proposal", kind="proposal"),),
    groups={"verdict": (COMMENT, SHOWN), "workspace": LOOKING, "output": OUTPUT},
)
