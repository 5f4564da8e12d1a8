"""The record of installations: each file through a workspace of its own, apart from the user's.

A journal there keeps files as they were, so that `keyhole undo` takes an installation back by its
id. `root` beside it names the directory whose files it knows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from keyhole.answers.receipt import Receipt, TakenBack
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.install.answers import INSTALLATION
from keyhole.engine.options import Options
from keyhole.engine.settings import homes, state_home
from keyhole.fastclasses import replace
from keyhole.journal.model import Entry, Query, Retention
from keyhole.journal.place import workspace_id
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree, TreeOptions

_IDS = "`keyhole install` and `uninstall` say the ids"
_MOST = 1000
_FOR_EVER = Retention(seconds=1e11, size=1 << 50)


@contextmanager
def opened(real: Path, environment: Mapping[str, str]) -> Iterator[tuple[Tree, str]]:
    """Open the workspace of a file, and return the file's name in it."""
    state = _state(environment)
    known = (each for each in real.parents if _has_journal(each, state))
    base = next(known, None) or next(each for each in real.parents if each.is_dir())
    name = str(real.relative_to(base))
    tree = _tree(base, (name,), environment)
    try:
        yield tree, name
    finally:
        tree.close()


def remember(tree: Tree) -> None:
    """Note which directory the journal of a workspace is about."""
    file = tree.state / "root"
    if not file.exists():
        file.write_bytes(os.fsencode(tree.root.path))


def installations(tree: Tree, name: str, tool: str) -> Iterator[Entry]:
    """Yield the installations that stand in a file, the latest first."""
    for entry in entries(tree, name, _MOST):
        if entry.call.tool == tool and _stands(tree, entry.id):
            yield entry


def _stands(tree: Tree, name: str) -> bool:
    """Tell whether a transaction counts: all that took it back was taken back in its turn."""
    return not any(_stands(tree, each) for each in tree.journal.undoers(name))


def entries(tree: Tree, name: str, limit: int) -> tuple[Entry, ...]:
    """Return the latest transactions of a file."""
    if not (tree.state / "journal.db").exists():
        return ()
    return tree.journal.entries(Query(path=name, limit=limit))


def found(tree: Tree, name: str, entry: Entry) -> Document | None:
    """Return a file as a transaction found it, None where it made the file."""
    [hash_] = [each.before for each in entry.files if each.path == name]
    image = tree.journal.image(hash_) if hash_ else None
    return None if image is None else Document.from_bytes(image)


def undone(wish: UndoRequest, options: Options, environment: Mapping[str, str]) -> Receipt:
    """Take an installation back by its id, or take back that."""
    name = wish.id.removeprefix(INSTALLATION)
    known = {base: _files(base, name, environment) for base in _known(environment)}
    found = [base for base, files in known.items() if files]
    if not found:
        headline = f"there is no installation {wish.id[:80]!r}"
        raise Refused(Refusal("nothing-to-undo", headline, help=_IDS))
    if len(found) > 1:
        places = " and ".join(map(str, found))
        headline = f"{wish.id} is an installation in {places}"
        raise Refused(Refusal("ambiguous", headline, help="take it out with `keyhole uninstall`"))
    [base] = found
    tree = _tree(base, known[base], environment)
    try:
        receipt = Engine(tree).undo(replace(wish, id=name), options)
    finally:
        tree.close()
    return _spelt(receipt, {file: f"{base}/{file}" for file in known[base]})


def _spelt(receipt: Receipt, spelling: Mapping[str, str]) -> Receipt:
    """Return a receipt with files by their full paths, and ids as those of installations."""
    return replace(
        receipt,
        files=tuple(replace(each, path=spelling[each.path]) for each in receipt.files),
        refusals=tuple(_refusal(each, spelling) for each in receipt.refusals),
        transaction=receipt.transaction and f"{INSTALLATION}{receipt.transaction}",
        took_back=tuple(_with_full_paths(each, spelling) for each in receipt.took_back),
    )


def _refusal(refusal: Refusal, spelling: Mapping[str, str]) -> Refusal:
    spelt = refusal.spelt(spelling)
    # The history of a workspace knows no installations.
    return replace(spelt, help=_IDS) if spelt.code == "nothing-to-undo" else spelt


def _with_full_paths(taken: TakenBack, spelling: Mapping[str, str]) -> TakenBack:
    paths = tuple(spelling.get(path, path) for path in taken.paths)
    return replace(taken, transaction=f"{INSTALLATION}{taken.transaction}", paths=paths)


def _known(environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield the directories whose files installations have changed."""
    for file in sorted((_state(environment) / "keyhole").glob("*/root")):
        base = Path(os.fsdecode(file.read_bytes()))
        if base.is_dir():
            yield base


def _files(base: Path, name: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the files of an installation in a directory; none where it has no such."""
    tree = _tree(base, (), environment)
    try:
        entry = tree.journal.entry(name)
    finally:
        tree.close()
    return tuple(change.path for change in entry.files) if entry else ()


def _tree(base: Path, names: tuple[str, ...], environment: Mapping[str, str]) -> Tree:
    options = TreeOptions(
        allow_protected=names,
        homes=homes(environment),
        refresh_updated=False,
        retention=_FOR_EVER,
    )
    return Tree.open(base, state_home=_state(environment), options=options)


def _state(environment: Mapping[str, str]) -> Path:
    return state_home(environment) / "keyhole" / "installs"


def _has_journal(directory: Path, state: Path) -> bool:
    return (state / "keyhole" / workspace_id(str(directory)) / "journal.db").is_file()
