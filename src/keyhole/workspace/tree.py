"""Tree: one workspace on the disk, as the engine sees it."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.edits.plan import Snapshot
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document
from keyhole.workspace import reading, sweeping, walking
from keyhole.workspace.gate import Gate
from keyhole.workspace.hold import Held, ShownTo, read_only
from keyhole.workspace.journal.base import Entry, Journal, Retention
from keyhole.workspace.kernel import Kernel
from keyhole.workspace.locks import Locked, Locks
from keyhole.workspace.reading import Seen
from keyhole.workspace.recover import recover
from keyhole.workspace.roots import Root
from keyhole.workspace.site import Directories, Site
from keyhole.workspace.steps import Bench
from keyhole.workspace.trouble import shown

if TYPE_CHECKING:
    from keyhole.workspace.shown import ShownVersions

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """What the user allows, and where the limits are."""

    read_only: bool = False
    max_bytes: int = 32 * MEBIBYTE
    allow_extensions: tuple[str, ...] = ()
    allow_protected: tuple[str, ...] = ()
    encoding: str | None = None
    lock_timeout: float = 10.0
    kernel: Kernel = field(default_factory=Kernel)
    retention: Retention = field(default_factory=Retention)


class Tree:
    """A workspace: everything that touches its files goes through here."""

    def __init__(self, root: Root, state: Path, options: TreeOptions) -> None:
        self.root = root
        self.state = state
        self.options = options
        self._gate = Gate.of(root, state, options.allow_extensions, options.allow_protected)
        self._journal: Journal | None = None
        self._locks: Locks | None = None

    @staticmethod
    def open(root: Path, *, state_home: Path, options: TreeOptions | None = None) -> Tree:
        """Open a workspace and finish what a crash left unfinished."""
        options = options or TreeOptions()
        held = Root.open(root, options.kernel)
        state = state_home / "keyhole" / workspace_id(held.path)
        tree = Tree(held, state, options)
        try:
            if not options.read_only and (state / "journal.db").exists():
                tree.recover()
        except BaseException:
            tree.close()
            raise
        return tree

    def close(self) -> None:
        """Let go of everything."""
        if "_shown" in self.__dict__:
            self._shown.close()
        if self._journal is not None:
            with suppress(Refused):
                self._journal.tidy_if_due(self.options.retention, time.time())
            self._journal.close()
            self._journal = None
        if self._locks is not None:
            os.close(self._locks.dir_fd)
            self._locks = None
        self.root.close()

    @property
    def journal(self) -> Journal:
        """Return the journal, opened when it is first needed."""
        if self._journal is None:
            from keyhole.workspace.journal.sqlite import SqliteJournal

            self._make_state()
            self._journal = SqliteJournal(self.state)
        return self._journal

    @cached_property
    def _shown(self) -> ShownVersions:
        from keyhole.workspace.shown import ShownVersions

        self._make_state()
        return ShownVersions(self.state)

    def resolve(self, path: str) -> str:
        """Return the one name of a file: relative to the root, whatever spelling was used."""
        canonical = self.root.canonical(path)
        self._gate.check_reading(canonical)
        return canonical

    def read(self, path: str) -> Document:
        """Read a file as it stands; waits for a commit that is under way."""
        canonical = self.resolve(path)
        self._let_finish(canonical)
        parent, name = self.root.parent(canonical)
        try:
            seen = reading.read(parent, name, path, self.options.max_bytes)
        finally:
            os.close(parent)
        if seen is None:
            raise Refused(_no_file(path))
        return Document.from_bytes(seen.data, self.options.encoding)

    def is_directory(self, path: str) -> bool:
        """Tell whether a path names a directory of the tree."""
        try:
            os.close(self.root.directory(self.resolve(path)))
        except Refused as refused:
            if refused.refusals[0].code in {"no-file", "path-denied"}:
                return False
            raise
        return True

    def walk(self, under: str = ".", *, glob: str = "", ignored: bool = False) -> Iterator[str]:
        """Yield the files below a directory in order, without those that .gitignore names."""
        return walking.walk(self.root, self.resolve(under), glob=glob, ignored=ignored)

    @contextmanager
    def hold(self, paths: Collection[str], *, actor: str = "") -> Iterator[Held]:
        """Lock the files, finish what is pending on them, and give them as they stand."""
        canonical = sorted({self.resolve(path) for path in paths})
        for path in canonical:
            self._gate.check_writing(path, canonical)
        if self.options.read_only:
            files = {path: self._document(path) for path in canonical}
            yield Held(Snapshot(files), None)
            return
        with self._locked(canonical) as locked, self._site().directories() as directories:
            seen = {path: self._see(directories, path) for path in canonical}
            files = {path: self._decode(each) for path, each in seen.items()}
            snapshot = Snapshot(
                files, ShownTo(tuple(canonical), lambda path: self.shown(path, actor))
            )
            yield Held(snapshot, Bench(self._site(), locked, directories, seen))

    def remember(self, path: str, document: Document, actor: str) -> None:
        """Note that `actor` was shown this version of a file; cheap, and lost in a power cut."""
        if not self.options.read_only:
            self._shown.remember(self.resolve(path), document, actor)

    def shown(self, path: str, actor: str) -> tuple[Document, ...]:
        """Return the versions of a file that `actor` was shown lately, the latest first."""
        return () if self.options.read_only else self._shown.shown(self.resolve(path), actor)

    def version(self, path: str, hash_: str, actor: str) -> Document | None:
        """Return an older version of a file, if it is known that the file had it."""
        for document in self.shown(path, actor):
            if document.hash == hash_:
                return document
        canonical = self.resolve(path)
        if self.options.read_only or not self.journal.has_version(canonical, hash_):
            return None
        image = self.journal.image(hash_)
        return Document.from_bytes(image, self.options.encoding) if image is not None else None

    def recover(self) -> tuple[Entry, ...]:
        """Finish every transaction that no living process works on, and sweep up after them."""
        if self.options.read_only:
            raise Refused(read_only())
        done = []
        for entry in self.journal.pending():
            with self._locks_of_state().hold(file.path for file in entry.files):
                still = [each for each in self.journal.pending() if each.id == entry.id]
                done += [recover(self._site(), each) for each in still]
        sweeping.sweep_notes(self._site(), self._locks_of_state())
        return tuple(done)

    @contextmanager
    def _locked(self, paths: Collection[str]) -> Iterator[Locked]:
        """Hold the locks of `paths` with nothing pending on them."""
        wanted = frozenset(paths)
        while True:
            with ExitStack() as stack:
                locked = stack.enter_context(self._locks_of_state().hold(wanted))
                pending = self.journal.pending(frozenset(paths))
                more = {file.path for entry in pending for file in entry.files}
                if locked.covers(more):
                    for entry in pending:
                        recover(self._site(), entry)
                    sweeping.sweep_after(self._site(), locked)
                    yield locked
                    return
            # An unfinished transaction reaches further than our locks: take them all, in order.
            wanted |= more

    def _let_finish(self, path: str) -> None:
        """Wait for a commit of this file that is under way, and finish one whose process died."""
        if self.options.read_only or not (self.state / "journal.db").exists():
            return
        if self.journal.pending(frozenset({path})):
            with self._locked([path]):
                pass

    def _see(self, directories: Directories, path: str) -> Seen | None:
        directory, _, name = path.rpartition("/")
        fd = directories.get(directory)
        return reading.read(fd, name, path, self.options.max_bytes) if fd is not None else None

    def _decode(self, seen: Seen | None) -> Document | None:
        return Document.from_bytes(seen.data, self.options.encoding) if seen else None

    def _document(self, path: str) -> Document | None:
        try:
            return self.read(path)
        except Refused as refused:
            if refused.refusals[0].code == "no-file":
                return None
            raise

    def _site(self) -> Site:
        rescued = str(self.state / "rescued")
        return Site(self.root, self.journal, rescued, self.options.max_bytes)

    def _locks_of_state(self) -> Locks:
        if self._locks is None:
            self._make_state()
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
            fd = os.open(self.state / "locks", flags)
            self._locks = Locks(fd, self.options.lock_timeout)
        return self._locks

    def _make_state(self) -> None:
        try:
            (self.state / "locks").mkdir(mode=0o700, parents=True, exist_ok=True)
            self.state.chmod(0o700)
        except OSError as error:
            raise Refused(_no_state(self.state, error)) from None


def workspace_id(root: str) -> str:
    """Return the name of a workspace's state directory: one for each root."""
    return hashlib.sha256(os.fsencode(root)).hexdigest()[:16]


def _no_file(path: str) -> Refusal:
    return Refusal(
        "no-file",
        f"there is no file {shown(path)}",
        help="check the path with `outline`, or create the file with `write`",
        path=path,
    )


def _no_state(state: Path, error: OSError) -> Refusal:
    return Refusal(
        "journal",
        f"the state directory {state} cannot be made: {error.strerror}",
        help="make it writable, or set XDG_STATE_HOME to a directory that is",
    )
