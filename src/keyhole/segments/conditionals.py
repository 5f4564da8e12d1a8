"""Conditionals of a preprocessor: which declarations hold all of those they hold any of."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable

from keyhole.segments.code import FoundNode
from keyhole.segments.outline import Span

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|el|endif)", re.MULTILINE)


class Conditionals:
    """The lines of a text that open, part and close conditionals, those in comments left out."""

    def __init__(self, flat: str, nodes: Iterable[FoundNode]) -> None:
        comments = {node.start: node.end for node in nodes if node.role == "comment"}
        starts = sorted(comments)
        self._lines: list[tuple[int, str]] = []
        for found in _DIRECTIVE.finditer(flat):
            index = bisect_left(starts, found.start())
            if not index or comments[starts[index - 1]] <= found.start():
                self._lines.append((found.start(), found[1]))

    def leave_whole(self, span: Span) -> bool:
        """Tell whether a declaration cuts no conditional in two.

        The parser reads `#if`, one head, `#else`, another head, `#endif`, one body as it can; the
        declaration that comes of it has an `#endif` inside whose `#if` is elsewhere.
        """
        depth = 0
        for at in range(bisect_left(self._lines, (span[0], "")), len(self._lines)):
            start, word = self._lines[at]
            if start >= span[1]:
                break
            depth += {"if": 1, "endif": -1}.get(word, 0)
            if depth < 0 or (word == "el" and not depth):
                return False
        return depth == 0
