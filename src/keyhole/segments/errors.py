"""Syntax errors: which declarations they leave certain, and which lines they take away."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from keyhole.segments.layout import ends_surely, line_start, trimmed_end
from keyhole.segments.outline import Span, line_ranges

_WORD = re.compile(r"[\w*&]$")


class Errors:
    """The errors of one text, by where they begin and by the lines they begin and end on."""

    def __init__(self, flat: str, spans: Iterable[Span]) -> None:
        self._flat = flat
        self._spans = sorted(spans)
        self._known = set(self._spans)
        self._ends = {trimmed_end(flat, *span) for span in self._spans}
        self._begin_on: defaultdict[int, list[int]] = defaultdict(list)
        self._end_on: defaultdict[int, list[int]] = defaultdict(list)
        for start, end in self._spans:
            self._begin_on[line_start(flat, start)].append(start)
            self._end_on[line_start(flat, max(start, end - 1))].append(end)

    def precede(self, span: Span) -> bool:
        """Tell whether an error stands before the end of a declaration."""
        return bool(self._spans) and self._spans[0][0] < span[1]

    def follow(self, span: Span) -> bool:
        """Tell whether an error stands below the beginning of a declaration."""
        return bool(self._spans) and self._spans[-1][1] > span[0]

    def leave(self, span: Span, head: int) -> bool:
        """Tell whether it is certain, in spite of errors, where a declaration begins and ends.

        An error beside it on its first or last line may be a part of it; with one inside it, the
        indentation must bear out its end, from its `head` on, which is below its comments.
        """
        if not self._spans:
            return True
        start, end = span
        first, last = line_start(self._flat, start), line_start(self._flat, end - 1)
        before = any(error <= start for error in self._end_on.get(first, ()))
        behind = any(error >= end for error in self._begin_on.get(last, ()))
        if before or behind or self._leads_to(start):
            return False
        index = bisect_left(self._spans, (start, -1))
        has_inside = index < len(self._spans) and self._spans[index][0] < end
        return not has_inside or ends_surely(self._flat, (line_start(self._flat, head), end))

    def _leads_to(self, start: int) -> bool:
        """Tell whether an error on the line above ends with a word: it may begin a declaration.

        `LIB_API int LIB_CALL` on one line and `run(int a);` on the next are one prototype.
        """
        first = line_start(self._flat, start)
        above = line_start(self._flat, max(first - 1, 0))
        line = self._flat[above:first].rstrip()
        return bool(_WORD.search(line)) and above + len(line) in self._ends

    def lines(self, sound: Iterable[Span], broken: Iterable[Span]) -> tuple[Span, ...]:
        """Return the lines of errors without the sound declarations inside them, and `broken`."""
        pieces = [piece for piece in broken if self._flat[slice(*piece)].strip()]
        places = sorted(sound)
        for start, end in self._spans:
            at = start
            for index in range(bisect_left(places, (start, -1)), len(places)):
                first, last = places[index]
                if first >= end:
                    break
                # An error may end before the line does that it ends on.
                if at <= first and first + len(self._flat[first:last].rstrip()) <= end:
                    pieces.append((at, first))
                    at = last
            pieces.append((at, end))
        seen = (piece for piece in pieces if self._is_seen(piece))
        return line_ranges(self._flat, seen)

    def _is_seen(self, piece: Span) -> bool:
        return bool(self._flat[slice(*piece)].strip()) or piece in self._known
