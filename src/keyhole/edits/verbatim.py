"""A hunk to the byte: whether its lines stand at a place as they are, and what it does there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keyhole.edits.hunk import ADD, KEEP, REMOVE, Hunk
from keyhole.text.changes import Change
from keyhole.text.document import Document


def stands_at(hunk: Hunk, document: Document, line: int) -> int | None:
    """Return the offset of a line (from 1) where the hunk's old lines stand to the byte."""
    if not 1 <= line <= len(document.starts) or not hunk.old:
        return None
    start = document.starts[line - 1]
    old = "".join(_ended(hunk.old, is_open=hunk.open_before))
    if not document.text.startswith(old, start):
        return None
    # Only the last line of a file can lack its end, before and afterwards.
    if (hunk.open_before or hunk.open_after) and start + len(old) != len(document.text):
        return None
    return start


def changes_at(hunk: Hunk, start: int) -> tuple[Change, ...]:
    """Return the changes of a hunk whose old lines stand at this offset."""
    return tuple(_changes(hunk, start))


def _changes(hunk: Hunk, start: int) -> Iterator[Change]:
    old = iter(_ended(hunk.old, is_open=hunk.open_before))
    new = iter(_ended(hunk.new, is_open=hunk.open_after))
    end, text = start, ""
    for mark, _ in [*hunk.lines, (KEEP, "")]:
        if mark == KEEP:
            if end > start or text:
                yield Change(start, end, text)
            start = end = end + len(next(old, ""))
            text = ""
            next(new, "")
        if mark == REMOVE:
            end += len(next(old))
        if mark == ADD:
            text += next(new)


def _ended(lines: Sequence[str], *, is_open: bool) -> list[str]:
    """Return lines with their ends; the last may have none."""
    ended = [f"{line}\n" for line in lines]
    if ended and is_open:
        ended[-1] = lines[-1]
    return ended
