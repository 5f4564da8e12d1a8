"""The files as an undo would leave them so far, and the plans that lead there."""

from __future__ import annotations

from keyhole.disk.files import FileMetadata
from keyhole.edits.model.plan import FilePlan, LocatedEdit, Snapshot
from keyhole.fastclasses import dataclass, field, replace
from keyhole.history.restore import RestoredFile
from keyhole.history.steps_since import FileHistory, HistoryStep, Moves, TextHistory, minimal
from keyhole.history.undo_refusals import partly_so
from keyhole.history.versions import FileVersion
from keyhole.journal.model import Entry, FileChange, FileEntries
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import diff
from keyhole.text.document import Document


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
    # Files in which lines of an entry were already as the undo would make them.
    stood: dict[str, str] = field(default_factory=dict)
    # The entries that are taken back so far; what they took back themselves stands again.
    taken: set[str] = field(default_factory=set)
    # Whether work is taken back as far as it is there, whatever others did with the rest.
    rewinds: bool = False
    # What of a rewind stands since others had the last word on it: a line for each.
    passed: list[str] = field(default_factory=list)

    def put(self, path: str, document: Document | None, changes: ChangeSet | None) -> None:
        """Set a file's text to `document`; `changes` lead there, if they are known."""
        if path in self.done and changes is not None:
            before = self.done[path]
            changes = before.then(changes) if before is not None else None
        self.files[path] = document
        self.done[path] = changes

    def move(self, path: str, target: str, document: Document) -> None:
        """Move a file to another path, with its metadata."""
        self.put(path, None, None)
        self.put(target, document, None)
        if path in self.gains:
            self.gains[target] = self.gains.pop(path)
        if path in self.executable:
            self.executable[target] = self.executable.pop(path)

    def restore(self, file: RestoredFile) -> None:
        """Set a file to what it was."""
        self.put(file.path, file.document, file.changes)
        if file.moved_from:
            self.moved[file.moved_from] = file.path
        if file.gains is not None:
            self.gains[file.path] = file.gains
            self.executable[file.path] = file.gains.is_program

    def places(self, entry: Entry, change: FileChange) -> tuple[str, str]:
        """Return where a file was read, and where it is by what is taken back so far."""
        place = self.moves.present(change.path, entry.order)
        return place, self.moved.get(place, place)

    def past(
        self,
        change: FileChange,
        way: FileHistory,
        places: tuple[str, str],
        taken: ChangeSet | None = None,
    ) -> TextHistory:
        """Return the text after a change, and the steps to what was read and what is left of it.

        Changes that are `taken` back already are by the same hand.
        """
        place, path = places
        read, now = self.snapshot.files[place], self.files[path]
        assert read is not None, "BUG: the file was read"
        assert now is not None, "BUG: and it is there"
        done = self.done.get(path, ChangeSet(len(read.text)))
        mine = HistoryStep(done if done is not None else diff(read.text, now.text))
        text = FileVersion.after(change).text(self.journal)
        own = minimal(taken, text).changes if taken else ()
        return TextHistory.of(self.journal, text, (*way.to(read), mine), own)


def plans_of(state: UndoState) -> list[FilePlan]:
    """Return the plans from the present files to this state."""
    there = state.snapshot.files
    # What comes back from nowhere under another name was not moved there.
    origin = {new: old for old, new in state.moved.items() if there.get(old) is not None}
    plans = []
    for path, done in state.done.items():
        before, after = state.snapshot.files.get(path), state.files[path]
        if before is None and after is None:
            continue
        changes = _changes(before, after, done)
        made = changes.changes if before is not None else ()
        edits = (LocatedEdit(0, made, span=(made[0].start, made[-1].end)),) if made else ()
        moved_from, moved_to = origin.get(path, ""), state.moved.get(path, "")
        plan = FilePlan(path, before, after, changes, edits, moved_from, moved_to)
        stood = (partly_so(state.stood[path]),) if path in state.stood else ()
        mode = state.executable.get(path)
        mode = None if mode == (path in state.snapshot.programs) else mode
        plans.append(replace(plan, executable=mode, warnings=stood))
    return plans


def _changes(before: Document | None, after: Document | None, done: ChangeSet | None) -> ChangeSet:
    if before is None:
        return ChangeSet(0, (Change(0, 0, after.text),) if after and after.text else ())
    if after is None:
        return ChangeSet(len(before.text))
    return minimal(done, before.text) if done is not None else diff(before.text, after.text)
