"""What many transactions did, as one diff: since a point, or of a task, a session, an agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from keyhole.answers.side_by_side import RowBlock
from keyhole.engine.history.compare import FileComparison, compare_versions
from keyhole.fastclasses import dataclass, field, replace
from keyhole.history.ledger import Earlier, Ledger, Mark, Step
from keyhole.history.versions import version
from keyhole.journal.model import APPLIED, EditRecord, Entries, Entry, FileChange, Query
from keyhole.refusals import Refused
from keyhole.text.diff import diff
from keyhole.text.document import Document

# So many transactions are read; a diff of more says that it does not reach further back.
MOST = 10_000
_PAGE = 500
# How many stretches of a file are looked at before its hunks go without their reasons.
_MOST_COST = 2_000_000
_OUTSIDE = -1
_NO_EDIT = -1


@dataclass(frozen=True, slots=True)
class Scope:
    """Which transactions a diff is made of; an empty field lets everything through."""

    # Only behind this transaction, by its order, and not those that a reviewer has seen.
    after: int = 0
    seen: frozenset[int] = frozenset()
    since: float = 0.0
    task: str = ""
    actor: str = ""
    session: str = ""
    path: str = ""

    def holds(self, entry: Entry) -> bool:
        """Tell whether a transaction belongs to the diff."""
        call = entry.call
        if entry.order <= self.after or entry.order in self.seen or entry.time < self.since:
            return False
        own = not self.session or self.session in {call.task, call.details.get("session")}
        return own and self.task in {"", call.task} and self.actor in {"", call.actor}


@dataclass(frozen=True, slots=True)
class HunkReason:
    """Why a hunk is there: the edit that made it, and who made it for which task."""

    transaction: str
    block: int
    edit: int = _NO_EDIT
    reason: str = ""
    segment: str = ""
    actor: str = ""
    task: str = ""
    time: float = 0.0


@dataclass(frozen=True, slots=True)
class CumulativeFile:
    """One file from before the first of some transactions to now, with the reason of each hunk."""

    comparison: FileComparison
    before: Document | None
    after: Document | None
    reasons: tuple[HunkReason, ...] = ()
    # What the diff holds beside the transactions that were asked for, if anything.
    note: str = ""

    @property
    def path(self) -> str:
        """Return the file's name as it is now."""
        return self.comparison.moved_to or self.comparison.path

    @property
    def is_nothing(self) -> bool:
        """Tell whether nothing is left to show: what was done was taken back, or done over."""
        head = self.comparison
        if head.note or head.moved_to or self.before is None or self.after is None:
            return False
        return self.before.text == self.after.text


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A file that some transactions changed: its names, its versions, and every step between."""

    first: str
    path: str
    before: str | None
    after: str | None
    encoding: str
    steps: tuple[tuple[Entry, FileChange, FileChange], ...] = ()
    # The text before, where the journal does not hold it.
    given: Document | None = None

    @property
    def is_same(self) -> bool:
        """Tell whether the file is what and where it was, or was never there to see."""
        if self.before is None and self.after is None:
            return True
        return (self.first, self.before) == (self.path, self.after)


@dataclass(frozen=True, slots=True)
class Cumulative:
    """The files that some transactions changed, and the transactions, oldest first."""

    files: tuple[TouchedFile, ...]
    entries: tuple[Entry, ...]
    # The newest transaction there was before these were read, and those not finished by then: what
    # "since I looked" counts from next time.
    newest: int = 0
    unfinished: tuple[int, ...] = ()
    note: str = ""
    scope: Scope = field(default_factory=Scope)


def cumulative(journal: Entries, scope: Scope) -> Cumulative:
    """Return which files some transactions changed; each file's diff is made when it is shown."""
    entries, note = _entries(journal, scope)
    inside = _inside(entries, scope)
    tracks: dict[str, _Track] = {}
    gone: list[_Track] = []
    for entry in entries:
        chosen = entry.order in inside
        arrived = {change.path: change for change in entry.files if change.moved_from}
        left = [each for each in entry.files if not each.moved_from]
        taken = {each.path: tracks.pop(each.path, None) for each in left}
        for change in left:
            track = taken[change.path]
            if track is None and not (chosen and _lies_at(change, scope.path)):
                continue
            track = track or _Track(change)
            target = arrived.get(change.moved_to, change)
            track.steps.append((entry, change, target))
            if other := tracks.pop(target.path, None):
                gone.append(other)
            tracks[target.path] = track
    files = sorted((each.told for each in (*gone, *tracks.values())), key=lambda each: each.path)
    own = tuple(each for each in entries if each.order in inside)
    kept = tuple(each for each in files if not each.is_same)
    return Cumulative(kept, own, note=note, scope=scope)


