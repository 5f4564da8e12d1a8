"""Unified diffs, read by their lines: counts in headers are not believed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

_RANGE = re.compile(r"^@@(?: -(\d+)(?:,(\d+))? \+\d+(?:,\d+)?)? @@")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that are there and lines that shall be, without their ends."""

    start: int | None
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    # The last line has no newline behind it.
    open_end: bool = False

    def with_line(self, line: str) -> Hunk:
        """Return the hunk with one more line of a diff."""
        if line.startswith("\\"):
            return replace(self, open_end=True)
        sign, text = line[:1] or " ", line[1:]
        old = (*self.old, text) if sign in " -" else self.old
        new = (*self.new, text) if sign in " +" else self.new
        return replace(self, old=old, new=new)


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The hunks of one file."""

    path: str
    hunks: tuple[Hunk, ...]
    is_new: bool = False
    is_removed: bool = False


def parse(diff: str) -> list[FilePatch]:
    """Return the files of a diff."""
    lines = diff.removesuffix("\n").split("\n")
    heads = [
        at
        for at, line in enumerate(lines[:-1])
        if line.startswith("--- ") and lines[at + 1].startswith("+++ ")
    ]
    return [_file(lines[at:end]) for at, end in zip(heads, [*heads, len(lines)][1:], strict=True)]


def _file(lines: list[str]) -> FilePatch:
    old, new = (line[4:].split("\t")[0] for line in lines[:2])
    path = old if new == "/dev/null" else new
    hunks = tuple(_hunks(lines[2:]))
    bare = path[2:] if path.startswith(("a/", "b/")) else path
    return FilePatch(bare, hunks, old == "/dev/null", new == "/dev/null")


def _hunks(lines: list[str]) -> Iterator[Hunk]:
    hunk: Hunk | None = None
    for line in lines:
        head = _RANGE.match(line)
        if head:
            if hunk:
                yield hunk
            hunk = Hunk(int(head[1]) if head[1] else None)
        elif hunk and not line.startswith(("diff --git ", "index ")):
            hunk = hunk.with_line(line)
    if hunk:
        yield hunk
