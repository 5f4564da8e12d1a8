"""Set aside what was broken before an edit, and look at the rest.

A parser that stops at a broken place says nothing of the text behind it. So the pieces that were
broken before are left out of both texts: functions, sections, elements, told by their indentation.
If the text before is sound without them, the text after must be too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

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
    for depth in _depths(before)[:_DEEPEST]:
        aside = _broken_pieces(syntax, before, changes.changes, depth)
        if aside:
            moved = [(_moved(start, changes), _moved(end, changes)) for start, end in aside]
            return tuple(_problems_without(syntax, after, moved)), len(aside)
    return None


def _broken_pieces(
    syntax: str, text: str, changes: Sequence[Change], depth: int
) -> list[Span] | None:
    """Return the pieces without which a text is sound, if no change touches them."""
    aside: list[Span] = []
    for _ in range(_MOST_ROUNDS):
        found = list(_problems_without(syntax, text, aside))
        if not found:
            # A text that is broken all over has no sound rest.
            return aside if _rest(text, aside).strip() else None
        more = {
            _piece(text, at, depth)
            for problem in found
            for at in {problem.start, max(problem.end - 1, problem.start)}
        }
        more = {
            piece for piece in more if not any(_touch(text, piece, change) for change in changes)
        }
        if not more - set(aside):
            return None
        aside = _joined([*aside, *more])
    return None


def _problems_without(syntax: str, text: str, aside: Sequence[Span]) -> Iterator[Problem]:
    """Yield what is wrong with a text that some spans are left out of, in its own offsets."""
    for problem in problems(syntax, _rest(text, aside)):
        start, end = _restored(problem.start, aside), _restored(problem.end, aside)
        yield replace(problem, start=start, end=max(start, end))


def _rest(text: str, aside: Sequence[Span]) -> str:
    kept, at = [], 0
    for start, end in aside:
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def _restored(at: int, aside: Sequence[Span]) -> int:
    """Return where an offset of a text without some spans lies in the whole."""
    for start, end in aside:
        if start > at:
            break
        at += end - start
    return at


def _moved(at: int, changes: ChangeSet) -> int:
    """Return where the edge of a piece that no change touches lies afterwards."""
    return at + sum(change.growth for change in changes.changes if change.start < at)


def _depths(text: str) -> list[int]:
    """Return how deep the lines of a text are indented, each depth once."""
    lines = (line for line in text.split("\n") if line.strip())
    return sorted({_indent(line) for line in lines})


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _piece(text: str, at: int, depth: int) -> Span:
    """Return the lines that belong to the last line at or above `at` that begins a piece."""
    start = text.rfind("\n", 0, at) + 1
    while start and not _begins(_line(text, start), depth):
        start = text.rfind("\n", 0, start - 1) + 1
    own = _indent(_line(text, start))
    end = start + len(_line(text, start)) + 1
    while end < len(text):
        line = _line(text, end)
        if line.strip() and (_indent(line) < own or _begins(line, own)):
            break
        end += len(line) + 1
    return start, min(end, len(text))


def _line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : end if end >= 0 else len(text)]


def _begins(line: str, depth: int) -> bool:
    return _indent(line) <= depth and not _GOES_ON.match(line)


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