def _lies_at(change: FileChange, path: str) -> bool:
    return not path or any(
        name == path or name.startswith(f"{path}/") for name in (change.path, change.moved_to)
    )


class _Track:
    """A file while its steps are collected."""

    def __init__(self, first: FileChange) -> None:
        self._first = first
        self.steps: list[tuple[Entry, FileChange, FileChange]] = []

    @property
    def told(self) -> TouchedFile:
        """Return the file with all its steps."""
        first, last = self._first, self.steps[-1][2]
        steps = tuple(self.steps)
        return TouchedFile(first.path, last.path, first.before, last.after, last.encoding, steps)


def _entries(journal: Entries, scope: Scope) -> tuple[list[Entry], str]:
    """Return the applied transactions from the first that is asked for, oldest first."""
    found: list[Entry] = []
    after = max(scope.after, _oldest(journal, scope) - 1)
    query = Query(scope.path, since=scope.since, limit=_PAGE)
    while len(found) < MOST:
        page = [each for each in journal.entries(query) if each.order > after]
        found += page
        if len(page) < _PAGE:
            return _from_first(found, scope), ""
        query = replace(query, before=page[-1].order)
    note = f"looked no further back than {found[-1].id}: a diff reads {MOST} transactions"
    return _from_first(found, scope), note


def _oldest(journal: Entries, scope: Scope) -> int:
    """Return the first transaction of a task or an actor; no older one needs to be read."""
    if not scope.task and not scope.actor:
        return 0
    people = Query(scope.path, scope.actor or None, scope.task or None, scope.since, limit=MOST)
    found = [each.order for each in journal.entries(people)]
    return 0 if len(found) == MOST else min(found, default=1 << 62)


def _from_first(found: list[Entry], scope: Scope) -> list[Entry]:
    applied = [each for each in reversed(found) if each.state == APPLIED]
    first = next((at for at, each in enumerate(applied) if scope.holds(each)), len(applied))
    return applied[first:]


def _inside(entries: list[Entry], scope: Scope) -> frozenset[int]:
    """Return the transactions of the scope; what only takes those back belongs to them."""
    inside: set[int] = set()
    names: set[str] = set()
    for entry in entries:
        undone = {each.entry for each in entry.call.undoes}
        if scope.holds(entry) or (undone and undone <= names):
            inside.add(entry.order)
            names.add(entry.id)
    return frozenset(inside)


def compared(journal: Entries, found: Cumulative, file: TouchedFile) -> CumulativeFile:
    """Return the diff of one file, with the reason of each hunk beside it."""
    try:
        return _Story(journal, found, file).told()
    except Refused as refused:
        empty = compare_versions(file.first, None, None)
        lost = replace(empty, note=refused.refusals[0].headline)
        return CumulativeFile(lost, None, None)


