"""Where a page is served: said in a file whose lock tells that its server still runs."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# The file, beside the journal of the workspace.
ADDRESS = "review-address"
# Whoever looks holds the lock for a moment, so it is tried more than once.
_TRIES = 20


@contextmanager
def announced(path: Path, address: str) -> Iterator[None]:
    """Say the address while the block runs; of two servers the first is told of."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:  # then nobody is led there
        yield
        return
    try:
        if _is_first(fd):
            os.ftruncate(fd, 0)
            os.write(fd, address.encode())
        yield
    finally:
        os.close(fd)


def _is_first(fd: int) -> bool:
    for _ in range(_TRIES):
        with suppress(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    return False


def address_at(path: Path) -> str:
    """Return the address that is served now, "" where none is."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return ""
    with os.fdopen(fd, encoding="utf-8") as file:
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return file.read()
        return ""
