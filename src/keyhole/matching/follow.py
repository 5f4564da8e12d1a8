"""Follow a place of a text through revisions of it, as long as it is certain which place it is.

Two texts cannot tell a block from its copy. Worked example: a block is copied, a line of the copy
is changed, and another line of the block itself. Compared by their lines the older text and the
present one may pair the block with the copy. What gives it away: lines that stood once stand twice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from keyhole.matching.revision import Kept, Revision
from keyhole.text.blocks import line_span
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document, split_lines

Span = tuple[int, int]


def followed(span: Span, revisions: Iterable[Revision]) -> Span | None:
    """Return where the lines of a span are after all revisions, or None if that is not certain."""
    for revision in revisions:
        start, end = _whole_lines(revision.before, span)
        if revision.changes is not None and not _is_in_doubt(revision, start, end):
            span = _behind(revision.changes, start, end)
            continue
        flat = revision.was.view.flat_offset
        is_last = end == len(revision.before.text)
        lines = flat(start), len(revision.was.flat) if is_last else flat(end)
        if not is_certain(lines, revision):
            return None
        low, high = _behind(revision.lines, *lines)
        raw = revision.now.view.offset
        length = len(revision.after.text)
        span = min(raw(low), length), min(raw(high), length)
    return span


def _whole_lines(document: Document, span: Span) -> Span:
    start, end = span
    is_between = start == end and (not start or document.text[start - 1] == document.terminator)
    return span if is_between else line_span(document, start, end)


def _is_in_doubt(revision: Revision, start: int, end: int) -> bool:
    """Tell whether a recorded revision touches lines, or may have copied them among changes.

    What a call replaces by more is recorded as a comparison of the two, too.
    """
    assert revision.changes is not None, "BUG: it is recorded"
    if _touches(revision.changes, start, end):
        return True
    if not any(change.start < change.end for change in revision.changes.changes):
        return False
    added = {line for change in revision.changes.changes for line in split_lines(change.text)}
    text = revision.before.text
    return any(
        line in added and text.count(line) == 1
        for line in split_lines(text[start:end])
        if line.strip()
    )


def _touches(changes: ChangeSet, start: int, end: int) -> bool:
    """Tell whether any change lies within lines, or begins at the first one without a line end."""
    for change in changes.changes:
        if change.start < end and change.end > start:
            return True
        if start <= change.start == change.end < end and not (
            change.start == start and change.text.endswith(("\n", "\r"))
        ):
            return True
    return False


def _behind(changes: ChangeSet, start: int, end: int) -> Span:
    """Return where lines are after changes; what was added right before them is none of them."""
    added = sum(len(each.text) for each in changes.changes if each.start == each.end == start < end)
    low, high = changes.carried((start, end))
    return low + added, high


def is_certain(lines: Span, revision: Revision) -> bool:
    """Tell whether comparing the texts of a revision leaves no doubt where some lines are.

    `lines` is a span of whole lines of the flat text, empty between two lines. Each of them that
    stood once in the file, and the next such line on both sides, must stand where the comparison
    says, and nowhere else; and one of these, or an end of the file, must hold the place.
    """
    kept = revision.kept
    first, last = (bisect_left(kept.starts, at) for at in lines)
    if first == last and first in {0, len(kept.lines)}:
        return True
    within = [number for number in range(first, last) if kept.stood_once(number)]
    above, below = _next(kept, first - 1, -1), _next(kept, last, 1)
    sides = [number for number in (above, below) if 0 <= number < len(kept.lines)]
    if not all(map(kept.is_where_it_was, (*within, *sides))):
        return False
    if _behind(revision.lines, *lines) != _behind(revision.lines_from_below, *lines):
        return False
    return (
        any(kept.stay[number] for number in within)
        or _holds(kept, range(max(above, 0), first), range(above + 1, first + 1))
        or _holds(kept, range(last, below + 1)[: len(kept.lines) - last], range(last, below + 1))
    )


def _next(kept: Kept, number: int, step: int) -> int:
    """Return the next line from `number` on that stood once, or what is beyond the last."""
    while 0 <= number < len(kept.lines) and not kept.stood_once(number):
        number += step
    return number


def _holds(kept: Kept, lines: range, gaps: range) -> bool:
    """Tell whether lines beside a place stay, and nothing came between them and the place."""
    return all(kept.stay[number] for number in lines) and kept.gaps.isdisjoint(gaps)
