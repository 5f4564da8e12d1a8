"""What became of a file since some version of it: the changes from there to the present."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from keyhole.refusals import Refusal, Refused
from keyhole.text.align import common_head, common_tail
from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.diff import diff
from keyhole.text.document import Document
from keyhole.values import dataclass, field
from keyhole.workspace.journal.base import (
    APPLIED,
    Entry,
    FileChange,
    Journal,
    Query,
    Records,
    Span,
)
from keyhole.workspace.past.lines import carried

# A file that was edited more often since is compared as a whole instead of edit by edit.
MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class Step:
    """One stretch of a file's way, and the entry that made it ("" for an outsider)."""

    changes: ChangeSet
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Past:
    """A text as it once was, and every step since."""

    text: str
    steps: tuple[Step, ...]
    # Changes among the steps by the same hand as what is carried over them.
    own: tuple[Change, ...] = ()

    def carry(self, changes: ChangeSet) -> ChangeSet | Clash:
        """Return changes of the text as they read by now, or where somebody changed their lines."""
        return carried(changes, self.total(), self.text, self.own)

    def total(self) -> ChangeSet:
        """Return all steps as one set, without what was put back as it was."""
        total = ChangeSet(len(self.text))
        for step in self.steps:
            total = total.then(step.changes)
        return tight(total, self.text)


@dataclass(frozen=True, slots=True)
class Way:
    """The way of a file from one version: where it is now, and the steps there."""

    path: str
    text: str
    steps: tuple[Step, ...] = ()
    # The entry that gave the file's name to another one, and was not undone.
    exchanged: str = ""

    def to(self, present: Document) -> tuple[Step, ...]:
        """Return the steps to the present, those that no journal knows included."""
        return (*self.steps, *_between(self.text, present.text))


def version(journal: Records, hash_: str, encoding: str) -> Document:
    """Return a version that an entry speaks of, or refuse when the journal lost it."""
    data = journal.image(hash_)
    if data is None:
        raise Refused(_forgotten(hash_))
    return Document.from_bytes(data, encoding)


def changes_of(journal: Records, change: FileChange) -> ChangeSet:
    """Return the exact changes of one file of an entry."""
    assert change.before is not None, "BUG: a new file has no changes"
    assert change.after is not None, "BUG: a deleted file has no changes"
    before = version(journal, change.before, change.encoding)
    after = version(journal, change.after, change.encoding)
    return filled(change.spans, before.text, after.text)


def filled(spans: Iterable[Span], before: str, after: str) -> ChangeSet:
    """Return recorded spans as changes, with the text that stands there after them."""
    changes, shift = [], 0
    for span in spans:
        start = span.start + shift
        changes.append(Change(span.start, span.end, after[start : start + span.length]))
        shift += span.length - (span.end - span.start)
    return ChangeSet(len(before), tuple(changes))


def later_changes(journal: Journal, path: str, hash_: str) -> list[FileChange]:
    """Return what entries did to a file since it had a version, newest first; none if unknown."""
    later: list[FileChange] = []
    for entry in journal.entries(Query(path, limit=MOST_STEPS)):
        change = next((each for each in entry.files if each.path == path), None)
        if change is None or entry.state != APPLIED:
            continue
        if change.after == hash_:
            return later
        if not all(_is_kept(journal, each) for each in (change.before, change.after)):
            return []
        later.append(change)
        if change.before == hash_:
            return later
    return []


def _is_kept(journal: Journal, hash_: str | None) -> bool:
    return hash_ is not None and journal.image(hash_) is not None


def way_from(journal: Journal, change: FileChange, order: int) -> Way:
    """Follow a file from the version after `change`, through edits and moves, to its last entry."""
    assert change.after is not None, "BUG: a file that is gone goes no way"
    start = version(journal, change.after, change.encoding)
    path, text = change.path, start.text
    steps: list[Step] = []
    exchanged, own = "", ""
    while page := journal.later(path, order, MOST_STEPS):
        for entry in page:
            order = entry.order
            later = change_at(entry, path)
            if not exchanged and _is_exchange(journal, later):
                exchanged, own = entry.id, later.before or ""
            elif later.after == own:
                exchanged = ""
            path, text, added = _follow(journal, entry, later, text)
            steps += added
            if len(steps) > MOST_STEPS:
                return Way(present_path(journal, path, order), start.text, exchanged=exchanged)
            if path != later.path:
                break
    return Way(path, text, tuple(steps), exchanged)


