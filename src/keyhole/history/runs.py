"""Runs: the changes of many consecutive entries of a file, composed once and kept."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence

from keyhole.fastclasses import dataclass
from keyhole.history.pieces import got_other_text
from keyhole.history.versions import FileVersion, change_at, changes_from_spans, changes_of
from keyhole.journal.model import Entry, FileChange, FileEntries
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import diff

# Runs are of this many entries, of as many runs of those, and so on: a way through n entries is
# put together from a few of each size.
FAN = 32
_SIZES = (FAN**3, FAN**2, FAN)

_MIXED = b"mixed"
# So many of a file's last runs are made ahead: when that is done is left to chance.
_LAST = 6


@dataclass(frozen=True, slots=True)
class Run:
    """The changes from the version before some entries to the version after them."""

    changes: ChangeSet
    before: FileVersion
    after: FileVersion
    # Whether nobody else wrote in between, so that each change is where an entry recorded it.
    is_unbroken: bool = True
    # Whether no edit became several changes: then it was compared with what it replaced.
    is_stated: bool = True

    @staticmethod
    def of(journal: FileEntries, change: FileChange) -> Run:
        """Return the run of one entry."""
        ends = FileVersion.before(change), FileVersion.after(change)
        is_stated = all(len(record.spans) < 2 for record in change.edits)
        return Run(changes_of(journal, change), *ends, is_stated=is_stated)


def parts(numbers: Sequence[int], first: int) -> Iterator[Sequence[int]]:
    """Yield the entries of a file from place `first` on in parts that are runs, or shorter."""
    at = first
    while at < len(numbers):
        fits = (size for size in _SIZES if not at % size and at + size <= len(numbers))
        # What is no run goes up to the next place where one may begin.
        size = next(fits, FAN - at % FAN)
        yield numbers[at : at + size]
        at += size


def parts_of(numbers: Sequence[int]) -> list[Sequence[int]]:
    """Return the smaller runs that a run is composed of; none for a run of single entries."""
    size = len(numbers) // FAN
    return [numbers[at : at + size] for at in range(0, len(numbers), size)] if size > 1 else []


def run_of(journal: FileEntries, path: str, numbers: Sequence[int]) -> Run | None:
    """Return some entries of a file as one run; None if they are few, or did more than edit."""
    if len(numbers) not in _SIZES:
        return None
    name = _name(path, numbers)
    kept = _unpacked(name, journal.kept(name))
    if kept is not None:
        return _run_from(kept)
    run = _compose_run(journal, path, numbers)
    journal.keep(name, _packed(name, _MIXED if run is None else _bytes_of(run)))
    return run


def prepare(journal: FileEntries, entry: Entry, largest: int) -> None:
    """Compose the last entries of an entry's files into runs, except in large files.

    A much later undo then finds most runs composed.
    """
    for change in entry.files:
        image = journal.image(change.after) if change.before and change.after else None
        if image is None or len(image) > largest:
            continue
        numbers = journal.touches(change.path)
        end = len(numbers) // FAN * FAN
        for at in range(max(end - _LAST * FAN, 0), end, FAN):
            run_of(journal, change.path, numbers[at : at + FAN])


def _compose_run(journal: FileEntries, path: str, numbers: Sequence[int]) -> Run | None:
    smaller = parts_of(numbers)
    if not smaller:
        return _run_of_edits(journal, path, journal.later(path, numbers[0] - 1, len(numbers)))
    total: Run | None = None
    for part in smaller:
        run = run_of(journal, path, part)
        if run is None:
            return None
        total = run if total is None else _joined(journal, total, run)
    return total


def _joined(journal: FileEntries, one: Run, other: Run) -> Run:
    changes, is_unbroken = one.changes, one.is_unbroken and other.is_unbroken
    if one.after != other.before:
        gap = diff(one.after.text(journal), other.before.text(journal))
        changes, is_unbroken = changes.then(gap), is_unbroken and gap.is_empty
    return Run(changes.then(other.changes), one.before, other.after, is_unbroken)


def _run_of_edits(journal: FileEntries, path: str, entries: Sequence[Entry]) -> Run | None:
    changes = [change_at(entry, path) for entry in entries]
    if not all(_is_edit(journal, *each) for each in zip(entries, changes, strict=True)):
        return None
    first = at = FileVersion.before(changes[0])
    text = at.text(journal)
    total, is_unbroken = ChangeSet(len(text)), True
    for change in changes:
        before = FileVersion.before(change)
        if before != at:
            there = before.text(journal)
            is_unbroken = is_unbroken and there == text
            total, text = total.then(diff(text, there)), there
        at = FileVersion.after(change)
        after = at.text(journal)
        total, text = total.then(changes_from_spans(change.spans, text, after)), after
    return Run(total, first, at, is_unbroken)


def _is_edit(journal: FileEntries, entry: Entry, change: FileChange) -> bool:
    """Tell whether a file was edited: it neither came nor went, and got no other file's text."""
    is_there = change.before is not None and change.after is not None
    return is_there and not got_other_text(journal, entry, change)


def _name(path: str, numbers: Sequence[int]) -> str:
    words = (path, numbers[0], numbers[-1], len(numbers))
    return f"run {hashlib.sha256(ascii(words).encode()).hexdigest()[:32]}"


def _bytes_of(run: Run) -> bytes:
    ends = (run.before.hash, run.before.encoding, run.after.hash, run.after.encoding)
    spans = [(each.start, each.end, len(each.text)) for each in run.changes.changes]
    words = [ends, run.is_unbroken, run.changes.length, spans]
    head = json.dumps(words, separators=(",", ":")).encode("ascii")
    texts = "".join(each.text for each in run.changes.changes)
    return head + b"\n" + texts.encode("utf-8", "surrogatepass")


def _run_from(data: bytes) -> Run | None:
    if data == _MIXED:
        return None
    head, _, body = data.partition(b"\n")
    (before, read, after, read_after), is_unbroken, length, spans = json.loads(head)
    texts, at, changes = body.decode("utf-8", "surrogatepass"), 0, []
    for start, end, size in spans:
        changes.append(Change(start, end, texts[at : at + size]))
        at += size
    ends = FileVersion(before, read), FileVersion(after, read_after)
    return Run(ChangeSet(length, tuple(changes)), *ends, is_unbroken)


def _packed(name: str, data: bytes) -> bytes:
    small = zlib.compress(data, 1)
    return _seal(name, small) + small


def _unpacked(name: str, data: bytes | None) -> bytes | None:
    """Return what was packed, or None for what is not kept or was damaged."""
    if data is None or data[:16] != _seal(name, data[16:]):
        return None
    return zlib.decompress(data[16:])


def _seal(name: str, data: bytes) -> bytes:
    return hashlib.sha256(name.encode() + data).digest()[:16]
