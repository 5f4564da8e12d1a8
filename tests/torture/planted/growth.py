"""Quadratic work as it was once, planted again: whoever watches growth must notice."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from keyhole.segments import outline
from keyhole.segments.outline import Outline, Segment
from keyhole.text import align, toml


def depths_looked_up() -> None:
    """Look for the next line with words from the beginning of the file."""

    def depths(lines: Sequence[str], first: int, last: int) -> list[int]:
        return [
            align._indent(next((line for line in list(lines)[at:] if line.strip()), ""))
            for at in range(first, last + 1)
        ]

    vars(align)["_depths"] = depths


def names_compared() -> None:
    """Compare the address of each edit with the name of every segment."""

    def named(self: Outline, ending: str, respell: Callable[[str], str] = str) -> list[Segment]:
        return [each for each in self.segments if ending.endswith(respell(each.name))]

    vars(outline)["Outline"].named = named


def beginnings_of_keys_kept() -> None:
    """Keep every beginning of a dotted key, as the standard library does."""
    vars(toml)["_LONG_KEY"] = re.compile(r"(?!)")


PLANTED: dict[str, Callable[[], None]] = {
    "depths looked up": depths_looked_up,
    "names compared": names_compared,
    "beginnings of keys kept": beginnings_of_keys_kept,
}
# The case that grows by each.
CASES = {
    "depths looked up": "regex: the whole, often",
    "names compared": "edits: sections",
    "beginnings of keys kept": "append to deep.toml",
}
