"""What others did to files, as the journal keeps what anybody did: spans, modes, moves."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from keyhole.disk.files import FileMetadata
from keyhole.fastclasses import dataclass, replace
from keyhole.journal.model import MODE, EditRecord, FileChange, Span
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document, hash_of, stored_as

# Texts are compared line by line up to this size each and together; beyond, by their ends.
_MOST_TEXT = 1 << 20
_MOST_TOGETHER = 24 << 20


@dataclass(frozen=True, slots=True)
class OutsideChange:
    """A file before and after somebody else was at it; None where there was, or is, none."""

    path: str
    before: bytes | None
    after: bytes | None
    was_program: bool = False
    is_program: bool = False

    @property
    def is_nothing(self) -> bool:
        """Tell whether nothing is left to tell."""
        same_mode = self.was_program == self.is_program or None in (self.before, self.after)
        return self.before == self.after and same_mode


class ChangeRecorder:
    """Makes records of changes, with a budget for comparing texts."""

    def __init__(self, reason: str) -> None:
        self._reason = reason
        self._left = _MOST_TOGETHER
        self._count = 0

    def record(self, change: OutsideChange) -> FileChange:
        """Return a change as the journal keeps it."""
        number, self._count = self._count, self._count + 1
        there = change.before if change.before is not None else change.after
        assert there is not None, "BUG: a file that changed was or is there"
        encoding = Document.from_bytes(there, stored_as(change.path, None)).encoding
        spans = self._spans(change, encoding)
        metadata, gains = _metadata(change)
        edits = [EditRecord(number, (*range(len(spans)),), self._reason)] if spans else []
        if gains is not None and change.before is not None:
            edits.append(EditRecord(number + bool(spans), (), self._reason, matched=MODE))
            self._count += bool(spans)
        if not edits:
            edits.append(EditRecord(number, (), self._reason))
        return FileChange(
            change.path,
            hash_of(change.before) if change.before is not None else None,
            hash_of(change.after) if change.after is not None else None,
            spans,
            tuple(edits),
            encoding,
            metadata,
            gains,
        )

    def _spans(self, change: OutsideChange, encoding: str) -> tuple[Span, ...]:
        if change.before == change.after:
            return ()
        before, after = (
            Document.from_bytes(each, encoding).text if each is not None else None
            for each in (change.before, change.after)
        )
        if before is None:
            return (Span(0, 0, len(after)),) if after else ()
        if after is None:
            return (Span(0, len(before), 0),) if before else ()
        from keyhole.text.diff import diff  # a look that finds nothing compares nothing

        size = len(before) + len(after)
        is_text = "\0" not in before[:8192] and "\0" not in after[:8192]
        if is_text and size <= _MOST_TEXT and size <= self._left:
            self._left -= size
            changes = diff(before, after)
        else:
            changes = by_ends(before, after)
        return tuple(Span(each.start, each.end, len(each.text)) for each in changes.changes)


def by_ends(before: str, after: str) -> ChangeSet:
    """Return one change: all between the two ends that texts share."""
    from keyhole.text.align import common_head, common_tail

    head = common_head(before, after)
    tail = common_tail(before, after, head)
    change = Change(head, len(before) - tail, after[head : len(after) - tail])
    return ChangeSet(len(before), (change,) if before != after else ())


def _usual() -> FileMetadata:
    return FileMetadata(0o644, os.geteuid(), os.getegid())


def _metadata(change: OutsideChange) -> tuple[FileMetadata | None, FileMetadata | None]:
    """Return what the file carried before, and what it was given besides its bytes."""
    usual = _usual()
    before = usual.with_executable(executable=change.was_program)
    now = usual.with_executable(executable=change.is_program)
    if change.before is None:
        return None, now if change.is_program else None
    return (
        before,
        now if change.was_program != change.is_program and change.after is not None else None,
    )


def with_moves(changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
    """Return the changes with files that went and came with the same bytes as moves."""
    gone: dict[str, list[FileChange]] = {}
    for each in changes:
        if each.after is None and each.before is not None:
            gone.setdefault(each.before, []).append(each)
    moved: dict[str, FileChange] = {}
    for each in changes:
        sources = gone.get(each.after or "", []) if each.before is None else []
        # An empty file is like every other, and of many that are alike one is as good as another.
        if sources and each.spans:
            best = max(sources, key=lambda one: _alike(one.path, each.path))
            sources.remove(best)
            moved[best.path] = replace(best, moved_to=each.path)
            lost = best.metadata is not None and best.metadata.is_program and not each.gains
            gains = _usual().with_executable(executable=False) if lost else each.gains
            moved[each.path] = replace(each, moved_from=best.path, edits=(), gains=gains)
    return tuple(moved.get(each.path, each) for each in changes)


def _alike(one: str, other: str) -> tuple[bool, int]:
    from keyhole.text.align import common_head

    same_name = one.rpartition("/")[2] == other.rpartition("/")[2]
    return same_name, common_head(one, other)


def images_of(changes: Iterable[OutsideChange]) -> Mapping[str, bytes]:
    """Return the texts of changes by their hashes."""
    texts = (each for change in changes for each in (change.before, change.after))
    return {hash_of(text): text for text in texts if text is not None}
