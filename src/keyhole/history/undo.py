"""Undo: the plan that takes entries back, whatever happened since, or refusals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from keyhole.disk.files import FileMetadata
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.fastclasses import dataclass
from keyhole.history.pieces import UndonePieces, got_other_text, pieces_of
from keyhole.history.restore import LAST, restorable
from keyhole.history.settled import became_unkept, unsettled
from keyhole.history.steps_since import (
    FileHistory,
    HistoryStep,
    Moves,
    TextHistory,
    follow_file,
    steps_at,
)
from keyhole.history.targets import MOST, entry_of, files_to_undo, is_undone
from keyhole.history.undo_refusals import (
    Clashes,
    already_so,
    another_file,
    changed_since,
    clash,
    gone,
    in_the_way,
    moved_on,
    not_alone,
    rewritten,
    while_few,
)
from keyhole.history.undo_state import UndoState, plans_of
from keyhole.history.versions import CachedJournal, change_at, changes_of, version
from keyhole.journal.model import Entry, FileChange, FileEntries, Undone
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import ChangeSet, Clash
from keyhole.text.diff import diff, line_changes
from keyhole.text.document import NOTEBOOK, Document

if TYPE_CHECKING:
    from keyhole.text.notebook import FormerCell


@dataclass(frozen=True, slots=True)
class Undo:
    """A plan that takes entries back, and what its commit needs besides."""

    plan: Plan
    undoes: tuple[Undone, ...]
    gains: Mapping[str, FileMetadata]
    # The directories that the entries had made, outermost first.
    made: tuple[str, ...]
    # Whether each file gets a text that one of the entries found in it.
    is_return: bool
    # What stands since others had the last word on it.
    passed: tuple[str, ...] = ()


def paths_of(journal: FileEntries, targets: Sequence[Undone]) -> frozenset[str]:
    """Return the files that an undo of these entries needs to hold."""
    entries = [entry_of(journal, target.entry) for target in targets]
    moves = _moves_since(journal, entries)
    paths: set[str] = set()
    taken = {target.entry for target in targets}
    for target, entry in zip(targets, entries, strict=True):
        for change in files_to_undo(journal, entry, target, taken):
            paths |= {change.path, moves.present(change.path, entry.order)}
            if change.moved_to:
                paths.add(moves.present(change.moved_to, entry.order))
    return frozenset(paths)


def _moves_since(journal: FileEntries, entries: Sequence[Entry]) -> Moves:
    return Moves(journal, min((entry.order for entry in entries), default=0))


def undo(
    journal: FileEntries, targets: Sequence[Undone], snapshot: Snapshot, *, rewinds: bool = False
) -> Undo:
    """Return the plan that takes back `targets`, given newest first; all of them, or a refusal.

    One that `rewinds` passes over what is gone, or back, by what others did.
    """
    there = [document for document in snapshot.files.values() if document is not None]
    known = journal if isinstance(journal, CachedJournal) else CachedJournal(journal)
    journal = _with_recent_entries(known.again(there), targets)
    entries = [entry_of(journal, target.entry) for target in targets]
    state = UndoState(journal, snapshot, dict(snapshot.files), _moves_since(journal, entries))
    state.rewinds = rewinds
    refusals: list[Refusal] = []
    pieces: set[tuple[str, str]] = set()
    done = _restored(state, targets, entries)
    for target, entry in while_few(zip(targets, entries, strict=True), refusals):
        left = _not_restored(state, entry, target, done)
        state.taken.add(entry.id)
        for change in reversed(left):
            met = _passed(state, entry, _take_back(state, entry, change, target.edit))
            refusals += [each for each in met if each not in refusals]
            pieces |= {(entry.id, change.path) for _ in met}
    if refusals:
        raise Clashes(refusals, pieces)
    plan = Plan(tuple(plans_of(state)))
    if plan.is_empty:
        raise Refused(already_so(targets))
    made = tuple(path for entry in reversed(entries) for path in entry.draft.made)
    passed = tuple(dict.fromkeys(state.passed))
    return Undo(plan, tuple(targets), state.gains, made, _is_return(plan, entries), passed)


def _passed(state: UndoState, entry: Entry, met: list[Refusal]) -> list[Refusal]:
    """Return the clashes of a file; what git did to the tree is no conflict with anybody."""
    if not (state.rewinds and entry.call.details.get("git")):
        return met
    state.passed += [each.headline for each in met]
    return []


def _with_recent_entries(journal: CachedJournal, targets: Sequence[Undone]) -> CachedJournal:
    """Return the journal; for a single file, its few entries since are asked for at once."""
    entries = [entry_of(journal, target.entry) for target in targets]
    paths = {change.path for entry in entries for change in entry.files}
    if len(paths) == 1:
        journal.later(paths.pop(), min(entry.order for entry in entries) - 1, LAST)
    return journal


def _not_restored(
    state: UndoState, entry: Entry, target: Undone, restored: Collection[str]
) -> list[FileChange]:
    """Return the files that an undo is about, without the restored ones."""
    if all(change.path in restored for change in entry.files):
        return []
    left = files_to_undo(state.journal, entry, target, state.taken)
    return [change for change in left if change.path not in restored]


def _is_return(plan: Plan, entries: Sequence[Entry]) -> bool:
    """Tell whether each file gets a text that one of the entries found in it."""
    found = {(change.path, change.before) for entry in entries for change in entry.files}
    return all(file.after is None or (file.path, file.after.hash) in found for file in plan.files)


def _restored(state: UndoState, targets: Sequence[Undone], entries: Sequence[Entry]) -> set[str]:
    """Restore all files that nobody else touched; return their paths."""
    if any(target.edit is not None or target.path for target in targets):
        return set()
    files = restorable(state.journal, entries, state.snapshot)
    for file in files:
        state.restore(file)
    return {file.path for file in files}


def _take_back(
    state: UndoState, entry: Entry, change: FileChange, edit: int | None
) -> list[Refusal]:
    """Undo one file of one entry in the state, or return the refusals."""
    if edit is not None and len(change.edits) > 1 and None in (change.before, change.after):
        return [not_alone(entry, edit)]
    if change.moved_from:
        return []  # The other half of the move does both.
    if change.moved_to:
        return _move_back(state, entry, change)
    if change.before is None:
        return _uncreate(state, entry, change)
    if change.after is None:
        return _undelete(state, entry, change)
    return _undo_edit(state, entry, change, edit)


def _undo_edit(
    state: UndoState, entry: Entry, change: FileChange, edit: int | None
) -> list[Refusal]:
    kept = _spans_to_take_back(state, entry, change, edit)
    if isinstance(kept, Refusal):
        return [kept]
    inverse = _inverse(state.journal, change, kept)
    modes = change.gains is not None and (edit is None or edit in change.of_mode)
    if inverse.is_empty and not modes:
        return []
    place, path = state.places(entry, change)
    now = state.files.get(path)
    if now is None:
        return _gone(state, entry, change.path)
    if path != change.path and got_other_text(state.journal, entry, change):
        return [moved_on(entry, change.path, path)]
    if modes:
        _give_mode_back(state, change, path, place)
    if inverse.is_empty:
        return []
    way = follow_file(state.journal, change, entry.order)
    # Another file may have the very same bytes, as all empty ones do.
    is_same = now.hash == change.after and way.exchanged in {"", *state.taken}
    is_same = is_same and not (state.rewinds and _has_others(state, path, entry.order))
    if is_same and len(kept) == len(change.spans):
        # Nothing happened since: the very bytes come back, also when a declaration of their
        # encoding was part of the edit.
        before = _version_before(state.journal, change)
        same = len(now.text) == inverse.length and inverse.apply(now.text) == before.text
        state.put(path, before, inverse if same else diff(now.text, before.text))
        return []
    return _carry_back(state, entry, change, kept, way)


def _has_others(state: UndoState, path: str, order: int) -> bool:
    """Tell whether an entry that stands changed a file after `order`, back to this text or not."""
    return any(
        each.id not in state.taken and not is_undone(state.journal, each, state.taken)
        for each in state.journal.later(path, order, MOST)
    )


def _carry_back(
    state: UndoState, entry: Entry, change: FileChange, kept: frozenset[int], way: FileHistory
) -> list[Refusal]:
    """Undo some changes of an entry in a file that changed since."""
    place, path = state.places(entry, change)
    now, read = state.files.get(path), state.snapshot.files.get(place)
    if now is None or read is None:
        return _gone(state, entry, change.path)
    if way.exchanged:
        return [another_file(entry, path, way.exchanged)]
    taken = _inverse(state.journal, change, frozenset(range(len(change.spans))) - kept)
    past = state.past(change, way, (place, path), taken)
    if past.total.changes and got_other_text(state.journal, entry, change):
        # What was written since is no part of the file whose text it had.
        return [changed_since(entry, path, now)]
    inverse = _inverse(state.journal, change, _without_date(change, kept))
    rebased = past.carry(inverse)
    if isinstance(rebased, Clash):
        state.stood[path], inverse = entry.id, past.missing(inverse)
        inverse = unsettled(inverse, past) if state.rewinds else inverse
        rebased = past.carry(inverse)
    if isinstance(rebased, Clash):
        return [clash(entry, change.path, inverse, past, now)]
    if later := _rewriter(state, entry, past, inverse):
        return [rewritten(entry, path, later, now)]
    state.put(path, now.changed(rebased, _former_cells(state, change, kept)), rebased)
    return []


def _gone(state: UndoState, entry: Entry, path: str) -> list[Refusal]:
    return [] if state.rewinds else [gone(entry, path)]


def _former_cells(
    state: UndoState, change: FileChange, kept: frozenset[int]
) -> tuple[FormerCell, ...]:
    """Return the cells of a notebook in which changes were made, as they were before."""
    if change.encoding != NOTEBOOK:
        return ()
    changes = changes_of(state.journal, change).changes
    spans = [(each.start, each.end) for at, each in enumerate(changes) if at in kept]
    return _version_before(state.journal, change).former_cells(spans)


def _rewriter(state: UndoState, entry: Entry, past: TextHistory, inverse: ChangeSet) -> str:
    """Return an entry that rewrote the lines of an undo, even with the same text, or "".

    Git puts back what was there, as by a stash; only what git brought itself, it may bring anew.
    """
    by_git = bool(entry.call.details.get("git"))
    lines = line_changes(past.text, inverse).changes
    places = [(each.start, each.end) for each in lines]
    for step, at in steps_at(state.journal, places, past.steps):
        later = entry_of(state.journal, step.entry)
        if (
            not later.call.undoes
            and (by_git or not later.call.details.get("git"))
            and later.id not in state.taken
            and _stands(state, later, step, at)
        ):
            return later.id
    return ""


def _stands(state: UndoState, entry: Entry, step: HistoryStep, at: int) -> bool:
    """Tell whether one change of an entry's step was not taken back."""
    taken = UndonePieces(state.journal, state.taken).undone(entry)
    change = next((each for each in entry.files if each.path == step.path), None)
    records = change.edits if change else ()
    owner = next((each.index for each in records if at in each.spans), None)
    return (step.path, owner) not in taken and not pieces_of(entry) <= taken


