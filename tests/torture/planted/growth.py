"""Quadratic work as it was once, planted again: whoever watches growth must notice."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from keyhole.edits.by_text import quoted
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import Edit
from keyhole.engine import reading
from keyhole.engine.reading import Quoted
from keyhole.matching import view
from keyhole.matching.query import Occurrence, Rewrite
from keyhole.matching.view import SortedLines
from keyhole.segments import outline
from keyhole.segments.outline import Outline, Segment
from keyhole.text import align, toml
from keyhole.workspace.tree import Tree


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
        spelled = {each: re.sub(r"\s+", " ", respell(each.name)) for each in self.segments}
        return [each for each, name in spelled.items() if ending.endswith(name)]

    vars(outline)["Outline"].named = named


def beginnings_of_keys_kept() -> None:
    """Keep every beginning of a dotted key, as the standard library does."""
    vars(toml)["_LONG_KEY"] = re.compile(r"(?!)")


def anchors_read() -> None:
    """Look at every line of the file for each anchor of a patch."""

    def below(self: SortedLines, wanted: str, first: int) -> Sequence[int]:
        numbers = range(first, len(self._lines))
        equal = [n for n in numbers if self._lines[n] == wanted]
        return equal or [n for n in numbers if self._lines[n].startswith(wanted)]

    vars(view)["SortedLines"].below = below


def files_read_for_each_quote() -> None:
    """Read every file again for each quote that is missing."""
    for_all = reading.elsewhere

    def elsewhere(tree: Tree, quotes: Collection[Quoted]) -> dict[Quoted, tuple[str, ...]]:
        return {each: places for one in quotes for each, places in for_all(tree, [one]).items()}

    vars(reading)["elsewhere"] = elsewhere


def what_follows_kept() -> None:
    """Keep with each place of an edit all that stands behind it."""
    carry_out = quoted.rewrite_at

    def carried_out(edit: Edit, target: Target, site: Occurrence) -> Rewrite:
        vars(target).setdefault("kept", []).append(target.view.flat[site.end :])
        return carry_out(edit, target, site)

    vars(quoted)["rewrite_at"] = carried_out


PLANTED: dict[str, Callable[[], None]] = {
    "depths looked up": depths_looked_up,
    "names compared": names_compared,
    "beginnings of keys kept": beginnings_of_keys_kept,
    "anchors read": anchors_read,
    "files read for each quote": files_read_for_each_quote,
    "what follows kept": what_follows_kept,
}
# The case that grows by each.
CASES = {
    "depths looked up": "regex: the whole, often",
    "names compared": "edits: sections",
    "beginnings of keys kept": "append to deep.toml",
    "anchors read": "begin patch: anchors of one hunk",
    "files read for each quote": "edits: quotes that stand in no file",
    "what follows kept": "find: exact match",
}
