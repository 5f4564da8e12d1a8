"""What a transaction, or a plan, does to each file: both sides, and the edits with their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from keyhole.answers.side_by_side import SideBySide, line_counts, sides
from keyhole.edits.model.plan import FilePlan
from keyhole.engine.history.segment_edits import segment_at
from keyhole.fastclasses import dataclass, replace
from keyhole.history.versions import changes_of, version
from keyhole.journal.model import EditRecord, Entry, FileChange, Records
from keyhole.refusals import Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document

# Longer files are not laid side by side: the unified diff says what changed.
_LONGEST = 4_000_000
_NOTHING = SideBySide((), 0, 0)


@dataclass(frozen=True, slots=True)
class EditRow:
    """One edit, and the block of the comparison where it begins; -1 where that is not known."""

    index: int
    reason: str = ""
    segment: str = ""
    matched: str = ""
    block: int = -1
    # It shares its place with other edits of the call, so it cannot be taken back alone.
    mixed: bool = False


@dataclass(frozen=True, slots=True)
class FileComparison:
    """One file before and after; `note` says why there is nothing to show."""

    path: str
    sides: SideBySide
    edits: tuple[EditRow, ...] = ()
    created: bool = False
    deleted: bool = False
    moved_from: str = ""
    moved_to: str = ""
    note: str = ""


def compare_entry(journal: Records, entry: Entry) -> tuple[FileComparison, ...]:
    """Return what an entry did to each of its files; the two ends of a move are one file."""
    arrived = {change.path: change for change in entry.files if change.moved_from}
    return tuple(
        _compared(journal, change, arrived.get(change.moved_to, change))
        for change in entry.files
        if not change.moved_from
    )


def _compared(journal: Records, change: FileChange, target: FileChange) -> FileComparison:
    try:
        before = _version(journal, change.before, change.encoding)
        after = _version(journal, target.after, target.encoding)
    except Refused as refused:
        return FileComparison(change.path, _NOTHING, note=refused.refusals[0].headline)
    inside = before is not None and after is not None and target is change
    made = changes_of(journal, change) if inside else ChangeSet(0)
    edits = [
        (record, [made.changes[at] for at in record.spans if inside]) for record in _records(change)
    ]
    return _shown(
        FileComparison(
            change.path,
            _NOTHING,
            created=before is None,
            deleted=after is None,
            moved_to=change.moved_to,
        ),
        (before, after),
        edits,
        made,
    )


def _records(change: FileChange) -> Iterator[EditRecord]:
    count = len(change.spans)
    for record in change.edits:
        yield record if all(at < count for at in record.spans) else EditRecord(record.index, ())


def compare_plan(plan: FilePlan) -> FileComparison:
    """Return what a plan would do to one file."""
    changes = plan.changes if plan.before and plan.after else ChangeSet(0)
    known = set(changes.changes)
    edits = (
        (
            EditRecord(each.index, (), each.reason, each.segment, each.matched),
            [change for change in each.changes if change in known],
        )
        for each in plan.edits
    )
    head = FileComparison(
        plan.path,
        _NOTHING,
        created=plan.before is None and not plan.moved_from,
        deleted=plan.after is None and not plan.moved_to,
        moved_from=plan.moved_from,
        moved_to=plan.moved_to,
    )
    return _shown(head, (plan.before, plan.after), edits, changes)


def contribution(plan: FilePlan) -> FileComparison:
    """Return what a plan would undo in a file, read backwards: what those edits contributed."""
    return compare_plan(
        FilePlan(
            plan.path, plan.after, plan.before, ChangeSet(0), (), plan.moved_to, plan.moved_from
        )
    )


def compare_versions(
    path: str, before: Document | None, after: Document | None, *, moved_to: str = ""
) -> FileComparison:
    """Return two versions of a file side by side."""
    head = FileComparison(
        path, _NOTHING, created=before is None, deleted=after is None, moved_to=moved_to
    )
    return _shown(head, (before, after), (), ChangeSet(0))


def compare_since(journal: Records, path: str, changes: Sequence[FileChange]) -> FileComparison:
    """Return a file from before the first of some changes to after the last, others' included."""
    first, last = changes[0], changes[-1]
    return _compared(journal, replace(first, path=path, spans=(), edits=(), moved_to=""), last)


def _shown(
    head: FileComparison,
    versions: tuple[Document | None, Document | None],
    edits: Iterable[tuple[EditRecord, list[Change]]],
    changes: ChangeSet,
) -> FileComparison:
    both = [each for each in versions if each is not None]
    note = ""
    if any(each.is_binary for each in both):
        note = f"not text: {' became '.join(f'{len(each.to_bytes())} bytes' for each in both)}"
    elif sum(len(each.text) for each in both) > _LONGEST:
        note = "too long to be shown side by side"
    found = _NOTHING if note else sides(*versions)
    ground = _LocatedFile(head.path, *versions, found, changes)
    placed = tuple(_placed(ground, record, own) for record, own in edits)
    return replace(head, sides=found, edits=placed, note=note)


@dataclass(frozen=True, slots=True)
class _LocatedFile:
    """A file in which edits are located again."""

    path: str
    before: Document | None
    after: Document | None
    sides: SideBySide
    changes: ChangeSet


def _placed(ground: _LocatedFile, record: EditRecord, own: list[Change]) -> EditRow:
    before, after = ground.before, ground.after
    changed = [at for at, block in enumerate(ground.sides.blocks) if block.changed]
    block = changed[0] if changed else -1
    segment = record.segment
    if before is None or after is None:
        return EditRow(record.index, record.reason, segment, record.matched, block)
    if own:
        block = _block_of(own[0], before, after, ground)
        segment = segment or segment_at(ground.path, before, own[0].start)
    return EditRow(record.index, record.reason, segment, record.matched, block, mixed=not own)


def _block_of(change: Change, before: Document, after: Document, ground: _LocatedFile) -> int:
    """Return the block where a change shows: the hunk its old or new lines touch."""
    made = ground.changes
    lies = dict(zip(made.changes, made.spans_after(), strict=True))
    old, new = before.lines_of((change.start, change.end)), after.lines_of(lies[change])
    hunks = [(at, block) for at, block in enumerate(ground.sides.blocks) if block.changed]
    for at, block in hunks:
        # Lines are counted from 1, those of a block from 0 with its end exclusive.
        if block.old[0] < old[1] and old[0] <= block.old[1]:
            return at
        if block.new[0] < new[1] and new[0] <= block.new[1]:
            return at
    later = [at for at, block in hunks if block.old[1] >= old[0] - 1]
    return later[0] if later else (hunks[-1][0] if hunks else -1)


def counts(
    journal: Records, change: FileChange, target: FileChange | None = None
) -> tuple[int, int]:
    """Return how many lines a file gained and lost; `target` is where it moved to, if it did."""
    target = target or change
    try:
        before = _version(journal, change.before, change.encoding)
        return line_counts(before, _version(journal, target.after, target.encoding))
    except Refused:  # the journal no longer keeps it
        return 0, 0


def _version(journal: Records, hash_: str | None, encoding: str) -> Document | None:
    return version(journal, hash_, encoding) if hash_ else None
