"""keyhole redo: take an undo back."""

from __future__ import annotations

from keyhole.surfaces.cli.flags import (
    DETAIL,
    DRY_RUN,
    OUTPUT,
    REASON,
    WORKSPACE,
    Argument,
    Command,
    Given,
)


def run(given: Given) -> int:
    """Take back an undo: the one named, or the caller's last."""
    from keyhole.surfaces.cli.output import tell
    from keyhole.surfaces.cli.session import actor_of, opened
    from keyhole.walks.recalling import Wish
    from keyhole.walks.requests import Options

    wish = Wish(id=given.text("ID") or "", redo=True)
    options = Options(
        dry_run=given.on("--dry-run"),
        reason=given.text("--reason") or "",
        actor=actor_of(given),
        tool="cli redo",
    )
    with opened(given) as engine:
        receipt = engine.undo(wish, options)
    return tell(receipt, given)


COMMAND = Command(
    "redo",
    "take an undo back",
    run,
    about="Without arguments your own last undo, if you edited nothing since.",
    example="$ keyhole redo",
    arguments=(
        Argument("ID", "the undo, or the transaction it undid", required=False, kind="text"),
    ),
    groups={
        "how": (DRY_RUN, REASON),
        "workspace": WORKSPACE,
        "output": (*OUTPUT, DETAIL),
    },
)
