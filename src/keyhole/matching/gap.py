"""Additions that meet in one gap between lines: which of them comes first, nothing tells."""

from __future__ import annotations

from keyhole.text.changes import ChangeSet

_BLANKS = " \t\r\n"


def share_a_gap(text: str, ours: ChangeSet, theirs: ChangeSet) -> bool:
    """Tell whether both sets add to `text` between the same two lines with words.

    Blank lines between them are no border: what was added above one may be seen below it.
    """
    added = [change.start for change in theirs.changes if change.start == change.end]
    gaps = [_gap(text, change.start) for change in ours.changes if change.start == change.end]
    return any(low <= at <= high for low, high in gaps for at in added)


def _gap(text: str, at: int) -> tuple[int, int]:
    """Return from where to where there is nothing but blank lines around an offset."""
    low = len(text[:at].rstrip(_BLANKS))
    tail = text[at:]
    high = at + len(tail) - len(tail.lstrip(_BLANKS))
    return low, max(at, text.rfind("\n", 0, high) + 1)
