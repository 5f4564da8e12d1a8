"""System calls that Python lacks: open beneath a directory, swap names, move without replacing."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache

from keyhole.fastclasses import dataclass

_OPENAT2 = 437  # one number on every architecture
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276, "riscv64": 276}
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 2, 4, 8
_NOREPLACE, _EXCHANGE = 1, 2
_SYNC_FILE_RANGE_WRITE = 2
_NO_NEW_PRIVILEGES, _TAKE_ORPHANS, _PARENT_DEATH_SIGNAL = 38, 36, 1
_F_FULLFSYNC = 51  # macOS: fsync alone leaves the data in the drive's cache

# What a file system answers that does not know a rename flag.
MISSING = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP})

IS_LINUX = sys.platform == "linux"
IS_MAC = sys.platform == "darwin"
_RENAME_NUMBER = _RENAMEAT2.get(os.uname().machine) if IS_LINUX else None


class _OpenHow(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


@dataclass(frozen=True, slots=True)
class Kernel:
    """Which of the safe calls to use; the first two have a fallback that a test can ask for."""

    beneath: bool = True
    exchange: bool = True
    # What is written survives a power cut, not only a kill: the disk is waited for.
    durable: bool = True


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@cache
def _how(flags: int) -> tuple[object, int]:
    how = _OpenHow(flags | os.O_CLOEXEC, 0, _BENEATH | _NO_MAGICLINKS | _NO_SYMLINKS)
    return ctypes.byref(how), ctypes.sizeof(how)


def open_beneath(dir_fd: int, path: str, flags: int) -> int:
    """Open `path` below `dir_fd`; no symbolic link on the way is followed, not even the last."""
    fd: int = _libc().syscall(_OPENAT2, dir_fd, os.fsencode(path), *_how(flags))
    if fd < 0:
        raise _error(path)
    return fd


def walk_beneath(dir_fd: int, path: str, flags: int) -> int:
    """Do what `open_beneath` does one component at a time, where the kernel has no such call."""
    parts = path.split("/")
    if ".." in parts:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
    at = os.dup(dir_fd)
    try:
        for part in parts[:-1]:
            step = os.open(
                part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at
            )
            os.close(at)
            at = step
        return os.open(parts[-1], flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
    finally:
        os.close(at)


@cache
def has_beneath() -> bool:
    """Tell whether openat2 is there; sandboxes are known to block it."""
    if not IS_LINUX:
        return False
    here = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(open_beneath(here, ".", os.O_RDONLY | os.O_DIRECTORY))
    except OSError:
        return False
    finally:
        os.close(here)
    return True


def swap(one_fd: int, one: str, other_fd: int, other: str) -> None:
    """Exchange two names in one step."""
    _rename(one_fd, one, other_fd, other, _EXCHANGE)


def move_new(dir_fd: int, old: str, new_fd: int, new: str) -> None:
    """Rename unless `new` exists, in one step."""
    _rename(dir_fd, old, new_fd, new, _NOREPLACE)


def _rename(dir_fd: int, old: str, new_fd: int, new: str, flags: int) -> None:
    libc, a, b = _libc(), os.fsencode(old), os.fsencode(new)
    if IS_MAC:
        mac_flags = {_NOREPLACE: 4, _EXCHANGE: 2}[flags]
        failed = libc.renameatx_np(dir_fd, a, new_fd, b, ctypes.c_uint(mac_flags))
    elif _RENAME_NUMBER is not None:
        failed = libc.syscall(_RENAME_NUMBER, dir_fd, a, new_fd, b, ctypes.c_uint(flags))
    else:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), new)
    if failed:
        raise _error(new)


def is_mount_point(dir_fd: int, name: str) -> bool:
    """Tell whether something is mounted at a name, also a single file of the same disk."""
    if not IS_LINUX:
        return False
    try:
        fd = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=dir_fd)
    except OSError:
        return False
    try:
        return _mount_of(fd) != _mount_of(dir_fd)
    finally:
        os.close(fd)


def _mount_of(fd: int) -> str:
    """Return the number of the mount that an open file lies on, "" if the system does not say."""
    try:
        with open(f"/proc/self/fdinfo/{fd}", encoding="ascii") as told:
            return next((line for line in told if line.startswith("mnt_id:")), "")
    except OSError:
        return ""


def call(number: int, *arguments: object) -> int:
    """Make a system call by its number, and return what it returns; below 0 it failed."""
    made: int = _libc().syscall(number, *arguments)
    return made


def no_new_privileges() -> bool:
    """Keep this thread and what it starts from gaining rights by running a program."""
    return bool(_libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0)


def wake_with_parent() -> None:
    """Have this process go on when its parent dies, if somebody stopped it."""
    if IS_LINUX:
        import signal

        _libc().prctl(_PARENT_DEATH_SIGNAL, signal.SIGCONT)


def take_orphans() -> bool:
    """Become the parent of what a program of this process starts and leaves behind."""
    return IS_LINUX and bool(_libc().prctl(_TAKE_ORPHANS, 1, 0, 0, 0) == 0)


def start_writeout(fd: int) -> None:
    """Ask for the file's pages to be written soon, so that a later fsync has less to wait for."""
    if IS_LINUX:
        # A hint: when it fails, the fsync that follows does all the work.
        _libc().sync_file_range(fd, ctypes.c_int64(0), ctypes.c_int64(0), _SYNC_FILE_RANGE_WRITE)


def flush(fd: int) -> None:
    """Make the file or directory durable; an error is never swallowed."""
    if IS_MAC:
        import fcntl

        fcntl.fcntl(fd, _F_FULLFSYNC)
        return
    os.fsync(fd)


def _error(path: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), path)
