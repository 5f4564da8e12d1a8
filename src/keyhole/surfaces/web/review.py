"""One workspace as the review pages read it, through the engine."""

from __future__ import annotations

import time
from pathlib import Path

from keyhole.answers.history import PastTransaction
from keyhole.answers.receipt import Receipt
from keyhole.engine.facade import Engine
from keyhole.engine.history.cumulative import Cumulative, CumulativeFile, TouchedFile
from keyhole.engine.review import Review
from keyhole.surfaces.pages.frame import PageFrame
from keyhole.surfaces.web.pages.timeline import Count

_MOST_COUNTED = 20_000
_MOST_COMPARED = 200
_FIRST_COUNTED, _COUNTING_SECONDS = 5, 0.1


class ReviewSite:
    """One workspace as the pages see it, and who looks at it."""

    def __init__(self, engine: Engine, actor: str, csrf: str = "", editor: str = "") -> None:
        self.engine = engine
        self._editor = editor
        # The other workspaces that are reviewed beside this one.
        self.others: tuple[tuple[str, str], ...] = ()
        self._compared: dict[object, CumulativeFile] = {}
        self._known: tuple[str, dict[str, list[str]]] = ("", {})
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

    @property
    def reviewer(self) -> str:
        """Return the name under which marks are kept."""
        return self.actor.removeprefix("review:")

    def known(self) -> dict[str, list[str]]:
        """Return the tasks, agents, files and so on that filters offer, of late transactions."""
        mark = self.past.mark()
        if mark != self._known[0]:
            self._known = (mark, self.past.people())
        return self._known[1]

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
            unseen=review.unseen(self.reviewer),
            editor=self._editor,
            others=self.others,
            mark=self.mark(),
            shares=review.shares,
            away=review.is_away,
            observed=self.engine.checkpoints.is_observed,
        )

    def _waiting(self) -> int:
        """Return how many proposals wait; they are read again only when one came or was decided."""
        mark = self.past.queue_mark()
        if mark != self._queued[0]:
            waiting = sum(each.proposed.verdict is None for each in self.past.proposals())
            self._queued = (mark, waiting)
        return self._queued[1]

    def compared(self, found: Cumulative, file: TouchedFile) -> CumulativeFile:
        """Return the diff of one file; the last ones are kept, for what happened stays so."""
        key = (file.first, file.path, file.before, file.after, len(file.steps), found.scope)
        if key not in self._compared:
            if len(self._compared) >= _MOST_COMPARED:
                del self._compared[next(iter(self._compared))]
            self._compared[key] = self.past.changed(found, file)
        return self._compared[key]

    def seen(self, receipt: Receipt) -> Receipt:
        """Mark what the reviewer did as seen, and return its receipt."""
        if receipt.ok and receipt.transaction:
            self.past.see(self.reviewer, [receipt.transaction])
        return receipt

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
        return f"{self.past.mark()}/{self.past.marks_word(self.reviewer)}"
