"""What an undo means in this workspace: its targets, wherever they were made, and what is left."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.plan import Plan
from keyhole.engine.history.recall import UndoRequest, targets_of
from keyhole.fastclasses import replace
from keyhole.history.undo_refusals import ALREADY_SO
from keyhole.history.versions import CachedJournal
from keyhole.journal.model import Undone
from keyhole.phrases import FileName, joined, say
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.tree import Tree

_NAMED = 3


def meant(tree: Tree, journal: CachedJournal, wish: UndoRequest, actor: str) -> tuple[Undone, ...]:
    """Return the transactions that an undo means, newest first."""
    if wish.prompt:
        from keyhole.engine.rewind.targets import targets_since

        return targets_since(tree, journal, wish)
    if tree.shared is None:
        return targets_of(journal, wish, actor)
    from keyhole.engine.sharing import share

    return share.targets_of(tree.shared, journal, wish, actor)


def already_done(refused: Refused, *, dry_run: bool) -> Receipt | None:
    """Return the receipt of an undo that finds the files as it would make them, else None."""
    refusal = refused.refusals[0]
    if not refusal.data.get(ALREADY_SO):
        return None
    receipt = Receipt.done(Plan(()), "unchanged", dry_run=dry_run, spelling={})
    return replace(receipt, warnings=(refusal.headline,))


def check_room(tree: Tree, plan: Plan) -> None:
    """Refuse a file in the place of a directory that holds what the plan does not take away."""
    going = {file.path for file in plan.files if file.after is None}
    coming = [file.path for file in plan.files if file.before is None and file.after is not None]
    found = [_in_the_way(tree, path, going) for path in coming if tree.is_directory(path)]
    refusals = [each for each in found if each is not None]
    if refusals:
        raise Refused(*refusals)


def _in_the_way(tree: Tree, path: str, going: Collection[str]) -> Refusal | None:
    root = Path(tree.root.path)
    held = (Path(top, name) for top, _, names in os.walk(root / path) for name in names)
    left = sorted({str(each.relative_to(root)) for each in held} - {*going})
    if not left:
        return None
    more = f" and {len(left) - _NAMED} more" if left[_NAMED:] else ""
    kept = joined(", ", map(FileName, left[:_NAMED]))
    headline = say("{} would take the place of a directory that holds {}", FileName(path), kept)
    return Refusal(
        "undo-conflict",
        say("{}{}, which the history does not keep", headline, more),
        help="move that away first, then send the same request again",
        path=path,
    )


def is_known(tree: Tree, plan: Plan) -> bool:
    """Tell whether each file of a plan gets a text that it had."""
    from keyhole.engine.linting.lint import is_known

    return is_known(tree, plan)


def with_rest(tree: Tree, wish: UndoRequest, receipt: Receipt) -> Receipt:
    """Return a receipt with what an undo left to other workspaces."""
    if tree.shared is None:
        return receipt
    from keyhole.engine.sharing import share

    return share.with_rest(tree.shared, wish, receipt)