def _is_exchange(journal: Journal, change: FileChange) -> bool:
    """Tell whether a path got the text of another file: all of it at once, and by no edit of it."""
    if change.before is None or change.after is None or len(change.spans) != 1:
        return False
    if not change.edits or any(record.spans for record in change.edits):
        return False
    had, has = (version(journal, each, change.encoding) for each in (change.before, change.after))
    return change.spans[0] == Span(0, len(had.text), len(has.text))


@dataclass(frozen=True, slots=True)
class Moves:
    """Where files went after some point of the history; each path is followed once."""

    journal: Journal
    order: int
    known: dict[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)

    def present(self, path: str, order: int) -> str:
        """Return where a file is now that was at `path` after `order`, no earlier than ours."""
        if path not in self.known:
            self.known[path] = tuple(_moves(self.journal, path, self.order))
        for moved_at, moved_to in self.known[path]:
            if moved_at > order:
                return self.present(moved_to, moved_at)
        return path


def present_path(journal: Journal, path: str, order: int) -> str:
    """Return where a file is now, following the moves that came after `order`."""
    return Moves(journal, order).present(path, order)


def change_at(entry: Entry, path: str) -> FileChange:
    """Return what an entry did to one path."""
    return next(file for file in entry.files if file.path == path)


def tight(changes: ChangeSet, text: str) -> ChangeSet:
    """Return the same changes without what they put back as it was.

    An edit and its undo, put in sequence, are a change of a text into itself: nothing.
    """
    return ChangeSet(changes.length, tuple(_tight_changes(changes, text)))


def _tight_changes(changes: ChangeSet, text: str) -> Iterator[Change]:
    for change in changes.changes:
        old = text[change.start : change.end]
        if old == change.text:
            continue
        head = common_head(old, change.text)
        tail = common_tail(old, change.text, head)
        end = len(change.text) - tail
        yield Change(change.start + head, change.end - tail, change.text[head:end])


def _follow(
    journal: Journal, entry: Entry, change: FileChange, text: str
) -> tuple[str, str, list[Step]]:
    """Take one entry's step; what lies between two entries was done by an outsider."""
    steps: list[Step] = []
    if change.before is not None:
        before = version(journal, change.before, change.encoding).text
        steps += _between(text, before)
        text = before
    if change.moved_to:
        arrived = change_at(entry, change.moved_to)
        assert arrived.after is not None, "BUG: a moved file is somewhere"
        after = version(journal, arrived.after, arrived.encoding).text
        return change.moved_to, after, [*steps, Step(diff(text, after), entry.id)]
    if change.after is None:
        return change.path, text, steps
    after = version(journal, change.after, change.encoding).text
    made = diff(text, after) if change.before is None else changes_of(journal, change)
    return change.path, after, [*steps, Step(made, entry.id)]


def _between(one: str, other: str) -> list[Step]:
    """Return an outsider's step from one text to another, if there is one.

    Texts are compared, not hashes: the same bytes read differently when a declaration of their
    encoding has come or gone.
    """
    return [] if one == other else [Step(diff(one, other))]


def _moves(journal: Journal, path: str, order: int) -> Iterator[tuple[int, str]]:
    while page := journal.later(path, order, MOST_STEPS):
        for entry in page:
            order, change = entry.order, change_at(entry, path)
            if change.moved_to:
                yield order, change.moved_to


def _forgotten(hash_: str) -> Refusal:
    return Refusal(
        "nothing-to-undo",
        f"the journal no longer keeps the version {hash_}",
        help="take the older text from version control",
    )
