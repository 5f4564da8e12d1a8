"""Use cases of the review page: the past, the proposals, and a person's decisions."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.answers.history import PastTransaction, ProposalSummary
from keyhole.answers.receipt import Receipt
from keyhole.engine import proposals
from keyhole.engine.edit.plan import snapshot_of
from keyhole.engine.history import blame, compare, recall, timeline
from keyhole.engine.history.blame import SegmentBlame
from keyhole.engine.history.compare import FileComparison
from keyhole.engine.history.timeline import Cursor, Filter, Page
from keyhole.engine.linting.lint import Linting
from keyhole.engine.proposals import Decision, ProposalPreview
from keyhole.engine.upkeep import Tasks, tasks
from keyhole.journal.model import FileChange, Query, Records
from keyhole.workspace.tree import Tree


class Review:
    """The use cases of the review page: of this workspace, or of all that share a journal."""

    def __init__(self, tree: Tree, linting: Linting | None) -> None:
        self._tree, self._linting = tree, linting

    @property
    def _records(self) -> Records:
        return recall.records(self._tree)

    @property
    def shares(self) -> bool:
        """Tell whether the workspace shares a journal with others."""
        return self._tree.shared is not None

    @property
    def is_away(self) -> bool:
        """Tell whether the shared journal is out of reach."""
        return self._tree.shared is not None and self._tree.shared.is_failing

    def mark(self) -> str:
        """Return a word that is another one whenever a page would look different."""
        others = f"/{self._tree.shared.mark}" if self._tree.shared is not None else ""
        return f"{self._tree.journal.mark()}/{self.queue_mark()}{others}"

    def queue_mark(self) -> str:
        """Return a word that is another one whenever a proposal came or was decided."""
        return proposals.queue_of(self._tree).mark()

    def page(
        self, wanted: Filter, cursor: Cursor | None = None, *, size: int = 50, seconds: float = 0.8
    ) -> Page:
        """Return one page of the timeline, newest first."""
        start = cursor or Cursor()
        return timeline.page(self._records, wanted, start, size=size, seconds=seconds)

    def transaction(self, name: str) -> PastTransaction:
        """Return one transaction by its id, or refuse."""
        return recall.found(self._records, name)

    def compared(self, past: PastTransaction) -> tuple[FileComparison, ...]:
        """Return what a transaction did to each of its files."""
        return compare.compare_entry(self._records, past.entry)

    def compared_through(self, past: Sequence[PastTransaction]) -> tuple[FileComparison, ...]:
        """Return each file from before the first of some transactions to after the last."""
        changes: dict[str, list[FileChange]] = {}
        for change in (change for each in past for change in each.entry.files):
            changes.setdefault(change.path, []).append(change)
        records = self._records
        return tuple(compare.compare_since(records, path, own) for path, own in changes.items())

    def counted(self, past: PastTransaction) -> tuple[int, int]:
        """Return how many lines a transaction added and removed."""
        records = self._records
        both = [compare.counts(records, change) for change in past.entry.files]
        return sum(added for added, _ in both), sum(removed for _, removed in both)

    def tasks(self) -> Tasks:
        """Return the tasks, those that edited last first."""
        return tasks(self._records)

    def has_more_of(self, task: str, most: int) -> bool:
        """Tell whether a task made more than so many transactions here."""
        return len(self._tree.journal.entries(Query(task=task, limit=most + 1))) > most

    def blame(self, path: str) -> tuple[SegmentBlame, ...]:
        """Return every segment of a file with the last change of it that is known."""
        return blame.blame(self._tree, path)

    def history_of(self, path: str, segment: str) -> SegmentBlame:
        """Return one segment with every change of it that is known."""
        return blame.history_of(self._tree, path, segment)

    def proposals(self) -> tuple[ProposalSummary, ...]:
        """Return every proposal, newest first."""
        return tuple(map(ProposalSummary, proposals.proposals(self._tree)))

    def proposal(self, name: str) -> ProposalPreview:
        """Return what a proposal would do to the files as they stand, or refuse."""
        found = proposals.proposal(self._tree, name)
        snapshot = snapshot_of(self._tree, [file.path for file in found.plan.files])
        return proposals.preview_of(found, snapshot.files, self._tree.journal)

    def decide(self, decision: Decision) -> Receipt:
        """Carry out what was accepted as one transaction, and keep the verdict; or say why not."""
        return proposals.decide(self._tree, self._linting, decision)
