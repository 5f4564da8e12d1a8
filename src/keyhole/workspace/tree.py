"""Tree: one workspace on the disk, as the engine sees it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.disk import files as reading
from keyhole.disk.errors import no_file
from keyhole.disk.files import FileRead
from keyhole.disk.kernel import Kernel
from keyhole.disk.locks import Locked
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.fastclasses import dataclass, field, replace
from keyhole.journal.layout import is_damaged
from keyhole.journal.model import Entry, Journal, Query, Retention
from keyhole.journal.place import workspace_id
from keyhole.refusals import Refused
from keyhole.storage.paths import walking
from keyhole.storage.paths.gate import Gate
from keyhole.storage.paths.globs import globs_of
from keyhole.storage.paths.walking import FileSelection
from keyhole.storage.recover import recover, sweep_after, sweep_everywhere, sweep_notes
from keyhole.storage.roots import Root
from keyhole.storage.steps import Bench, CommitContext, Directories
from keyhole.text.document import Document, stored_as
from keyhole.workspace.held import Fetched, FileLocks, HeldFiles, lock_files, read_only
from keyhole.workspace.state import (
    DocumentCache,
    Sessions,
    State,
    VersionsKnown,
    is_observed,
    record_outsiders,
    state_trouble,
    until_shared,
)

if TYPE_CHECKING:
    from keyhole.sharing.identity import Sharing
    from keyhole.sharing.sender import Sharer

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """What the user allows, and where the limits are."""

    read_only: bool = False
    # Edits are queued for a person's decision instead of being written.
    propose: bool = False
    # What tasks of this workspace are for: see access.py; "" allows everything.
    task_mode: str = ""
    # The one file that the tools for articles edit; "" is any.
    article: str = ""
    max_bytes: int = 32 * MEBIBYTE
    allow_extensions: tuple[str, ...] = ()
    allow_protected: tuple[str, ...] = ()
    # Directories that keyhole keeps for the user, besides its state: no agent reads or writes them.
    homes: tuple[Path, ...] = ()
    encoding: str | None = None
    # Where the user keeps templates, and whether an edit writes when it was into the header.
    templates: tuple[Path, ...] = ()
    refresh_updated: bool = True
    # Keep each file that an edit changes as it was, beside it.
    backup: bool = False
    lock_timeout: float = 10.0
    kernel: Kernel = field(default_factory=Kernel)
    retention: Retention = field(default_factory=Retention)
    sharing: Sharing | None = None


UNDURABLE = "durability is `process`: edits survive a kill, and a power cut may take them back"

__all__ = ["MEBIBYTE", "UNDURABLE", "Tree", "TreeOptions"]


class Tree:
    """A workspace: everything that touches its files goes through here."""

    def __init__(self, root: Root, state: State, options: TreeOptions) -> None:
        self.root, self.options, self._state = root, options, state
        self._closed, self._has_warned = False, False
        self._recent, self.known = DocumentCache(options.encoding), VersionsKnown()
        homes = (state.directory.parent, *options.homes)
        self._gate = Gate.of(root, homes, options.allow_extensions, options.allow_protected)

    @staticmethod
    def open(root: Path, *, state_home: Path, options: TreeOptions | None = None) -> Tree:
        """Open a workspace and finish what a crash left unfinished."""
        options = options or TreeOptions()
        held = Root.open(root, options.kernel)
        directory = state_home / "keyhole" / workspace_id(held.path)
        retention = until_shared(options.retention, options.sharing, directory)
        state = State(directory, options.lock_timeout, retention, durable=options.kernel.durable)
        tree = Tree(held, state, options)
        try:
            if not options.read_only and tree._state.exists:
                tree.recover()
        except BaseException:
            tree.close()
            raise
        return tree

    def close(self) -> None:
        """Let go of everything; once is enough, twice does no harm."""
        if not self._closed:
            self._closed = True
            if shared := self.__dict__.get("shared"):
                shared.close()
            self._state.close()
            self.root.close()

    def leave_git_outside(self) -> None:
        """Have git be asked outside of the fence that comes next, for what others did."""
        self._state.leave_git_outside(self.root.path)

    def undurable(self) -> tuple[str, ...]:
        """Return what the first receipt says where a power cut may take edits back."""
        said, self._has_warned = self._has_warned, True
        return () if said or self.options.kernel.durable else (UNDURABLE,)

    @property
    def state(self) -> Path:
        """Return the directory of what keyhole keeps about this workspace."""
        return self._state.directory

    @property
    def is_observed(self) -> bool:
        """Tell whether anybody looks for what others do here."""
        return is_observed(self._state.directory)

    @property
    def journal(self) -> Journal:
        """Return the journal, opened when it is first needed."""
        return self._state.journal

    @property
    def sessions(self) -> Sessions:
        """Return which clients' connections are open here."""
        return self._state.sessions

    @cached_property
    def shared(self) -> Sharer | None:
        """Return the connection to the shared journal, if there is one."""
        if self.options.sharing is None:
            return None
        from keyhole.sharing.sender import Sharer

        return Sharer(self.root.path, self.state, self.options.sharing, self.options.read_only)

    def resolve(self, path: str) -> str:
        """Return the one name of a file: relative to the root, whatever spelling was used."""
        canonical = self.root.canonical(path)
        self._gate.check_reading(canonical)
        # `f.txt/` is no other name of `f.txt`, and `f.txt/.` neither.
        if path.rstrip(".").endswith("/") and os.path.isfile(f"{self.root.path}/{canonical}"):
            raise Refused(no_file(path))
        return canonical

    def check_writing(self, paths: Collection[str]) -> None:
        """Refuse canonical paths that nothing may be written to."""
        self._gate.check_writing(paths)

    @contextmanager
    def allowing_all(self) -> Iterator[None]:
        """Let a person put back what agents may not write, also large files; but keyhole's own."""
        gate, options = self._gate, self.options
        self._gate = replace(gate, extensions=frozenset(), allowed=tuple(globs_of("**")))
        self.options = replace(options, max_bytes=max(options.max_bytes, 512 * MEBIBYTE))
        try:
            yield
        finally:
            self._gate, self.options = gate, options

    def read(self, path: str) -> Document:
        """Read a file as it stands; waits for a commit that is under way."""
        canonical = self.resolve(path)
        self._let_finish(canonical)
        parent, name = self.root.parent(canonical, path)
        try:
            seen = reading.read(parent, name, path, self.options.max_bytes)
        finally:
            os.close(parent)
        if seen is None:
            raise Refused(no_file(path))
        self._gate.check_file(path, seen.status)
        return self._recent.document(canonical, seen.data)

    def exists(self, path: str) -> bool:
        """Tell whether anything is at a path; an unreadable path counts as existing."""
        try:
            parent, name = self.root.parent(self.resolve(path))
        except Refused as refused:
            return refused.refusals[0].code != "no-file"
        try:
            return name in {"", "."} or os.access(name, os.F_OK, dir_fd=parent)
        finally:
            os.close(parent)

    def is_program(self, path: str) -> bool:
        """Tell whether a file of the tree may be run by its owner."""
        try:
            parent, name = self.root.parent(self.resolve(path))
        except Refused:
            return False
        try:
            return bool(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode & 0o100)
        except OSError:
            return False
        finally:
            os.close(parent)

    def is_directory(self, path: str) -> bool:
        """Tell whether a path of the tree is a directory."""
        canonical = self.resolve(path)
        try:
            os.close(self.root.directory("" if canonical == "." else canonical))
        except Refused:
            return False
        return True

    def walk(self, under: str = ".", *, glob: str = "", ignored: bool = False) -> Iterator[str]:
        """Yield the files below a directory in order, without those that .gitignore names."""
        own = self._gate.own
        return walking.walk(self.root, self.resolve(under), own, FileSelection(glob, ignored))

    def walk_texts(
        self,
        under: str,
        passes: Callable[[str, bytes], bool] | None,
        *,
        glob: str = "",
        met: Callable[[str, bool], None] | None = None,
    ) -> Iterator[str]:
        """Yield the files below a directory without those whose bytes do not pass.

        Files that are read in an encoding the user set, or that a commit is at work on, all pass.
        `met` is told of what .gitignore names.
        """
        if passes is None or self.options.encoding:
            wanted = FileSelection(glob, met=met)
            return walking.walk(self.root, self.resolve(under), self._gate.own, wanted)
        filtered, most = passes, self.options.max_bytes
        open_ones = self.journal.pending() if self._state.exists else ()
        moving = {file.path for entry in open_ones for file in entry.files}

        def looks(fd: int, name: str, path: str) -> bool:
            data = reading.peek(fd, name, most)
            return data is None or filtered(path, data) or path in moving

        wanted = FileSelection(glob, passes=looks, met=met)
        return walking.walk(self.root, self.resolve(under), self._gate.own, wanted)

    def hold(self, paths: Iterable[str], *, actor: str = "") -> AbstractContextManager[HeldFiles]:
        """Lock files of the journal, finish what is pending on them, and give them as they are."""
        names = {path: self.resolve(path) for path in paths}
        self.check_writing(tuple(names.values()))
        self.root.check_unlinked(names)
        return self.hold_resolved({*names.values()}, actor=actor)

    @contextmanager
    def hold_resolved(
        self, paths: Collection[str], *, actor: str = "", mixed: bool = False
    ) -> Iterator[HeldFiles]:
        """Hold files by their names; a link is refused, and so is a directory unless `mixed`."""
        canonical = tuple(sorted(paths))
        self.check_writing(canonical)
        if self.options.read_only:
            yield HeldFiles(Snapshot({path: self._document(path) for path in canonical}), None)
            return
        locked = self._lock(canonical)
        if self.shared is not None:
            self.shared.ask_ahead()
        directories = Directories(self.root, self.options.lock_timeout, frozenset(canonical), mixed)
        files_locked = FileLocks()
        try:
            files_locked = lock_files(directories, canonical)
            seen = {path: self._see(directories, files_locked, path) for path in canonical}
            files = {path: self._decode(path, each) for path, each in seen.items()}
            # From here on the document stands for the bytes: a large file is held once, not twice.
            seen = {
                path: each.kept_in(made) if each and (made := files[path]) else None
                for path, each in seen.items()
            }
            shown = Fetched(canonical, lambda path: self.shown(path, actor))
            programs = frozenset(p for p, each in seen.items() if each and each.metadata.is_program)
            snapshot = Snapshot(files, shown, self.options.encoding or "", programs)
            bench = Bench(self._site, locked, directories, seen, files_locked.fds.keys())
            before = partial(record_outsiders, self._state, self.root.path, seen)
            yield HeldFiles(snapshot, bench, self.shared, before, self._wrote)
        finally:
            directories.close()
            files_locked.release()
            locked.release()

    def remember(self, path: str, document: Document, actor: str) -> None:
        """Note that `actor` was shown this version of a file; cheap, and lost in a power cut."""
        if not self.options.read_only:
            canonical = self.resolve(path)
            self.known.note(canonical, document.hash, actor)
            self._state.shown.remember(canonical, document, actor)

    def _wrote(self, plan: Plan, entry: Entry) -> None:
        """Keep what a call has written, and that its caller knows it."""
        self._recent.keep(plan.files)
        self._state.last.keep(entry)
        for file in plan.files:
            if file.after is not None:
                self.known.note(file.path, file.after.hash, entry.call.actor)

    def has_seen(self, path: str, hash_: str, actor: str) -> bool:
        """Tell whether an actor was shown this version of a file, or wrote it."""
        if self.known.is_last(path, hash_, actor):
            return True
        if self._state.has_shown and self._state.shown.has_seen(path, hash_, actor):
            return True
        last = self.journal.entries(Query(path, actor, limit=1, alone=True))
        files = (file for entry in last for file in entry.files)
        return any(file.path == path and file.after == hash_ for file in files)

    def shown(self, path: str, actor: str) -> tuple[Document, ...]:
        """Return the versions of a file that `actor` was shown lately, the latest first."""
        return tuple(document for _, document in self.shown_at(path, actor))

    def shown_at(self, path: str, actor: str) -> tuple[tuple[float, Document], ...]:
        """Return the versions of a file that `actor` was shown lately, and when."""
        canonical = self.resolve(path)
        if self.options.read_only or not self._state.has_shown:
            return ()
        return self._state.shown.shown_at(canonical, actor)

    def hashes_shown(self, path: str, actor: str) -> tuple[str, ...]:
        """Return the hashes of the versions of a file that `actor` was shown lately."""
        if self.options.read_only or not self._state.has_shown:
            return ()
        return self._state.shown.hashes(path, actor)

    def version(self, path: str, hash_: str, actor: str) -> Document | None:
        """Return an older version of a file, if it is known that the file had it."""
        for document in self.shown(path, actor):
            if document.hash == hash_:
                return document
        canonical = self.resolve(path)
        if self.options.read_only or not self.journal.has_version(canonical, hash_):
            return None
        image = self.journal.image(hash_)
        encoding = stored_as(canonical, self.options.encoding)
        return Document.from_bytes(image, encoding) if image is not None else None

    def actors(self) -> frozenset[str]:
        """Return who edited files, was refused, or was shown some of late."""
        if not self._state.exists and not self._state.has_shown:
            return frozenset()
        shown = self._state.shown.actors() if self._state.has_shown else ()
        return frozenset((*self.journal.tally(0.0).by_actor, *shown))

    def recover(self) -> tuple[Entry, ...]:
        """Finish every transaction that no living process works on, and sweep up after them."""
        if self.options.read_only:
            raise Refused(read_only())
        try:
            done = tuple(self._recovered())
            sweep_notes(self._site, self._state.locks)
        except OSError as error:
            raise Refused(state_trouble(self.state, error)) from error
        except Refused as refused:
            if is_damaged(refused):
                raise Refused(self._state.set_aside(refused)) from refused
            raise
        return done

    def _recovered(self) -> Iterator[Entry]:
        for entry in self.journal.pending():
            with self._state.locks.hold(file.path for file in entry.files):
                still = [each for each in self.journal.pending() if each.id == entry.id]
                yield from [recover(self._site, each) for each in still]

    def sweep(self) -> int:
        """Search the whole tree for what a power cut left behind; return how many files."""
        if self.options.read_only:
            raise Refused(read_only())
        return sweep_everywhere(self._site, self._state.locks)

    def _lock(self, paths: tuple[str, ...]) -> Locked:
        """Take the locks of `paths`, with nothing pending on them."""
        try:
            return self._locked(paths)
        except OSError as error:
            raise Refused(state_trouble(self.state, error)) from error

    def _locked(self, paths: tuple[str, ...]) -> Locked:
        wanted, asked = set(paths), frozenset(paths)
        while True:
            locked = self._state.locks.acquire(wanted)
            try:
                pending = self.journal.pending(asked)
                more = {file.path for entry in pending for file in entry.files}
                if locked.covers(more):
                    for entry in pending:
                        recover(self._site, entry)
                    if notes := locked.notes_left():
                        sweep_after(self._site, locked, notes)
                    return locked
            except BaseException:
                locked.release()
                raise
            # An unfinished transaction reaches further than our locks: take them all, in order.
            locked.release()
            wanted |= more

    def _let_finish(self, path: str) -> None:
        """Wait for a commit of this file that is under way, and finish one whose process died."""
        if self.options.read_only or not self._state.exists:
            return
        if self.journal.pending(frozenset({path})):
            self._lock((path,)).release()

    def _see(self, directories: Directories, locked: FileLocks, path: str) -> FileRead | None:
        directory, _, name = path.rpartition("/")
        most = self.options.max_bytes
        seen: FileRead | None = None
        if path in locked.fds:
            seen = reading.read_open(locked.fds[path], path, most)
        elif not directories.has_both(path) and (fd := directories.get(directory)) is not None:
            seen = reading.read(fd, name, path, most)
        if seen is not None:
            self._gate.check_file(path, seen.status)
        return seen

    def _decode(self, path: str, seen: FileRead | None) -> Document | None:
        return self._recent.document(path, seen.data) if seen else None

    def _document(self, path: str) -> Document | None:
        try:
            return self.read(path)
        except Refused as refused:
            if refused.refusals[0].code == "no-file":
                return None
            raise

    @cached_property
    def _site(self) -> CommitContext:
        limits = self.options.max_bytes, self.options.lock_timeout
        return CommitContext(self.root, self.journal, str(self.state / "rescued"), *limits)
