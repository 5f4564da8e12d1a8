"""Which pieces of an entry stand: undone by an entry, restored by the undo of that entry."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import inf

from keyhole.fastclasses import dataclass, field, replace
from keyhole.journal.model import APPLIED, Entries, Entry, FileChange, Query, Undone
from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.diff import line_changes

# An edit of a file, or None for what belongs to no edit alone: a file that comes or goes.
Piece = tuple[str, int | None]
_PAGE = 100


def pieces_of(entry: Entry) -> frozenset[Piece]:
    """Return the pieces of an entry that can be undone by themselves."""
    return frozenset(piece for change in entry.files for piece in _pieces(change))


def _pieces(change: FileChange) -> Iterator[Piece]:
    alone = () if None in (change.before, change.after) else edits_alone(change)
    yield from ((change.path, index) for index in alone)
    owned = {span for record in change.edits for span in record.spans}
    if not alone or len(owned) < len(change.spans):
        yield change.path, None


def edits_alone(change: FileChange) -> list[int]:
    """Return the edits of a file that can be undone without the others."""
    return [each.index for each in change.edits if each.spans or each.index in change.of_mode]


def unit_of(journal: Entries, entry: Entry, path: str) -> frozenset[str]:
    """Return the files that are undone together with one, because they exchanged names."""
    unit, bonds = frozenset([path]), _bonds(journal, entry, {})
    while met := [names for names in bonds if names & unit and not names <= unit]:
        unit = unit.union(*met)
    return unit


def got_other_text(journal: Entries, entry: Entry, change: FileChange) -> bool:
    """Tell whether an existing file got the text of another, by an exchange of names."""
    if None in (change.before, change.after):
        return False
    return len(unit_of(journal, entry, change.path)) > 1


_Bonds = frozenset[frozenset[str]]


def _bonds(journal: Entries, entry: Entry, known: dict[str, _Bonds]) -> _Bonds:
    """Return sets of names that an entry moved or exchanged.

    What undid undos reaches the same entry by many ways, so `known` has those that were met.
    """
    if entry.id in known:
        return known[entry.id]
    found = {bond for change in entry.files if len(bond := _names(change)) > 1}
    found.update(map(frozenset, _exchanges(entry)))
    if entry.call.undoes:
        named = [journal.entry(each.entry) for each in entry.call.undoes]
        targets = [target for target in named if target is not None]
        bonds = frozenset[frozenset[str]]().union(*(_bonds(journal, t, known) for t in targets))
        found |= bonds
        own = frozenset(change.path for change in entry.files)
        if bonds and own - {change.path for target in targets for change in target.files}:
            # A file was moved by others in between: which one it was is unknown here.
            found.add(own)
    known[entry.id] = frozenset(found)
    return known[entry.id]


def _names(change: FileChange) -> frozenset[str]:
    return frozenset((change.path, change.moved_from, change.moved_to)) - {""}


def _exchanges(entry: Entry) -> Iterator[set[str]]:
    """Yield sets of files that exchange their texts: they share an edit without own spans."""
    made: dict[int, set[str]] = {}
    for change in entry.files:
        for record in change.edits:
            made.setdefault(record.index, set()).add(change.path)
    bound = {
        record.index
        for change in entry.files
        for record in change.edits
        if not record.spans and record.index not in change.of_mode
    }
    return (names for index, names in made.items() if index in bound and len(names) > 1)


@dataclass(frozen=True, slots=True)
class _Moment:
    """A point of the history, and entries that count as undone at it."""

    order: float
    without: frozenset[str]


@dataclass(frozen=True, slots=True)
class UndonePieces:
    """Which pieces of entries are undone; `without` are the entries that are being undone now."""

    journal: Entries
    without: Collection[str] = frozenset()
    _known: dict[tuple[str, float], frozenset[Piece]] = field(default_factory=dict)
    _entries: dict[str, list[Entry]] = field(default_factory=dict)

    def is_undone(self, entry: Entry) -> bool:
        """Tell whether all of an entry is undone."""
        return pieces_of(entry) <= self.undone(entry)

    def undone(self, entry: Entry) -> frozenset[Piece]:
        """Return the pieces of an entry that are undone."""
        return self._undone(entry, self._now)

    def standing(self, entry: Entry, target: Undone) -> frozenset[Piece]:
        """Return the pieces that an undo names and that stand."""
        return self.named(entry, target) - self.undone(entry)

    def holders(self, entry: Entry) -> list[tuple[Entry, frozenset[Piece]]]:
        """Return the entries that undid pieces of this one, oldest first, with those pieces."""
        held = ((each, self._held(each, entry, self._now)) for each in self._undoers(entry))
        return [(each, pieces) for each, pieces in held if pieces and each.id not in self.without]

    def named(self, entry: Entry, target: Undone) -> frozenset[Piece]:
        """Return the pieces of an entry that an undo is about."""
        found = pieces_of(entry)
        if target.path:
            unit = unit_of(self.journal, entry, target.path)
            found = frozenset(piece for piece in found if piece[0] in unit)
        if target.edit is None:
            return found
        whole = {each.path for each in entry.files if _is_made_by(each, target.edit)}
        return frozenset(
            (path, edit)
            for path, edit in found
            if edit == target.edit or (edit is None and path in whole)
        )

    @property
    def _now(self) -> _Moment:
        return _Moment(inf, frozenset(self.without))

    def _undone(self, entry: Entry, at: _Moment) -> frozenset[Piece]:
        key = entry.id, at.order
        if key not in self._known:
            undoers = [
                each
                for each in self._undoers(entry)
                if each.order < at.order and each.id not in at.without
            ]
            held = [self._held(each, entry, at) for each in undoers]
            self._known[key] = frozenset().union(*held)
        return self._known[key]

    def _held(self, undoer: Entry, entry: Entry, at: _Moment) -> frozenset[Piece]:
        """Return the pieces that an undo removed and nobody restored since."""
        gone = self._undone(undoer, at)
        pieces = pieces_of(undoer)
        if not gone:
            return self.removed(undoer, entry)
        if pieces <= gone:
            return frozenset()
        standing, paths = {path for path, _ in pieces - gone}, {path for path, _ in pieces}
        took = self.removed(undoer, entry)
        names = {
            path: path if path in paths else _name_at(self.journal, path, entry, undoer)
            for path, _ in took
        }
        return frozenset(
            piece for piece in took if names[piece[0]] in standing or names[piece[0]] not in paths
        )

    def removed(self, undoer: Entry, entry: Entry) -> frozenset[Piece]:
        """Return the pieces that an undo removed: those it names that stood before it."""
        targets = undoer.call.undoes
        meant = [self.named(entry, each) for each in targets if each.entry == entry.id]
        before = _Moment(undoer.order, frozenset(each.entry for each in targets))
        return frozenset().union(*meant) - self._undone(entry, before)

    def _undoers(self, entry: Entry) -> Sequence[Entry]:
        if entry.id not in self._entries:
            found = (self.journal.entry(name) for name in self.journal.undoers(entry.id))
            self._entries[entry.id] = [each for each in found if each is not None]
        return self._entries[entry.id]


def _name_at(journal: Entries, path: str, entry: Entry, later: Entry) -> str:
    """Return the name that a file has at a later entry, from its name after an entry."""
    since = entry.order
    while moved := _first_move(journal, path, since, later.order):
        since, path = moved
    return path


def _first_move(journal: Entries, path: str, since: int, until: int) -> tuple[int, str] | None:
    """Return when a file was first moved between two points of the history, and to which name."""
    query, found = Query(path, before=until, limit=_PAGE), None
    while page := journal.entries(query):
        for entry in page:
            if entry.order <= since:
                return found
            names = [each.moved_to for each in entry.files if each.path == path and each.moved_to]
            if names and entry.state == APPLIED and not entry.is_elsewhere:
                found = entry.order, names[0]
        query = replace(query, before=page[-1].order)
    return found


def _is_made_by(change: FileChange, edit: int) -> bool:
    """Tell whether a file that comes or goes does so by one edit alone."""
    return None in (change.before, change.after) and [r.index for r in change.edits] == [edit]


def carry_by_lines(
    ours: ChangeSet, theirs: ChangeSet, text: str, own: Collection[Change] = frozenset()
) -> ChangeSet | Clash:
    """Return `ours` as it reads after `theirs`, or the first two changes that share a line.

    Changes of `theirs` that are `own` were made by the same hand, and may share a line with `ours`.

    Worked example: `wipe()` was inserted, and somebody made it `# wipe()`. To take out the letters
    of `wipe()` and its line end would leave `# ` before the next line.
    """
    others = ChangeSet(len(text), tuple(each for each in theirs.changes if each not in own))
    mine, over = line_changes(text, ours), line_changes(text, others)
    met = mine.rebase(over)
    if isinstance(met, Clash):
        return met
    if mine.changes and over.changes and _join(mine.changes[-1], over.changes[-1], len(text)):
        return Clash(mine.changes[-1], over.changes[-1])
    return ours.rebase(line_changes(text, theirs, own)) if own else met


def _join(one: Change, other: Change, length: int) -> bool:
    """Tell whether two changes at the end of a text make one line of two."""
    if not one.end == other.end == length:
        return False
    first = min(one, other, key=lambda each: each.start)
    return bool(first.text) and not first.text.endswith("\n")


def lines_around(changes: ChangeSet, text: str) -> tuple[int, int]:
    """Return the stretch from the first to the last line that some changes touch."""
    start = text.rfind("\n", 0, changes.changes[0].start) + 1
    end = text.find("\n", changes.changes[-1].end)
    return start, end + 1 if end >= 0 else len(text)
