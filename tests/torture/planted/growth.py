"""Quadratic work as it was once, planted again: whoever watches growth must notice."""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable, Sequence

from keyhole.edits.checks.syntax import json_text
from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.naming import patterned
from keyhole.segments import declarations, outline
from keyhole.segments.code import Found
from keyhole.segments.declarations import _Open
from keyhole.segments.outline import Outline, Segment, Span
from keyhole.text import align, toml
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


def spans_compared() -> None:
    """Compare each hit of a pattern with every one before it."""

    def outermost(spans: Sequence[Span]) -> Sequence[int]:
        return [
            number
            for number, (start, end) in enumerate(spans)
            if not any(first <= start and end <= last for first, last in spans[:number])
        ]

    vars(patterned)["_outermost"] = outermost


def names_compared() -> None:
    """Compare the address of each edit with the name of every segment."""

    def named(self: Outline, ending: str, respell: Callable[[str], str] = str) -> list[Segment]:
        return [each for each in self.segments if ending.endswith(respell(each.name))]

    vars(outline)["Outline"].named = named


def beginnings_of_keys_kept() -> None:
    """Keep every beginning of a dotted key, as the standard library does."""
    vars(toml)["_LONG_KEY"] = re.compile(r"(?!)")


def memory_outside_of_python() -> None:
    """Hold the square of what is read, where only the operating system sees it."""
    kept: list[mmap.mmap] = []
    read = vars(json_text)["json_problems"]

    def json_problems(text: str) -> tuple[Problem, ...]:
        kept.append(mmap.mmap(-1, 1 + len(text) ** 2 // 50_000))
        kept[-1].write(b"x" * (len(kept[-1]) - 1))
        found: tuple[Problem, ...] = read(text)
        return found

    vars(json_text)["json_problems"] = json_problems


PLANTED: dict[str, Callable[[], None]] = {
    "headers looked up": headers_looked_up,
    "depths looked up": depths_looked_up,
    "lines counted": lines_counted,
    "spans compared": spans_compared,
    "names compared": names_compared,
    "beginnings of keys kept": beginnings_of_keys_kept,
    "memory outside of Python": memory_outside_of_python,
}
# The case that grows by each.
CASES = {
    "headers looked up": "outline list.json",
    "depths looked up": "regex: the whole, often",
    "lines counted": "edits: lines",
    "spans compared": "pattern: hits",
    "names compared": "edits: sections",
    "beginnings of keys kept": "append to deep.toml",
    "memory outside of Python": "append to long.json",
}
