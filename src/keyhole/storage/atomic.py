"""Exchange one file: stage its successor beside it, and put that in its place in one step."""

from __future__ import annotations

import errno
import os
import re
import signal
import stat
from contextlib import suppress

from keyhole.disk import failpoints, kernel
from keyhole.disk.files import OPEN, FileMetadata, FileRead

_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPEN
_TEMPORARY = re.compile(r"\.kh-[0-9a-f]{12}-\d+\.(?:new|tmp|old)")
# File times move in ticks of up to 10 ms: a younger file may have changed twice within one.
_SETTLED_NS = 50_000_000
# How much is read at a time to be compared: what fits into a processor's cache.
_PIECE = 1 << 19


class Intruded(Exception):  # noqa: N818 - it names what was found
    """Another program saved the file meanwhile, or is about to (`writing`)."""

    def __init__(self, *, writing: bool = False, exchanged: bool = False) -> None:
        super().__init__()
        self.writing = writing
        self.exchanged = exchanged


def temporary_name(token: str, nth: int) -> str:
    """Return the name under which file `nth` of a transaction is staged."""
    return f".kh-{token}-{nth}.tmp"


def is_temporary(name: str) -> bool:
    """Tell whether a name is one of ours, to be hidden from listings."""
    return name.startswith(".kh-") and _TEMPORARY.fullmatch(name) is not None


def _unready(temp: str) -> str:
    """Return the name of a staged file that is not known to be on the disk."""
    return temp.removesuffix(".tmp") + ".new"


def stage(dir_fd: int, temp: str, data: bytes, metadata: FileMetadata | None) -> int:
    """Write `data` to a new file; the caller flushes and closes it, then calls `make_ready`.

    Until then it has another name: what lies at `temp` is whole, whatever a power cut does, and
    recovery can tell a file that was displaced from one that was never exchanged.
    """
    name = _unready(temp)
    # A file that is new anyway gets its final mode from the system; a successor stays private until
    # it is done.
    fd = os.open(name, _MAKE, 0o666 if metadata is None else 0o600, dir_fd=dir_fd)
    try:
        failpoints.reach("temp-made")
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        failpoints.reach("temp-written")
        if metadata is not None:
            metadata.put(fd)
    except BaseException:
        os.close(fd)
        with suppress(OSError):
            os.unlink(name, dir_fd=dir_fd)
        raise
    return fd


def make_ready(dir_fd: int, temp: str) -> None:
    """Let a staged file that is on the disk take part in an exchange."""
    os.rename(_unready(temp), temp, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    failpoints.reach("ready")


def is_unready(dir_fd: int, temp: str) -> bool:
    """Tell whether a file is staged that never took part in an exchange."""
    try:
        os.stat(_unready(temp), dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def discard(dir_fd: int, temp: str) -> None:
    """Take away what is staged or was displaced."""
    for name in (_unready(temp), temp):
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=dir_fd)


def replace(dir_fd: int, name: str, temp: str, seen: FileRead, *, exchange: bool) -> bool:
    """Swap the staged file into place and check what it displaced; tell whether that was atomic.

    Raises `Intruded` when the displaced file is not the one that was read.
    """
    strong = exchange and _swapped(dir_fd, name, temp)
    if not strong:
        _replace_weakly(dir_fd, name, temp, seen)
    failpoints.reach("exchanged")
    try:
        verify(dir_fd, temp, seen)
    except Intruded as intruded:
        raise Intruded(writing=intruded.writing, exchanged=True) from None
    except FileNotFoundError:
        # The weak way keeps no old file where there are no hard links.
        if strong:
            raise
    return strong


def put_back(dir_fd: int, name: str, temp: str, temp_fd: int) -> None:
    """Give a displaced file its name again; what is there goes to the temporary name if it can."""
    try:
        kernel.swap(temp_fd, temp, dir_fd, name)
    except FileNotFoundError:
        with suppress(FileExistsError, FileNotFoundError):
            _move_new(temp_fd, temp, dir_fd, name)
    except OSError as error:
        if error.errno not in kernel.MISSING:
            raise
        os.rename(temp, name, src_dir_fd=temp_fd, dst_dir_fd=dir_fd)


def create(dir_fd: int, name: str, temp: str, temp_fd: int) -> None:
    """Give a file that is staged in a directory its name unless there is such a file by now."""
    try:
        _move_new(temp_fd, temp, dir_fd, name)
    except FileExistsError:
        raise Intruded from None


def remove(dir_fd: int, name: str, temp: str, temp_fd: int, seen: FileRead) -> None:
    """Take the file away to the temporary name and look whether it was the one that was read."""
    try:
        _move_new(dir_fd, name, temp_fd, temp)
    except FileNotFoundError:
        raise Intruded from None
    failpoints.reach("exchanged")
    try:
        verify(temp_fd, temp, seen)
    except Intruded as intruded:
        raise Intruded(writing=intruded.writing, exchanged=True) from None


def is_as_read(dir_fd: int, name: str, seen: FileRead | None, *, held: bool) -> bool:
    """Tell whether this is still the file that was read, or still none if there was none.

    A file that is `held` open is known by its inode, which no other file can get meanwhile.
    """
    try:
        status = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
        if seen is None:
            return False
        if _is_same(status, seen) if held else _is_untouched(status, seen):
            return True
        fd = os.open(name, OPEN, dir_fd=dir_fd)
    except FileNotFoundError:
        return seen is None
    except OSError:
        return False
    try:
        return _has_bytes(fd, os.fstat(fd), seen.data)
    finally:
        os.close(fd)


def verify(dir_fd: int, name: str, seen: FileRead) -> None:
    """Raise `Intruded` unless this is the file as it was read, and nobody can still write to it."""
    try:
        fd = os.open(name, OPEN, dir_fd=dir_fd)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO, errno.EACCES}:
            raise Intruded from None
        raise
    try:
        if _has_writer(fd):
            raise Intruded(writing=True)
        status = os.fstat(fd)
        if not _is_untouched(status, seen) and not _has_bytes(fd, status, seen.data):
            raise Intruded
    finally:
        os.close(fd)


