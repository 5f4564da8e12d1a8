"""The lines of a file sorted by their text, for many lookups."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from keyhole.matching.view import View


class SortedLines:
    """The lines of a file, without blanks around, that are a text or begin with it."""

    def __init__(self, view: View) -> None:
        self._lines = [line.strip() for line in view.lines]
        self._order = sorted(range(len(self._lines)), key=self._lines.__getitem__)
        # Each text is looked up once: all that one line begins with are together as long as many
        # lines of its length.
        self._found: dict[tuple[str, int | None], list[int]] = {}

    def below(self, wanted: str, first: int) -> Sequence[int]:
        """Return the lines from a 0-based one on that are a text; else those that begin with it."""
        return self._below(wanted, None, first) or self._below(wanted, len(wanted), first)

    def _below(self, wanted: str, size: int | None, first: int) -> Sequence[int]:
        found = self._found.get((wanted, size))
        if found is None:
            found = self._found[wanted, size] = self._beginning(wanted, size)
        at = bisect_left(found, first)
        return found[at:] if at else found

    def _beginning(self, wanted: str, size: int | None) -> list[int]:
        """Return the lines whose text, cut to a size, is the one wanted, in file order."""

        def cut(line: int) -> str:
            return self._lines[line][:size]

        low = bisect_left(self._order, wanted, key=cut)
        return sorted(self._order[low : bisect_right(self._order, wanted, lo=low, key=cut)])
