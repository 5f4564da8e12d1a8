"""Which entries an undo means: one, the caller's last, a task, or everything since a point."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from keyhole.fastclasses import dataclass
from keyhole.history.pieces import Piece, UndonePieces, pieces_of
from keyhole.journal.model import APPLIED, Entries, Entry, FileChange, Query, Undone
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused

_PAGE = 100
# What the record of a rewind has among its details.
REWIND = "rewind"
MOST = 10_000


def entry_of(journal: Entries, name: str) -> Entry:
    """Return an applied entry by its id, or refuse."""
    entry = journal.entry(name)
    if entry is None:
        raise Refused(_nothing(f"there is no transaction {name[:40]!a}"))
    if entry.state != APPLIED:
        raise Refused(_nothing(f"transaction {entry.id} was not applied"))
    return entry


def one(journal: Entries, name: str, edit: int | None = None, path: str = "") -> tuple[Undone, ...]:
    """Return one entry, one edit or one file of it, unless it is taken back already."""
    entry = entry_of(journal, name)
    target = Undone(entry.id, edit, path)
    pieces = UndonePieces(journal)
    meant = pieces.named(entry, target)
    if meant and meant <= pieces.undone(entry):
        holders = [each for each in pieces.holders(entry) if each[1] & meant]
        raise Refused(_undone_already(entry, holders))
    _check_revived(journal, entry)
    known = {record.index for file in entry.files for record in file.edits}
    if edit is not None and edit not in known:
        raise Refused(_nothing(f"transaction {entry.id} has no edit {edit}"))
    if path and path not in {file.path for file in entry.files}:
        raise Refused(_nothing(f"transaction {entry.id} did not touch {path[:200]!a}"))
    return (target,)


def _check_revived(journal: Entries, entry: Entry) -> None:
    """Refuse to redo if others undid the same targets: both would restore the same text."""
    pieces = UndonePieces(journal, {entry.id})
    for undo in _targets(journal, entry):
        for target in _targets(journal, undo):
            holders = pieces.holders(target)
            own = [held for holder, held in holders if holder.id == undo.id]
            others = [
                each for each in holders if each[0].id != undo.id and own and each[1] & own[0]
            ]
            if others:
                raise Refused(_undone_already(target, others))


def _undone_already(entry: Entry, holders: Sequence[tuple[Entry, Collection[Piece]]]) -> Refusal:
    return _nothing(f"transaction {entry.id} is undone already, by {holders[-1][0].id}")


def _targets(journal: Entries, entry: Entry) -> Iterator[Entry]:
    found = (journal.entry(each.entry) for each in entry.call.undoes)
    return (target for target in found if target is not None)


def is_undo(entry: Entry) -> bool:
    """Tell whether an entry takes others back; a rewind is a step of its own, as an edit is."""
    return bool(entry.call.undoes) and not entry.call.details.get(REWIND)


def last(journal: Entries, actor: str) -> tuple[Undone, ...]:
    """Return the caller's last edit that still stands; undos are not edits."""
    pieces = UndonePieces(journal)
    for entry in _entries(journal, Query(actor=actor)):
        if not is_undo(entry) and not pieces.is_undone(entry):
            return (Undone(entry.id),)
    raise Refused(_nothing("there is no transaction of yours to undo"))


def last_undo(journal: Entries, actor: str) -> tuple[Undone, ...]:
    """Return the caller's last undo that still stands: what a redo takes back."""
    pieces = UndonePieces(journal)
    for entry in _entries(journal, Query(actor=actor)):
        if not is_undo(entry):
            break  # After a new edit there is nothing to redo, as everywhere.
        if not _is_redo(journal, entry) and not pieces.is_undone(entry):
            return (Undone(entry.id),)
    raise Refused(_nothing("there is no undo of yours to take back"))


def of_task(journal: Entries, task: str) -> tuple[Undone, ...]:
    """Return every entry of a task that still stands, newest first."""
    pieces = UndonePieces(journal)
    found = [
        Undone(entry.id)
        for entry in _entries(journal, Query(task=task))
        if not entry.call.undoes and not pieces.is_undone(entry)
    ]
    if not found:
        raise Refused(_nothing(f"task {task[:80]!a} has no transaction to undo"))
    return tuple(found)


def back_to(journal: Entries, name: str) -> tuple[Undone, ...]:
    """Return what to undo so that the files are as they were right after an entry."""
    point = journal.entry(name)
    if point is None:
        raise Refused(_nothing(f"there is no transaction {name[:40]!a}"))
    entries = tuple(applied_since(journal, point.order))
    taken = since(journal, entries, point.order, lambda _: True)
    if not taken:
        raise Refused(_nothing(f"nothing happened after transaction {point.id}"))
    return taken


