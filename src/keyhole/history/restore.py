r"""Restore files that only the undone entries touched, exactly as they were.

`a` is edited and moved, and another file takes its name. Nobody else wrote to either, so an undo
of the three entries restores both (`tree` is an empty workspace):

>>> from tests.workspace.scene import create, edit, move
>>> entry = create(tree, "a", "one\n")
>>> entries = [edit(tree, "a", "one", "1"), move(tree, "a", "b"), create(tree, "a", "new\n")]
>>> with tree.hold(["a", "b"]) as held:
...     files = restorable(tree.journal, entries[::-1], held.snapshot)
>>> [(file.path, file.document and file.document.text) for file in files]
[('b', None), ('a', 'one\n')]
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from keyhole.disk.files import FileMetadata
from keyhole.edits.model.plan import Snapshot
from keyhole.fastclasses import dataclass
from keyhole.history.pieces import UndonePieces
from keyhole.history.versions import changes_of, version
from keyhole.journal.model import APPLIED, Entry, FileChange, FileEntries, Query
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document

# Of a longer history the entries are taken back one by one.
MOST_ENTRIES = 10_000
_PAGE = 200
# So many of a file's last entries are looked at before all of them.
LAST = 10

Step = tuple[Entry, FileChange]


@dataclass(frozen=True, slots=True)
class RestoredFile:
    """A file as it was, and how to get there: by changes, or from another name."""

    path: str
    document: Document | None
    # None where the file comes or goes.
    changes: ChangeSet | None = None
    moved_from: str = ""
    # Its metadata before, if the file has other metadata now.
    gains: FileMetadata | None = None


@dataclass(frozen=True, slots=True)
class _Family:
    """Files that had each other's names, with the steps of each, oldest first."""

    ways: Mapping[str, Sequence[Step]]

    @property
    def entries(self) -> list[Entry]:
        """Return every entry that touched one of them, oldest first."""
        found = {entry.order: entry for way in self.ways.values() for entry, _ in way}
        return [found[order] for order in sorted(found)]


def restorable(
    journal: FileEntries, targets: Sequence[Entry], snapshot: Snapshot
) -> list[RestoredFile]:
    """Return the files that only `targets` have changed; these are restored byte for byte.

    Undoing entry by entry would have to guess which file is meant once a name was used again.
    """
    taken = UndonePieces(journal, {entry.id for entry in targets})
    files = [
        file
        for family in _families(journal, targets, taken)
        if _is_untouched(family, snapshot) and _is_all_undone(family, taken)
        for file in _as_before(journal, family, snapshot)
    ]
    # Removed files come before restored ones, each group in the order of its paths.
    return sorted(files, key=lambda file: (file.document is not None, file.path))


@dataclass(frozen=True, slots=True)
class _KnownSteps:
    """The steps of each file since some point, and which of them are undone now."""

    ways: Mapping[str, Sequence[Step]]
    orders: Mapping[str, int]
    targets: Collection[str]
    # The entries that each remaining entry undid: both cancel only together.
    undone: Mapping[str, Collection[str]]

    def family(self, path: str) -> _Family:
        """Return the files that had a name in common with this one since the first target."""
        paths, first = {path}, max(self.orders.values())
        while True:
            ways = {each: self._steps(each, first) for each in paths}
            steps = [step for way in ways.values() for step in way]
            kin = {name for _, each in steps for name in (each.moved_from, each.moved_to) if name}
            start = min([first, *self._starts(paths), *self._undone(steps)])
            if kin <= paths and start == first:
                return _Family({each: way for each, way in ways.items() if way})
            paths, first = paths | kin, start

    def _steps(self, path: str, first: int) -> list[Step]:
        return [step for step in self.ways.get(path, ()) if step[0].order >= first]

    def _starts(self, paths: Collection[str]) -> Iterator[int]:
        steps = (step for path in paths for step in self.ways.get(path, ()))
        return (entry.order for entry, _ in steps if entry.id in self.targets)

    def _undone(self, steps: Sequence[Step]) -> Iterator[int]:
        names = (name for entry, _ in steps for name in self.undone.get(entry.id, ()))
        return (self.orders[name] for name in names if name in self.orders)


