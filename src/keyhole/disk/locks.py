"""Locks between processes and threads: stripes, taken in order, freed when a holder dies."""

from __future__ import annotations

import _thread
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.fastclasses import dataclass
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused

if TYPE_CHECKING:
    import threading

STRIPES = 256
_NOTE_OVER, _NOTE_ENDS = b"-", b"\0\0"


def stripe_of(path: str) -> int:
    """Return the number of the lock that guards a canonical path."""
    import zlib  # a hook that finds nothing locks no file of the tree

    return zlib.crc32(os.fsencode(path)) % STRIPES


@dataclass(frozen=True, slots=True)
class Locked:
    """Stripes that are held; the file of the first also holds a note of what is being staged."""

    fds: tuple[int, ...]
    stripes: frozenset[int]

    def covers(self, paths: Iterable[str]) -> bool:
        """Tell whether the lock of every path is held."""
        return all(stripe_of(path) in self.stripes for path in paths)

    def note(self, token: str, directories: Iterable[str]) -> None:
        """Note the temporary files, for whoever takes this lock after a crash.

        The note need not be durable: after a power cut the whole tree can be searched.
        """
        words = [token, *(directory or "." for directory in directories)]
        os.pwrite(self.fds[0], os.fsencode("\0".join(words)) + _NOTE_ENDS, 0)

    def end_note(self) -> None:
        """Remove the note: everything staged is published or gone."""
        with suppress(OSError):  # A note that stays costs the next holder one look.
            os.pwrite(self.fds[0], _NOTE_OVER, 0)

    def release(self) -> None:
        """Let go of all of them."""
        release(self.fds)

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
            release(fds)
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


def locked_file(path: Path) -> int:
    """Return a file of this name, made if need be, locked until it is closed."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    _try(fd)
    return fd


def is_locked(path: Path) -> bool:
    """Tell whether somebody holds a file that `locked_file` gave."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        return not _try(fd)
    finally:
        os.close(fd)


def _try(fd: int) -> bool:
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock(fd: int, deadline: float) -> None:
    if not wait_for(fd, deadline):
        raise Refused(held("another edit holds the file longer than the time limit", fd))


def in_order(opened: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return open files or directories, each once, in the one order that keeps waiters apart.

    Names would not do: another workspace may know the same files by other names.
    """
    found = {}
    for fd, path in opened:
        status = os.fstat(fd)
        found[status.st_dev, status.st_ino] = fd, path
    return [found[identity] for identity in sorted(found)]


def wait_for(fd: int, deadline: float) -> bool:
    """Wait for a lock in the kernel's queue, which is fair; tell whether it came by the deadline.

    Whoever waited in vain closes `fd`: the lock may still come, and nobody would free it.
    """
    if _try(fd):
        return True
    import threading

    # flock has no time limit, so a thread of its own waits; it works on a copy of the fd that it
    # alone closes.
    copy = os.dup(fd)
    taken = threading.Event()
    # Not a `Thread`: where memory is at its end one may die before it has begun, and its `start`
    # waits for that without limit.
    _thread.start_new_thread(_wait, (copy, taken))
    return taken.wait(max(0.0, deadline - time.monotonic()))


def _wait(copy: int, taken: threading.Event) -> None:
    import fcntl

    try:
        # A copy shares the lock: when the caller has given up and closed its own, closing this one
        # frees it.
        fcntl.flock(copy, fcntl.LOCK_EX)
        taken.set()
    finally:
        os.close(copy)


def unlock(fd: int) -> None:
    """Free a lock, also one that a forked child still has open."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_UN)
    except OSError:  # Where there are no locks, there is none to free.
        return


def release(fds: Sequence[int]) -> None:
    """Free locks and close them, the last one first."""
    for fd in reversed(fds):
        unlock(fd)
        os.close(fd)


def held(what: str, fd: int, path: str = "") -> Refusal:
    """Return the refusal of a call that waited too long for a lock, naming whoever holds it."""
    holder = holder_of(fd)
    return Refusal(
        "busy",
        say("{}: {} holds the lock", what, holder) if holder else what,
        help="send the same request again when it is done; nothing was changed",
        path=path,
    )


def holder_of(fd: int) -> str:
    """Return which program holds a lock, if the system tells: a container sees only its own."""
    status = os.fstat(fd)
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
    with suppress(OSError, ValueError), open("/proc/locks", encoding="ascii") as listed:
        for words in map(str.split, listed):
            # 1: FLOCK ADVISORY WRITE 4711 fe:01:131090 0 EOF
            if words[1] == "FLOCK" and words[5] == f"{device}:{status.st_ino}":
                return _program(int(words[4]))
    return ""


def _program(pid: int) -> str:
    if pid == os.getpid():
        return "another call"
    with suppress(OSError), open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as named:
        return f"{named.read().strip()} (process {pid})"
    return f"process {pid}"