def applied_since(journal: Entries, order: int) -> Iterator[Entry]:
    """Yield the applied entries after a point of the journal, newest first."""
    return _entries(journal, Query(), down_to=order)


def newest(journal: Entries) -> int:
    """Return the place of the last entry in the order, 0 where there is none."""
    return next((entry.order for entry in journal.entries(Query(limit=1))), 0)


def since(
    journal: Entries, entries: Sequence[Entry], order: int, counts: Callable[[Entry], bool]
) -> tuple[Undone, ...]:
    """Return which of the entries after a point to undo, so that none that counts has any effect.

    The entries are all that were applied since, newest first.
    """
    found: dict[str, Undone] = {}
    chosen = [entry for entry in entries if counts(entry)]
    for entry in chosen:
        # An undo that goes brings back all that it took away, and what of that is younger than
        # the point must go as well.
        if not is_undone(journal, entry, found) and _reaches(journal, entry, order):
            found[entry.id] = Undone(entry.id)
    # What an undo took back whole needs no second look, unless names changed or pieces came back.
    if len(chosen) == len(entries) and (any(map(_moves, chosen)) or any(map(_is_partial, chosen))):
        return tuple(Undone(entry.id) for entry in chosen)
    return tuple(found.values())


def _moves(entry: Entry) -> bool:
    return any(change.moved_to for change in entry.files)


def _is_partial(entry: Entry) -> bool:
    return any(each.edit is not None or each.path for each in entry.call.undoes)


@dataclass(frozen=True, slots=True)
class Undoing:
    """What undid an entry: which entry, and whether all of it, one edit, or one file."""

    by: str
    edit: int | None = None
    path: str = ""

    @property
    def is_whole(self) -> bool:
        """Tell whether all of the entry was meant."""
        return self.edit is None and not self.path


def undoings(
    journal: Entries, entry: Entry, without: Collection[str] = frozenset()
) -> list[Undoing]:
    """Return what undid this entry and stands, except entries of `without`."""
    pieces = UndonePieces(journal, without)
    is_gone = pieces_of(entry) <= pieces.undone(entry)
    found: list[Undoing] = []
    for holder, held in pieces.holders(entry):
        own = [each for each in holder.call.undoes if each.entry == entry.id]
        if held == pieces_of(entry):
            found.append(Undoing(holder.id))
        elif is_gone or not any(each.edit is None and not each.path for each in own):
            found += [Undoing(holder.id, each.edit, each.path) for each in own]
        else:
            ordered = sorted(held, key=lambda piece: (piece[0], piece[1] or 0))
            found += [
                Undoing(holder.id, edit, path if edit is None else "") for path, edit in ordered
            ]
    return found


def is_undone(journal: Entries, entry: Entry, without: Collection[str] = frozenset()) -> bool:
    """Tell whether all of an entry is taken back, by others than `without`."""
    return UndonePieces(journal, without).is_undone(entry)


def _is_redo(journal: Entries, entry: Entry) -> bool:
    return any(map(is_undo, _targets(journal, entry)))


def _reaches(journal: Entries, entry: Entry, point: int) -> bool:
    """Tell whether an entry changes anything since the point: an undo of later entries does not."""
    if not entry.call.undoes:
        return True
    return any(target.order <= point for target in _targets(journal, entry))


def _entries(journal: Entries, query: Query, down_to: int = 0) -> Iterator[Entry]:
    """Yield applied entries newest first, a page at a time."""
    before, count = query.before, 0
    while True:
        page = journal.entries(
            Query(query.path, query.actor, query.task, query.since, before, _PAGE)
        )
        for entry in page:
            if entry.order <= down_to:
                return
            count += 1
            if count > MOST:
                raise Refused(_too_many())
            if entry.state == APPLIED:
                yield entry
        if len(page) < _PAGE:
            return
        before = page[-1].order


def _nothing(headline: str) -> Refusal:
    move = say("see {history:tool} for what can be undone")
    return Refusal("nothing-to-undo", headline, help=move)


def _too_many() -> Refusal:
    return Refusal(
        "too-large",
        f"more than {MOST} transactions would have to be looked at",
        help="undo in steps: name a later transaction to go back to",
    )


def files_to_undo(
    journal: Entries, entry: Entry, target: Undone, without: Collection[str] = frozenset()
) -> list[FileChange]:
    """Return the files that an undo is about: the one named, those of the edit, or all that stand.

    What entries of `without` undid counts as standing: they are being undone themselves.
    """
    pieces = UndonePieces(journal, without)
    left = {path for path, _ in pieces.standing(entry, target)}
    if target.edit is None:
        return [change for change in entry.files if change.path in left]
    gone = {path for path, _ in pieces.named(entry, target)} - left
    return [
        change
        for change in entry.files
        if change.path not in gone and any(each.index == target.edit for each in change.edits)
    ]
