"""Entries as plain values, and the interface of a journal."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Protocol

from keyhole.disk.files import FileMetadata
from keyhole.fastclasses import dataclass, field
from keyhole.journal.tallies import Tally
from keyhole.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an entry of a shared journal was made; `mine` says that it was in this checkout."""

    machine: str
    worktree: str
    branch: str = ""
    base: str = ""
    mine: bool = False
    # The number of the checkout among those of the project.
    checkout: int = 0

    @property
    def elsewhere(self) -> str:
        """Return the place, "" if it is here."""
        return "" if self.mine else str(self)

    def __str__(self) -> str:
        return f"{self.machine}:{self.worktree}" + (f" ({self.branch})" if self.branch else "")


@dataclass(frozen=True, slots=True)
class TaskSum:
    """How many transactions a task made, when the last was, whether it was ended, and where."""

    name: str
    transactions: int
    last: float
    ended: bool
    # Empty in a journal that belongs to one workspace.
    origins: tuple[Origin, ...] = ()


def sum_by_task(parts: Iterable[TaskSum]) -> tuple[TaskSum, ...]:
    """Return one sum for each task over all places, in the order they come."""
    found: dict[str, list[TaskSum]] = {}
    for part in parts:
        found.setdefault(part.name, []).append(part)
    return tuple(_sum(own) for own in found.values())


def _sum(own: list[TaskSum]) -> TaskSum:
    return TaskSum(
        own[0].name,
        sum(part.transactions for part in own),
        max(part.last for part in own),
        all(part.ended for part in own),
        tuple(dict.fromkeys(origin for part in own for origin in part.origins)),
    )


# The life of an entry: pending -> applied, or pending -> rolling-back -> rolled-back.
PENDING, APPLIED, ROLLING_BACK, ROLLED_BACK = "pending", "applied", "rolling-back", "rolled-back"

# What an edit is matched by that makes a file a program, or no longer one, and changes no text.
MODE = "mode"


@dataclass(frozen=True, slots=True)
class Span:
    """One change without its text: `[start, end)` of the old text became `length` characters."""

    start: int
    end: int
    length: int


@dataclass(frozen=True, slots=True)
class EditRecord:
    """One edit of the call; without spans of its own it cannot be taken back alone."""

    index: int
    spans: tuple[int, ...]
    reason: str = ""
    segment: str = ""
    matched: str = "exact"


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of an entry; a hash of None says that there was, or is, no such file."""

    path: str
    before: str | None
    after: str | None
    spans: tuple[Span, ...] = ()
    edits: tuple[EditRecord, ...] = ()
    encoding: str = "utf-8"
    # What the file carried before; None when it did not exist.
    metadata: FileMetadata | None = None
    # What the file is given; None keeps what it carries, of a new one what directory and mask say.
    gains: FileMetadata | None = None
    moved_from: str = ""
    moved_to: str = ""

    @property
    def of_mode(self) -> frozenset[int]:
        """Return the edits that were of the file's mode."""
        return frozenset(record.index for record in self.edits if record.matched == MODE)

    @property
    def executable(self) -> bool | None:
        """Tell whether the file became a program (True) or ceased to be one; None for neither."""
        if self.gains is None or self.gains.is_program == self.was_program:
            return None
        return self.gains.is_program

    @property
    def was_program(self) -> bool:
        """Tell whether the file was a program before."""
        return bool(self.metadata and self.metadata.is_program)


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo takes back: a whole entry, one edit of it, or what it did to one file."""

    entry: str
    edit: int | None = None
    path: str = ""


_SESSION = re.compile(r"session-([0-9a-f]{8})(-\d+)?")


@lru_cache(maxsize=256)
def server_of(task: str) -> str:
    """Return the server whose connection a task is of, "" if somebody named the task."""
    found = _SESSION.fullmatch(task)
    return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class Call:
    """Who asked for it, through which tool, for which task, and why."""

    actor: str = ""
    task: str = ""
    tool: str = ""
    reason: str = ""
    on_conflict: str = "refuse"
    undoes: tuple[Undone, ...] = ()
    # Anything worth keeping that JSON can spell: diagnostics, warnings, conflicts that were
    # overruled.
    details: Mapping[str, object] = field(default_factory=dict)

    def is_by(self, other: Call) -> bool:
        """Tell whether the same caller asked: over a connection the same one, else the actor."""
        connections = (each.details.get("session") for each in (self, other))
        return self.actor == other.actor and len({*connections}) == 1


@dataclass(frozen=True, slots=True)
class EntryDraft:
    """An entry before it has its place in the journal; `token` names its temporary files."""

    token: str
    time: float
    call: Call
    files: tuple[FileChange, ...]
    # Directories that were made for it, outermost first.
    made: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One transaction as the journal keeps it: append-only, only its state moves."""

    id: str
    order: int
    draft: EntryDraft
    state: str = PENDING
    # "weak" where the file system cannot exchange two names, so that a save of another program
    # could slip in.
    guard: str = "strong"
    warnings: tuple[str, ...] = ()
    # None in a journal that belongs to one workspace.
    origin: Origin | None = None
    # The entries that had taken some of it back when it was read, by their order; None where the
    # journal has to be asked. Only who has just read the entry may go by this.
    undoers: tuple[int, ...] | None = field(default=None, compare=False)

    @property
    def is_elsewhere(self) -> bool:
        """Tell whether it was made in another checkout, where its files live."""
        return self.origin is not None and not self.origin.mine

    @property
    def call(self) -> Call:
        """Return who asked, and why."""
        return self.draft.call

    @property
    def files(self) -> tuple[FileChange, ...]:
        """Return what happened, file by file."""
        return self.draft.files

    @property
    def time(self) -> float:
        """Return when it happened, in seconds since 1970."""
        return self.draft.time

    @property
    def outcome(self) -> str:
        """Return what a receipt says of it."""
        return {APPLIED: "applied", ROLLED_BACK: "not_applied"}.get(self.state, "committed_pending")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call that was refused, so that one can tell how often agents fail and at what."""

    time: float
    actor: str
    task: str
    tool: str
    codes: tuple[str, ...]
    path: str = ""
    # The headlines of the refusals, a line each.
    said: str = ""
    # None in a journal that belongs to one workspace.
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """Which entries to list, newest first."""

    path: str = ""
    actor: str | None = None
    task: str | None = None
    since: float = 0.0
    before: int | None = None
    limit: int = 50
    until: float | None = None
    # Only a shared journal knows more than one of these.
    machine: str | None = None
    worktree: str | None = None
    # Of the workspace's own journal: only the file, no others where it was a directory once.
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a file that a task edited; `entry` is "" until the edit is recorded."""

    start: int
    end: int
    task: str
    actor: str
    time: float
    reason: str = ""
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Regions:
    """Where live tasks edited a file; offsets count in the version with this hash."""

    hash: str
    regions: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class Retention:
    """How much history to keep; what is kept can always be undone."""

    seconds: float = 90 * 24 * 3600.0
    size: int = 2 << 30
    # Entries from this number on are kept, for they are yet to be shared; 0 keeps none back.
    keep_from: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """What an examination of the journal found."""

    store: str
    entries: int
    pending: int
    size: int
    # Empty when everything is as it was written.
    damage: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Entries(Protocol):
    """Entries, what took them back, and the bytes that they speak of."""

    def entry(self, name: str) -> Entry | None:
        """Return the entry with this id."""

    def entries(self, query: Query) -> tuple[Entry, ...]:
        """Return the entries that fit, newest first."""

    def undoers(self, name: str) -> tuple[str, ...]:
        """Return the names of the entries that took some of this one back, oldest first."""

    def image(self, hash_: str) -> bytes | None:
        """Return a file's exact bytes by their hash, if this journal keeps them."""


