"""Read files that somebody else wrote for us, none larger than it may be: settings, git's own."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

SETTINGS = 64 * 1024
TEMPLATE = 1024 * 1024
IGNORE_FILE = 1024 * 1024
# HEAD, commondir and their like hold a line; references are read line by line.
GIT_FILE = 64 * 1024
PACKED_REFERENCES = 256 * 1024 * 1024
# What a person trusts is hashed again at every edit.
PROGRAM = 64 * 1024 * 1024

_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | os.O_CLOEXEC
_CHUNK = 64 * 1024


class UnfitFile(Exception):  # noqa: N818 - it is an answer: what is there is not read
    """Says why a file is not read: a code, and a sentence that continues the file's name."""

    def __init__(self, code: str, what: str) -> None:
        super().__init__(what)
        self.code = code


def read_bounded(path: str, limit: int, *, within: str = "") -> bytes | None:
    """Return the bytes of a regular file; None if there is none, `UnfitFile` for anything else.

    `within` is a directory that the file must lie in, wherever links lead.
    """
    with opened(path, limit, within=within) as fd:
        return None if fd is None else _all(fd, limit)


@contextmanager
def opened(path: str, limit: int, *, within: str = "") -> Iterator[int | None]:
    """Give a regular file of at most `limit` bytes, open; None if there is none."""
    real = os.path.realpath(path) if within else path
    if within and not real.startswith(os.path.realpath(within).rstrip("/") + "/"):
        raise UnfitFile("path-denied", f"leads to {real}, out of {within}")
    try:
        fd = os.open(real, _OPEN)
    except (FileNotFoundError, NotADirectoryError):
        yield None
        return
    except OSError as error:
        raise UnfitFile("bad-request", f"cannot be read: {error.strerror}") from None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise UnfitFile("bad-request", "is not a regular file")
        if status.st_size > limit:
            raise UnfitFile("too-large", f"has {status.st_size} bytes; the limit is {limit}")
        yield fd
    finally:
        os.close(fd)


def _all(fd: int, limit: int) -> bytes:
    """Read to the end; what grows meanwhile is too large."""
    pieces, size = [], 0
    while piece := os.read(fd, _CHUNK):
        size += len(piece)
        if size > limit:
            raise UnfitFile("too-large", f"has more than {limit} bytes")
        pieces.append(piece)
    return b"".join(pieces)


def digest_of(path: str, limit: int) -> str | None:
    """Return the SHA-256 of a file, read piece by piece; None if there is none."""
    import hashlib

    with opened(path, limit) as fd:
        if fd is None:
            return None
        digest = hashlib.sha256()
        while piece := os.read(fd, _CHUNK):
            digest.update(piece)
        return digest.hexdigest()