def _without_date(change: FileChange, kept: frozenset[int]) -> frozenset[int]:
    """Return the changes that edits made, without the date in a header."""
    owned = frozenset(span for record in change.edits for span in record.spans)
    return (kept & owned) or kept


def _give_mode_back(state: UndoState, change: FileChange, path: str, place: str) -> None:
    """Restore the executable bit of the file at `place`, unless somebody changed it since."""
    now = state.files[path]
    assert now is not None, "BUG: the file is there"
    assert change.metadata is not None, "BUG: the file was there"
    if change.executable is None:
        # Its text came from elsewhere, and brought along what it carried there.
        state.gains[path] = change.metadata
        return
    is_program = state.executable.get(path, place in state.snapshot.programs)
    if is_program == change.executable:
        state.executable[path] = not change.executable
        state.gains[path] = change.metadata
        state.put(path, now, ChangeSet(len(now.text)))


def _version_before(journal: FileEntries, change: FileChange) -> Document:
    assert change.before is not None, "BUG: an edited file was there"
    return version(journal, change.before, change.encoding)


def _text_after(journal: FileEntries, change: FileChange) -> str:
    assert change.after is not None, "BUG: a deletion leads to no text"
    return version(journal, change.after, change.encoding).text


def _spans_to_take_back(
    state: UndoState, entry: Entry, change: FileChange, edit: int | None
) -> frozenset[int] | Refusal:
    """Return which changes are still to be taken back: those of the edit, or all that are left."""
    owners = {record.index: record.spans for record in change.edits}
    if edit is not None:
        if edit not in owners:
            return frozenset()
        if not owners[edit] and edit not in change.of_mode:
            return not_alone(entry, edit)
        return frozenset(owners[edit])
    taken = UndonePieces(state.journal, state.taken).undone(entry)
    left = {span for index in owners if (change.path, index) not in taken for span in owners[index]}
    if (change.path, None) not in taken:
        left |= set(range(len(change.spans))).difference(*owners.values())
    return frozenset(left)