class _Story:
    """One file, from before the first transaction to after the last."""

    def __init__(self, journal: Entries, found: Cumulative, file: TouchedFile) -> None:
        self._journal, self._file = journal, file
        self._inside = frozenset(each.order for each in found.entries)
        self._texts: dict[int, str] = {}
        # Who left each version, as the ledger counts them.
        self._left: list[tuple[str | None, str]] = [(file.before, file.encoding)]
        self._records: dict[Mark, tuple[Entry, EditRecord | None]] = {}

    def told(self) -> CumulativeFile:
        file = self._file
        before, after = (self._document(each) for each in (file.before, file.after))
        ledger = self._ledger(before)
        if ledger is None or ledger.length != len(after.text if after else ""):
            note = "Too much happened to this file to tell the reason of each hunk."
            return CumulativeFile(self._comparison(before, after), before, after, (), note)
        earlier = ledger.without(self._is_chosen, self._text)
        if before is not None:
            before = before.with_text(earlier.text)
        shown = self._comparison(before, after)
        reasons = tuple(self._reasons(shown, before, after, ledger, earlier))
        return CumulativeFile(shown, before, after, reasons)

    def _is_chosen(self, mark: Mark) -> bool:
        return mark[0] in self._inside

    def _comparison(self, before: Document | None, after: Document | None) -> FileComparison:
        moved = self._file.path if self._file.path != self._file.first else ""
        return compare_versions(self._file.first, before, after, moved_to=moved)

    def _document(self, hash_: str | None) -> Document | None:
        if hash_ and self._file.given and hash_ == self._file.given.hash:
            return self._file.given
        return version(self._journal, hash_, self._file.encoding) if hash_ else None

    def _text(self, number: int) -> str:
        if number == 0 and self._file.given:
            return self._file.given.text
        if number not in self._texts:
            hash_, encoding = self._left[number]
            found = version(self._journal, hash_, encoding).text if hash_ else ""
            self._texts[number] = found
        return self._texts[number]

    def _ledger(self, before: Document | None) -> Ledger | None:
        """Return the ledger of the file, or None where it would cost too much."""
        ledger = Ledger(len(before.text) if before else 0)
        hash_ = self._file.before
        for entry, change, target in self._file.steps:
            if change.before != hash_:
                self._leave(change.before, change.encoding)
                ledger.take(self._compared((_OUTSIDE, _NO_EDIT)))
            if change.before != target.after:
                self._leave(target.after, target.encoding)
                ledger.take(self._steps(entry, change, target))
            hash_ = target.after
            if ledger.cost > _MOST_COST:
                return None
        return ledger

    def _leave(self, hash_: str | None, encoding: str) -> None:
        self._left.append((hash_, encoding))

    def _steps(self, entry: Entry, change: FileChange, target: FileChange) -> Iterator[Step]:
        """Yield what an entry did, as its spans say or else as its two texts differ."""
        self._records[entry.order, _NO_EDIT] = entry, None
        if target is not change or change.before is None or not change.spans:
            yield from self._compared((entry.order, _NO_EDIT))
            return
        marks = {at: (entry.order, each.index) for each in change.edits for at in each.spans}
        for each in change.edits:
            self._records[entry.order, each.index] = entry, each
        for at, span in enumerate(change.spans):
            mark = marks.get(at, (entry.order, _NO_EDIT))
            yield Step(span.start, span.end, span.length, mark)

    def _compared(self, by: Mark) -> Iterator[Step]:
        """Yield how the last version differs from the one before it."""
        last = len(self._left) - 1
        made = diff(self._text(last - 1), self._text(last))
        for each in made.changes:
            yield Step(each.start, each.end, len(each.text), by)

    def _reasons(
        self,
        shown: FileComparison,
        before: Document | None,
        after: Document | None,
        ledger: Ledger,
        earlier: Earlier,
    ) -> Iterator[HunkReason]:
        owners = ledger.owners()
        for at, block in enumerate(shown.sides.blocks):
            if not block.changed:
                continue
            marks = _taken(block, before, earlier) | _written(block, after, owners.between)
            for mark in sorted(marks & earlier.marks & self._records.keys()):
                yield self._reason(mark, at)

    def _reason(self, mark: Mark, block: int) -> HunkReason:
        entry, record = self._records[mark]
        call = entry.call
        return HunkReason(
            entry.id,
            block,
            mark[1],
            (record.reason if record else "") or call.reason or _said_of(entry),
            record.segment if record else "",
            call.actor,
            call.task,
            entry.time,
        )


def _said_of(entry: Entry) -> str:
    """Return what stands for the reason of a transaction that has none of its own."""
    if entry.call.undoes:
        return f"takes back {', '.join(dict.fromkeys(each.entry for each in entry.call.undoes))}"
    found = {edit.reason for file in entry.files for edit in file.edits if edit.reason}
    return next(iter(found)) if len(found) == 1 else ""


def _taken(block: RowBlock, before: Document | None, earlier: Earlier) -> set[Mark]:
    if before is None or block.old[0] == block.old[1]:
        return set()
    return earlier.owners.between(*before.span_of_lines(block.old[0] + 1, block.old[1]))


def _written(
    block: RowBlock, after: Document | None, between: Callable[[int, int], set[Mark]]
) -> set[Mark]:
    if after is None or block.new[0] == block.new[1]:
        return set()
    return between(*after.span_of_lines(block.new[0] + 1, block.new[1]))
