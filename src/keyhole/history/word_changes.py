"""Carry changes over others by whole lines, so that no line results that nobody wrote."""

from __future__ import annotations

from collections.abc import Collection

from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.diff import line_changes


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