def _inverse(journal: FileEntries, change: FileChange, kept: frozenset[int]) -> ChangeSet:
    text = _version_before(journal, change).text
    inverse = changes_of(journal, change).invert(text)
    chosen = tuple(each for index, each in enumerate(inverse.changes) if index in kept)
    return ChangeSet(inverse.length, chosen)


def _uncreate(state: UndoState, entry: Entry, change: FileChange) -> list[Refusal]:
    _, path = state.places(entry, change)
    now = state.files.get(path)
    if now is None:
        was_taken = _was_taken_away(state, path, entry.order)
        return _gone(state, entry, path) if was_taken else []
    if state.rewinds and _was_taken_away(state, path, entry.order):
        return []  # What is there now, others brought.
    way = follow_file(state.journal, change, entry.order)
    if now.hash != change.after and state.rewinds and now.encoding != NOTEBOOK:
        return _leave_to_others(state, entry, change, way)
    if path != change.path and not (state.rewinds and now.hash == change.after):
        return [moved_on(entry, change.path, path)]
    if now.hash != change.after:
        return [changed_since(entry, path, now)]
    if way.exchanged not in {"", *state.taken}:
        return [another_file(entry, path, way.exchanged)]
    state.put(path, None, None)
    return []


def _leave_to_others(
    state: UndoState, entry: Entry, change: FileChange, way: FileHistory
) -> list[Refusal]:
    """Leave of a file that an entry made the lines that others wrote into it since.

    Worked example: an agent made a file of `a`, `b`, and a person put `p` between: `p` is left. A
    file that another one has taken the place of, or of which nothing is left, is theirs or goes.
    """
    place, path = state.places(entry, change)
    now, read = state.files[path], state.snapshot.files.get(place)
    assert now is not None, "BUG: the file is there"
    if way.exchanged not in {"", *state.taken} or read is None:
        state.passed.append(another_file(entry, path, way.exchanged).headline)
        return []
    past = state.past(change, way, (place, path))
    theirs = "".join(each.text for each in line_changes(past.text, past.total).changes)
    left = diff(now.text, theirs)
    state.put(path, now.changed(left) if theirs else None, left if theirs else None)
    return []


