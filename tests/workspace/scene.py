"""A workspace in a temporary directory, and plans for it without the engine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from keyhole.edits.model.plan import FilePlan, LocatedEdit, Plan, Snapshot
from keyhole.history.undo import paths_of, undo
from keyhole.journal.model import Call, Entry, Undone
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree, TreeOptions
from tests.scene import put

CALL = Call(actor="tester", tool="edit", reason="because")


@dataclass(frozen=True, slots=True)
class Scene:
    """A root and a state directory side by side."""

    home: Path
    opened: list[Tree] = field(default_factory=list, compare=False)

    @property
    def root(self) -> Path:
        return self.home / "root"

    def open(self, options: TreeOptions | None = None) -> Tree:
        self.root.mkdir(exist_ok=True)
        self.opened.append(Tree.open(self.root, state_home=self.home / "state", options=options))
        return self.opened[-1]

    def close(self) -> None:
        """Close every tree that was opened; closing twice does no harm."""
        for tree in self.opened:
            tree.close()

    def put(self, path: str, data: bytes | str, mode: int = 0o644) -> Path:
        file = put(self.root, path, data)
        file.chmod(mode)
        return file

    def files(self) -> dict[str, bytes]:
        """Return every file of the root, temporary ones included."""
        found = {}
        for directory, _, names in os.walk(self.root):
            for name in names:
                path = Path(directory) / name
                found[path.relative_to(self.root).as_posix()] = path.read_bytes()
        return found


def changing(path: str, document: Document, *changes: Change, reason: str = "") -> FilePlan:
    """Plan exact changes of one file, each an edit of its own."""
    made = ChangeSet.of(len(document.text), changes)
    assert isinstance(made, ChangeSet)
    edits = tuple(
        LocatedEdit(index, (change,), reason=reason, span=(change.start, change.end))
        for index, change in enumerate(made.changes)
    )
    return FilePlan(path, document, document.with_text(made.apply(document.text)), made, edits)


def replacing(path: str, document: Document, old: str, new: str) -> FilePlan:
    """Plan the replacement of one text by another, where it first occurs."""
    start = document.text.index(old)
    return changing(path, document, Change(start, start + len(old), new))


def creating(path: str, text: str) -> FilePlan:
    """Plan a new file."""
    document = Document.from_bytes(text.encode("utf-8", "surrogateescape"))
    return FilePlan(path, None, document, ChangeSet(0))


def deleting(path: str, document: Document) -> FilePlan:
    """Plan a deletion."""
    return FilePlan(path, document, None, ChangeSet(len(document.text)))


def moving(old: str, new: str, document: Document) -> tuple[FilePlan, FilePlan]:
    """Plan a move."""
    length = len(document.text)
    return (
        FilePlan(old, document, None, ChangeSet(length), moved_to=new),
        FilePlan(new, None, document, ChangeSet(length), moved_from=old),
    )


def present(snapshot: Snapshot, path: str) -> Document:
    """Return a file of a snapshot that is there."""
    document = snapshot.files[path]
    assert document is not None
    return document


def edit(tree: Tree, path: str, old: str, new: str, call: Call = CALL) -> Entry:
    """Replace text in one file, from lock to acknowledgement."""
    with tree.hold([path]) as held:
        return held.commit(Plan((replacing(path, present(held.snapshot, path), old, new),)), call)


def edit_all(tree: Tree, wanted: Mapping[str, tuple[str, str]], call: Call = CALL) -> Entry:
    """Replace text in several files in one transaction."""
    with tree.hold(list(wanted)) as held:
        plans = (
            replacing(path, present(held.snapshot, path), old, new)
            for path, (old, new) in wanted.items()
        )
        return held.commit(Plan(tuple(plans)), call)


def create(tree: Tree, path: str, text: str, call: Call = CALL) -> Entry:
    """Create one file."""
    with tree.hold([path]) as held:
        return held.commit(Plan((creating(path, text),)), call)


def delete(tree: Tree, path: str, call: Call = CALL) -> Entry:
    """Delete one file."""
    with tree.hold([path]) as held:
        return held.commit(Plan((deleting(path, present(held.snapshot, path)),)), call)


def move(tree: Tree, old: str, new: str, call: Call = CALL) -> Entry:
    """Move one file."""
    with tree.hold([old, new]) as held:
        return held.commit(Plan(moving(old, new, present(held.snapshot, old))), call)


def take_back(tree: Tree, targets: Sequence[Undone], actor: str = "tester") -> Entry:
    """Undo entries, from lock to acknowledgement."""
    with tree.hold(paths_of(tree.journal, targets)) as held:
        taken = undo(tree.journal, targets, held.snapshot)
        call = Call(actor=actor, tool="undo", undoes=taken.undoes)
        return held.commit(taken.plan, call, gains=taken.gains, made=taken.made)
