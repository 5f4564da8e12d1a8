"""What stands before a declaration and belongs to it: doc comments, attributes, decorators."""

from __future__ import annotations

import re
from collections.abc import Collection

from keyhole.segments.code import FoundNode
from keyhole.segments.layout import begins_line, line_start, own_lines, trimmed_end
from keyhole.segments.outline import Span

_BLANKS = re.compile(r"\s*")
# Comments about the file or the block they stand in, not about what follows.
_NOT_ATTACHED = re.compile(r"//!|/\*!|#!|//\s?#?(?:end)?region\b")


class Leads:
    """The comments and attributes of a text, by where they begin and end."""

    def __init__(self, flat: str, nodes: Collection[FoundNode]) -> None:
        self._flat = flat
        kept = [node for node in nodes if node.role in {"comment", "attribute"}]
        self._by_start = {node.start: node for node in kept}
        self._by_end = {trimmed_end(flat, node.start, node.end): node for node in kept}
        self._comments = {
            trimmed_end(flat, node.start, node.end): node.start
            for node in nodes
            if node.role in {"comment", "aside"}
        }

    def before(self, start: int, floor: int) -> list[FoundNode]:
        """Return what is attached before `start` and not above `floor`, in file order."""
        lead: list[FoundNode] = []
        while (node := self._by_end.get(self._gap(start))) and node.start >= floor:
            if not self._is_attached(node, start):
                break
            lead.insert(0, node)
            start = node.start
        return lead

    def within(self, start: int) -> tuple[list[FoundNode], int]:
        """Return the attributes a declaration begins with, and where it goes on behind them."""
        lead: list[FoundNode] = []
        while node := self._by_start.get(start):
            lead.append(node)
            blanks = _BLANKS.match(self._flat, trimmed_end(self._flat, node.start, node.end))
            assert blanks, "BUG: the pattern of blanks matches everywhere"
            start = blanks.end()
        return lead, start

    def own_end(self, start: int, end: int) -> int:
        """Return where a declaration ends without comments below it that are not inside it.

        The parser lets what no bracket closes run on to the next word, over the comments of what
        follows. Those that are not indented more than the declaration are not its own.
        """
        flat = self._flat
        end = trimmed_end(flat, start, end)
        column = start - line_start(flat, start)
        while (comment := self._comments.get(end, -1)) > start and begins_line(flat, comment):
            if comment - line_start(flat, comment) > column:
                break
            end = self._gap(comment)
        return end

    def parts(self, lead: list[FoundNode]) -> dict[str, Span]:
        """Return the spans of the doc comment and of the decorators, which together are `lead`.

        Comments above the attributes are the doc, or else those below; others go with them.
        """
        roles = [node.role for node in lead]
        if "attribute" not in roles:
            return {"doc": self._hull(lead)} if lead else {}
        first, behind = roles.index("attribute"), len(roles) - roles[::-1].index("attribute")
        doc, decorators = (lead[:first], lead[first:]) if first else (lead[behind:], lead[:behind])
        parts = {"doc": self._hull(doc)} if doc else {}
        return parts | {"decorators": self._hull(decorators)}

    def _hull(self, nodes: list[FoundNode]) -> Span:
        start = nodes[0].start
        end = trimmed_end(self._flat, nodes[-1].start, nodes[-1].end)
        return own_lines(self._flat, start, end) or (start, end)

    def _gap(self, at: int) -> int:
        """Return the offset behind the last character before `at` that is not blank."""
        flat = self._flat
        while at and flat[at - 1] in " \t\r\n\f":
            at -= 1
        return at

    def _is_attached(self, node: FoundNode, start: int) -> bool:
        """Tell whether a node belongs to what begins at `start`: a comment only directly above."""
        if node.role == "attribute":
            return True
        between = self._flat.count("\n", self._gap(start), start)
        is_about_this = not _NOT_ATTACHED.match(self._flat, node.start)
        return between <= 1 and begins_line(self._flat, node.start) and is_about_this
