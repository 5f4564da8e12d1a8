"""Set aside what was broken before an edit, and look at the rest.

A parser that stops at a broken place says nothing of the text behind it. So the pieces that were
broken before are left out of both texts: functions, sections, elements, told by their indentation.
If the text before is sound without them, the text after must be too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.checks.syntax.table import problems
from keyhole.text.changes import Change, ChangeSet
from keyhole.values import replace

Span = tuple[int, int]

# What goes on with the piece above although it stands at its margin.
_GOES_ON = re.compile(
    r"\s*(?:[)\]}>]|</|(?:end|fi|done|esac|else|elif|elsif|elseif|except|finally|catch|rescue"
    r"|ensure|then|do|in|where|deriving)\b|\|>|$)"
)
_DEEPEST = 4
_MOST_ROUNDS = 4
# A longer text would be read too often.
_LONGEST = 200_000


def without_broken(
    syntax: str, before: str, after: str, changes: ChangeSet
) -> tuple[tuple[Problem, ...], int] | None:
    """Return what is wrong after an edit without what was before, and how many pieces that was.

    None if nobody can tell.
    """
    if len(before) > _LONGEST:
        return None
    layout = _Layout(before)
    for depth in layout.depths[:_DEEPEST]:
        aside = _broken_pieces(syntax, layout, changes.changes, depth)
        if aside:
            moved = [(_moved(start, changes), _moved(end, changes)) for start, end in aside]
            return tuple(_problems_without(syntax, after, moved)), len(aside)
    return None


def _broken_pieces(
    syntax: str, layout: _Layout, changes: Sequence[Change], depth: int
) -> list[Span] | None:
    """Return the pieces without which a text is sound, if no change touches them."""
    aside: list[Span] = []
    text, heads = layout.text, layout.heads(depth)
    for _ in range(_MOST_ROUNDS):
        found = list(_problems_without(syntax, text, aside))
        if not found:
            # A text that is broken all over has no sound rest.
            return aside if _rest(text, aside).strip() else None
        places = {at for each in found for at in (each.start, max(each.end - 1, each.start))}
        more = {layout.piece(first) for first in {heads[layout.line_at(at)] for at in places}}
        more = {
            piece for piece in more if not any(_touch(text, piece, change) for change in changes)
        }
        if not more - set(aside):
            return None
        aside = _joined([*aside, *more])
    return None


class _Layout:
    """A text by its lines: how deep each stands, and which can begin a piece."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.split("\n")
        self._starts = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        self._indents = [*map(_indent, self._lines)]
        # A blank line goes on, too.
        self._may_begin = [not _GOES_ON.match(line) for line in self._lines]

    @property
    def depths(self) -> list[int]:
        """Return how deep the lines are indented, each depth once."""
        pairs = zip(self._lines, self._indents, strict=True)
        return sorted({indent for line, indent in pairs if line.strip()})

    def heads(self, depth: int) -> list[int]:
        """Return for each line the one at or above it that begins a piece at this depth."""
        heads, head = [], 0
        for number, indent in enumerate(self._indents):
            if indent <= depth and self._may_begin[number]:
                head = number
            heads.append(head)
        return heads

    def line_at(self, at: int) -> int:
        """Return the number of the line that an offset is in, from 0."""
        return bisect_right(self._starts, at, hi=len(self._lines)) - 1

    def piece(self, first: int) -> Span:
        """Return the lines that belong to one which begins a piece."""
        own, last = self._indents[first], first + 1
        while last < len(self._lines) and not self._ends_above(last, own):
            last += 1
        return self._starts[first], min(self._starts[last], len(self.text))

    def _ends_above(self, number: int, own: int) -> bool:
        """Tell whether a piece that begins at the depth `own` ends before a line."""
        indent = self._indents[number]
        if indent < own:
            return bool(self._lines[number].strip())
        return indent == own and self._may_begin[number]


def _problems_without(syntax: str, text: str, aside: Sequence[Span]) -> Iterator[Problem]:
    """Yield what is wrong with a text that some spans are left out of, in its own offsets."""
    left_out = [0, *accumulate(end - start for start, end in aside)]
    starts = [start - gone for (start, _), gone in zip(aside, left_out, strict=False)]
    for problem in problems(syntax, _rest(text, aside)):
        start, end = (
            at + left_out[bisect_right(starts, at)] for at in (problem.start, problem.end)
        )
        yield replace(problem, start=start, end=max(start, end))


def _rest(text: str, aside: Sequence[Span]) -> str:
    kept, at = [], 0
    for start, end in aside:
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def _moved(at: int, changes: ChangeSet) -> int:
    """Return where the edge of a piece that no change touches lies afterwards."""
    return at + sum(change.growth for change in changes.changes if change.start < at)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : end if end >= 0 else len(text)]


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those that overlap as one."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span[0] < joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], span[1])
        else:
            joined.append(span)
    return joined


def _touch(text: str, piece: Span, change: Change) -> bool:
    """Tell whether a change is in a piece; lines at its end are, if they are indented below it."""
    if change.start == piece[1]:
        lines = (line for line in change.text.split("\n") if line.strip())
        return _indent(next(lines, "")) > _indent(_line(text, piece[0]))
    return piece[0] <= change.end and change.start < piece[1]
