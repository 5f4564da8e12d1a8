"""The protocol with one step left out, to show that the harnesses would notice."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import SimpleNamespace

from keyhole.disk import files, kernel
from keyhole.journal import blobs, connection
from keyhole.journal import sqlite as sqlite_journal
from keyhole.journal.model import APPLIED, Entry, EntryDraft, Regions
from keyhole.journal.sqlite import SqliteJournal
from keyhole.refusals import Refusal
from keyhole.storage import atomic, commit, recover
from keyhole.storage.steps import Bench, Content, FileOutcome, FileStep, verdict_of
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree


def _flush_only(wanted: Callable[[int], bool]) -> None:
    def flush(fd: int) -> None:
        if wanted(os.fstat(fd).st_mode):
            os.fsync(fd)

    kernel.flush = flush


def no_wait_for_flush() -> None:
    """Publish the new files while they are still on their way to the disk."""
    await_, publish = commit._await, commit._publish

    def late(bench: Bench, entry: Entry, steps: Sequence[FileStep]) -> Entry:
        entry = publish(bench, entry, steps)
        await_(flushes.pop(), bench, entry, steps)
        return entry

    flushes: list[files.Flush] = []
    vars(commit)["_await"] = lambda flush, *_: flushes.append(flush)
    vars(commit)["_publish"] = late


def no_flush_of_files() -> None:
    """Leave the new bytes to the kernel's mood."""
    _flush_only(stat.S_ISDIR)


def no_flush_of_directories() -> None:
    """Leave the new names to the kernel's mood."""
    _flush_only(stat.S_ISREG)


def _journal_synchronous(level: str) -> None:
    pragmas = (pragma.replace("= FULL", f"= {level}") for pragma in connection._PRAGMAS)
    vars(connection)["_PRAGMAS"] = tuple(pragmas)
    vars(connection)["Connection"].__post_init__ = lambda _: None


def journal_normal() -> None:
    """Let the intent reach the disk when it likes."""
    _journal_synchronous("NORMAL")


def journal_off() -> None:
    """Let the intent reach the disk when it likes, and a checkpoint too."""
    _journal_synchronous("OFF")


def no_intent() -> None:
    """Write the entry only when everything is done."""
    begin, settle = SqliteJournal.begin, SqliteJournal.settle
    images: dict[str, Mapping[str, bytes]] = {}

    def late_begin(
        _: SqliteJournal,
        draft: EntryDraft,
        kept: Mapping[str, bytes],
        claims: Mapping[str, Regions],
    ) -> Entry:
        assert not claims
        images[draft.token] = kept
        return Entry("0-late", 0, draft)

    def late_settle(self: SqliteJournal, entry: Entry, state: str) -> Entry:
        return settle(self, begin(self, entry.draft, images[entry.draft.token], {}), state)

    SqliteJournal.begin = late_begin  # type: ignore[method-assign,assignment]
    SqliteJournal.settle = late_settle  # type: ignore[method-assign]


def mark_before_flush() -> None:
    """Say that it is done, durably, before the names are on the disk."""
    exchange = commit._exchange_all

    def exchange_and_mark(bench: Bench, steps: Sequence[FileStep]) -> bool:
        strong = exchange(bench, steps)
        journal = bench.site.journal
        assert isinstance(journal, SqliteJournal)
        for entry in journal.pending():
            journal.settle(entry, APPLIED)
        journal.connection.db.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        return strong

    vars(commit)["_exchange_all"] = exchange_and_mark


def blind_recovery() -> None:
    """Delete a displaced file without looking whose it is."""

    def blind(
        before: bytes | None, after: bytes | None, now: Content, displaced: Content
    ) -> FileOutcome:
        verdict = verdict_of(before, after, now, displaced)
        return FileOutcome.PUBLISHED if verdict is FileOutcome.INTRUDED else verdict

    vars(recover)["verdict_of"] = blind


def unchecked_images() -> None:
    """Take an image of the journal as it comes, whatever its hash says."""

    def get(db: sqlite3.Connection, hash_: str) -> bytes | None:
        steps = blobs._steps_to(db, bytes.fromhex(hash_))
        return blobs._whole(steps) if steps else None

    vars(blobs)["get"] = get


def stale_reads() -> None:
    """Show a file for ever as it was when it was first looked at."""
    read = Tree.read
    kept: dict[str, Document] = {}

    def remembered(self: Tree, path: str) -> Document:
        return kept.setdefault(path, read(self, path))

    Tree.read = remembered  # type: ignore[method-assign]


def swallowed_writes() -> None:
    """Take what was to be written for written, whatever the disk says."""

    def write(fd: int, data: memoryview) -> int:
        with suppress(OSError):
            return os.write(fd, data)
        return len(data)

    vars(atomic)["os"] = SimpleNamespace(**{**vars(os), "write": write})


def swallowed_exchanges() -> None:
    """Take a file for exchanged, whatever the kernel says."""
    swapped = atomic._swapped

    def careless(dir_fd: int, name: str, temp: str) -> bool:
        with suppress(OSError):
            return swapped(dir_fd, name, temp)
        return True

    vars(atomic)["_swapped"] = careless
    vars(atomic)["_is_untouched"] = lambda *_: True
    vars(atomic)["_has_bytes"] = lambda *_: True


def raw_errors() -> None:
    """Let the caller see what the system said, and nothing else."""

    def raw(error: OSError, _: str) -> Refusal:
        raise error

    vars(commit)["refusal_of"] = raw


def checkpoint_often() -> None:
    """Write the journal's log back after every transaction: no fault, only sooner than usual."""
    vars(connection)["_CHECKPOINT_FROM"] = 0
    vars(sqlite_journal)["_CHECKPOINT_EVERY"] = 1


MUTANTS: dict[str, Callable[[], None]] = {
    "no wait for the flush": no_wait_for_flush,
    "no flush of files": no_flush_of_files,
    "no flush of directories": no_flush_of_directories,
    "journal NORMAL": journal_normal,
    "journal OFF": journal_off,
    "no intent": no_intent,
    "mark before flush": mark_before_flush,
    "blind recovery": blind_recovery,
    "unchecked images": unchecked_images,
    "stale reads": stale_reads,
    "swallowed writes": swallowed_writes,
    "swallowed exchanges": swallowed_exchanges,
    "raw errors": raw_errors,
}
