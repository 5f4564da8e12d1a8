"""Sides: what each checkout of a project did to a file since the last merge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import cast

from keyhole.fastclasses import dataclass, field, replace
from keyhole.git.repository import GitVersion
from keyhole.history.steps_since import carry, overlap
from keyhole.history.versions import change_at, changes_from_spans
from keyhole.journal.model import Entry
from keyhole.sharing.news import WINDOW
from keyhole.sharing.postgres.journal import PostgresJournal
from keyhole.sharing.postgres.schema import LONGEST_PATH
from keyhole.sharing.server import Reply
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import diff
from keyhole.text.document import Document

# Beyond so many edits of one file, the oldest are not compared, and the answer says so.
_MOST_ENTRIES, MOST_PATHS = 1000, 1000


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a side's text, and the entry that wrote it."""

    start: int
    end: int
    entry: Entry

    @property
    def task(self) -> str:
        """Return the task it belongs to."""
        return self.entry.call.task


@dataclass(frozen=True, slots=True)
class SideEntry:
    """One entry of a side, with the file as it left it; None is a file that is gone."""

    entry: Entry
    before: Document | None
    after: Document | None

    @property
    def version(self) -> GitVersion:
        """Return what git would call the file after it."""
        base = self.entry.origin.base if self.entry.origin else ""
        return GitVersion.of(self.after.to_bytes() if self.after is not None else None, base)


@dataclass(frozen=True)
class Side:
    """One checkout's entries at a file, oldest first."""

    path: str
    made: tuple[SideEntry, ...]

    @property
    def checkout(self) -> int:
        """Return the number of the checkout."""
        origin = self.made[-1].entry.origin
        assert origin is not None, "BUG: an entry of a shared journal was made somewhere"
        return origin.checkout

    @property
    def place(self) -> tuple[str, str]:
        """Return the machine and the directory: one place is one checkout, whatever its number."""
        origin = self.made[-1].entry.origin
        return (origin.machine, origin.worktree) if origin else ("", "")

    @property
    def text(self) -> str:
        """Return the file as the side left it; "" where it deleted it."""
        after = self.made[-1].after
        return after.text if after is not None else ""

    def after(self, number: int) -> Side | None:
        """Return what the side did after a number of the shared order."""
        left = tuple(made for made in self.made if made.entry.order > number)
        return Side(self.path, left) if left else None

    def stretches(self) -> tuple[Stretch, ...]:
        """Return where the side's own text stands in the file as it left it, computed once."""
        return self._stretches

    @cached_property
    def _stretches(self) -> tuple[Stretch, ...]:
        """Return where the side's own text stands in the file as it left it."""
        kept: list[Stretch] = []
        text = self.made[0].before.text if self.made[0].before else ""
        first = text
        for made in self.made:
            before = made.before.text if made.before else ""
            after = made.after.text if made.after else ""
            if before != text:  # somebody else wrote in between: a merge, an editor
                kept = _carry(kept, diff(text, before))
            changes = _changes(made, self.path, before, after)
            own = [Stretch(start, end, made.entry) for start, end in changes.spans_after()]
            kept = [*_carry(kept, changes), *own]
            text = after
        # What was taken back since is nobody's any more.
        net = tuple(diff(first, text).spans_after())
        return tuple(
            each for each in kept if any(meets((each.start, each.end), one) for one in net)
        )


def _changes(made: SideEntry, path: str, before: str, after: str) -> ChangeSet:
    """Return what an entry did, as it recorded it; whole files come and go without a record."""
    spans = change_at(made.entry, path).spans
    if made.before is None or made.after is None or not spans:
        return diff(before, after)
    return changes_from_spans(spans, before, after)


def _carry(stretches: Iterable[Stretch], changes: ChangeSet) -> list[Stretch]:
    return [_moved(each, changes.changes) for each in stretches]


def _moved(stretch: Stretch, changes: Sequence[Change]) -> Stretch:
    start, end = carry((stretch.start, stretch.end), changes)
    return replace(stretch, start=start, end=end)


