"""An edit tracker: who edited which lines, asked before anybody edits there."""

from __future__ import annotations

import time
from threading import Lock

from keyhole.fastclasses import dataclass, replace
from keyhole.history.conflicts import in_offsets_of, live
from keyhole.history.steps_since import carry, overlap
from keyhole.journal.model import Region, Regions
from keyhole.refusals import Refusal, Refused
from keyhole.text.diff import diff
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

LineNumbers = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TrackedEdit:
    """An edit of a task, in lines of the file as it now stands; `transaction` "" is a note only."""

    task_id: str
    start_line: int
    end_line: int
    transaction: str = ""


@dataclass(frozen=True, slots=True)
class _Noted:
    """A region that somebody told us of, in offsets of the version it was told for."""

    region: Region
    document: Document


class EditTracker:
    """Edits that tasks announced or made, carried along as the files change.

    What the engine itself wrote for a task is known without `record_edit`. Regions are lines from
    1, both ends included; (5, 4) is the point before line 5. Threads may share a tracker.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._noted: dict[str, list[_Noted]] = {}
        self._lock = Lock()

    def record_edit(self, path: str, task_id: str, region: LineNumbers) -> None:
        """Note that a task edited, or is about to edit, these lines."""
        canonical, document = self._read(path)
        start, end = _span(document, region)
        wrote = Region(start, end, task_id, "", time.time())
        with self._lock:
            self._noted.setdefault(canonical, []).append(_Noted(wrote, document))

    def check_conflicts(
        self, path: str, region: LineNumbers, task_id: str = ""
    ) -> list[TrackedEdit]:
        """Return the edits of other tasks that these lines meet; a task never meets itself."""
        canonical, document = self._read(path)
        wanted = _span(document, region)
        with self._lock:
            noted = [_carry(each, document) for each in self._noted.get(canonical, ())]
        journal = self._tree.journal
        known = journal.regions(canonical) or Regions("", ())
        regions = live(journal, (*noted, *in_offsets_of(journal, known, document)), time.time())
        met = [
            region
            for region in regions
            if region.task != task_id and overlap((region.start, region.end), wanted)
        ]
        return [_record(document, region) for region in met]

    def forget(self, task_id: str) -> None:
        """Drop what was noted for a task: it is over."""
        with self._lock:
            for path, noted in self._noted.items():
                self._noted[path] = [each for each in noted if each.region.task != task_id]

    def _read(self, path: str) -> tuple[str, Document]:
        return self._tree.resolve(path), self._tree.read(path)


# Its name in the document that asks for it.
FileEditTracker = EditTracker


def _span(document: Document, region: LineNumbers) -> tuple[int, int]:
    first, last = region
    total = document.line_count
    if not (1 <= first <= total + 1 and first - 1 <= last <= total):
        headline = f"there are no lines {first}-{last}: the file has {total}"
        raise Refused(Refusal("bad-request", headline, help="count lines from 1"))
    if last < first:
        at = document.starts[first - 1] if first <= total else len(document.text)
        return at, at
    return document.span_of_lines(first, last)


def _carry(noted: _Noted, document: Document) -> Region:
    """Return a region in offsets of the file as it stands."""
    if noted.document.hash == document.hash:
        return noted.region
    changes = diff(noted.document.text, document.text).changes
    start, end = carry((noted.region.start, noted.region.end), changes)
    return replace(noted.region, start=start, end=end)


def _record(document: Document, region: Region) -> TrackedEdit:
    first = document.line_at(region.start)
    last = document.line_at(region.end - 1) if region.end > region.start else first - 1
    return TrackedEdit(region.task, first, last, region.entry)
