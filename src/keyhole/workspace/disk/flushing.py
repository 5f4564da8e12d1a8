"""Write files out to the disk beside other work: flushing is waiting, and nothing else."""

from __future__ import annotations

import os
from _thread import LockType, allocate_lock, start_new_thread
from contextlib import suppress

from keyhole.refusals import Refused
from keyhole.workspace.disk import kernel
from keyhole.workspace.trouble import refusal_of


class Flush:
    """Open files on their way to the disk; each is closed when it is there."""

    __slots__ = ("_files", "_refused", "_running")

    def __init__(self) -> None:
        self._files: list[tuple[int, str]] = []
        self._refused: Refused | None = None
        self._running: LockType | None = None

    def __len__(self) -> int:
        return len(self._files)

    def add(self, fd: int, path: str) -> None:
        """Take over an open file; `path` is what an error says of it."""
        self._files.append((fd, path))

    def begin(self) -> None:
        """Start to write out beside the caller; where no thread is to be had, `finish` does it."""
        running = allocate_lock()
        running.acquire()
        with suppress(RuntimeError):
            # The bare call: a `Thread` waits until it runs, which takes as long as a short flush.
            start_new_thread(self._run, (running,))
            self._running = running

    def finish(self) -> None:
        """Wait until every file is on the disk, or refuse for what kept one of them from it."""
        if self._running is None:
            self._write_out()
        else:
            self._running.acquire()
            self._running = None
        refused, self._refused = self._refused, None
        if refused is not None:
            raise refused

    def _run(self, running: LockType) -> None:
        try:
            self._write_out()
        finally:
            running.release()

    def _write_out(self) -> None:
        while self._files:
            fd, path = self._files.pop()
            try:
                _flush_and_close(fd)
            except OSError as error:
                self._refused = Refused(refusal_of(error, path))


def _flush_and_close(fd: int) -> None:
    try:
        kernel.flush(fd)
    finally:
        os.close(fd)
