"""Follow a place of a text through its revisions, as long as it is certain where it is.

Two texts cannot tell a block from its copy. Worked example: a block is copied, a line of the copy
is changed, and another line of the block itself. A comparison by lines may pair the old block with
the copy. The sign of that: lines that stood once stand twice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum

from keyhole.matching.revision import PairedLines, Revision
from keyhole.text.align import similarity
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document, split_lines
from keyhole.text.lines import line_span

Span = tuple[int, int]
_LEAST_TELLING = 3
# Lines on either side of a place that a copy of it has too.
_BESIDE = 3
_LEAST_ALIKE = 0.6
# A block that was copied is not moved past so many lines that stand once.
_FEWEST_BETWEEN = 3


class LostPlace(Enum):
    """Why a place cannot be followed."""

    DELETED = "its lines were taken out, and nothing was put in their place"
    UNCERTAIN = "lines of it stand elsewhere by now"


def follow(span: Span, revisions: Iterable[Revision]) -> Span | LostPlace:
    """Return where the lines of a span are after all revisions, if that is certain."""
    for revision in revisions:
        start, end = _whole_lines(revision.before, span)
        if revision.changes is not None and not _is_in_doubt(revision, start, end):
            span = _behind(revision.changes, start, end)
            continue
        flat = revision.was.view.flat_offset
        is_last = end == len(revision.before.text)
        lines = flat(start), len(revision.was.flat) if is_last else flat(end)
        if _is_deleted(revision.lines, lines):
            return LostPlace.DELETED
        if not is_certain(lines, revision):
            return LostPlace.UNCERTAIN
        low, high = _behind(revision.lines, *lines)
        raw = revision.now.view.offset
        length = len(revision.after.text)
        span = min(raw(low), length), min(raw(high), length)
    return span


def _is_deleted(changes: ChangeSet, lines: Span) -> bool:
    start, end = lines
    return start < end and any(
        each.start <= start and end <= each.end and not each.text for each in changes.changes
    )


def _whole_lines(document: Document, span: Span) -> Span:
    start, end = span
    is_between = start == end and (not start or document.text[start - 1] == document.terminator)
    return span if is_between else line_span(document, start, end)


def _is_in_doubt(revision: Revision, start: int, end: int) -> bool:
    """Tell whether a recorded revision touches lines, or repeats them in what it writes.

    A replacement by more lines is recorded as a comparison, which may have paired a copy.
    """
    assert revision.changes is not None, "BUG: it is recorded"
    changes = revision.changes.changes
    if _touches(revision.changes, start, end):
        return True
    if all(each.start == each.end or not each.text for each in changes):
        return False
    text, mark = revision.before.text, revision.before.terminator
    added = {line for each in changes for line in split_lines(each.text, mark)}
    for _ in range(_BESIDE):
        start = text.rfind(mark, 0, max(start - 1, 0)) + 1
        end = text.find(mark, end) + 1 or len(text)
    return any(line in added for line in split_lines(text[start:end], mark) if _tells(line))


def _touches(changes: ChangeSet, start: int, end: int) -> bool:
    """Tell whether any change lies within lines, or begins at the first one without a line end."""
    return any(
        (change.start < end and change.end > start)
        or (change.start == change.end == start < end and not change.text.endswith(("\n", "\r")))
        for change in changes.changes
    )


def _behind(changes: ChangeSet, start: int, end: int) -> Span:
    """Return where lines are after changes; lines added right before them do not count."""
    added = sum(len(each.text) for each in changes.changes if each.start == each.end == start < end)
    low, high = changes.carried((start, end))
    return low + added, high


def is_certain(lines: Span, revision: Revision) -> bool:
    """Tell whether comparing the texts of a revision leaves no doubt where some lines are.

    `lines` is a span of whole lines of the flat text, empty between two lines. They must lie
    between two lines that stood once, stay and stand once. No line that came near them may repeat
    a line that stood only there or, if they were changed, one of theirs: it could be a copy, or
    the place itself. And a comparison from the ends of the texts must give the same.
    """
    kept = revision.kept
    first, last = (bisect_left(kept.starts, at) for at in lines)
    if first == last and first in {0, len(kept.old)}:
        return True
    if _behind(revision.lines, *lines) != _behind(revision.lines_from_below, *lines):
        return False
    if any(map(kept.is_moved, range(first, last))):
        return False
    far = max(_FEWEST_BETWEEN, last - first)
    stay = revision.anchors
    above = stay[max(0, (at := bisect_left(stay, first)) - far) : at][::-1] or [-1]
    below = stay[(at := bisect_left(stay, last)) : at + far] or [len(kept.old)]
    here = Counter(kept.old[above[0] + 1 : below[0]])
    stood = {line for line, count in here.items() if count == kept.had[line] < kept.has[line]}
    if _is_changed(kept.places[first:last]):
        stood.update(kept.old[first:last])
        if _may_be_a_copy(kept, first, last, (above[0], below[0])):
            return False
    low = above[-1] if len(above) == far else -1
    high = below[-1] if len(below) == far else len(kept.old)
    return not any(line in stood and _tells(line) for line in _that_came(kept, low, high))


def _may_be_a_copy(kept: PairedLines, first: int, last: int, cell: tuple[int, int]) -> bool:
    """Tell whether more lines came to a place than went, one of them like a line that stays.

    Then the line that stays may belong to a copy.
    """
    came = [line.strip() for line in _that_came(kept, *cell) if _tells(line)]
    gone = [at for at in range(cell[0] + 1, cell[1]) if kept.places[at] is None]
    if len(came) <= sum(_tells(kept.old[at]) for at in gone):
        return False
    stay = [kept.old[at].strip() for at in range(first, last) if kept.places[at] is not None]
    return any(
        similarity(one, other, _LEAST_ALIKE) for one in came for other in stay if _tells(other)
    )


def _is_changed(places: list[int | None]) -> bool:
    """Tell whether lines do not follow each other any more, or some are gone."""
    first = places[0] if places else None
    if first is None:
        return bool(places)
    return places != [*range(first, first + len(places))]


def _that_came(kept: PairedLines, low: int, high: int) -> Iterator[str]:
    """Yield the lines that came between two lines which stay."""
    places = kept.places
    above = -1 if low < 0 else places[low]
    below = len(kept.new) if high == len(kept.old) else places[high]
    assert above is not None, "BUG: an anchor stays"
    assert below is not None, "BUG: an anchor stays"
    stay = {*places[low + 1 : high]}
    return (kept.new[at] for at in range(above + 1, below) if at not in stay)


def _tells(line: str) -> bool:
    """Tell whether a line is more than a bracket, and so identifies a place."""
    return sum(map(str.isalnum, line)) >= _LEAST_TELLING
