"""What the pages are about: one workspace, asked through the engine, with what is worth keeping."""

from __future__ import annotations

import time
from pathlib import Path

from keyhole.answers.history import PastTransaction
from keyhole.engine.facade import Engine
from keyhole.engine.history.compare import counts
from keyhole.engine.history.recall import records as records_of
from keyhole.engine.history.timeline import Records
from keyhole.engine.proposals import queue_of
from keyhole.surfaces.web.page_frame import PageFrame
from keyhole.surfaces.web.pages.timeline import Count

_MOST_COUNTED = 20_000
_FIRST_COUNTED, _COUNTING_SECONDS = 5, 0.1


class ReviewSite:
    """One workspace as the pages see it, and who looks at it."""

    def __init__(self, engine: Engine, actor: str, csrf: str = "") -> None:
        self.engine = engine
        self.actor = actor
        self._csrf = csrf
        self._counted: dict[str, tuple[int, int]] = {}
        self._queued = ("", 0)
        # What every page shows, where that is settled: in an exported file.
        self.shown: PageFrame | None = None

    @property
    def records(self) -> Records:
        """Return what the pages read of the past: of this workspace, or of all that share."""
        return records_of(self.engine.tree)

    def frame(self) -> PageFrame:
        """Return what every page shows of the workspace."""
        if self.shown is not None:
            return self.shown
        tree = self.engine.tree
        name = Path(tree.root.path).name or tree.root.path
        return PageFrame(
            name,
            tree.root.path,
            tree.options.read_only,
            self._csrf,
            proposals=self._waiting(),
            mark=self.mark(),
            shares=tree.shared is not None,
            away=tree.shared is not None and tree.shared.is_failing,
        )

    def _waiting(self) -> int:
        """Return how many proposals wait; they are read again only when one came or was decided."""
        queue = queue_of(self.engine.tree)
        mark = queue.mark()
        if mark != self._queued[0]:
            waiting = sum(each.verdict is None for each in queue.all())
            self._queued = (mark, waiting)
        return self._queued[1]

    def counter(self, seconds: float = _COUNTING_SECONDS) -> Count:
        """Return a way to count lines that stops counting when a page has waited long enough.

        Transactions never change, so what was counted once is known; the first few are counted in
        any case, the rest when the page is looked at again.
        """
        until = time.monotonic() + seconds
        first = iter(range(_FIRST_COUNTED))

        def count(past: PastTransaction) -> tuple[int, int] | None:
            known = self._counted.get(past.entry.id)
            if known is None and (next(first, None) is not None or time.monotonic() < until):
                known = self._count(past)
            return known

        return count

    def _count(self, past: PastTransaction) -> tuple[int, int]:
        both = [counts(self.records, change) for change in past.entry.files]
        if len(self._counted) > _MOST_COUNTED:
            self._counted.clear()
        found = sum(added for added, _ in both), sum(removed for _, removed in both)
        self._counted[past.entry.id] = found
        return found

    def mark(self) -> str:
        """Return a word that is another one whenever a page would look different."""
        tree = self.engine.tree
        others = f"/{tree.shared.mark}" if tree.shared is not None else ""
        return f"{tree.journal.mark()}/{queue_of(tree).mark()}{others}"
