"""One workspace as the review pages read it, through the engine."""

from __future__ import annotations

import time
from pathlib import Path

from keyhole.answers.history import PastTransaction
from keyhole.engine.facade import Engine
from keyhole.engine.review import Review
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
    def past(self) -> Review:
        """Return what the pages read of the past: of this workspace, or of all that share."""
        return self.engine.review

    def frame(self) -> PageFrame:
        """Return what every page shows of the workspace."""
        if self.shown is not None:
            return self.shown
        root, review = self.engine.root, self.past
        return PageFrame(
            Path(root).name or root,
            root,
            self.engine.allowed.read_only,
            self._csrf,
            proposals=self._waiting(),
            mark=self.mark(),
            shares=review.shares,
            away=review.is_away,
        )

    def _waiting(self) -> int:
        """Return how many proposals wait; they are read again only when one came or was decided."""
        mark = self.past.queue_mark()
        if mark != self._queued[0]:
            waiting = sum(each.proposed.verdict is None for each in self.past.proposals())
            self._queued = (mark, waiting)
        return self._queued[1]

    def counter(self, seconds: float = _COUNTING_SECONDS) -> Count:
        """Return a function that counts lines until a page has waited long enough.

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
        if len(self._counted) > _MOST_COUNTED:
            self._counted.clear()
        found = self._counted[past.entry.id] = self.past.counted(past)
        return found

    def mark(self) -> str:
        """Return a word that is another one whenever a page would look different."""
        return self.past.mark()
