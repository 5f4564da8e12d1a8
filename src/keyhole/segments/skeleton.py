"""The skeleton of a template: its own lines, with what is between them left open."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from keyhole.values import dataclass

_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})[ \t]+(?P<title>.*?)[ \t#]*")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")


class Piece(NamedTuple):
    """One piece of a skeleton.

    `line` is a line as it stands, `pattern` one with holes, `gap` any number of lines, `header` the
    scaffold header; `begin` and `end` are the edges of a block, `seam` the end of a branch. What is
    `maybe` depends on variables.
    """

    kind: str
    text: str = ""
    maybe: bool = False
    groups: tuple[str, ...] = ()
    indent: int = 0


def level_of(piece: Piece) -> int:
    """Return the level of the heading that a piece is, with holes or without; 0 for no heading."""
    text = piece.text.replace("\\", "") if piece.kind == "pattern" else piece.text
    heading = _HEADING.fullmatch(text) if piece.kind in {"line", "pattern"} else None
    return len(heading["marks"]) if heading else 0


@dataclass(frozen=True)
class Skeleton:
    """A template's own lines, in the order of the files that are made from it."""

    pieces: tuple[Piece, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The blocks, in order."""
        begun = [(p.text,) if p.kind == "begin" else p.groups for p in self.pieces]
        return tuple(dict.fromkeys(name for names in begun for name in names))

    @cached_property
    def headings(self) -> tuple[tuple[int, int, str], ...]:
        """The headings that are lines of the template: which piece, which level, which title."""
        found, fenced = [], False
        for index, piece in enumerate(self.pieces):
            if piece.kind != "line":
                continue
            if _FENCE.match(piece.text):
                fenced = not fenced
            heading = None if fenced else _HEADING.fullmatch(piece.text)
            if heading:
                found.append((index, len(heading["marks"]), heading["title"]))
        return tuple(found)

    @property
    def sections(self) -> tuple[str, ...]:
        """The titles of the sections."""
        return tuple(title for _, _, title in self.headings)

    @property
    def lists(self) -> tuple[str, ...]:
        """The titles of the sections that hold a list."""
        return tuple(t for index, _, t in self.headings if self.type_at(index) == "list")

    def type_at(self, index: int) -> str:
        """Return what the section under a heading is made of: a list, code, or anything."""
        ends = [at for at, _, _ in self.headings if at > index]
        inner = self.pieces[index + 1 : ends[0] if ends else None]
        if any(p.kind == "gap" and p.text == "list" for p in inner):
            return "list"
        lines = [p.text for p in inner if p.kind in {"line", "pattern"} and p.text]
        if lines and all(map(_ITEM.match, lines)):
            return "list"
        return "code_block" if lines and _FENCE.match(lines[0]) else "section"