def _has_writer(fd: int) -> bool:
    """Ask the kernel for a read lease, granted only when nobody has the file open for writing.

    With it granted on a file that has lost its name, nobody can begin to write to it either. It
    ends when the file is closed.
    """
    if not kernel.IS_LINUX:
        return False
    import fcntl

    try:
        # A broken lease sends a signal; this one is ignored by default, the usual one would kill
        # the process.
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    return False


def _is_untouched(status: os.stat_result, seen: FileRead) -> bool:
    is_settled = seen.at_ns - seen.status.st_mtime_ns >= _SETTLED_NS
    return is_settled and _is_same(status, seen)


def _is_same(status: os.stat_result, seen: FileRead) -> bool:
    known = seen.status
    return (status.st_ino, status.st_dev, status.st_size, status.st_mtime_ns) == (
        known.st_ino,
        known.st_dev,
        known.st_size,
        known.st_mtime_ns,
    )


def _has_bytes(fd: int, status: os.stat_result, data: bytes) -> bool:
    if not stat.S_ISREG(status.st_mode) or status.st_size != len(data):
        return False
    at = 0
    while piece := os.pread(fd, _PIECE, at):
        if not data.startswith(piece, at):
            return False
        at += len(piece)
    return at == len(data)


def _swapped(dir_fd: int, name: str, temp: str) -> bool:
    try:
        kernel.swap(dir_fd, temp, dir_fd, name)
    except FileNotFoundError:
        # Somebody deleted the target: that is news about the file, not about the file system.
        raise Intruded from None
    except OSError as error:
        if error.errno in kernel.MISSING:
            return False
        raise
    return True


def _replace_weakly(dir_fd: int, name: str, temp: str, seen: FileRead) -> None:
    """Replace where names cannot be exchanged: look again, keep the old file by a link, rename.

    A save between the look and the rename is lost. No call of such a file system closes that gap.
    """
    kept = temp.removesuffix(".tmp") + ".old"
    try:
        verify(dir_fd, name, seen)
    except FileNotFoundError:
        raise Intruded from None
    linked = True
    try:
        os.link(name, kept, src_dir_fd=dir_fd, dst_dir_fd=dir_fd, follow_symlinks=False)
    except OSError:
        linked = False
    failpoints.reach("linked")
    os.rename(temp, name, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    if linked:
        os.rename(kept, temp, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)


def _move_new(dir_fd: int, old: str, new_fd: int, new: str) -> None:
    try:
        kernel.move_new(dir_fd, old, new_fd, new)
    except OSError as error:
        if error.errno not in kernel.MISSING:
            raise
        os.link(old, new, src_dir_fd=dir_fd, dst_dir_fd=new_fd, follow_symlinks=False)
        os.unlink(old, dir_fd=dir_fd)
