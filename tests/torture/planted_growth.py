"""Quadratic work as it was once, planted again: whoever watches growth must notice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from keyhole.segments import declarations
from keyhole.segments.code import Found
from keyhole.segments.declarations import _Open
from keyhole.text import align
from keyhole.text.document import Document


def headers_looked_up() -> None:
    """Look for the declaration around each node all the way up."""

    def is_in_header(node: Found, opened: list[_Open]) -> bool:
        around = next((entry.found for entry in reversed(opened) if entry.declared), None)
        if not around or not around.body or node.role != "segment" or node.body:
            return False
        return node.names == around.names and node.end <= around.body[0]

    vars(declarations)["_is_in_header"] = is_in_header


def depths_looked_up() -> None:
    """Look for the next line with words from the beginning of the file."""

    def depths(lines: Sequence[str], first: int, last: int) -> list[int]:
        return [
            align._indent(next((line for line in list(lines)[at:] if line.strip()), ""))
            for at in range(first, last + 1)
        ]

    vars(align)["_depths"] = depths


def lines_counted() -> None:
    """Count the lines of a file whenever somebody asks how many there are."""

    def line_count(self: Document) -> int:
        return sum(each == self.terminator for each in self.text) + 1

    Document.line_count = property(line_count)  # type: ignore[assignment,method-assign]


# What is planted, and the case that grows by it.
PLANTED: dict[str, tuple[Callable[[], None], str]] = {
    "headers looked up": (headers_looked_up, "outline list.json"),
    "depths looked up": (depths_looked_up, "regex: the whole, often"),
    "lines counted": (lines_counted, "edits: lines"),
}
