"""Pipes where git expects files of its own: git waits at one for a writer, and is given nothing.

Only at names that git reads, so whoever else waits at a pipe of the tree is left alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_NAMES = frozenset((".gitignore", ".gitattributes", ".git", "HEAD", "commondir"))
# How long git is waited for before anybody looks for pipes, and where some are known.
_PATIENCE, _KNOWN = 3.0, 0.05


class Pipes:
    """The pipes of one tree, remembered in a file of ours from one look to the next."""

    def __init__(self, tree: str, notes: Path) -> None:
        self._tree, self._notes = tree, notes
        self._paths = _still_pipes(_noted(notes))
        self._searched = False

    @property
    def patience(self) -> float:
        """Return for how many seconds git may be at work before it counts as waiting."""
        return _KNOWN if self._paths else _PATIENCE

    def let_go_on(self) -> None:
        """Open and close each pipe as a writer does: who waits there reads that it is empty."""
        if not self._paths and not self._searched:
            self._searched = True
            self._paths = [*_pipes_below(self._tree)]
            self._notes.write_bytes(b"\0".join(map(os.fsencode, self._paths)))
        for path in self._paths:
            with suppress(OSError):  # nobody waits there
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))


def _noted(notes: Path) -> list[str]:
    try:
        return [os.fsdecode(each) for each in notes.read_bytes().split(b"\0") if each]
    except FileNotFoundError:
        return []


def _pipes_below(tree: str) -> Iterator[str]:
    for directory, _, names in os.walk(tree):
        yield from _still_pipes([os.path.join(directory, name) for name in _NAMES & {*names}])


def _still_pipes(paths: list[str]) -> list[str]:
    found = []
    for path in paths:
        with suppress(OSError):
            if stat.S_ISFIFO(os.lstat(path).st_mode):
                found.append(path)
    return found
