"""A plan as steps, one per file; where they are carried out, and how each came out."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from functools import partial

from keyhole.disk import kernel
from keyhole.disk.errors import BELOW_FILE
from keyhole.disk.files import FileMetadata, FileRead
from keyhole.disk.locks import Locked, held, in_order, unlock, wait_for
from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.fastclasses import dataclass, field, replace
from keyhole.journal.model import MODE, EditRecord, Entry, FileChange, Journal, Span
from keyhole.phrases import printable
from keyhole.refusals import Refused
from keyhole.storage.atomic import Intruded, is_temporary, temporary_name
from keyhole.storage.roots import Root
from keyhole.text.document import Document, hash_of


@dataclass(frozen=True, slots=True)
class CommitContext:
    """A workspace's root, its journal, and where it keeps rescued bytes of other programs."""

    root: Root
    journal: Journal
    rescued: str
    max_bytes: int
    patience: float

    @contextmanager
    def directories(self, files: Collection[str] = ()) -> Iterator[Directories]:
        """Give directories that are opened once each and closed together."""
        directories = Directories(self.root, self.patience, files)
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
    # The files that are worked on: where one of them stands, there is no directory.
    files: Collection[str] = ()
    # Whether any file may have the name of a directory by now, as after a long history.
    mixed: bool = False
    # Those of them whose names others go on behind; `files` say which.
    above: Collection[str] = ()
    _fds: dict[str, int] = field(default_factory=dict)
    _locked: list[int] = field(default_factory=list)
    # Directories that were removed; locks on them are let go with the others.
    _gone: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Find what may be a file as well as a directory."""
        named = {each for path in self.files for each in directories_above(path)}
        self.above = named & {*self.files}

    def get(self, path: str) -> int | None:
        """Return a directory, or None when there is none."""
        fd = self._fds.get(path)
        if fd is not None:
            return fd
        try:
            self._fds[path] = self.root.directory(path)
        except Refused as refused:
            no = refused.refusals[0]
            is_file = no.kind == BELOW_FILE and (self.mixed or is_among(self.files, path))
            if no.code == "no-file" or is_file:
                return None
            raise
        return self._fds[path]

    def has_both(self, path: str) -> bool:
        """Tell whether a directory stands where a file is worked on, and so are files in it."""
        return (self.mixed or path in self.above) and self.get(path) is not None

    def lock(self, paths: Iterable[str]) -> bool:
        """Keep every keyhole from changing these directories; tell whether the disk knows locks.

        The directories themselves are locked, in one order: another workspace may reach them by
        other names, and shares nothing else with this one.
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
        if self.get(path) is None:
            raise Intruded

    def make_room(self, path: str, directory: str) -> None:
        """Make the directory of a file to come, and take away the one that has its name."""
        self.make(directory, [])
        self._clear(path)

    def _clear(self, path: str) -> None:
        """Remove a directory; `Intruded` if anything but directories is in it."""
        fd = self.get(path)
        for name in os.listdir(fd) if fd is not None else ():
            self._clear(f"{path}/{name}")
        if fd is None:
            return
        above, _, name = path.rpartition("/")
        try:
            os.rmdir(name, dir_fd=self.get(above))
        except OSError as error:
            if error.errno in {errno.ENOTEMPTY, errno.EEXIST}:
                raise Intruded from None
            raise
        self._gone.append(self._fds.pop(path))

    def unmake(self, paths: tuple[str, ...]) -> None:
        """Remove directories again that are empty, innermost first."""
        for path in reversed(paths):
            above, _, name = path.rpartition("/")
            parent = self.get(above)
            if parent is not None:
                with suppress(OSError):
                    os.rmdir(name, dir_fd=parent)

    def flush(self, paths: set[str]) -> None:
        """Make the names in these directories durable, if anything is to be."""
        for path in sorted(paths) if self.root.kernel.durable else ():
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
        for fd in (*self._fds.values(), *self._gone):
            os.close(fd)
        self._fds.clear()
        self._gone.clear()


