"""Files in hand: locked, read once, and the only way to commit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from keyhole.edits.plan import Plan, Snapshot
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document
from keyhole.values import dataclass, field, replace
from keyhole.workspace.commit import commit
from keyhole.workspace.disk.metadata import Metadata
from keyhole.workspace.journal.base import Call, Entry
from keyhole.workspace.past.claims import claims_after
from keyhole.workspace.recent import Recent
from keyhole.workspace.staging.steps import Bench

if TYPE_CHECKING:
    from keyhole.workspace.shared.sharer import Sharer


@dataclass(frozen=True, slots=True)
class Held:
    """The files of one call while their locks are held; a read-only workspace has no bench."""

    snapshot: Snapshot
    bench: Bench | None = field(repr=False)
    recent: Recent | None = field(default=None, repr=False, compare=False)
    shared: Sharer | None = field(default=None, repr=False, compare=False)

    def commit(
        self,
        plan: Plan,
        call: Call,
        *,
        gains: Mapping[str, Metadata] | None = None,
        fence: Callable[[], None] | None = None,
    ) -> Entry:
        """Carry the plan to the disk completely, or change nothing and refuse.

        `gains` names what new files are given, for an undo that brings one back. `fence` is called
        when all is ready, and may still refuse.
        """
        if self.bench is None:
            raise Refused(read_only())
        if self.shared is not None:
            call = replace(call, details={**call.details, "checkout": self.shared.place()})
        claims = claims_after(self.bench.site.journal, plan, call, time.time())
        entry = commit(self.bench, plan, call, gains or {}, claims, fence)
        if self.recent is not None:
            self.recent.keep(plan.files)
        return entry


@dataclass(frozen=True, slots=True)
class ShownTo(Mapping[str, tuple[Document, ...]]):
    """What one actor was shown of some files, fetched when somebody asks."""

    paths: tuple[str, ...]
    fetch: Callable[[str], tuple[Document, ...]]

    def __getitem__(self, path: str) -> tuple[Document, ...]:
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
