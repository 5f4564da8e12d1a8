"""Places as the protocol counts them: lines from 0, columns in UTF-16; and offsets in a text."""

from __future__ import annotations

import re
from bisect import bisect_right

_LINE_END = re.compile(r"\r\n|\n|\r")


class ProtocolLines:
    """The lines of a text as the protocol has them, wherever a document of ours sees its own."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset."""
        line = bisect_right(self._starts, offset) - 1
        return line, _units(self._text[self._starts[line] : offset])

    def offset(self, line: int, column: int) -> int | None:
        """Return the offset of a line and column; None if the text has no such place."""
        if not 0 <= line < len(self._starts):
            return None
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._text)
        units = 0
        for offset in range(start, end + 1):
            if units >= column:
                return offset if units == column else None
            units += 2 if offset < end and self._text[offset] > "\uffff" else 1
        return None


def _units(text: str) -> int:
    return len(text) + sum(each > "\uffff" for each in text)