def _was_taken_away(state: UndoState, path: str, order: int) -> bool:
    """Tell whether an entry that stands removed a file after `order`."""
    later = state.journal.departures(path, order)
    return any(
        each.id not in state.taken and not is_undone(state.journal, each, state.taken)
        for each in later
    )


def _undelete(state: UndoState, entry: Entry, change: FileChange) -> list[Refusal]:
    now = state.files.get(change.path)
    if now is not None and not (state.rewinds and became_unkept(entry, change.path)):
        if now.hash == change.before:
            return []
        return _stands_in_the_way(state, entry, change.path, now)
    state.put(change.path, _version_before(state.journal, change), None)
    if change.metadata is not None:
        state.gains[change.path] = change.metadata
        state.executable[change.path] = change.metadata.is_program
    return []


def _stands_in_the_way(state: UndoState, entry: Entry, path: str, now: Document) -> list[Refusal]:
    """Leave a file that others brought since, as a rewind does; else refuse."""
    refusal = in_the_way(entry, path, now)
    if not (state.rewinds and _has_others(state, path, entry.order)):
        return [refusal]
    state.passed.append(refusal.headline)
    return []


def _move_back(state: UndoState, entry: Entry, change: FileChange) -> list[Refusal]:
    """Move a file back with the edits made since, without the edits of the move itself."""
    arrived = change_at(entry, change.moved_to)
    way = follow_file(state.journal, arrived, entry.order)
    path = state.moved.get(way.path, way.path)
    now, there = state.files.get(path), state.files.get(change.path)
    if now is None:
        return _gone(state, entry, path)
    if way.exchanged:
        return [another_file(entry, path, way.exchanged)]
    if path != change.moved_to:
        return [] if state.rewinds else [moved_on(entry, change.moved_to, path)]
    if there is not None:
        return _stands_in_the_way(state, entry, change.path, there)
    before = _version_before(state.journal, change)
    past = TextHistory.of(state.journal, _text_after(state.journal, arrived), way.to(now))
    inverse = diff(past.text, before.text)
    rebased = past.carry(inverse)
    if isinstance(rebased, Clash):
        return [changed_since(entry, path, now)]
    former = before.former_cells([(0, len(before.text))])
    state.move(path, change.path, now.changed(rebased, former))
    if arrived.gains and change.metadata and arrived.gains.mode != change.metadata.mode:
        state.gains[change.path] = change.metadata
    state.moved[way.path] = change.path
    return []
