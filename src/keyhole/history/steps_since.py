r"""The steps of a file since some version: the changes from there to the present.

A file is edited, moved, and edited by somebody without keyhole (`tree` is an empty workspace). The
steps lead from the version that the first edit left to the present text:

>>> from tests.workspace.scene import create, edit, move
>>> entry = create(tree, "a", "one\ntwo\n")
>>> first = edit(tree, "a", "one", "1")
>>> entry, entry = edit(tree, "a", "two", "2"), move(tree, "a", "b")
>>> way = follow_file(tree.journal, first.files[0], first.order)
>>> way.path, way.text
('b', '1\n2\n')
>>> outside = Document("0\n1\n2\n")
>>> [step.changes.changes for step in way.to(outside) if step.changes.changes]
[(Change(start=2, end=5, text='2'),), (Change(start=0, end=0, text='0\n'),)]
>>> compose(way.to(outside), len("1\ntwo\n")).apply("1\ntwo\n")
'0\n1\n2\n'
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from keyhole.fastclasses import dataclass, field
from keyhole.history.pieces import carry_by_lines, got_other_text
from keyhole.history.runs import Run, parts, parts_of, run_of
from keyhole.history.versions import FileVersion, change_at, changes_from_spans
from keyhole.journal.model import Entry, FileChange, FileEntries
from keyhole.text.align import common_head, common_tail
from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.diff import diff, line_changes
from keyhole.text.document import Document


def carry(span: tuple[int, int], changes: Iterable[Change]) -> tuple[int, int]:
    """Return where a stretch lies after `changes`; those inside it become part of it."""
    start, end = span
    new_start, new_end, shift = start, end, 0
    for change in changes:
        if change.end <= start and (change.start < start or start < end):
            shift += change.growth
            new_start, new_end = start + shift, end + shift
            continue
        if change.start >= end:
            break
        new_start = min(new_start, change.start + shift)
        new_end = max(end, change.end) + shift + change.growth
        shift += change.growth
    return new_start, new_end


def overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Tell whether two stretches share text; two insertions at one point do too."""
    return one == other or (one[0] < other[1] and other[0] < one[1])


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """The changes from one version of a file to a later one, and their entry ("": an outsider)."""

    changes: ChangeSet
    entry: str = ""
    # What the file was called, and the entries where the step is a run of several.
    path: str = ""
    run: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class TextHistory:
    """A text as it once was, every step since, and all of them as one set of changes."""

    journal: FileEntries
    text: str
    steps: tuple[HistoryStep, ...]
    # Without what was put back as it was.
    total: ChangeSet
    # Changes among the steps by the same hand as what is carried over them.
    own: tuple[Change, ...] = ()

    @staticmethod
    def of(
        journal: FileEntries, text: str, steps: Sequence[HistoryStep], own: tuple[Change, ...] = ()
    ) -> TextHistory:
        """Return a text with the steps since."""
        total = minimal(compose(steps, len(text)), text)
        return TextHistory(journal, text, tuple(steps), total, own)

    def carry(self, changes: ChangeSet) -> ChangeSet | Clash:
        """Return changes of the old text as changes of the present one, or the first clash."""
        return carry_by_lines(changes, self.total, self.text, self.own)

    def missing(self, changes: ChangeSet) -> ChangeSet:
        """Return changes of the old text without the lines that somebody else made read so.

        Worked example: `b` became `B`, and somebody wrote `b` there again. To put back `b` is done.
        """
        since, now = line_changes(self.text, self.total), self.total.apply(self.text)
        left = []
        for each in line_changes(self.text, changes).changes:
            start, end = carry((each.start, each.end), since.changes)
            is_there = each.start < each.end and now[start:end] == each.text
            if not each.text or not (is_there or each in since.changes):
                left.append(each)
        return ChangeSet(changes.length, tuple(left))


def compose(steps: Sequence[HistoryStep], length: int) -> ChangeSet:
    """Return steps as one set of changes of a text of this length.

    Neighbours are composed first: adding each step to a long total would take quadratic time.
    """
    sets = [step.changes for step in steps]
    while len(sets) > 1:
        pairs = [one.then(other) for one, other in zip(sets[::2], sets[1::2], strict=False)]
        sets = pairs + sets[2 * len(pairs) :]
    return sets[0] if sets else ChangeSet(length)


