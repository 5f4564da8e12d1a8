"""What commit and recovery work with: the root, the journal, and the directories they have open."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from keyhole.phrases import printable
from keyhole.refusals import Refused
from keyhole.text.document import hash_of
from keyhole.values import dataclass, field
from keyhole.workspace.atomic import is_temporary
from keyhole.workspace.disk import kernel
from keyhole.workspace.journal.base import Journal
from keyhole.workspace.locks import held, in_order, unlock, wait_for
from keyhole.workspace.roots import Root


@dataclass(frozen=True, slots=True)
class CommitContext:
    """A workspace's tree, its journal, and where bytes go that have no other home."""

    root: Root
    journal: Journal
    rescued: str
    max_bytes: int
    patience: float

    @contextmanager
    def directories(self) -> Iterator[Directories]:
        """Give directories that are opened once each and closed together."""
        directories = Directories(self.root, self.patience)
        try:
            yield directories
        finally:
            directories.close()

    def rescue(self, path: str, data: bytes) -> str:
        """Keep bytes of another program that nothing else holds; return what to tell the user."""
        os.makedirs(self.rescued, 0o700, exist_ok=True)
        name = os.path.join(self.rescued, f"{hash_of(data)}-{os.path.basename(path)}"[:255])
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(fd, view) :]
            kernel.flush(fd)
        finally:
            os.close(fd)
        return f"another program saved {path} at the same moment; its bytes are kept in {name}"


@dataclass(slots=True)
class Directories:
    """Open directories of the tree; each stays the one it was when first opened."""

    root: Root
    patience: float
    _fds: dict[str, int] = field(default_factory=dict)
    _locked: list[int] = field(default_factory=list)

    def get(self, path: str) -> int | None:
        """Return a directory, or None when there is none."""
        fd = self._fds.get(path)
        if fd is not None:
            return fd
        try:
            self._fds[path] = self.root.directory(path)
        except Refused as refused:
            if refused.refusals[0].code == "no-file":
                return None
            raise
        return self._fds[path]

    def lock(self, paths: Iterable[str]) -> bool:
        """Keep every keyhole from changing these directories; tell whether the disk knows locks.

        They are locked themselves, and in one order, since another workspace may reach them by
        other names and knows nothing else that we have too.
        """
        found = [(fd, path) for path in paths if (fd := self.get(path)) is not None]
        ordered = in_order(found) if len(found) > 1 else found
        deadline = time.monotonic() + self.patience
        known = [self._lock(fd, path, deadline) for fd, path in ordered]
        return all(known)

    def _lock(self, fd: int, path: str, deadline: float) -> bool:
        try:
            taken = wait_for(fd, deadline)
        except OSError:
            return False
        if not taken:
            name = f"the directory {printable(path)}" if path else "the root directory"
            refusal = held(f"{name} is locked for longer than the time limit", fd)
            self.close()
            raise Refused(refusal)
        self._locked.append(fd)
        return True

    def unlock(self) -> None:
        """Let others change the directories again."""
        while self._locked:
            unlock(self._locked.pop())

    def make(self, path: str, made: list[str]) -> None:
        """Make a directory and those above it; new ones are added to `made`, outermost first."""
        if self.get(path) is not None:
            return
        above, _, name = path.rpartition("/")
        self.make(above, made)
        parent = self.get(above)
        assert parent is not None, "BUG: a directory that was just made is there"
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
            made.append(path)
        self._fds[path] = self.root.directory(path)

    def unmake(self, paths: tuple[str, ...]) -> None:
        """Remove directories again that are empty, innermost first."""
        for path in reversed(paths):
            above, _, name = path.rpartition("/")
            parent = self.get(above)
            if parent is not None:
                with suppress(OSError):
                    os.rmdir(name, dir_fd=parent)

    def flush(self, paths: set[str]) -> None:
        """Make the names in these directories durable."""
        for path in sorted(paths):
            fd = self.get(path)
            if fd is not None:
                kernel.flush(fd)

    def sweep(self, path: str, token: str) -> int:
        """Delete what an unrecorded transaction staged in a directory; return how much."""
        fd = self.get(path)
        names = os.listdir(fd) if fd is not None else []
        mine = [name for name in names if is_temporary(name) and name.startswith(f".kh-{token}-")]
        for name in mine:
            with suppress(FileNotFoundError, IsADirectoryError):
                os.unlink(name, dir_fd=fd)
        return len(mine)

    def close(self) -> None:
        """Close them all."""
        self.unlock()
        while self._fds:
            os.close(self._fds.popitem()[1])
