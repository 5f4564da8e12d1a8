"""The skeleton of a template: its fixed lines, with holes between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from keyhole.fastclasses import dataclass, replace
from keyhole.segments.markdown import ITEM
from keyhole.segments.outline import Outline, Segment, Span

_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})[ \t]+(?P<title>.*?)[ \t#]*")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")

HOLE = "\0"
# A block inside a line with holes: its name, and where it begins and ends in the piece's text.
Group = tuple[str, int, int]


class SkeletonPiece(NamedTuple):
    """One piece of a skeleton.

    `line` is a line as it stands, `pattern` one with a NUL for each hole, `gap` any number of
    lines, `header` the scaffold header; `begin` and `end` are the edges of a block, `seam` the end
    of a branch. What is `maybe` depends on variables.
    """

    kind: str
    text: str = ""
    maybe: bool = False
    groups: tuple[Group, ...] = ()
    indent: int = 0


def fits(piece: SkeletonPiece, line: str) -> bool:
    """Tell whether a line can be a piece, in time that grows with the line and no faster."""
    if piece.kind == "line":
        return piece.text == line
    return piece.kind == "pattern" and bool(_spread(piece.text, line, str.find))


def group_span(piece: SkeletonPiece, group: Group, line: str) -> tuple[int, int] | None:
    """Return where a block lies in a line, None if that is ambiguous."""
    _, begin, end = group
    found = []
    for find in (str.find, str.rfind):
        starts = _spread(piece.text, line, find)
        if starts:
            found.append((_at(piece.text, begin, starts), _at(piece.text, end, starts)))
    return found[0] if found and found[0] == found[-1] else None


def _spread(pattern: str, line: str, find: Callable[[str, str, int, int], int]) -> list[int]:
    """Return where the parts of a pattern begin in a line, as far left or right as they can."""
    first, *middle, last = pattern.split(HOLE)
    at, limit = len(first), len(line) - len(last)
    if at > limit or not line.startswith(first) or not line.endswith(last):
        return []
    starts: list[int] = []
    leftward = find is str.rfind
    for part in reversed(middle) if leftward else middle:
        found = find(line, part, at, limit)
        if found < 0:
            return []
        starts.append(found)
        at, limit = (at, found) if leftward else (found + len(part), limit)
    return [0, *(reversed(starts) if leftward else starts), len(line) - len(last)]


def _at(pattern: str, position: int, starts: list[int]) -> int:
    before = pattern[:position]
    return starts[before.count(HOLE)] + position - (before.rfind(HOLE) + 1)


def level_of(piece: SkeletonPiece) -> int:
    """Return the level of the heading that a piece is, with holes or without; 0 for no heading."""
    heading = _HEADING.fullmatch(piece.text) if piece.kind in {"line", "pattern"} else None
    return len(heading["marks"]) if heading else 0


@dataclass(frozen=True)
class Skeleton:
    """A template's own lines, in the order of the files that are made from it."""

    pieces: tuple[SkeletonPiece, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The blocks, in order."""
        begun = [
            (p.text,) if p.kind == "begin" else tuple(name for name, _, _ in p.groups)
            for p in self.pieces
        ]
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
        if lines and all(map(ITEM.match, lines)):
            return "list"
        return "code_block" if lines and _FENCE.match(lines[0]) else "section"


TEMPLATE_BLOCK = "template_block"


@dataclass(frozen=True, slots=True)
class TemplateBlock:
    """A block of the template as it lies in a file, in offsets; `title` is its heading."""

    name: str
    type: str
    span: Span
    title: str = ""
    indent: str = ""
    parts: Mapping[str, Span] | None = None

    @property
    def segment(self) -> Segment:
        """The block as something that can be edited by name."""
        name, parts = self.name, self.parts or {}
        return Segment(name, TEMPLATE_BLOCK, self.span, parts, self.indent, "", name, (name,))


@dataclass(frozen=True, slots=True)
class DetectedTemplate:
    """The template of a file, its blocks whose place is certain, and warnings."""

    template: str
    version: str
    blocks: tuple[TemplateBlock, ...] = ()
    warnings: tuple[str, ...] = ()

    def find(self, address: str) -> TemplateBlock | None:
        """Return the block that an address names: by its name, or by its title."""
        wanted = address.strip().removeprefix("block:").strip()
        for spelling in (_name_of, _title_of):
            found = [block for block in self.blocks if spelling(block) == wanted]
            if len(found) == 1:
                return found[0]
        return None


def _name_of(block: TemplateBlock) -> str:
    return block.name


def _title_of(block: TemplateBlock) -> str:
    return block.title or block.name


def with_blocks(outline: Outline, blocks: Sequence[TemplateBlock]) -> Outline:
    """Return an outline with the blocks of the file's template behind its segments.

    A name that a block and a segment have means the block; the segment is the first of its name.
    """
    names = {block.name for block in blocks}
    own = tuple(
        replace(each, address=f"{each.address}#1") if each.address in names else each
        for each in outline.segments
    )
    return replace(outline, segments=(*own, *(block.segment for block in blocks)))


def without_crossing(blocks: Sequence[TemplateBlock]) -> Iterator[TemplateBlock]:
    """Yield the blocks that cross no other, and whose name no other has."""
    names = Counter(block.name for block in blocks)
    for block in blocks:
        crossed = any(_cross(block.span, other.span) for other in blocks)
        if not crossed and names[block.name] == 1:
            yield block


def _cross(one: Span, other: Span) -> bool:
    first, second = sorted((one, other))
    return first[0] < second[0] < first[1] < second[1]