def _families(
    journal: FileEntries, targets: Sequence[Entry], taken: UndonePieces
) -> Iterator[_Family]:
    paths = tuple(dict.fromkeys(change.path for entry in targets for change in entry.files))
    last = _LastEntries.of(journal, targets, paths)
    if all(_stays(last.entries(path), path, targets, taken) for path in paths):
        return
    known = _known_since(last, targets, paths, taken)
    seen: set[str] = set()
    for path in paths:
        if path not in seen and path in known.ways:
            family = known.family(path)
            seen |= set(family.ways)
            yield family


@dataclass(frozen=True, slots=True)
class _LastEntries:
    """The last entries of files; of a single file with a short history, all of them."""

    journal: FileEntries
    # None where more was done than is looked at first.
    since: tuple[Entry, ...] | None = None

    @staticmethod
    def of(journal: FileEntries, targets: Sequence[Entry], paths: Sequence[str]) -> _LastEntries:
        """Ask for all entries of a single file since the first target, if they are few."""
        if len(paths) != 1:
            return _LastEntries(journal)
        found = journal.later(paths[0], min(each.order for each in targets) - 1, LAST)
        return _LastEntries(journal, found if len(found) < LAST else None)

    def entries(self, path: str) -> tuple[Entry, ...]:
        """Return the last entries of a file."""
        if self.since is not None:
            return self.since
        return self.journal.entries(Query(path, limit=LAST, alone=True))


def _stays(
    entries: Sequence[Entry], path: str, targets: Sequence[Entry], taken: UndonePieces
) -> bool:
    """Tell whether one of the last entries of a file stays: then it cannot be restored."""
    own = [each.order for each in targets if any(change.path == path for change in each.files)]
    return any(
        entry.order > min(own)
        and entry.state == APPLIED
        and entry.id not in taken.without
        and not entry.call.undoes
        and not taken.is_undone(entry)
        for entry in entries
        if any(change.path == path for change in entry.files)
    )


def _known_since(
    last: _LastEntries, targets: Sequence[Entry], paths: Sequence[str], taken: UndonePieces
) -> _KnownSteps:
    """Return the steps of the files since the first target; none if there are too many."""
    journal, entries = last.journal, last.since
    alone = len(paths) == 1
    first = min(entry.order for entry in targets)
    while True:
        if entries is None:
            entries = _later(journal, paths[0], first) if alone else _since(journal, first)
        undone = {
            entry.id: [each.entry for each in entry.call.undoes]
            for entry in entries
            if entry.id not in taken.without and not taken.is_undone(entry)
        }
        found = (journal.entry(name) for names in undone.values() for name in names)
        older = min((entry.order for entry in found if entry), default=first)
        if older >= first:
            break
        first, entries = older, None
    ways: dict[str, list[Step]] = {}
    for entry in entries:
        for change in entry.files:
            ways.setdefault(change.path, []).append((entry, change))
    return _KnownSteps(ways, {entry.id: entry.order for entry in entries}, taken.without, undone)


def _later(journal: FileEntries, path: str, first: int) -> tuple[Entry, ...]:
    found: list[Entry] = []
    while True:
        page = journal.later(path, first - 1, _PAGE)
        found += page
        if len(found) > MOST_ENTRIES:
            return ()
        if len(page) < _PAGE:
            return tuple(found)
        first = page[-1].order + 1


def _since(journal: FileEntries, first: int) -> tuple[Entry, ...]:
    found: list[Entry] = []
    before = None
    while len(found) < MOST_ENTRIES:
        page = journal.entries(Query(before=before, limit=_PAGE))
        found += (each for each in page if each.order >= first and each.state == APPLIED)
        if len(page) < _PAGE or page[-1].order <= first:
            return tuple(found[::-1])
        before = page[-1].order
    return ()


