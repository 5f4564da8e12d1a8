"""The files as they would stand after the entries taken back so far, and the plans for that."""

from __future__ import annotations

from keyhole.edits.plan import FilePlan, LocatedEdit, Snapshot
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import diff
from keyhole.text.document import Document
from keyhole.values import dataclass, field, replace
from keyhole.workspace.disk.metadata import FileMetadata
from keyhole.workspace.journal.base import FileEntries
from keyhole.workspace.past.restoring import Restored
from keyhole.workspace.past.since import Moves, tight


@dataclass(slots=True)
class UndoState:
    """The files as they would stand after the entries taken back so far."""

    journal: FileEntries
    snapshot: Snapshot
    files: dict[str, Document | None]
    moves: Moves
    # What was done to a file since it was read, as one set; None where it was created or replaced.
    done: dict[str, ChangeSet | None] = field(default_factory=dict)
    gains: dict[str, FileMetadata] = field(default_factory=dict)
    # Files that become programs, or cease to be.
    executable: dict[str, bool] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    # The entries that are taken back so far; what they took back themselves stands again.
    taken: set[str] = field(default_factory=set)

    def put(self, path: str, document: Document | None, changes: ChangeSet | None) -> None:
        """Let a file stand as `document`, which it becomes by `changes` if that can be said."""
        if path in self.done and changes is not None:
            before = self.done[path]
            changes = before.then(changes) if before is not None else None
        self.files[path] = document
        self.done[path] = changes

    def move(self, path: str, target: str, document: Document) -> None:
        """Let a file stand at another path, with what it is to carry."""
        self.put(path, None, None)
        self.put(target, document, None)
        if path in self.gains:
            self.gains[target] = self.gains.pop(path)
        if path in self.executable:
            self.executable[target] = self.executable.pop(path)

    def restore(self, file: Restored) -> None:
        """Let a file stand as it was."""
        self.put(file.path, file.document, file.changes)
        if file.moved_from:
            self.moved[file.moved_from] = file.path
        if file.gains is not None:
            self.gains[file.path] = file.gains
            self.executable[file.path] = file.gains.is_program


def plans_of(world: UndoState) -> list[FilePlan]:
    """Return what makes the files what they stand as."""
    there = world.snapshot.files
    # What comes back from nowhere under another name was not moved there.
    origin = {new: old for old, new in world.moved.items() if there.get(old) is not None}
    plans = []
    for path, done in world.done.items():
        before, after = world.snapshot.files.get(path), world.files[path]
        if before is None and after is None:
            continue
        changes = _changes(before, after, done)
        edited = before is not None and changes.changes
        edits = (LocatedEdit(0, changes.changes, span=_span(changes)),) if edited else ()
        moved_from, moved_to = origin.get(path, ""), world.moved.get(path, "")
        plan = FilePlan(path, before, after, changes, edits, moved_from, moved_to)
        plans.append(replace(plan, executable=_executable(world, path)))
    return plans


def _executable(world: UndoState, path: str) -> bool | None:
    wanted = world.executable.get(path)
    return None if wanted == (path in world.snapshot.programs) else wanted


def _changes(before: Document | None, after: Document | None, done: ChangeSet | None) -> ChangeSet:
    if before is None:
        return ChangeSet(0, (Change(0, 0, after.text),) if after and after.text else ())
    if after is None:
        return ChangeSet(len(before.text))
    return tight(done, before.text) if done is not None else diff(before.text, after.text)


def _span(changes: ChangeSet) -> tuple[int, int]:
    return changes.changes[0].start, changes.changes[-1].end