class Records(Entries, Protocol):
    """What was done, for asking only: one workspace's own journal, or one that many share."""

    def attempts(self, query: Query) -> tuple[Attempt, ...]:
        """Return the refused calls that fit, newest first; `before` says nothing of them."""

    def tally(self, since: float) -> Tally:
        """Count how calls went."""

    def tasks(self, limit: int) -> tuple[TaskSum, ...]:
        """Return what tasks did, those that edited last first."""

    def examine(self) -> Health:
        """Check what is stored; slow on a long history."""


class FileEntries(Entries, Protocol):
    """What was done to each file of one workspace, in order."""

    def later(self, path: str, order: int, limit: int) -> tuple[Entry, ...]:
        """Return the applied entries that touched `path` after `order`, oldest first."""

    def touches(self, path: str) -> tuple[int, ...]:
        """Return the applied entries that touched `path`, oldest first, by their order."""

    def departures(self, path: str, order: int) -> tuple[Entry, ...]:
        """Return the applied entries after `order` that left no file at `path`, oldest first."""

    def reached(self, path: str, hash_: str) -> tuple[int, bool] | None:
        """Return the last applied entry at `path` that left these bytes (True) or found them."""

    def kept(self, name: str) -> bytes | None:
        """Return what was kept under a name."""

    def keep(self, name: str, data: bytes) -> None:
        """Keep something that could be made again, until entries are forgotten; it may fail."""


class Journal(Records, FileEntries, Protocol):
    """A store of entries. Every question is answered through an index, however long the history."""

    def last_touch(self, path: str) -> int:
        """Return the last entry that touched `path`, finished or not, by its order; 0 for none."""

    def begin(
        self, draft: EntryDraft, images: Mapping[str, bytes], regions: Mapping[str, Regions]
    ) -> Entry:
        """Record the intent durably; from then on the outcome is decided."""

    def record(self, draft: EntryDraft, images: Mapping[str, bytes]) -> Entry:
        """Append what others did: it is done, so no file will be touched for it."""

    def settle(self, entry: Entry, state: str) -> Entry:
        """Move an entry on to `state`."""

    def pending(self, paths: frozenset[str] | None = None) -> tuple[Entry, ...]:
        """Return the entries that are not finished, of these paths or of all."""

    def mark(self) -> str:
        """Return a word that is another one whenever anything was recorded; cheap to ask often."""

    def has_version(self, path: str, hash_: str) -> bool:
        """Tell whether `path` is known to have had these bytes."""

    def regions(self, path: str) -> Regions | None:
        """Return where live tasks edited `path`."""

    def refuse(self, attempt: Attempt) -> None:
        """Remember a refused call; cheap, and not durable at once."""

    def end_task(self, task: str, time: float) -> bool:
        """End a task, so that its edits no longer conflict; tell whether it was ever seen."""

    def tasks_ended(self, tasks: Collection[str]) -> dict[str, float]:
        """Return when each of these tasks was last ended, or 0."""

    def tidy(self, retention: Retention, now: float) -> int:
        """Forget what is older or more than the retention allows; return how many entries."""

    def tidy_if_due(self, retention: Retention, now: float) -> int:
        """Tidy up if nobody did for a day."""

    def set_aside(self, why: str) -> Refusal:
        """Give up a damaged journal: the next one starts empty."""

    def close(self) -> None:
        """Let the store go."""