@dataclass(frozen=True, slots=True)
class FileHistory:
    """A file since one version: its present path and text, and the steps there."""

    path: str
    text: str
    steps: tuple[HistoryStep, ...] = ()
    # The entry that gave the file's name to another one, and was not undone.
    exchanged: str = ""

    def to(self, present: Document) -> tuple[HistoryStep, ...]:
        """Return the steps to the present text, an outsider's last step included."""
        return (*self.steps, *_between(self.text, present.text))


def runs_since(journal: FileEntries, path: str, hash_: str) -> tuple[Run, ...]:
    """Return the runs of a file since it had a version, oldest first; none if unknown.

    A difference between two runs is an outsider's change.
    """
    found: list[Run] = []
    numbers, first = _since_version(journal, path, hash_)
    for part in parts(numbers, first):
        known = _runs_of(journal, path, part)
        if known is None:
            return ()
        found += known
    return tuple(found)


def _runs_of(journal: FileEntries, path: str, part: Sequence[int]) -> list[Run] | None:
    """Return consecutive entries as runs; None if the file or a version is gone."""
    run = run_of(journal, path, part)
    if run is not None and run.is_unbroken:
        return [run]
    smaller = parts_of(part)
    if smaller:
        found = [_runs_of(journal, path, each) for each in smaller]
        return None if None in found else [run for runs in found for run in runs or ()]
    changes = [change_at(entry, path) for entry in journal.later(path, part[0] - 1, len(part))]
    hashes = [each for change in changes for each in (change.before, change.after)]
    if any(each is None or journal.image(each) is None for each in hashes):
        return None
    return [Run.of(journal, change) for change in changes]


def _since_version(journal: FileEntries, path: str, hash_: str) -> tuple[Sequence[int], int]:
    """Return the entries of a file, and the place of the first since it had a version."""
    numbers, found = journal.touches(path), journal.reached(path, hash_)
    if found is None:
        return numbers, len(numbers)
    order, is_after = found
    return numbers, numbers.index(order) + is_after


def follow_file(journal: FileEntries, change: FileChange, order: int) -> FileHistory:
    """Follow a file from the version after `change`, through edits and moves, to its last entry."""
    at = FileVersion.after(change)
    trail = _Trail(journal, change.path, at, at.text(journal))
    path = ""
    while path != trail.path:
        path = trail.path
        numbers = journal.touches(path)
        for part in parts(numbers, bisect_right(numbers, order)):
            order = trail.follow(part)
            if trail.path != path:
                break
    return FileHistory(trail.path, trail.text, tuple(trail.steps), trail.exchanged)


@dataclass(slots=True)
class _Trail:
    """A file that is followed: its path and version at this point, and the steps so far."""

    journal: FileEntries
    path: str
    at: FileVersion
    known: str | None = None
    steps: list[HistoryStep] = field(default_factory=list)
    # The entry that gave the file's name to another one and was not undone, and what it had before.
    exchanged: str = ""
    own: str = ""

    @property
    def text(self) -> str:
        """Return the text of the file at this point."""
        if self.known is None:
            self.known = self.at.text(self.journal)
        return self.known

    def follow(self, part: Sequence[int]) -> int:
        """Follow consecutive entries; stop behind the one that moves the file."""
        run = None if self.exchanged else run_of(self.journal, self.path, part)
        if run is not None:
            self._reach(run.before)
            self._step(HistoryStep(run.changes, path=self.path, run=part), run.after)
            return part[-1]
        return self.follow_each(part)

    def follow_each(self, part: Sequence[int]) -> int:
        """Follow entry by entry."""
        path = self.path
        for entry in self.journal.later(path, part[0] - 1, len(part)):
            self._take(entry, change_at(entry, path))
            if self.path != path:
                return entry.order
        return part[-1]

    def _take(self, entry: Entry, change: FileChange) -> None:
        """Take one entry's step."""
        if not self.exchanged and got_other_text(self.journal, entry, change):
            self.exchanged, self.own = entry.id, change.before or ""
        elif not self.exchanged and change.before is None and change.moved_from:
            # Our file was deleted, and another one was moved to its name.
            self.exchanged, self.own = entry.id, self.at.hash
        elif change.after == self.own:
            self.exchanged = ""
        if change.before is not None:
            self._reach(FileVersion.before(change))
        if change.moved_to:
            self.path = change.moved_to
            arrived = FileVersion.after(change_at(entry, self.path))
            self._step(HistoryStep(diff(self.text, arrived.text(self.journal)), entry.id), arrived)
        elif change.after is not None:
            after = FileVersion.after(change)
            text = after.text(self.journal)
            is_new = change.before is None
            made = (
                diff(self.text, text)
                if is_new
                else changes_from_spans(change.spans, self.text, text)
            )
            self._step(HistoryStep(made, entry.id, self.path), after, text)

    def _reach(self, found: FileVersion) -> None:
        """Go to the version that an entry found; a difference is an outsider's step."""
        if found != self.at:
            text = found.text(self.journal)
            self.steps += _between(self.text, text)
            self.at, self.known = found, text

    def _step(self, step: HistoryStep, to: FileVersion, text: str | None = None) -> None:
        self.steps.append(step)
        self.at, self.known = to, text


