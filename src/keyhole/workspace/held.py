"""Held files: locked and read once; only they can be committed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from keyhole import deferred
from keyhole.disk.files import FileMetadata
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.fastclasses import dataclass, field, replace
from keyhole.history.conflicts import regions_after
from keyhole.journal.model import Call, Entry, Journal
from keyhole.refusals import Refusal, Refused
from keyhole.storage.commit import commit
from keyhole.storage.staging.steps import Bench

if TYPE_CHECKING:
    from keyhole.sharing.sender import Sharer

T = TypeVar("T")
_PREPARED_UP_TO = 256 << 10


@dataclass(frozen=True, slots=True)
class HeldFiles:
    """The files of one call while their locks are held; a read-only workspace has no bench."""

    snapshot: Snapshot
    bench: Bench | None = field(repr=False)
    shared: Sharer | None = field(default=None, repr=False, compare=False)
    # Told of each plan that was carried out, and by whom.
    wrote: Callable[[Plan, str], None] = field(default=lambda *_: None, repr=False, compare=False)

    def commit(
        self,
        plan: Plan,
        call: Call,
        *,
        gains: Mapping[str, FileMetadata] | None = None,
        made: tuple[str, ...] = (),
        fence: Callable[[], None] | None = None,
    ) -> Entry:
        """Carry the plan to the disk completely, or change nothing and refuse.

        `gains` is the metadata of files that an undo brings back, and `made` are the directories
        that undone entries had made: they go if they are empty. `fence` is called when all is
        ready, and may still refuse.
        """
        if self.bench is None:
            raise Refused(read_only())
        if self.shared is not None:
            call = replace(call, details={**call.details, "checkout": self.shared.place()})
        regions = regions_after(self.bench.site.journal, plan, call, time.time())
        entry = commit(self.bench, plan, call, gains or {}, regions, fence)
        self.bench.directories.unmake(made)
        self.wrote(plan, call.actor)
        if _is_due(entry.order):
            deferred.leave(partial(_prepare, self.bench.site.journal, entry))
        return entry


def _prepare(journal: Journal, entry: Entry) -> None:
    """Compose runs ahead that an undo of an old entry will need."""
    from keyhole.history.runs import prepare

    with suppress(Refused):
        prepare(journal, entry, _PREPARED_UP_TO)


def _is_due(order: int) -> bool:
    """Tell whether to compose runs after an entry: after one in 32, whatever its file.

    The high bits of a product decide, so that of two files edited in turn each has its share.
    """
    return not (order * 0x9E3779B1 >> 16) % 32


@dataclass(frozen=True, slots=True)
class Fetched(Mapping[str, T]):
    """What is known of some files, fetched when somebody asks."""

    paths: tuple[str, ...]
    fetch: Callable[[str], T]

    def __getitem__(self, path: str) -> T:
        if path not in self.paths:
            raise KeyError(path)
        return self.fetch(path)

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


def read_only() -> Refusal:
    """Return the refusal of every write in a read-only workspace."""
    return Refusal(
        "read-only",
        "the workspace is open for reading only",
        help="report what you would change, or ask the user to open the workspace for writing",
    )
