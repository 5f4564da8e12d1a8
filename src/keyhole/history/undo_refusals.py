"""The refusals of an undo, with both sides of each clash."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from keyhole.fastclasses import dataclass, replace
from keyhole.history.pieces import carry_by_lines, lines_around
from keyhole.history.steps_since import HistoryStep, TextHistory, carry, compose, minimal, steps_of
from keyhole.journal.model import Entry, Undone
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import ChangeSet, Clash
from keyhole.text.diff import line_changes
from keyhole.text.document import Document, chop

_SHOWN = 2000
# Each clash is looked for among all steps since: of a task with hundreds these are enough.
_MOST_REFUSED = 50
# After so many tries a run of entries is looked into only where the clash began in it for certain.
_MOST_TRIED = 64


class Clashes(Refused):
    """What an undo cannot take back, and of which entries' files."""

    def __init__(self, refusals: Sequence[Refusal], pieces: Collection[tuple[str, str]]) -> None:
        super().__init__(*refusals)
        self.pieces = pieces


def while_few(
    pairs: Iterable[tuple[Undone, Entry]], refusals: list[Refusal]
) -> Iterator[tuple[Undone, Entry]]:
    """Yield what to take back until much of it is refused; then add how much is left."""
    listed = tuple(pairs)
    for number, pair in enumerate(listed):
        if len(refusals) >= _MOST_REFUSED:
            left = len(listed) - number
            many = f"{left} more transactions were" if left > 1 else "one more transaction was"
            headline = f"{many} not looked at: {len(refusals)} clashes are shown already"
            move = "undo what is named first, or edit the places by hand"
            refusals.append(Refusal("undo-conflict", headline, help=move))
            return
        yield pair


def clash(entry: Entry, path: str, inverse: ChangeSet, past: TextHistory, now: Document) -> Refusal:
    """Show what the undo would put back, and what stands there since.

    The last of the steps is what the same undo took back before.
    """
    met = past.carry(inverse)
    assert isinstance(met, Clash), "BUG: only a clash is shown"
    step = culprit(inverse, past)
    later = step.entry if step else ""
    since = line_changes(past.text, past.total)
    start, end = carry((met.ours.start, met.ours.end), since.changes)
    ours, theirs = chop(met.ours.text), chop(now.text[start:end])
    who = _who(step, past.steps[-1])
    headline = say("{} changed {} where the undo of {} would", who, FileName(path), entry.id)
    move = f"undo {later} first, or edit the place by hand" if later else "edit the place by hand"
    no = _conflict(entry, headline, move, path, later=later, ours=ours, theirs=theirs)
    lines = f"line {now.place_shown(now.line_at(start))} reads now:\n{theirs[:_SHOWN]}"
    where = f"{lines}\nthe undo would put back:\n{ours[:_SHOWN]}"
    return replace(no, where=where, hash_current=now.hash)


def _who(step: HistoryStep | None, own: HistoryStep) -> str:
    if step is None or step is own:
        return "what this call takes back before it"
    return f"transaction {step.entry}" if step.entry else "somebody outside keyhole"


def culprit(inverse: ChangeSet, past: TextHistory) -> HistoryStep | None:
    """Return the last step that changed the place, None where no single one did."""
    search = _Search(inverse, past, lines_around(inverse, past.text))
    return search.last_to_clash(ChangeSet(len(past.text)), past.steps)


@dataclass(slots=True)
class _Search:
    """Look for the step that is to blame for a clash, from the last one back."""

    inverse: ChangeSet
    past: TextHistory
    place: tuple[int, int]
    tried: int = 0

    def last_to_clash(self, total: ChangeSet, steps: Sequence[HistoryStep]) -> HistoryStep | None:
        """Return the last of the steps after `total` from which on the undo clashes, if any."""
        for at in reversed(self._touching(total, steps)):
            step, before = steps[at], total.then(compose(steps[:at], total.new_length))
            is_first = not self._clashes(before)
            if step.run and (is_first or self.tried < _MOST_TRIED):
                within = self.last_to_clash(before, steps_of(self.past.journal, step))
                if within is not None:
                    return within
            if is_first:
                return step
        return None

    def _touching(self, total: ChangeSet, steps: Sequence[HistoryStep]) -> list[int]:
        """Return the steps that change the place, or something beside it."""
        place, found = carry(self.place, total.changes), []
        for at, step in enumerate(steps):
            changes = step.changes.changes
            if any(each.start <= place[1] and place[0] <= each.end for each in changes):
                found.append(at)
            place = carry(place, changes)
        return found

    def _clashes(self, total: ChangeSet) -> bool:
        self.tried += 1
        start, end = self.place
        near = (each for each in total.changes if each.start <= end and start <= each.end)
        over = minimal(ChangeSet(total.length, tuple(near)), self.past.text)
        return isinstance(carry_by_lines(self.inverse, over, self.past.text, self.past.own), Clash)