def steps_of(journal: FileEntries, step: HistoryStep) -> tuple[HistoryStep, ...]:
    """Return the steps that a run is composed of."""
    run = run_of(journal, step.path, step.run)
    assert run is not None, "BUG: a run stays one"
    trail = _Trail(journal, step.path, run.before)
    smaller = parts_of(step.run)
    for part in smaller:
        trail.follow(part)
    if not smaller:
        trail.follow_each(step.run)
    return tuple(trail.steps)


def steps_at(
    journal: FileEntries, places: Sequence[tuple[int, int]], steps: Sequence[HistoryStep]
) -> Iterator[tuple[HistoryStep, int]]:
    """Yield the changes of entries at some places of a text: the step, and the change's index."""
    for step in steps:
        changes = step.changes.changes
        met = [
            at
            for at, each in enumerate(changes)
            if any(overlap((each.start, each.end), place) for place in places)
        ]
        if met and step.run:
            yield from steps_at(journal, places, steps_of(journal, step))
        elif step.entry:
            yield from ((step, at) for at in met)
        places = [carry(place, changes) for place in places]


@dataclass(frozen=True, slots=True)
class Moves:
    """The moves of files after some point of the history; each path is followed once."""

    journal: FileEntries
    order: int
    known: dict[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)

    def present(self, path: str, order: int) -> str:
        """Return the present path of the file that was at `path` after `order`."""
        if path not in self.known:
            self.known[path] = tuple(_moves(self.journal, path, self.order))
        for moved_at, moved_to in self.known[path]:
            if moved_at > order:
                return self.present(moved_to, moved_at)
        return path


def present_path(journal: FileEntries, path: str, order: int) -> str:
    """Return where a file is now, following the moves that came after `order`."""
    return Moves(journal, order).present(path, order)


def minimal(changes: ChangeSet, text: str) -> ChangeSet:
    """Return the same changes without what they leave as it was.

    An edit and its undo, composed, change nothing.
    """
    return ChangeSet(changes.length, tuple(_minimal_changes(changes, text)))


def _minimal_changes(changes: ChangeSet, text: str) -> Iterator[Change]:
    for change in changes.changes:
        old = text[change.start : change.end]
        if old == change.text:
            continue
        head = common_head(old, change.text)
        tail = common_tail(old, change.text, head)
        end = len(change.text) - tail
        yield Change(change.start + head, change.end - tail, change.text[head:end])


def _between(one: str, other: str) -> list[HistoryStep]:
    """Return an outsider's step from one text to another, if there is one.

    Texts are compared, not hashes: the same bytes read differently when a declaration of their
    encoding has come or gone.
    """
    return [] if one == other else [HistoryStep(diff(one, other))]


def _moves(journal: FileEntries, path: str, order: int) -> Iterator[tuple[int, str]]:
    for entry in journal.departures(path, order):
        change = change_at(entry, path)
        if change.moved_to:
            yield entry.order, change.moved_to
