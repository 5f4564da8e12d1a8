"""keyhole rewind: go back to a prompt, a checkpoint or a time."""

from __future__ import annotations

from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.rewind.targets import AGENTS, EVERYBODY
from keyhole.surfaces.cli.grammar import (
    DETAIL,
    OUTPUT,
    REASON,
    WORKSPACE,
    Argument,
    Command,
    Flag,
    Given,
    apart,
    switch,
)
from keyhole.surfaces.cli.output import answer, say, tell
from keyhole.surfaces.cli.session import actor_of, opened

_MOST_PROMPTS = 20


def run(given: Given) -> int:
    """Show what a rewind would take back, or take it back."""
    apart(given, "--exact", "--session", "--agents")
    apart(given, "--session", "--agents")
    apart(given, "--exact", "--partly")
    point = given.text("POINT")
    with opened(given) as engine:
        if point is None:
            return answer(engine.checkpoints.prompts(_MOST_PROMPTS), given)
        options = Options(
            dry_run=not given.on("--yes"),
            reason=given.text("--reason") or "",
            actor=actor_of(given),
            tool="cli rewind",
        )
        receipt = engine.checkpoints.rewind(_wish(given, point), options)
    code = tell(receipt, given, "full")
    if receipt.ok and receipt.dry_run and not given.on("--json"):
        say("this is a preview; the same command with --yes carries it out")
    return code


def _wish(given: Given, point: str) -> UndoRequest:
    whose = EVERYBODY if given.on("--exact") else AGENTS if given.on("--agents") else ""
    session = given.text("--session") or whose
    return UndoRequest(prompt=point, session=session, partly=given.on("--partly"))


COMMAND = Command(
    "rewind",
    "go back to a prompt, a checkpoint or a time",
    run,
    about="""\
What the session of a prompt did since it is taken back, whichever tools it used, and what people
did since stays; where both changed the same lines the rewind is refused and shows them, and with
--partly it leaves them. Of a checkpoint or a time it is what agents did. First you see a preview. A
rewind is a transaction, so `undo` takes it back. Without a point: the prompts there are.""",
    example="""\
$ keyhole rewind 10m
$ keyhole rewind c42 --exact --yes""",
    arguments=(
        Argument(
            "POINT",
            "a prompt's name, a checkpoint as `observe` says it, 10m, or 2026-01-31T12:00",
            required=False,
            kind="text",
        ),
    ),
    groups={
        "what": (
            Flag("--session", "only what this session of a host did", "NAME", "name"),
            switch("--agents", "what agents did, whichever session"),
            switch("--exact", "what anybody did: every file becomes what it was"),
        ),
        "how": (
            switch("--partly", "what clashes stands and is named, and the rest is taken back"),
            switch("--yes", "carry it out; without it you see what would be done"),
            REASON,
        ),
        "workspace": WORKSPACE,
        "output": (*OUTPUT, DETAIL),
    },
)
