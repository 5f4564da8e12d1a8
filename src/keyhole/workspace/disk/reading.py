"""Read one regular file consistently, together with what it carries besides its bytes."""

from __future__ import annotations

import errno
import os
import stat
import time

from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document
from keyhole.values import dataclass
from keyhole.workspace.disk.metadata import FileMetadata
from keyhole.workspace.trouble import refusal_of

# Never wait for the other end of a pipe, never follow a link, never become a terminal's owner.
OPEN = (
    os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    if os.name == "posix"
    else os.O_RDONLY
)
_READ_AGAIN = 3


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
    """Do the same with a file that is open."""
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