def meets(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Tell whether two stretches share text; one that is empty needs only be touched."""
    if one[0] == one[1] or other[0] == other[1]:
        return one[0] <= other[1] and other[0] <= one[1]
    return overlap(one, other)


@dataclass(frozen=True, slots=True)
class CheckoutEdits:
    """Everything that checkouts did to some files, and what is merged between them."""

    by_path: dict[str, tuple[Side, ...]] = field(default_factory=dict)
    # Pairs of numbers: up to there the two checkouts' entries at the path do not meet any more.
    settled: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    # The files of which edits are left out: there are too many, or they are too large to share.
    cut: frozenset[str] = frozenset()


_LIVE = """LEFT JOIN keyhole.task k ON k.project = e.project AND k.name = e.task
    WHERE e.project = %s AND e.state = 'applied' AND e.number > coalesce(k.through, 0)
    AND e.arrived > now() - %s::interval"""


def contested_files(journal: PostgresJournal) -> list[bytes]:
    """Return the files that more than one checkout changed lately, one more than are compared."""
    rows = journal.server.rows(
        f"""SELECT t.path FROM keyhole.entry e
        JOIN keyhole.touch t ON t.project = e.project AND t.number = e.number {_LIVE}
        GROUP BY t.path HAVING count(DISTINCT t.workspace) > 1 ORDER BY t.path LIMIT %s""",  # noqa: S608 - our own words
        (journal.me.project, WINDOW, MOST_PATHS + 1),
    )
    return [cast("bytes", row[0]) for row in rows]


def sides_at(journal: PostgresJournal, paths: Iterable[bytes]) -> CheckoutEdits:
    """Return what every checkout did to some files of the project, and nobody has ended.

    The server is asked twice, however many files and edits there are.
    """
    names = {raw[:LONGEST_PATH]: journal.checkout.inward(raw) for raw in paths}
    query = "SELECT path, one, other FROM keyhole.settled WHERE project = %s AND path = ANY(%s)"
    settled = journal.server.later(query, (journal.me.project, list(names)))
    most = _MOST_ENTRIES * len(names)
    entries = journal.select(
        f"""JOIN keyhole.touch t ON t.project = e.project AND t.number = e.number {_LIVE}
        AND t.path = ANY(%s) ORDER BY e.number DESC LIMIT %s""",
        (journal.me.project, WINDOW, list(names), most),
    )
    by_path: dict[str, list[Entry]] = {name: [] for name in names.values()}
    for entry in {each.order: each for each in entries[::-1]}.values():
        for file in entry.files:
            if file.path in by_path:
                by_path[file.path].append(entry)
    cut = frozenset(name for name, made in by_path.items() if len(made) > _MOST_ENTRIES)
    cut |= frozenset(by_path) if len(entries) == most else frozenset()
    kept = {name: made[-_MOST_ENTRIES:] for name, made in by_path.items()}
    documents = _documents(journal, kept)
    cut |= {name for name, made in kept.items() if _are_missing(name, made, documents)}
    found = {name: tuple(_sides(name, made, documents)) for name, made in kept.items()}
    return CheckoutEdits(found, _settled(settled, names), cut)


def _settled(asked: Reply, names: Mapping[bytes, str]) -> dict[str, tuple[tuple[int, int], ...]]:
    found: dict[str, tuple[tuple[int, int], ...]] = dict.fromkeys(names.values(), ())
    for path, one, other in cast("list[tuple[bytes, int, int]]", asked.rows):
        found[names[path]] += ((one, other),)
    return found


def _documents(
    journal: PostgresJournal, by_path: Mapping[str, Sequence[Entry]]
) -> dict[tuple[str, str], Document]:
    """Return the versions that entries found and left, by hash and encoding."""
    changes = [change_at(entry, path) for path, made in by_path.items() for entry in made]
    versions = {
        (hash_, change.encoding)
        for change in changes
        for hash_ in (change.before, change.after)
        if hash_
    }
    images = journal.images({hash_ for hash_, _ in versions})
    return {
        (hash_, encoding): Document.from_bytes(images[hash_], encoding)
        for hash_, encoding in versions
        if hash_ in images
    }


def _are_missing(
    path: str, entries: Sequence[Entry], documents: Mapping[tuple[str, str], Document]
) -> bool:
    """Tell whether a version is not on the server, for it is too large to be shared."""
    changes = (change_at(entry, path) for entry in entries)
    return any(
        hash_ and (hash_, change.encoding) not in documents
        for change in changes
        for hash_ in (change.before, change.after)
    )


def _sides(
    path: str, entries: Sequence[Entry], documents: Mapping[tuple[str, str], Document]
) -> Iterable[Side]:
    grouped: dict[int, list[SideEntry]] = {}
    for entry in entries:
        change = change_at(entry, path)
        before, after = (
            documents.get((hash_, change.encoding)) if hash_ else None
            for hash_ in (change.before, change.after)
        )
        made = SideEntry(entry, before, after)
        if (change.before and made.before is None) or (change.after and made.after is None):
            continue  # too large to be shared
        assert entry.origin is not None, "BUG: an entry of a shared journal was made somewhere"
        grouped.setdefault(entry.origin.checkout, []).append(made)
    return [Side(path, tuple(made)) for made in grouped.values()]


def settle(journal: PostgresJournal, path: str, one: int, other: int) -> None:
    """Record on the server that the entries of two checkouts are merged up to these."""
    journal.server.run(
        """INSERT INTO keyhole.settled(project, path, one, other) VALUES(%s, %s, %s, %s)
        ON CONFLICT DO NOTHING""",
        (journal.me.project, journal.checkout.outward(path)[:LONGEST_PATH], one, other),
    )
