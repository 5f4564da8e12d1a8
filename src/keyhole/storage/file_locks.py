"""Locks on the files of a call, between workspaces that share nothing but the files.

They let one edit wait for another, so that it is made on what the other left. They do not guard
against lost edits: for that, a commit locks the directories it changes (staging/steps.py).
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping

from keyhole.disk.files import OPEN
from keyhole.disk.locks import held, in_order, release, wait_for
from keyhole.fastclasses import dataclass, field
from keyhole.phrases import FileName, say
from keyhole.refusals import Refused
from keyhole.storage.staging.steps import Directories

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
            if dir_fd is not None:
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
