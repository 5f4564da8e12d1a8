"""Locks between processes and threads: stripes, taken in order, freed when a holder dies."""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from keyhole.refusals import Refusal, Refused
from keyhole.values import dataclass

STRIPES = 256
_NOTE_OVER, _NOTE_ENDS = b"-", b"\0\0"


def stripe_of(path: str) -> int:
    """Return the number of the lock that guards a canonical path."""
    return zlib.crc32(os.fsencode(path)) % STRIPES


@dataclass(frozen=True, slots=True)
class Locked:
    """Stripes in hand; the first one's file also holds a note of what is being staged."""

    fds: tuple[int, ...]
    stripes: frozenset[int]

    def covers(self, paths: Iterable[str]) -> bool:
        """Tell whether every path's lock is in hand."""
        return all(stripe_of(path) in self.stripes for path in paths)

    def note(self, token: str, directories: Iterable[str]) -> None:
        """Leave word of temporary files, for whoever takes this lock after a crash.

        Not durable and need not be: after a power cut the whole tree can be searched.
        """
        words = [token, *(directory or "." for directory in directories)]
        os.pwrite(self.fds[0], os.fsencode("\0".join(words)) + _NOTE_ENDS, 0)

    def end_note(self) -> None:
        """Take the word back: everything staged is published or gone."""
        with suppress(OSError):  # A note that stays costs the next holder one look.
            os.pwrite(self.fds[0], _NOTE_OVER, 0)

    def release(self) -> None:
        """Let go of all of them."""
        for fd in reversed(self.fds):
            os.close(fd)

    def notes_left(self) -> list[tuple[str, list[str]]]:
        """Return what earlier holders left unfinished: a token, and where it was staging."""
        heads = ((fd, os.pread(fd, 1, 0)) for fd in self.fds)
        return [_read_note(fd) for fd, head in heads if head not in {b"", _NOTE_OVER}]

    def end_notes_left(self) -> None:
        """Forget what earlier holders left, after it was swept."""
        for fd in self.fds:
            if os.pread(fd, 1, 0) not in {b"", _NOTE_OVER}:
                os.pwrite(fd, _NOTE_OVER, 0)


@dataclass(frozen=True, slots=True)
class Locks:
    """The lock files of one workspace."""

    dir_fd: int
    timeout: float

    def acquire(self, paths: Iterable[str]) -> Locked:
        """Take the locks of all `paths`, or refuse with `busy` when that takes too long."""
        return self._acquire(sorted({stripe_of(path) for path in paths}))

    def _acquire(self, stripes: Sequence[int]) -> Locked:
        deadline = time.monotonic() + self.timeout
        fds: list[int] = []
        try:
            for stripe in stripes:
                fds.append(self._open(stripe))
                _lock(fds[-1], deadline)
        except BaseException:
            Locked(tuple(fds), frozenset()).release()
            raise
        return Locked(tuple(fds), frozenset(stripes))

    @contextmanager
    def hold(self, paths: Iterable[str]) -> Iterator[Locked]:
        """Hold the locks of all `paths` for a while."""
        locked = self.acquire(paths)
        try:
            yield locked
        finally:
            locked.release()

    @contextmanager
    def hold_all(self) -> Iterator[Locked]:
        """Hold every lock there is, so that nobody commits meanwhile."""
        locked = self._acquire(range(STRIPES))
        try:
            yield locked
        finally:
            locked.release()

    def used(self) -> list[int]:
        """Return the stripes that were ever taken."""
        return sorted(int(name, 16) for name in os.listdir(self.dir_fd))

    @contextmanager
    def try_stripe(self, stripe: int) -> Iterator[Locked | None]:
        """Take one stripe if nobody holds it."""
        locked = Locked((self._open(stripe),), frozenset({stripe}))
        try:
            yield locked if _try(locked.fds[0]) else None
        finally:
            locked.release()

    def _open(self, stripe: int) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        return os.open(f"{stripe:02x}", flags, 0o600, dir_fd=self.dir_fd)


def _read_note(fd: int) -> tuple[str, list[str]]:
    note = os.pread(fd, os.fstat(fd).st_size, 0).split(_NOTE_ENDS, 1)[0]
    token, *directories = os.fsdecode(note).split("\0")
    return token, ["" if directory == "." else directory for directory in directories]


def _try(fd: int) -> bool:
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock(fd: int, deadline: float) -> None:
    """Wait for a lock in the kernel's queue, which is fair, and give up at the deadline."""
    if _try(fd):
        return
    # flock has no time limit, so a thread of its own waits; it works on a copy of the fd that it
    # alone closes.
    copy = os.dup(fd)
    taken = threading.Event()
    waiter = threading.Thread(target=_wait, args=(copy, taken), daemon=True)
    waiter.start()
    if not taken.wait(max(0.0, deadline - time.monotonic())):
        raise Refused(_busy())


def _wait(copy: int, taken: threading.Event) -> None:
    import fcntl

    try:
        # A copy shares the lock: when the caller has given up and closed its own, closing this one
        # frees it.
        fcntl.flock(copy, fcntl.LOCK_EX)
        taken.set()
    finally:
        os.close(copy)


def _busy() -> Refusal:
    return Refusal(
        "busy",
        "another edit holds the file longer than the time limit",
        help="send the same request again; nothing was changed",
    )
