"""keyhole redo: take an undo back."""

from __future__ import annotations

from keyhole.engine.history.recall import UndoRequest
from keyhole.surfaces.cli.grammar import (
    DETAIL,
    DRY_RUN,
    OUTPUT,
    REASON,
    WORKSPACE,
    Argument,
    Command,
    Given,
)
from keyhole.surfaces.cli.undo import take_back


def run(given: Given) -> int:
    """Take back an undo: the one named, or the caller's last."""
    return take_back(given, UndoRequest(id=given.text("ID") or "", redo=True))


COMMAND = Command(
    "redo",
    "take an undo back",
    run,
    about="Without arguments your own last undo, if you edited nothing since.",
    example="$ keyhole redo",
    arguments=(
        Argument("ID", "the undo, or the transaction it undid", required=False, kind="transaction"),
    ),
    groups={
        "how": (DRY_RUN, REASON),
        "workspace": WORKSPACE,
        "output": (*OUTPUT, DETAIL),
    },
)
