"""What each reviewer has seen: transactions by their order, and files in the version looked at."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from keyhole.fastclasses import dataclass, field, replace

# Files that are marked as viewed; the oldest marks go first.
_MOST_FILES = 5_000


@dataclass(frozen=True, slots=True)
class SeenMarks:
    """What one reviewer has seen.

    Everything up to `looked` but for `back`, which were marked unseen again, and those of `ahead`.
    """

    looked: int = 0
    ahead: frozenset[int] = frozenset()
    back: frozenset[int] = frozenset()
    # The version of each file that was marked as viewed.
    files: Mapping[str, str] = field(default_factory=dict)
    # Whether the reviewer ever marked anything.
    known: bool = False

    def is_seen(self, order: int) -> bool:
        """Tell whether the reviewer has seen a transaction."""
        return order in self.ahead or (order <= self.looked and order not in self.back)

    def unseen(self, newest: int) -> int:
        """Count what the reviewer has not seen, up to the newest transaction there is."""
        beyond = max(newest - self.looked, 0)
        return beyond - sum(each <= newest for each in self.ahead) + len(self.back)

    def with_seen(self, orders: Collection[int]) -> SeenMarks:
        """Return the marks with some transactions seen."""
        ahead = self.ahead | {each for each in orders if each > self.looked}
        looked = self.looked
        while looked + 1 in ahead:
            looked += 1
        left = frozenset(each for each in ahead if each > looked)
        return replace(self, looked=looked, ahead=left, back=self.back - set(orders), known=True)

    def with_all_seen(self, newest: int, pending: Collection[int]) -> SeenMarks:
        """Return the marks with everything seen up to `newest`, but for what was not settled."""
        waiting = {each for each in pending if each <= newest and not self.is_seen(each)}
        looked = max(newest, self.looked)
        left = frozenset(each for each in self.ahead if each > looked)
        waiting |= {each for each in self.back if each > newest}
        return replace(self, looked=looked, ahead=left, back=frozenset(waiting), known=True)

    def with_unseen(self, orders: Collection[int]) -> SeenMarks:
        """Return the marks with some transactions unseen again."""
        back = self.back | {each for each in orders if each <= self.looked}
        return replace(self, ahead=self.ahead - set(orders), back=back, known=True)

    def with_file(self, path: str, version: str) -> SeenMarks:
        """Return the marks with a file viewed in a version; no version takes the mark away."""
        files = {name: each for name, each in self.files.items() if name != path}
        if version:
            files[path] = version
        for name in list(files)[: max(len(files) - _MOST_FILES, 0)]:
            del files[name]
        return replace(self, files=files, known=True)

    def is_viewed(self, path: str, version: str | None) -> bool:
        """Tell whether a file is marked as viewed in this version."""
        return self.files.get(path) == (version or "gone")


class MarkedBy:
    """A directory with a file of marks for each reviewer."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def get(self, reviewer: str) -> SeenMarks:
        """Return the marks of a reviewer; whoever never looked has seen nothing."""
        try:
            return _read((self._directory / _name(reviewer)).read_bytes())
        except (OSError, ValueError, KeyError, TypeError):
            return SeenMarks()

    def change(self, reviewer: str, change: Callable[[SeenMarks], SeenMarks]) -> SeenMarks:
        """Change the marks of a reviewer; who else changes them at the same time waits."""
        path = self._directory / _name(reviewer)
        with self._alone(path):
            made = change(self.get(reviewer))
            fresh = path.with_suffix(".new")
            fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(fd, "wb") as file:
                file.write(_spelled(made))
            os.replace(fresh, path)
        return made

    def mark(self, reviewer: str) -> str:
        """Return a word that is another one whenever the reviewer marked something."""
        with suppress(OSError):
            return str(os.stat(self._directory / _name(reviewer)).st_mtime_ns)
        return ""

    @contextmanager
    def _alone(self, path: Path) -> Iterator[None]:
        import fcntl

        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)


def _name(reviewer: str) -> str:
    return hashlib.sha256(reviewer.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _spelled(marks: SeenMarks) -> bytes:
    data = {
        "looked": marks.looked,
        "ahead": sorted(marks.ahead),
        "back": sorted(marks.back),
        "files": dict(marks.files),
    }
    return json.dumps(data).encode("ascii")


def _read(body: bytes) -> SeenMarks:
    data = json.loads(body)
    ahead, back = frozenset(map(int, data["ahead"])), frozenset(map(int, data["back"]))
    files = {str(path): str(version) for path, version in data["files"].items()}
    return SeenMarks(int(data["looked"]), ahead, back, files, known=True)
