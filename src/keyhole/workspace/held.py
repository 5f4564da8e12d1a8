"""Held files: locked and read once; only they can be committed.

The locks on files let one edit wait for another workspace's, so that it is made on what the other
left. They do not guard against lost edits: a commit locks the directories that it changes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from keyhole import deferred
from keyhole.disk.files import OPEN, FileMetadata
from keyhole.disk.locks import held, in_order, release, wait_for
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.fastclasses import dataclass, field, replace
from keyhole.journal.model import Call, Entry, Journal
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.storage.steps import Bench, Directories

if TYPE_CHECKING:
    from keyhole.sharing.sender import Sharer

T = TypeVar("T")
_PREPARED_UP_TO = 256 << 10


@dataclass(frozen=True, slots=True)
class HeldFiles:
    """The files of one call while their locks are held; a read-only workspace has no bench."""

    snapshot: Snapshot
    bench: Bench | None = field(repr=False)
    shared: Sharer | None = field(default=None, repr=False, compare=False)
    # Told of each plan that will be carried out.
    before: Callable[[Plan], None] = field(default=lambda _: None, repr=False, compare=False)
    # Told of each plan that was carried out, and by whom.
    wrote: Callable[[Plan, Entry], None] = field(default=lambda *_: None, repr=False, compare=False)

    def commit(
        self,
        plan: Plan,
        call: Call,
        *,
        gains: Mapping[str, FileMetadata] | None = None,
        made: tuple[str, ...] = (),
        fence: Callable[[], None] | None = None,
    ) -> Entry:
        """Carry the plan to the disk completely, or change nothing and refuse.

        `gains` is the metadata of files that an undo brings back, and `made` are the directories
        that undone entries had made: they go if they are empty. `fence` is called when all is
        ready, and may still refuse.
        """
        if self.bench is None:
            raise Refused(read_only())
        if self.shared is not None:
            call = replace(call, details={**call.details, "checkout": self.shared.place()})
        from keyhole.history.conflicts import regions_after  # who only looks commits nothing
        from keyhole.storage.commit import commit

        self.before(plan)
        regions = partial(regions_after, self.bench.site.journal, plan, call, time.time())
        entry = commit(self.bench, plan, call, gains or {}, regions, fence)
        self.bench.directories.unmake(made)
        self.wrote(plan, entry)
        if _is_due(entry.order):
            deferred.leave(partial(_prepare, self.bench.site.journal, entry))
        return entry


def _prepare(journal: Journal, entry: Entry) -> None:
    """Compose runs ahead that an undo of an old entry will need."""
    from keyhole.history.runs import prepare

    with suppress(Refused):
        prepare(journal, entry, _PREPARED_UP_TO)


def _is_due(order: int) -> bool:
    """Tell whether to compose runs after an entry: after one in 32, whatever its file.

    The high bits of a product decide, so that of two files edited in turn each has its share.
    """
    return not (order * 0x9E3779B1 >> 16) % 32


@dataclass(frozen=True, slots=True)
class Fetched(Mapping[str, T]):
    """What is known of some files, fetched when somebody asks."""

    paths: tuple[str, ...]
    fetch: Callable[[str], T]

    def __getitem__(self, path: str) -> T:
        if path not in self.paths:
            raise KeyError(path)
        return self.fetch(path)

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


def read_only() -> Refusal:
    """Return the refusal of every write in a read-only workspace."""
    return Refusal(
        "read-only",
        "the workspace is open for reading only",
        help="report what you would change, or ask the user to open the workspace for writing",
    )


# A call with more files takes none of these locks: a process has few files open at a time.
_MOST = 64


@dataclass(frozen=True, slots=True)
class FileLocks:
    """The files of a call that exist, held open and locked, by their paths."""

    fds: Mapping[str, int] = field(default_factory=dict)

    def release(self) -> None:
        """Let go of all of them."""
        release([*self.fds.values()])


def lock_files(directories: Directories, paths: Collection[str]) -> FileLocks:
    """Lock the files that stand at these paths, or refuse with `busy` when it takes too long.

    An edit puts another file in the place of the one that is locked, so whoever waited looks again.
    """
    if len(paths) > _MOST:
        return FileLocks()
    deadline = time.monotonic() + directories.patience
    while True:
        opened = _opened(directories, paths)
        locks = FileLocks({path: fd for fd, path in opened})
        try:
            for fd, path in opened:
                _lock(fd, path, deadline)
            if all(os.fstat(fd).st_nlink for fd, _ in opened):
                return locks
        except BaseException:
            locks.release()
            raise
        locks.release()


def _opened(directories: Directories, paths: Collection[str]) -> list[tuple[int, str]]:
    """Open each file once, whatever names it has, in one order for everybody.

    A file that cannot be opened is refused when it is read.
    """
    parts = [path.rpartition("/") for path in paths]
    places = [(directories.get(directory), name) for directory, _, name in parts]
    opened = []
    for path, (dir_fd, name) in zip(paths, places, strict=True):
        try:
            if dir_fd is not None and not directories.has_both(path):
                opened.append((os.open(name, OPEN, dir_fd=dir_fd), path))
        except OSError:
            continue
    if len(opened) <= 1:
        return opened
    ordered = in_order(opened)
    for fd in {fd for fd, _ in opened} - {fd for fd, _ in ordered}:
        os.close(fd)
    return ordered


def _lock(fd: int, path: str, deadline: float) -> None:
    try:
        taken = wait_for(fd, deadline)
    except OSError:  # A file system without locks, of which the directory's lock tells.
        return
    if not taken:
        what = say("{} is locked for longer than the time limit", FileName(path))
        raise Refused(held(what, fd, path))
