"""A plan as the steps that carry it out: one per file, with everything the journal will keep."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from keyhole.edits.plan import FilePlan, Plan
from keyhole.text.document import Document
from keyhole.values import dataclass, replace
from keyhole.workspace.atomic import temporary_name
from keyhole.workspace.disk.metadata import FileMetadata
from keyhole.workspace.disk.reading import FileRead
from keyhole.workspace.journal.base import MODE, EditRecord, FileChange, Span
from keyhole.workspace.locks import Locked
from keyhole.workspace.staging.site import CommitContext, Directories


@dataclass(frozen=True, slots=True)
class FileStep:
    """One file on its way to the disk."""

    change: FileChange
    directory: str
    name: str
    temp: str
    seen: FileRead | None
    after: Document | None

    @property
    def data(self) -> bytes:
        """Return the new bytes; made anew each time, so that no copy outlives its use."""
        assert self.after is not None, "BUG: a deletion has no bytes"
        return self.after.to_bytes()


class Images(Mapping[str, bytes]):
    """Every version the steps start from or lead to, by its hash; each is made when asked for."""

    def __init__(self, steps: Sequence[FileStep]) -> None:
        self._made: dict[str, Callable[[], bytes]] = {}
        for step in steps:
            if step.seen is not None and step.change.before is not None:
                self._made[step.change.before] = partial(getattr, step.seen, "data")
            if step.after is not None and step.change.after is not None:
                self._made[step.change.after] = step.after.to_bytes

    def __getitem__(self, hash_: str) -> bytes:
        return self._made[hash_]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


@dataclass(frozen=True, slots=True)
class Bench:
    """What a commit works with: the site, the locks in hand, the files as they were read.

    Those that are `held` stay open meanwhile.
    """

    site: CommitContext
    locked: Locked
    directories: Directories
    seen: Mapping[str, FileRead | None]
    held: Collection[str] = ()


def steps_of(
    plan: Plan, seen: Mapping[str, FileRead | None], gains: Mapping[str, FileMetadata], token: str
) -> list[FileStep]:
    """Return a step for every file that changes."""
    files = [file for file in plan.files if not file.is_unchanged]
    return [_step(file, seen, gains, temporary_name(token, nth)) for nth, file in enumerate(files)]


def _step(
    file: FilePlan,
    seen: Mapping[str, FileRead | None],
    gains: Mapping[str, FileMetadata],
    temp: str,
) -> FileStep:
    now = seen[file.path]
    directory, _, name = file.path.rpartition("/")
    given = _given(file, seen, gains.get(file.path))
    return FileStep(_change(file, now, given), directory, name, temp, now, file.after)


def _given(
    file: FilePlan, seen: Mapping[str, FileRead | None], gains: FileMetadata | None
) -> FileMetadata | None:
    """Return what the file shall carry where that is not what it carries, or what is usual."""
    if file.after is None:
        return None
    now = seen[file.path]
    if file.like:
        return _brought(file, seen)
    if now is not None and file.executable is not None:
        made = now.metadata.made(executable=file.executable)
        return replace(made, mode=gains.mode) if gains else made
    if now is not None or gains is not None:
        return gains
    source = seen[file.moved_from] if file.moved_from else None
    if source is None:
        return FileMetadata(0o755, os.geteuid(), os.getegid()) if file.executable else None
    if file.executable is None:
        return source.metadata
    return source.metadata.made(executable=file.executable)


def _brought(file: FilePlan, seen: Mapping[str, FileRead | None]) -> FileMetadata:
    """Return what a file brings along from where it was, and whether it is a program now."""
    source, now = seen[file.like], seen[file.path]
    assert source is not None, "BUG: a file that came here was somewhere"
    program = bool(now and now.metadata.is_program)
    program = program if file.executable is None else file.executable
    if source.metadata.is_program == program:
        return source.metadata
    return source.metadata.made(executable=program)


def _change(file: FilePlan, seen: FileRead | None, gains: FileMetadata | None) -> FileChange:
    before, after = file.before, file.after
    assert (before is None) == (seen is None), "BUG: the plan was made for another state"
    spans = tuple(Span(each.start, each.end, len(each.text)) for each in file.changes.changes)
    document = before if before is not None else after
    assert document is not None, "BUG: a plan for a file has a document"
    return FileChange(
        file.path,
        before.hash if before is not None else None,
        after.hash if after is not None else None,
        spans,
        tuple(_edit_records(file)),
        document.encoding,
        seen.metadata if seen else None,
        gains,
        file.moved_from,
        file.moved_to,
    )


def _edit_records(file: FilePlan) -> Iterator[EditRecord]:
    positions = {change: index for index, change in enumerate(file.changes.changes)}
    for edit in file.edits:
        own = [positions.get(change, -1) for change in edit.changes]
        # Edits that build on each other have no place of their own in the text before.
        spans = () if -1 in own else tuple(own)
        matched = MODE if edit.is_mode else edit.matched
        yield EditRecord(edit.index, spans, edit.reason, edit.segment, matched)