@dataclass(frozen=True, slots=True)
class FileStep:
    """One file on its way to the disk; its temporary file lies in the directory `beside`."""

    file: FilePlan
    temp: str
    beside: str
    seen: FileRead | None
    # The metadata to set, if it differs from what the staged file gets anyway.
    gains: FileMetadata | None

    @property
    def path(self) -> str:
        """Return the name of the file in the tree."""
        return self.file.path

    @property
    def directory(self) -> str:
        """Return the directory that holds the file."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Return the name of the file in its directory."""
        return self.path.rpartition("/")[2]

    @property
    def after(self) -> Document | None:
        """Return what the file shall be; None if it goes."""
        return self.file.after

    @property
    def below(self) -> list[str]:
        """Return the directories that come with it where a file stands now, outermost first."""
        if self.after is None or self.directory == self.beside:
            return []
        depth = self.beside.count("/") + bool(self.beside)
        return directories_above(self.path)[depth:]

    @property
    def data(self) -> bytes:
        """Return the new bytes; made anew each time, so that no copy outlives its use."""
        assert self.after is not None, "BUG: a deletion has no bytes"
        return self.after.to_bytes()

    @property
    def change(self) -> FileChange:
        """Return what the journal keeps of the step, with the hashes of both versions."""
        file = self.file
        document = file.before if file.before is not None else file.after
        assert document is not None, "BUG: a plan for a file has a document"
        return FileChange(
            file.path,
            file.before.hash if file.before is not None else None,
            file.after.hash if file.after is not None else None,
            tuple(Span(each.start, each.end, len(each.text)) for each in file.changes.changes),
            tuple(_edit_records(file)),
            document.encoding,
            self.seen.metadata if self.seen else None,
            self.gains,
            file.moved_from,
            file.moved_to,
        )


class Images(Mapping[str, bytes]):
    """Every version the steps start from or lead to, by its hash; each is made when asked for."""

    def __init__(self, steps: Sequence[FileStep]) -> None:
        self._made: dict[str, Callable[[], bytes]] = {}
        for step in steps:
            if step.seen is not None and step.file.before is not None:
                self._made[step.file.before.hash] = partial(getattr, step.seen, "data")
            if step.after is not None:
                self._made[step.after.hash] = step.after.to_bytes

    def __getitem__(self, hash_: str) -> bytes:
        return self._made[hash_]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


@dataclass(frozen=True, slots=True)
class Bench:
    """What a commit works with: its context, the held locks, the files as they were read.

    The files in `held` stay open meanwhile.
    """

    site: CommitContext
    locked: Locked
    directories: Directories
    seen: Mapping[str, FileRead | None]
    held: Collection[str] = ()


def steps_of(
    plan: Plan, seen: Mapping[str, FileRead | None], gains: Mapping[str, FileMetadata], token: str
) -> list[FileStep]:
    """Return a step for every file that changes."""
    files = [file for file in plan.files if not file.is_unchanged]
    paths = frozenset(file.path for file in files)
    steps = []
    for nth, file in enumerate(files):
        now = seen[file.path]
        assert (file.before is None) == (now is None), "BUG: the plan was made for another state"
        given = _metadata_to_set(file, seen, gains.get(file.path))
        place = temporary_name(token, nth), bench_of(file.path, paths)
        steps.append(FileStep(file, *place, now, given))
    return steps


def _metadata_to_set(
    file: FilePlan, seen: Mapping[str, FileRead | None], gains: FileMetadata | None
) -> FileMetadata | None:
    """Return the metadata to set, if it differs from what the staged file gets anyway."""
    if file.after is None:
        return None
    now = seen[file.path]
    if file.like:
        return _metadata_of_source(file, seen)
    if now is not None and file.executable is not None:
        made = now.metadata.with_executable(executable=file.executable)
        return replace(made, mode=gains.mode) if gains else made
    if now is not None or gains is not None:
        return gains
    source = seen[file.moved_from] if file.moved_from else None
    if source is None:
        return FileMetadata(0o755, os.geteuid(), os.getegid()) if file.executable else None
    if file.executable is None:
        return source.metadata
    return source.metadata.with_executable(executable=file.executable)


