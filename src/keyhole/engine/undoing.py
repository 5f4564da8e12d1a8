"""What an undo means in this workspace: its targets, wherever they were made, and what is left."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.engine.history.recall import UndoRequest, targets_of
from keyhole.fastclasses import replace
from keyhole.history.pieces import unit_of
from keyhole.history.targets import entry_of
from keyhole.history.undo import Undo, paths_of, undo
from keyhole.history.undo_refusals import ALREADY_SO, Clashes, already_so
from keyhole.history.versions import CachedJournal
from keyhole.journal.model import Entry, Undone
from keyhole.phrases import FileName, joined, say
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.held import HeldFiles
from keyhole.workspace.tree import Tree

# How many files in the way, and how many pieces that stand, are named.
_NAMED, _STANDING = 3, 20


def meant(tree: Tree, journal: CachedJournal, wish: UndoRequest, actor: str) -> tuple[Undone, ...]:
    """Return the transactions that an undo means, newest first."""
    if wish.prompt:
        from keyhole.engine.rewind.targets import targets_since

        targets = targets_since(tree, journal, wish)
        left = tuple(_unlinked(tree, journal, targets)) if wish.partly else targets
        return left or targets  # where nothing is left, the links are refused
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


def _unlinked(tree: Tree, journal: CachedJournal, targets: Sequence[Undone]) -> Iterator[Undone]:
    """Yield the targets without files that a link stands for, or above, by now."""
    entries = [entry_of(journal, target.entry) for target in targets]
    linked = {path for path in _paths(entries) if _is_linked(tree, path)}
    pieces = {(each.id, file.path) for each in entries for file in each.files}
    return _without(journal, targets, {piece for piece in pieces if piece[1] in linked})


def _paths(entries: Sequence[Entry]) -> frozenset[str]:
    return frozenset(file.path for entry in entries for file in entry.files)


def _is_linked(tree: Tree, path: str) -> bool:
    try:
        return tree.resolve(path) != path
    except Refused:
        return True


def holding(
    tree: Tree, journal: CachedJournal, targets: Sequence[Undone], wish: UndoRequest, actor: str
) -> AbstractContextManager[HeldFiles]:
    """Hold the files of an undo; directories may have their names by now, and links may not."""
    paths = paths_of(journal, targets)
    try:
        tree.root.check_unlinked(paths)
    except Refused as refused:
        raise Refused(*_with_a_way_on(wish, refused.refusals)) from None
    return tree.hold_resolved({*map(tree.resolve, paths)}, actor=actor, mixed=True)


def undone(
    tree: Tree,
    journal: CachedJournal,
    targets: Sequence[Undone],
    snapshot: Snapshot,
    wish: UndoRequest,
) -> tuple[Undo, tuple[str, ...]]:
    """Return the undo of some targets, and a line for each piece that stands; or refuse."""
    stands: tuple[str, ...] = ()
    if wish.prompt:
        targets, stands = _without_returned(tree, journal, targets, wish)
    try:
        taken = _carried_out(tree, journal, targets, snapshot, rewinds=bool(wish.prompt))
    except Clashes as clashes:
        if _is_as_before(journal, targets, snapshot):
            raise Refused(already_so(targets)) from None
        if not wish.partly:
            raise Refused(*_with_a_way_on(wish, clashes.refusals)) from None
        taken, more = _undone_partly(tree, journal, targets, snapshot, clashes)
        stands = (*stands, *more)
    if wish.prompt:
        stands = (*stands, *_told(taken.passed), *_unkept(tree, wish, taken.plan))
    return taken, stands


def _without_returned(
    tree: Tree, journal: CachedJournal, targets: Sequence[Undone], wish: UndoRequest
) -> tuple[Sequence[Undone], tuple[str, ...]]:
    """Return the targets without what only came back by them, and a line for each that stands."""
    from keyhole.engine.rewind.targets import returned

    met = returned(tree, journal, targets, wish)
    if met is None:
        return targets, ()
    left = [*_without(journal, targets, met.pieces)]
    if not left:
        raise met
    return left, _told([each.headline for each in met.refusals])


def _is_as_before(journal: CachedJournal, targets: Sequence[Undone], snapshot: Snapshot) -> bool:
    """Tell whether all files of one transaction stand as they were before it."""
    if len(targets) > 1 or targets[0].edit is not None or targets[0].path:
        return False
    for change in entry_of(journal, targets[0].entry).files:
        now = snapshot.files.get(change.path)
        if (now.hash if now else None) != change.before:
            return False
    return True


def _undone_partly(
    tree: Tree,
    journal: CachedJournal,
    targets: Sequence[Undone],
    snapshot: Snapshot,
    met: Clashes,
) -> tuple[Undo, tuple[str, ...]]:
    """Take back what does not clash; what clashes stands, and so may older work below it."""
    stands: dict[str, None] = {}
    while True:
        stands |= dict.fromkeys(each.headline for each in met.refusals if each.path)
        targets = [*_without(journal, targets, met.pieces)]
        if not targets:
            raise met
        try:
            taken = _carried_out(tree, journal, targets, snapshot, rewinds=True)
            return taken, _told(tuple(stands))
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


def _with_a_way_on(wish: UndoRequest, refusals: Sequence[Refusal]) -> Iterator[Refusal]:
    """Yield refusals; of a rewind that can be one in part, the last one says how."""
    from keyhole.engine.rewind.targets import EVERYBODY

    if not wish.prompt or wish.partly or wish.session == EVERYBODY:
        yield from refusals
        return
    yield from refusals[:-1]
    move = say("{}; or take back the rest, and leave these: {partly}", refusals[-1].help)
    yield replace(refusals[-1], help=move)


def _carried_out(
    tree: Tree,
    journal: CachedJournal,
    targets: Sequence[Undone],
    snapshot: Snapshot,
    *,
    rewinds: bool,
) -> Undo:
    """Return an undo for which there is room: a file and a directory may have the same name."""
    taken = undo(journal, targets, snapshot, rewinds=rewinds)
    going = {file.path for file in taken.plan.files if file.after is None}
    changed = taken.plan.files
    coming = [file.path for file in changed if file.before is None and file.after is not None]
    found = {
        path: _in_the_way(tree, path, going)
        or [each for each in coming if path.startswith(f"{each}/")]
        for path in coming
    }
    blocked = {path for path, names in found.items() if names}
    if blocked:
        entries = (entry_of(journal, target.entry) for target in targets)
        pieces = {(each.id, file.path) for each in entries for file in each.files}
        own = {piece for piece in pieces if piece[1] in blocked}
        raise Clashes([_no_room(path, found[path]) for path in sorted(blocked)], own)
    return taken


def _in_the_way(tree: Tree, path: str, going: Collection[str]) -> list[str]:
    """Return the files that stay in a directory of this name, or where one above it has to be."""
    root = Path(tree.root.path)
    place = root / path
    if place.is_dir():
        inside = (
            Path(top, name)
            for top, directories, names in os.walk(place)
            for name in (*names, *directories)
        )
        left = [each for each in inside if each.is_symlink() or not each.is_dir()]
    else:
        left = [each for each in place.parents if each.is_file() and each.is_relative_to(root)]
    return sorted({str(each.relative_to(root)) for each in left} - {*going})


def _no_room(path: str, left: Sequence[str]) -> Refusal:
    names = joined(", ", map(FileName, left[:_NAMED]))
    more = f" and {len(left) - _NAMED} more" if left[_NAMED:] else ""
    return Refusal(
        "undo-conflict",
        say("{} has no room to come back: {}{} would have to go", FileName(path), names, more),
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
