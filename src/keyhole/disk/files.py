"""Read one regular file consistently; read, compare and set its metadata."""

from __future__ import annotations

import errno
import os
import stat
import time

from keyhole.disk import kernel
from keyhole.disk.errors import refusal_of
from keyhole.fastclasses import dataclass, replace
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document

# Labels that the system sets by itself and that most users may not touch.
_SYSTEM = ("security.", "trusted.")
_UNKNOWN = frozenset({errno.ENOTSUP, errno.ENOSYS, errno.EINVAL})
_FORBIDDEN = frozenset({errno.EPERM, errno.EACCES, errno.ENOTSUP})


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """Mode, owner and extended attributes; an access list is one of the attributes."""

    mode: int
    uid: int
    gid: int
    attributes: tuple[tuple[str, bytes], ...] = ()

    @staticmethod
    def of(fd: int, status: os.stat_result) -> FileMetadata:
        """Read the metadata of an open file."""
        mode = stat.S_IMODE(status.st_mode)
        return FileMetadata(mode, status.st_uid, status.st_gid, _attributes(fd))

    @property
    def is_program(self) -> bool:
        """Tell whether the owner may run the file."""
        return bool(self.mode & 0o100)

    def with_executable(self, *, executable: bool) -> FileMetadata:
        """Return this metadata with permission to run for all who may read, or for nobody."""
        runs = (self.mode & 0o444) >> 2
        return replace(self, mode=self.mode | runs if executable else self.mode & ~0o111)

    def put(self, fd: int) -> None:
        """Give an open, new file this metadata; an OSError says that some cannot be kept."""
        made = os.fstat(fd)
        present = _attributes(fd)
        if (made.st_uid, made.st_gid) != (self.uid, self.gid):
            os.fchown(fd, self.uid, self.gid)
        if present != self.attributes:
            # A directory's default access list lands on every new file, also on the successor of
            # one without.
            _drop(fd, dict(present).keys() - dict(self.attributes).keys())
        # After the owner, because a new owner clears the set-id bits.
        os.fchmod(fd, self.mode)
        if present != self.attributes:
            _add(fd, self.attributes)


def _attributes(fd: int) -> tuple[tuple[str, bytes], ...]:
    if not hasattr(os, "listxattr"):
        return ()
    try:
        names = os.listxattr(fd)
    except OSError as error:
        if error.errno in _UNKNOWN:
            return ()
        raise
    return tuple((name, os.getxattr(fd, name)) for name in sorted(names)) if names else ()


def _drop(fd: int, names: set[str]) -> None:
    for name in names:
        try:
            os.removexattr(fd, name)
        except OSError as error:
            _pass_if_system(error, name)


def _add(fd: int, attributes: tuple[tuple[str, bytes], ...]) -> None:
    for name, value in attributes:
        try:
            os.setxattr(fd, name, value)
        except OSError as error:
            _pass_if_system(error, name)


def _pass_if_system(error: OSError, name: str) -> None:
    if not (name.startswith(_SYSTEM) and error.errno in _FORBIDDEN):
        raise error


# Never wait for the other end of a pipe, never follow a link, never become a terminal's owner.
OPEN = (
    os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    if os.name == "posix"
    else os.O_RDONLY
)
_READ_AGAIN = 3
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class FileRead:
    """A regular file as it was read; its bytes may live on in a document that was made of them."""

    source: bytes | Document
    status: os.stat_result
    metadata: FileMetadata
    at_ns: int

    def kept_in(self, document: Document) -> FileRead:
        """Return the same with its bytes in a document that was made of them."""
        return FileRead(document, self.status, self.metadata, self.at_ns)

    @property
    def data(self) -> bytes:
        """Return the exact bytes; made anew from a document, so ask once."""
        return self.source if isinstance(self.source, bytes) else self.source.to_bytes()


def read(dir_fd: int, name: str, path: str, limit: int) -> FileRead | None:
    """Read a regular file consistently; None when there is none, a refusal for anything else."""
    try:
        fd = os.open(name, OPEN, dir_fd=dir_fd)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(_unreadable(error, path)) from None
    try:
        return read_open(fd, path, limit)
    finally:
        os.close(fd)


def read_open(fd: int, path: str, limit: int) -> FileRead:
    """Read an open regular file consistently, or refuse."""
    try:
        for _ in range(_READ_AGAIN):
            seen = _read_once(fd, path, limit)
            if seen is not None:
                return seen
    except OSError as error:
        raise Refused(refusal_of(error, path)) from None
    raise Refused(_changing(path))


def _read_once(fd: int, path: str, limit: int) -> FileRead | None:
    before = os.fstat(fd)
    if not stat.S_ISREG(before.st_mode):
        raise Refused(_not_regular(path, before.st_mode))
    if before.st_size > limit:
        raise Refused(_too_large(path, before.st_size, limit))
    now = time.time_ns()
    data = os.pread(fd, before.st_size + 1, 0)
    after = os.fstat(fd)
    moved = (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, len(data))
    return None if moved else FileRead(data, after, FileMetadata.of(fd, after), now)


def peek(dir_fd: int, name: str, limit: int) -> bytes | None:
    """Return the bytes of a file at a cheap look, None if it has to be read to know them."""
    try:
        fd = os.open(name, OPEN, dir_fd=dir_fd)
    except OSError:
        return None
    try:
        data = os.read(fd, _CHUNK)
        if len(data) == _CHUNK:
            data += os.read(fd, limit)
        return data if len(data) <= limit else None
    except OSError:
        return None
    finally:
        os.close(fd)


def _unreadable(error: OSError, path: str) -> Refusal:
    if error.errno in {errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP}:
        return _not_regular(path, 0)
    return refusal_of(error, path)


def _not_regular(path: str, mode: int) -> Refusal:
    if stat.S_ISDIR(mode):
        return Refusal(
            "no-file",
            say("{} is a directory", FileName(path)),
            help=say("name a file in it; {outline:tool} lists what there is"),
            path=path,
            kind="directory",
        )
    return Refusal(
        "not-text",
        say("{} is not a regular file", FileName(path)),
        help="name a regular file; pipes, sockets and devices are never read",
        path=path,
    )


def _too_large(path: str, size: int, limit: int) -> Refusal:
    return Refusal(
        "too-large",
        say("{} has {} bytes; the limit is {}", FileName(path), size, limit),
        help="raise the limit in the configuration, or split the file",
        path=path,
    )


def _changing(path: str) -> Refusal:
    return Refusal(
        "busy",
        say("{} keeps changing while it is read", FileName(path)),
        help="wait until the program that writes it is done, then send the same request again",
        path=path,
    )


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
