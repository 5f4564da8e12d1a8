"""Write files out to the disk while something else is done."""

from __future__ import annotations

import os

from keyhole.disk import kernel
from keyhole.disk.errors import refusal_of
from keyhole.refusals import Refused


class Flush:
    """Open files on their way to the disk; each is closed when it is there.

    Files that need not be `durable` are closed at once.
    """

    __slots__ = ("_durable", "_files")

    def __init__(self, *, durable: bool = True) -> None:
        self._durable = durable
        self._files: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._files)

    def begin(self, fd: int, path: str) -> None:
        """Take over an open file and let the kernel write it out; an error will name `path`."""
        if not self._durable:
            os.close(fd)
            return
        self._files.append((fd, path))
        kernel.start_writeout(fd)

    def finish(self) -> None:
        """Wait until every file is on the disk, or refuse for what kept one of them from it."""
        refused: Refused | None = None
        while self._files:
            fd, path = self._files.pop()
            try:
                _flush_and_close(fd)
            except OSError as error:
                refused = Refused(refusal_of(error, path))
        if refused is not None:
            raise refused


def _flush_and_close(fd: int) -> None:
    try:
        kernel.flush(fd)
    finally:
        os.close(fd)
