"""What a rewind need not take back: others took it away by now."""

from __future__ import annotations

from keyhole.history.steps_since import HistoryStep, TextHistory
from keyhole.history.undo_refusals import culprit
from keyhole.journal.model import Entries, Entry
from keyhole.text.changes import ChangeSet, Clash


def unsettled(inverse: ChangeSet, past: TextHistory) -> ChangeSet:
    """Return an undo of a text without the places where nothing is left to take back."""
    while isinstance(met := past.carry(inverse), Clash):
        start, end = met.ours.start, met.ours.end
        own = [each for each in inverse.changes if start <= each.start and each.end <= end]
        place = ChangeSet(inverse.length, tuple(own))
        if not own or not (
            _is_gone(place, past) or is_by_git(past.journal, culprit(inverse, past))
        ):
            break
        rest = tuple(each for each in inverse.changes if each not in own)
        inverse = ChangeSet(inverse.length, rest)
    return inverse


def is_by_git(journal: Entries, step: HistoryStep | None) -> bool:
    """Tell whether a step is what git did to the tree, which is no conflict with anybody."""
    entry = journal.entry(step.entry) if step and step.entry else None
    return entry is not None and bool(entry.call.details.get("git"))


def became_unkept(entry: Entry, path: str) -> bool:
    """Tell whether a file did not go, but became one that no look keeps, such as a large one."""
    listed = entry.call.details.get("listed")
    names = listed if isinstance(listed, list) else []
    return any(isinstance(each, dict) and each.get("path") == path for each in names)


def _is_gone(place: ChangeSet, past: TextHistory) -> bool:
    """Tell whether all that an undo would only take away, somebody took away or wrote over."""
    return all(
        not each.text
        and each.start < each.end
        and any(other.start <= each.start and each.end <= other.end for other in past.total.changes)
        for each in place.changes
    )
