"""The checkpoints of one workspace: the kept tree, the marks, and the lock of who looks."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.disk.locks import held, wait_for
from keyhole.journal.place import JOURNAL
from keyhole.refusals import Refused

if TYPE_CHECKING:
    from keyhole.checkpoints.marks import Marks
    from keyhole.git.shadow import ShadowRepository

# After so many looks that found changes the repository is packed again, and after so many, or so
# many files, what was replaced is dropped.
PACK_EVERY, DROP_EVERY, DROP_FROM = 256, 8, 64


class CheckpointStore:
    """What lies in `checkpoints` of a state directory; where there is none, nobody observes."""

    def __init__(self, state: Path, root: str) -> None:
        self.directory = state / "checkpoints"
        self._root = root

    @property
    def is_there(self) -> bool:
        """Tell whether this workspace is observed."""
        return (self.directory / "git").is_dir()

    @property
    def kept_at(self) -> float:
        """Return when the last look kept something; what is older is as it was then."""
        try:
            return (self.directory / "git/refs/heads/now").stat().st_mtime
        except OSError:
            return math.inf

    @property
    def is_last_written(self) -> bool:
        """Tell whether the marks are newer than the journal, as far as the disk's clock tells."""
        journal = self.directory.with_name(JOURNAL)
        return _written(self.directory / "marks.db") > _written(journal)

    @cached_property
    def marks(self) -> Marks:
        """Return the marks, opened when they are first needed."""
        from keyhole.checkpoints.marks import Marks

        self.directory.mkdir(0o700, parents=True, exist_ok=True)
        import sqlite3  # git is at work while this loads

        try:
            return Marks(self.directory)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            # It is no database any more: who looks goes on, and the past keeps its entries.
            for each in self.directory.glob("marks.db*"):
                each.replace(self.directory / f"broken-{each.name}")
            return Marks(self.directory)

    @contextmanager
    def held(self, patience: float) -> Iterator[ShadowRepository]:
        """Give the repository to one process at a time, its git's children included, or refuse."""
        from keyhole.git.shadow import ShadowRepository

        self.directory.mkdir(0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        fd = os.open(self.directory / "lock", flags, 0o600)
        try:
            if not wait_for(fd, time.monotonic() + patience):
                raise Refused(held("another process looks at the tree", fd))
            repository = ShadowRepository(self.directory / "git", self._root, [fd])
            repository.make()
            yield repository
        finally:
            os.close(fd)

    def close(self) -> None:
        """Let the marks go, if they were opened."""
        if "marks" in self.__dict__:
            self.marks.close()
            del self.__dict__["marks"]


def _written(database: Path) -> int:
    """Return when a database, or its log, was last written; 0 for none."""
    times = [0]
    for path in (database, f"{database}-wal"):
        with suppress(OSError):
            times.append(os.stat(path).st_mtime_ns)
    return max(times)