def _metadata_of_source(file: FilePlan, seen: Mapping[str, FileRead | None]) -> FileMetadata:
    """Return the metadata that a file brings from its old place, with the right executable bit."""
    source, now = seen[file.like], seen[file.path]
    assert source is not None, "BUG: a file that came here was somewhere"
    program = bool(now and now.metadata.is_program)
    program = program if file.executable is None else file.executable
    if source.metadata.is_program == program:
        return source.metadata
    return source.metadata.with_executable(executable=program)


def _edit_records(file: FilePlan) -> Iterator[EditRecord]:
    positions = {change: index for index, change in enumerate(file.changes.changes)}
    for edit in file.edits:
        own = [positions.get(change, -1) for change in edit.changes]
        # Edits that build on each other have no place of their own in the text before.
        spans = () if -1 in own else tuple(own)
        matched = MODE if edit.is_mode else edit.matched
        yield EditRecord(edit.index, spans, edit.reason, edit.segment, matched)


class FileOutcome(Enum):
    """How far one file got, and who else was there."""

    UNPUBLISHED = "our change is not made yet"
    PUBLISHED = "our change is made"
    MATCHED = "somebody else made the same change, and ours is not made"
    OVERTAKEN = "our change was made, and somebody saved something else afterwards"
    BLOCKED = "somebody saved before our change was made"
    INTRUDED = "our change displaced a save that nobody had read"
    TANGLED = "our change displaced a save, and somebody saved again afterwards"

    @property
    def conflicts(self) -> bool:
        """Tell whether the transaction cannot go forward."""
        return self in {FileOutcome.BLOCKED, FileOutcome.INTRUDED, FileOutcome.TANGLED}

    @property
    def rescues(self) -> bool:
        """Tell whether the displaced bytes are somebody's and have no other home."""
        return self is FileOutcome.TANGLED


class Other(Enum):
    """Stands for bytes that are neither of our two versions and were not read."""

    OTHER = "a directory, a link, or a file too large to be one of ours"


Content = bytes | Other | None


def verdict_of(
    before: bytes | None, after: bytes | None, now: Content, displaced: Content
) -> FileOutcome:
    """Judge by the bytes before and after, at the name, and at the temporary name.

    If both verdicts fit, the answer is to go forward: the change may have been acknowledged, and
    going forward never touches a file with somebody else's bytes.
    """
    if displaced is not None and displaced not in {before, after}:
        return FileOutcome.INTRUDED if now == after else FileOutcome.TANGLED
    if now == after:
        # An exchange leaves the old bytes at the temporary name: these new ones are not ours.
        is_ours = before == after or displaced is None or displaced == before
        return FileOutcome.PUBLISHED if is_ours else FileOutcome.MATCHED
    if now == before:
        # The temporary name holds the old bytes only after an exchange: somebody put them back
        # since.
        taken_back = displaced == before and before is not None
        return FileOutcome.OVERTAKEN if taken_back else FileOutcome.UNPUBLISHED
    staged = displaced == after and after is not None
    return FileOutcome.BLOCKED if staged else FileOutcome.OVERTAKEN


def directories_of(entry: Entry) -> set[str]:
    """Return the directories that an entry changes."""
    paths = tuple(file.path for file in entry.files)
    return parents_of(paths) | {bench_of(path, paths) for path in paths}


def bench_of(path: str, paths: Collection[str]) -> str:
    """Return the directory in which a file waits: its own, unless that comes or goes itself.

    Where a file takes the place of a directory, or the reverse, it is the one that holds both.
    """
    above = directories_above(path)
    return next((each for each in above if each in paths), path).rpartition("/")[0]


def directories_above(path: str) -> list[str]:
    """Return the directories that a file lies in, outermost first."""
    ends = (at for at, letter in enumerate(path) if letter == "/")
    return [path[:end] for end in ends]


def is_among(files: Collection[str], directory: str) -> bool:
    """Tell whether one of these files has the name of a directory, or of one above it."""
    return bool(files) and any(each in files for each in (*directories_above(directory), directory))


def parents_of(paths: tuple[str, ...]) -> set[str]:
    """Return the directories that hold these files or directories."""
    return {path.rpartition("/")[0] for path in paths}
