"""What an undo means in this workspace: its targets, wherever they were made, and what is left."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.engine.history.recall import UndoRequest, targets_of
from keyhole.fastclasses import replace
from keyhole.history.pieces import unit_of
from keyhole.history.targets import entry_of
from keyhole.history.undo import Undo, undo
from keyhole.history.undo_refusals import ALREADY_SO, Clashes
from keyhole.history.versions import CachedJournal
from keyhole.journal.model import Undone
from keyhole.phrases import FileName, joined, say
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.tree import Tree

# How many files in the way, and how many pieces that stand, are named.
_NAMED, _STANDING = 3, 20


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


def undone(
    tree: Tree,
    journal: CachedJournal,
    targets: Sequence[Undone],
    snapshot: Snapshot,
    wish: UndoRequest,
) -> tuple[Undo, tuple[str, ...]]:
    """Return the undo of some targets, and a line for each piece that stands; or refuse."""
    stands: tuple[str, ...] = ()
    try:
        taken = undo(journal, targets, snapshot, rewinds=bool(wish.prompt))
    except Clashes as clashes:
        if not wish.partly:
            no = clashes.refusals
            raise Refused(*(_with_a_way_on(no) if wish.prompt else no)) from None
        taken, stands = _undone_partly(journal, targets, snapshot, clashes)
    _check_room(tree, taken.plan)
    return taken, (*stands, *(_unkept(tree, wish, taken.plan) if wish.prompt else ()))


def _undone_partly(
    journal: CachedJournal, targets: Sequence[Undone], snapshot: Snapshot, met: Clashes
) -> tuple[Undo, tuple[str, ...]]:
    """Take back what does not clash; what clashes stands, and so may older work below it."""
    stands: dict[str, None] = {}
    while True:
        stands |= dict.fromkeys(each.headline for each in met.refusals if each.path)
        targets = [*_without(journal, targets, met.pieces)]
        if not targets:
            raise met
        try:
            return undo(journal, targets, snapshot, rewinds=True), _told(tuple(stands))
        except Clashes as again:
            met = again


def _without(
    journal: CachedJournal, targets: Sequence[Undone], pieces: Collection[tuple[str, str]]
) -> Iterator[Undone]:
    """Yield the targets without some files; files that exchanged names go together."""
    for target in targets:
        entry = entry_of(journal, target.entry)
        left = {path for name, path in pieces if name == entry.id}
        if not left:
            yield target
            continue
        seen: set[str] = set()
        for path in [target.path] if target.path else [each.path for each in entry.files]:
            unit = unit_of(journal, entry, path)
            if not unit & (left | seen):
                yield Undone(entry.id, target.edit, path)
            seen |= unit


def _unkept(tree: Tree, wish: UndoRequest, plan: Plan) -> tuple[str, ...]:
    from keyhole.engine.rewind.targets import unkept_since

    changed = {file.path for file in plan.files}
    found = [each for each in unkept_since(tree, wish) if each.path not in changed]
    more = len(found) - _STANDING
    rest = (f"and {more} more files are not kept",) if more > 0 else ()
    line = "not kept ({}), and left as it is: {}"
    return (*(say(line, each.why, FileName(each.path)) for each in found[:_STANDING]), *rest)


def _told(stands: Sequence[str]) -> tuple[str, ...]:
    more = len(stands) - _STANDING
    rest = (f"and {more} more pieces stand",) if more > 0 else ()
    return (*(say("left as it is: {}", each) for each in stands[:_STANDING]), *rest)


def _with_a_way_on(refusals: Sequence[Refusal]) -> Iterator[Refusal]:
    """Yield refusals of a rewind; the last one says how to take back the rest."""
    yield from refusals[:-1]
    move = say("{}; or take back the rest, and leave these: {partly}", refusals[-1].help)
    yield replace(refusals[-1], help=move)


def _check_room(tree: Tree, plan: Plan) -> None:
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