def changed_since(entry: Entry, path: str, now: Document) -> Refusal:
    """Say that a file is not as the entry left it."""
    headline = say("{} was changed after transaction {} made it", FileName(path), entry.id)
    move = say("undo the later transactions first; {history:tool} lists them")
    return _conflict(entry, headline, move, path).at(hash_current=now.hash)


def gone(entry: Entry, path: str) -> Refusal:
    """Say that a file to restore text in is not there."""
    headline = say("{} is gone, so the undo of {} has no place", FileName(path), entry.id)
    return _conflict(entry, headline, "bring the file back first: undo its deletion", path)


def another_file(entry: Entry, path: str, later: str) -> Refusal:
    """Say that a path has the text of another file since."""
    given = "transaction {} gave the name {} to another file after {}"
    headline = say(given, later, FileName(path), entry.id)
    move = f"undo {later} first, or edit the place by hand"
    return _conflict(entry, headline, move, path, later=later)


def rewritten(entry: Entry, path: str, later: str, now: Document) -> Refusal:
    """Say that lines an undo is about were written anew since."""
    changed = "transaction {} changed {} where the undo of {} would"
    headline = say(changed, later, FileName(path), entry.id)
    move = f"undo {later} first, or edit the place by hand"
    return _conflict(entry, headline, move, path, later=later).at(hash_current=now.hash)


def moved_on(entry: Entry, path: str, place: str) -> Refusal:
    """Say that a file whose name an entry gave or took has another name since."""
    moved = "{} was moved to {} after transaction {}"
    headline = say(moved, FileName(path), FileName(place), entry.id)
    move = say("undo the later move first; {history:tool} lists it")
    return _conflict(entry, headline, move, place)


def in_the_way(entry: Entry, path: str, now: Document) -> Refusal:
    """Say that a file to bring back would replace another."""
    another = "another {} is there, where the undo of {} would bring one back"
    headline = say(another, FileName(path), entry.id)
    move = "move the present file away first"
    return _conflict(entry, headline, move, path).at(hash_current=now.hash)


def brought_back(entry: Entry, path: str, first: Entry) -> Refusal:
    """Say that an entry brought back what several may have taken away, its maker among them."""
    given = "transaction {} brought back what {} found in {}, by {}"
    headline = say(given, entry.id, first.id, FileName(path), first.call.actor)
    move = f"undo {entry.id} by its name if that should go"
    return _conflict(entry, headline, move, path, later=first.id)


def not_alone(entry: Entry, edit: int) -> Refusal:
    """Say that an edit is mixed with others of its call."""
    headline = f"edit {edit} of transaction {entry.id} is built into other edits of the same call"
    return _conflict(entry, headline, f"undo transaction {entry.id} as a whole")


def _conflict(entry: Entry, headline: str, move: str, path: str = "", **more: str) -> Refusal:
    data = {"transaction": entry.id, **more}
    return Refusal("undo-conflict", headline, help=move, path=path, data=data)


def partly_so(entry: str) -> str:
    """Say that some of what an undo would restore stands there."""
    return f"some lines are already as they were before {entry}"


# In a refusal's data: there is nothing to do, and nothing wrong.
ALREADY_SO = "already"


def already_so(targets: Sequence[Undone]) -> Refusal:
    """Say that the files are as the undo would make them."""
    return Refusal(
        "nothing-to-undo",
        f"the files are already as they were before {targets[0].entry}",
        help=say("see {history:tool} for what can be undone"),
        data={ALREADY_SO: True},
    )