def _is_untouched(family: _Family, snapshot: Snapshot) -> bool:
    """Tell whether every file is as the last entry left it, and nobody wrote in between."""
    for path, way in family.ways.items():
        now = snapshot.files.get(path)
        if path not in snapshot.files or (now.hash if now else None) != way[-1][1].after:
            return False
        if any(one.after != other.before for (_, one), (_, other) in pairwise(way)):
            return False
    return True


def _is_all_undone(family: _Family, taken: UndonePieces) -> bool:
    """Tell whether every entry of a family is undone, now or before."""
    known = {entry.id for entry in family.entries}
    return all(
        entry.id in taken.without
        or taken.is_undone(entry)
        or _only_undid(entry, known - set(taken.without))
        for entry in family.entries
    )


def _only_undid(entry: Entry, others: Collection[str]) -> bool:
    """Tell whether an entry only undid some of the others, each as a whole."""
    undoes = entry.call.undoes
    return bool(undoes) and all(
        each.entry in others and each.edit is None and not each.path for each in undoes
    )


def _as_before(journal: FileEntries, family: _Family, snapshot: Snapshot) -> Iterator[RestoredFile]:
    origins = _origins(family, snapshot)
    for path, way in family.ways.items():
        now, (_, first) = snapshot.files[path], way[0]
        if first.before is None:
            yield RestoredFile(path, None)
            continue
        before = version(journal, first.before, first.encoding)
        name = origins.get(path, path)
        gone_through = _way_from(family, path) if name != path else way
        gains = _old_metadata(gone_through, first.metadata, name in snapshot.programs)
        if name == path and any(None in (each.before, each.after) for _, each in way):
            gains = first.metadata
        changes = _changes_back(journal, way, now) if now else None
        yield RestoredFile(path, before, changes, name if name != path else "", gains)


def _way_from(family: _Family, path: str) -> list[Step]:
    """Return the steps of the file that was first at a path, at whatever names it had since."""
    found, name, since = list[Step](), path, -1
    while name:
        steps = [step for step in family.ways.get(name, ()) if step[0].order >= since]
        name = ""
        for entry, change in steps:
            found.append((entry, change))
            if change.moved_to and entry.order > since:
                name, since = change.moved_to, entry.order
                break
    return found


def _origins(family: _Family, snapshot: Snapshot) -> dict[str, str]:
    """Return the present name of each renamed file whose old name is free."""
    then = {path: path for path in family.ways if snapshot.files[path] is not None}
    came = {
        (entry.order, path): change.moved_from
        for path, way in family.ways.items()
        for entry, change in way
        if change.before is None
    }
    for order in sorted({order for order, _ in came}, reverse=True):
        then = {now: came.get((order, name), name) for now, name in then.items()}
    return {
        name: now
        for now, name in then.items()
        if name in family.ways
        and snapshot.files[name] is None
        and family.ways[now][0][1].before is None
    }


def _old_metadata(
    way: Sequence[Step],
    had: FileMetadata | None,
    program: bool,  # noqa: FBT001 - a value, no switch
) -> FileMetadata | None:
    """Return the old metadata of a file, if only entries changed it since."""
    # A file that only arrived is what it was where it left.
    known = (change.gains or change.metadata for _, change in reversed(way))
    last = next((each for each in known if each), None)
    if had is None or last is None or last.is_program != program:
        return None
    given = any(change.gains for _, change in way)
    return had if given and had.mode != last.mode else None


def _changes_back(journal: FileEntries, way: Sequence[Step], now: Document) -> ChangeSet | None:
    """Return the changes back to the old text, from the recorded ones; None if unknown."""
    back, text = ChangeSet(len(now.text)), now.text
    for _, change in reversed(way):
        if change.before is None or change.after is None:
            return None
        if version(journal, change.after, change.encoding).text != text:
            return None
        text = version(journal, change.before, change.encoding).text
        back = back.then(changes_of(journal, change).invert(text))
    return back
