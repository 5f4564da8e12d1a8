"""keyhole undo: take a transaction back, also one that is not the last."""

from __future__ import annotations

import os

from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.install.answers import INSTALLATION
from keyhole.engine.install.records import undone
from keyhole.engine.options import Options
from keyhole.fastclasses import replace
from keyhole.surfaces.cli.grammar import (
    DETAIL,
    DRY_RUN,
    OUTPUT,
    REASON,
    WORKSPACE,
    Argument,
    Command,
    Flag,
    Given,
    number,
)
from keyhole.surfaces.cli.output import tell
from keyhole.surfaces.cli.session import actor_of, opened, path_in


def run(given: Given) -> int:
    """Take back what the flags name."""
    wish = UndoRequest(
        id=given.text("ID") or "",
        edit=given.number("--edit", 0) if given.on("--edit") else None,
        task=given.text("--task") or "",
        to=given.text("--to") or "",
        path=given.text("--path") or "",
    )
    return take_back(given, wish)


def take_back(given: Given, wish: UndoRequest) -> int:
    """Carry out what an undo or a redo asks for."""
    options = Options(
        dry_run=given.on("--dry-run"),
        reason=given.text("--reason") or "",
        actor=actor_of(given),
        tool=f"cli {given.command.name}",
    )
    if wish.id.startswith(INSTALLATION):
        return tell(undone(wish, options, os.environ), given)
    with opened(given) as engine:
        if wish.path:
            wish = replace(wish, path=path_in(given, engine.root, wish.path))
        receipt = engine.undo(wish, options)
    return tell(receipt, given)


COMMAND = Command(
    "undo",
    "take a transaction back, also one that is not the last",
    run,
    about="""\
Without arguments your own last transaction. Later edits of other places stay; where they overlap,
the undo is refused and shows both. An undo is a transaction itself, so `redo` takes it back. The id
of an installation, as `install` says it, restores the host's file from wherever you are.""",
    example="""\
$ keyhole undo 12 --reason 'the old limit was right'
$ keyhole undo --task login --dry-run""",
    arguments=(
        Argument(
            "ID", "the transaction, as `history` names it", required=False, kind="transaction"
        ),
    ),
    groups={
        "what": (
            number("--edit", "only this edit of the transaction, counted from 0"),
            Flag("--path", "only what the transaction did to this file", "PATH", kind="file"),
            Flag("--task", "every transaction of this task", "NAME", "name"),
            Flag("--to", "everything after this transaction", "ID", "transaction"),
        ),
        "how": (DRY_RUN, REASON),
        "workspace": WORKSPACE,
        "output": (*OUTPUT, DETAIL),
    },
)
