"""keyhole approve: carry out a proposal, as a person decides."""

from __future__ import annotations

import sys
from collections.abc import Callable

from keyhole.answers.receipt import Receipt
from keyhole.engine.facade import Engine
from keyhole.engine.proposals import Decision
from keyhole.engine.verdicts import ShownProposal, decision_of, whole_decision
from keyhole.surfaces.cli.grammar import (
    DETAIL,
    LOOKING,
    OUTPUT,
    Argument,
    Command,
    Flag,
    Given,
    Usage,
)
from keyhole.surfaces.cli.output import REFUSED, is_terminal, say, show, tell
from keyhole.surfaces.cli.session import held, reviewer_of

# What a person decides about a proposal: by whom, the hash of what was shown, and a comment.
Decided = Callable[[ShownProposal, str, str, str], Decision]
SHOWN = Flag("--shown", "the hash of what you saw, as `proposals ID` prints it", "HASH", "name")
COMMENT = Flag("--comment", "a word for the agent", "TEXT")


def run(given: Given) -> int:
    """Carry out a proposal, or some of its edits."""

    def decided(proposal: ShownProposal, by: str, shown: str, comment: str) -> Decision:
        if not given.on("--edit"):
            return whole_decision(proposal, by, accept=True, shown=shown, comment=comment)
        edits = {_number(each) for each in given.all("--edit")}
        return decision_of(proposal, edits, by, shown=shown, comment=comment)

    return decide(given, "Carry it out", decided)


def _number(said: str) -> int:
    if not (said.isascii() and said.isdecimal()):
        raise Usage(f"--edit is {said!r}; it is a whole number from 0")
    return int(said)


def decide(given: Given, question: str, decided: Decided) -> int:
    """Show a proposal and ask, or take the hash of what was shown; then carry the verdict out."""
    with held(given) as engine:
        proposal = ShownProposal(engine.review.proposal(given.text("ID") or ""))
        shown = given.text("--shown") or ""
        if not shown and proposal.is_open:
            shown = _asked(given, proposal, question)
            if not shown:
                say("nothing was decided")
                return REFUSED
        by = f"review:{reviewer_of()}"
        decision = decided(proposal, by, shown, given.text("--comment") or "")
        return tell(_carried_out(engine, decision), given)


def _carried_out(engine: Engine, decision: Decision) -> Receipt:
    receipt = engine.review.decide(decision)
    if receipt.ok and receipt.transaction:
        engine.review.see(reviewer_of(), [receipt.transaction])
    return receipt


def _asked(given: Given, proposal: ShownProposal, question: str) -> str:
    """Return the hash of what was shown if the person says yes, else nothing."""
    if not is_terminal() or sys.stdin is None or not sys.stdin.isatty():
        name = given.text("ID")
        raise Usage(f"--shown is missing: `keyhole proposals {name}` prints what you decide about")
    show(proposal.as_rows(), given)
    sys.stdout.write(f"{question}? [y/N] ")
    sys.stdout.flush()
    return proposal.shown if sys.stdin.readline().strip().lower() in {"y", "yes"} else ""


COMMAND = Command(
    "approve",
    "carry out a proposal, or some of its edits",
    run,
    about="""\
On a terminal the proposal is shown as it would be carried out now, and you are asked. Elsewhere
--shown names what you saw: if the files moved on since, nothing happens. With --edit only those
edits are carried out and the others are turned down; what no longer fits is turned down too.""",
    example="""\
$ keyhole approve p-0f3a9c21
$ keyhole approve p-0f3a9c21 --edit 0 --edit 2 --comment 'not the second'""",
    arguments=(Argument("ID", "the proposal", kind="proposal"),),
    groups={
        "verdict": (
            Flag("--edit", "only this edit, counted from 0; may be repeated", "N", many=True),
            COMMENT,
            SHOWN,
        ),
        "workspace": LOOKING,
        "output": (*OUTPUT, DETAIL),
    },
)
