"""A mirror of the project: its files by links, but for those of a plan, which are copies.

Worked example: a plan changes `app/models.py`. The mirror has a directory `app` with the new
`models.py` as a file and everything else in it as links, and beside `app` a link for every other
name of the project. A linter finds the configuration and the sibling modules where it expects them,
and what it does to the file that it is given it does to the copy.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from keyhole.fastclasses import dataclass
from keyhole.linters.base import Failed
from keyhole.storage.atomic import is_temporary

_MOST_SLOTS = 64
_MOST_LINKS = 20_000
_MOST_AHEAD = 100_000_000
_REPOSITORIES = (".git", ".hg", ".jj", ".svn")
# Caches of tools: through a link, what a linter learns of the copy would end in the real one.
_LEFT_OUT = frozenset(
    {".mypy_cache", ".ruff_cache", ".pytest_cache", "__pycache__", ".eslintcache"}
)
_LEFT_OUT_ENDS = (".tsbuildinfo",)


@dataclass(frozen=True, slots=True)
class Mirror:
    """One place for a mirror: `top` of the project outside, `tree` its likeness inside.

    `cache` is a directory beside it that stays, for what a linter learns.
    """

    top: str
    tree: str
    root: str
    cache: str

    def show(self, files: Mapping[str, bytes | None]) -> None:
        """Build the mirror anew with these files, relative to the root; None is a file that is not.

        Anew each time: whatever a linter did in there, nothing of it is written through.
        """
        _clear(self.tree)
        prefix = os.path.relpath(self.root, self.tree)
        named = {os.path.normpath(os.path.join(prefix, path)): data for path, data in files.items()}
        directories = {above for path in named for above in _above(path)}
        left = _MOST_LINKS
        for directory in sorted(directories):
            os.makedirs(os.path.join(self.tree, directory), 0o700, exist_ok=True)
            left -= self._link(directory, directories | named.keys(), left)
        for path, data in named.items():
            if data is not None:
                _write(os.path.join(self.tree, path), data)

    def _link(self, directory: str, taken: set[str], most: int) -> int:
        """Link what the real directory holds, but for what is `taken`; return how much."""
        links = 0
        for name in _names(os.path.join(self.top, directory)):
            path = os.path.join(directory, name)
            real = os.path.join(self.top, path)
            # A link to what holds the mirror itself would be an endless tree.
            if path in taken or _is_left_out(name) or self.tree.startswith(f"{real}/"):
                continue
            if links == most:
                raise Failed(f"was not run: there are over {_MOST_LINKS} names beside the file")
            os.symlink(real, os.path.join(self.tree, path))
            links += 1
        return links


@contextmanager
def mirror(state: str, name: str, root: str) -> Iterator[Mirror]:
    """Give a place for a mirror that no other run uses, and empty it again.

    The same place each time while nobody else needs it: caches of tools know files by their path.
    """
    home = os.path.join(os.path.realpath(state), "mirrors", name)
    os.makedirs(home, 0o700, exist_ok=True)
    top = _top(root)
    fd, slot = _slot(home)
    tree = os.path.join(home, str(slot), os.path.basename(top) or "tree")
    inner = os.path.normpath(os.path.join(tree, os.path.relpath(root, top)))
    try:
        yield Mirror(top, tree, inner, os.path.join(home, f"{slot}.cache"))
    finally:
        with suppress(Failed):
            _clear(tree)
        os.close(fd)


def _slot(home: str) -> tuple[int, int]:
    """Return the lock of the first free place, and its number; the end of a process frees it."""
    for slot in range(_MOST_SLOTS):
        lock = os.path.join(home, f"{slot}.lock")
        fd = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
        else:
            return fd, slot
    raise Failed(f"is running {_MOST_SLOTS} times already")


def _top(root: str) -> str:
    """Return the directory of the project: the repository the root is in, else the root."""
    top = root
    while not any(os.path.lexists(os.path.join(top, name)) for name in _REPOSITORIES):
        above = os.path.dirname(top)
        if above == top:
            return root
        top = above
    return top


def _above(path: str) -> Iterator[str]:
    """Yield the directories above a relative path, the last one nameless."""
    while path:
        path = os.path.dirname(path)
        yield path


def _names(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_left_out(name: str) -> bool:
    return name in _LEFT_OUT or name.endswith(_LEFT_OUT_ENDS) or is_temporary(name)


def _write(path: str, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    with os.fdopen(fd, "wb") as file:
        file.write(data)
    # Caches tell versions apart by size and whole seconds: other bytes get another time. All are
    # in the future, since some caches only look whether a file is newer than what they have.
    ahead = int.from_bytes(hashlib.sha256(data).digest()[:8]) % _MOST_AHEAD
    moment = int(time.time()) + 1 + ahead
    os.utime(path, (moment, moment))


def _clear(tree: str) -> None:
    """Remove a mirror; links are removed, never followed, whatever became one."""
    if os.path.realpath(os.path.dirname(tree)) != os.path.dirname(tree):
        raise Failed("was not run: the place for its mirror leads elsewhere")
    if os.path.islink(tree):
        os.unlink(tree)
    shutil.rmtree(tree, ignore_errors=True)
    if os.path.lexists(tree):
        raise Failed("was not run: what it left behind cannot be removed")
