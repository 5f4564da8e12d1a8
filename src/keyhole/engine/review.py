"""Use cases of the review page: the past, the proposals, and a person's decisions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from keyhole.answers.history import PastTransaction, ProposalSummary
from keyhole.answers.receipt import Receipt
from keyhole.engine import proposals, struggles
from keyhole.engine.edit.plan import snapshot_of
from keyhole.engine.history import blame, compare, cumulative, recall, timeline
from keyhole.engine.history.blame import SegmentBlame
from keyhole.engine.history.changes import Changes, ChangesRequest, changes, changes_answer
from keyhole.engine.history.compare import FileComparison
from keyhole.engine.history.cumulative import Cumulative, CumulativeFile, TouchedFile
from keyhole.engine.history.timeline import Cursor, Filter, Page
from keyhole.engine.linting.lint import Linting
from keyhole.engine.proposals import Decision, ProposalPreview
from keyhole.engine.struggles import Struggle, Struggles
from keyhole.engine.upkeep import Tasks, tasks
from keyhole.fastclasses import replace
from keyhole.journal.model import FileChange, Query, Records
from keyhole.review_marks import MarkedBy
from keyhole.workspace.tree import Tree

_MOST_PEOPLE = 200


class Review:
    """The use cases of the review page: of this workspace, or of all that share a journal."""

    def __init__(self, tree: Tree, linting: Linting | None) -> None:
        self._tree, self._linting = tree, linting

    def private(self, name: str) -> Path:
        """Return the path of a file that a door keeps beside the journal."""
        return self._tree.state / name

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

    def around(self, past: PastTransaction) -> tuple[str, str]:
        """Return the transactions before and after one of this workspace, "" where none is."""
        if past.entry.is_elsewhere:
            return "", ""
        near = (self._tree.journal.entry(str(past.entry.order + step)) for step in (-1, 1))
        before, after = (each.id if each else "" for each in near)
        return before, after

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

    def changes(self, wanted: ChangesRequest, reviewer: str = "") -> Cumulative:
        """Return which files some transactions changed; `changed` makes the diff of one."""
        newest = self.newest()
        unfinished = tuple(each.order for each in self._tree.journal.pending())
        found = changes(self._tree, wanted, self._marked.get(reviewer))
        return replace(found, newest=newest, unfinished=unfinished)

    def changed(self, found: Cumulative, file: TouchedFile) -> CumulativeFile:
        """Return the diff of one file, with the reason of each hunk beside it."""
        return cumulative.compared(self._tree.journal, found, file)

    def diff(self, wanted: ChangesRequest, reviewer: str = "") -> Changes:
        """Return what some transactions did as one diff, every file of it compared."""
        return changes_answer(self._tree.journal, self.changes(wanted, reviewer))

    @property
    def _marked(self) -> MarkedBy:
        return MarkedBy(self._tree.state / "reviewers")

    def unseen(self, reviewer: str) -> int:
        """Return how many transactions of this workspace a reviewer has not seen."""
        return self._marked.get(reviewer).unseen(self.newest())

    def unseen_of(self, reviewer: str, past: Collection[PastTransaction]) -> frozenset[str]:
        """Return the ids of those transactions that a reviewer has not seen."""
        marks = self._marked.get(reviewer)
        own = (each.entry for each in past if not each.entry.is_elsewhere)
        return frozenset(each.id for each in own if not marks.is_seen(each.order))

    def viewed(self, reviewer: str, found: Cumulative) -> frozenset[str]:
        """Return the files that a reviewer marked as viewed as they are now."""
        marks = self._marked.get(reviewer)
        return frozenset(
            each.path for each in found.files if marks.is_viewed(each.path, each.after)
        )

    def marks_word(self, reviewer: str) -> str:
        """Return a word that is another one whenever a reviewer marked something."""
        return self._marked.mark(reviewer)

    def struggles(self, since: float, code: str = "") -> Struggles:
        """Return the latest refused calls of this workspace, and counts of all since then."""
        return struggles.struggles(self._tree, since, code=code)

    def struggle(self, at: float, actor: str) -> Struggle:
        """Return one refused call with what was sent and what came of it, or refuse."""
        return struggles.struggle(self._tree, at, actor)

    def people(self) -> dict[str, list[str]]:
        """Return tasks, actors, sessions, files and segments of late transactions, last first."""
        entries = self._records.entries(Query(limit=_MOST_PEOPLE))
        calls = [each.call for each in entries]
        files = [file for each in entries for file in each.files]
        sessions = [str(each.details.get("session") or "") for each in calls]
        named = {
            "task": [each.task for each in calls],
            "actor": [each.actor for each in calls],
            "session": sessions,
            "path": [file.moved_to or file.path for file in files],
            "segment": [edit.segment for file in files for edit in file.edits],
        }
        return {name: [*dict.fromkeys(filter(None, all_))][:100] for name, all_ in named.items()}

    def newest(self) -> int:
        """Return the order of the newest transaction of this workspace."""
        return next((each.order for each in self._tree.journal.entries(Query(limit=1))), 0)

    def see(self, reviewer: str, names: Collection[str], *, seen: bool = True) -> None:
        """Mark transactions as seen, or as unseen again."""
        orders = {self.transaction(name).entry.order for name in names}
        if seen:
            self._marked.change(reviewer, lambda marks: marks.with_seen(orders))
        else:
            self._marked.change(reviewer, lambda marks: marks.with_unseen(orders))

    def see_all(self, reviewer: str, newest: int, unfinished: Collection[int] = ()) -> None:
        """Mark all as seen up to a transaction, but for what is, or was then, still under way."""
        upto = min(newest, self.newest())
        pending = {*unfinished, *(each.order for each in self._tree.journal.pending())}
        self._marked.change(reviewer, lambda marks: marks.with_all_seen(upto, pending))

    def see_changes(
        self, reviewer: str, wanted: ChangesRequest, newest: int, unfinished: Collection[int]
    ) -> None:
        """Mark as seen what one diff showed: nothing newer, nor what was not finished then."""
        found = self.changes(wanted, reviewer)
        shown = {each.order for each in found.entries if each.order <= newest} - {*unfinished}
        self._marked.change(reviewer, lambda marks: marks.with_seen(shown))

    def view(self, reviewer: str, path: str, version: str) -> None:
        """Mark a file as viewed in a version; no version takes the mark away."""
        self._marked.change(reviewer, lambda marks: marks.with_file(path, version))

    def counted(self, past: PastTransaction) -> tuple[int, int]:
        """Return how many lines a transaction added and removed."""
        records, files = self._records, past.entry.files
        arrived = {change.path: change for change in files if change.moved_from}
        both = [
            compare.counts(records, change, arrived.get(change.moved_to, change))
            for change in files
            if not change.moved_from
        ]
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
        found = proposals.followed(self._tree, proposals.proposal(self._tree, name))
        snapshot = snapshot_of(self._tree, [file.path for file in found.plan.files])
        return proposals.preview_of(found, snapshot.files, self._tree.journal)

    def decide(self, decision: Decision) -> Receipt:
        """Carry out what was accepted as one transaction, and keep the verdict; or say why not."""
        return proposals.decide(self._tree, self._linting, decision)
