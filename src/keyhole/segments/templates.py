"""Template blocks: find a template's own lines in a file, and the blocks between them.

A block is offered only if its place is certain: its first line, or the template's line above it, is
there once, and so is its last line or the template's line below it. What people wrote between two
lines of the template belongs to the block that stands between them; a section ends where Markdown
ends it, and indented code where its indentation ends.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from keyhole.segments.outline import Outline, Segment, Span
from keyhole.segments.template_skeleton import (
    Skeleton,
    SkeletonPiece,
    TemplateBlock,
    fits,
    group_span,
    level_of,
    without_crossing,
)
from keyhole.text.document import Document, chop

_WORDS = re.compile(r"\w")
_LEAST_WORDS = 3


class TemplateAnchors:
    """One file and one skeleton: which line of the file is which line of the template."""

    def __init__(
        self, skeleton: Skeleton, document: Document, outline: Outline, header: Span | None
    ) -> None:
        self.skeleton, self.pieces = skeleton, skeleton.pieces
        self.document, self.outline = document, outline
        starts = document.starts
        ends = [*starts[1:], len(document.text)]
        text = document.text
        self.lines = [chop(text[a:b]).rstrip() for a, b in zip(starts, ends, strict=True)]
        self.lines = self.lines if text else []
        self.first = document.line_at(header[1] - 1) if header and header[1] else 0
        self.at = self._anchors()
        self._grow(1)
        self._grow(-1)
        self.places = sorted((line, index) for index, line in self.at.items())

    def _anchors(self) -> dict[int, int]:
        """Return the lines of the template that the file has exactly once, by their piece."""
        where: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines[self.first :], self.first):
            where.setdefault(line, []).append(number)
        times = Counter(piece.text for piece in self.pieces if piece.kind == "line")
        found: dict[int, int] = {}
        for index, piece in enumerate(self.pieces):
            places = self._places(piece, where, times)
            if len(places) == 1:
                found[index] = places[0]
        twice = Counter(found.values())
        return {index: line for index, line in found.items() if twice[line] == 1}

    def _places(
        self, piece: SkeletonPiece, where: Mapping[str, list[int]], times: Mapping[str, int]
    ) -> list[int]:
        if piece.kind == "pattern" and (level := level_of(piece)):
            return self._only_heading(level)
        if not is_telling(piece):
            return []
        if piece.kind == "line":
            return where.get(piece.text, []) if times[piece.text] == 1 else []
        others = [p for p in self.pieces if p.kind == "line" and fits(piece, p.text)]
        same = sum(1 for p in self.pieces if p.kind == "pattern" and p.text == piece.text)
        if others or same > 1:
            return []
        return [
            number for line, numbers in where.items() if fits(piece, line) for number in numbers
        ]

    def _only_heading(self, level: int) -> list[int]:
        """Return the line of the file's one heading of a level that the template uses once."""
        ours = [p for p in self.pieces if level_of(p) == level]
        found = [s for s in self.outline.segments if s.kind == "section" and s.level == level]
        if len(ours) != 1 or self.outline.language != "markdown":
            return []
        return [self.document.line_at(each.span[0]) - 1 for each in found]

    def _grow(self, step: int) -> None:
        """Recognise the lines next to a recognised one: the template's next is the file's next."""
        order = sorted(self.at, reverse=step < 0)
        for index in order:
            piece, line = self._next_piece(index, step), self._next_line(self.at[index], step)
            while piece is not None and piece not in self.at and line is not None:
                # A line that tells something and is there twice could be a person's.
                if line in self.at.values() or is_telling(self.pieces[piece]):
                    break
                if not fits(self.pieces[piece], self.lines[line]):
                    break
                self.at[piece] = line
                piece, line = self._next_piece(piece, step), self._next_line(line, step)

    def _next_piece(self, index: int, step: int) -> int | None:
        """Return the next piece that is more than an edge or a blank line."""
        index += step
        while 0 <= index < len(self.pieces):
            piece = self.pieces[index]
            if piece.kind in {"gap", "pattern", "header"} or (piece.kind == "line" and piece.text):
                return index
            if piece.kind == "seam":
                return None
            index += step
        return None

    def _next_line(self, line: int, step: int) -> int | None:
        line += step
        while self.first <= line < len(self.lines):
            if self.lines[line]:
                return line
            line += step
        return None


def is_telling(piece: SkeletonPiece) -> bool:
    """Tell whether a line of the template says enough to be known by it."""
    return piece.kind in {"line", "pattern"} and len(_WORDS.findall(piece.text)) >= _LEAST_WORDS


def find_blocks(
    skeleton: Skeleton, document: Document, outline: Outline, header: Span | None
) -> tuple[TemplateBlock, ...]:
    """Return the blocks of a template whose place in a file is certain, in file order."""
    placing = _Placing(skeleton, document, outline, header)
    found = [*placing.jinja_blocks(), *placing.inline_blocks()]
    taken = {block.span for block in found}
    found += [block for block in placing.sections() if block.span not in taken]
    if header:
        found.append(TemplateBlock("metadata", "metadata", header))
    return tuple(sorted(without_crossing(found), key=lambda block: (block.span[0], -block.span[1])))


class _Placing(TemplateAnchors):
    """One file and one skeleton: where the blocks begin and end."""

    def jinja_blocks(self) -> Iterator[TemplateBlock]:
        """Yield the blocks that stand on lines of their own."""
        names = Counter(piece.text for piece in self.pieces if piece.kind == "begin")
        for begin, piece in enumerate(self.pieces):
            if piece.kind != "begin" or names[piece.text] > 1:
                continue
            ends = [
                i for i, p in enumerate(self.pieces) if p.kind == "end" and p.text == piece.text
            ]
            block = self._block(piece.text, begin, ends[0]) if len(ends) == 1 else None
            if block:
                yield block

    def _block(self, name: str, begin: int, end: int) -> TemplateBlock | None:
        inner = [i for i in range(begin + 1, end) if self._is_content(i)]
        first = self._start(begin, inner)
        if first is None:
            return None
        heading = self._heading(inner)
        last = self._end(end, inner, first)
        if last is None or not self._is_clean(begin, end, first, last):
            return None
        while last > first and not self.lines[last - 1]:
            last -= 1
        # A block without a line stays directly below the template's line above it.
        while first < last and not self.lines[first]:
            first += 1
        base = min((self._indent(index) for index in inner), default=0)
        return self._made(name, (first, last), heading, base)

    def _is_content(self, index: int) -> bool:
        piece = self.pieces[index]
        return piece.kind in {"gap", "pattern", "header"} or (
            piece.kind == "line" and bool(piece.text)
        )

    def _heading(self, inner: Sequence[int]) -> tuple[int, int, str] | None:
        """Return the heading of a block that is one section."""
        own = [each for each in self.skeleton.headings if each[0] in inner]
        if not own or own[0][0] != inner[0] or inner[0] not in self.at:
            return None
        return own[0] if all(level > own[0][1] for _, level, _ in own[1:]) else None

    def _start(self, begin: int, inner: Sequence[int]) -> int | None:
        """Return the line a block begins with."""
        if inner and inner[0] in self.at:
            return self.at[inner[0]]
        above = self._beside(begin, -1)
        if above is None:
            return None
        return above + 1 if self._fits(inner[:1], self._next_line(above, 1)) else None

    def _end(self, end: int, inner: Sequence[int], first: int) -> int | None:
        """Return the line behind the last one of a block."""
        if inner and inner[-1] in self.at:
            return self.at[inner[-1]] + 1
        last = self._beside(end, 1)
        section = self._last_section(inner, first)
        if section is not None and (last is None or section < last):
            last = section
        else:
            last = self._dedented(inner, first, last)
        if last is None:
            return None
        return last if self._fits(inner[-1:], self._next_line(last, -1)) else None

    def _fits(self, edge: Sequence[int], line: int | None) -> bool:
        """Tell whether a block may begin or end with a line: its own outermost line must be it."""
        if not edge or self.pieces[edge[0]].kind == "gap" or self.pieces[edge[0]].maybe:
            return True
        if is_telling(self.pieces[edge[0]]):
            return False  # it is there more than once, or not at all
        return line is not None and fits(self.pieces[edge[0]], self.lines[line])

    def _last_section(self, inner: Sequence[int], first: int) -> int | None:
        """Return the line behind the last of the sections that a block is made of.

        Without a heading of its own, a block of Markdown ends before the next one.
        """
        own = [each for each in self.skeleton.headings if each[0] in inner]
        if not own and self.outline.language == "markdown":
            starts = [self.document.line_at(each.span[0]) - 1 for each in self._sections]
            return min((line for line in starts if line > first), default=None)
        top = min((level for _, level, _ in own), default=0)
        last = [index for index, level, _ in own if level == top]
        if not last or last[-1] not in self.at or self.outline.language != "markdown":
            return None
        return self._section_end(self.at[last[-1]])

    def _beside(self, edge: int, step: int) -> int | None:
        """Return the line of the template's next own line outside an edge, None if uncertain."""
        index = edge + step
        while 0 <= index < len(self.pieces):
            if self._is_content(index):
                if self.pieces[index].kind == "header":
                    return self.first - 1
                return self.at.get(index)
            if self.pieces[index].kind == "seam":
                return None
            index += step
        return self.first - 1 if step < 0 else len(self.lines)

    def _section_end(self, first: int) -> int:
        """Return the line behind the section that begins with a line."""
        at = self.document.starts[first]
        for segment in self._sections:
            if segment.span[0] == at:
                return self.document.line_at(max(segment.span[1] - 1, at))
        return len(self.lines)

    @property
    def _sections(self) -> list[Segment]:
        return [each for each in self.outline.segments if each.kind == "section"]

    def _dedented(self, inner: Sequence[int], first: int, last: int | None) -> int | None:
        """Return where indented code ends, if people wrote less indented lines behind it."""
        base = min((self._indent(index) for index in inner), default=0)
        if self.outline.language == "markdown" or not base:
            return last
        for number in range(first, len(self.lines) if last is None else last):
            line = self.lines[number]
            if line and len(line) - len(line.lstrip()) < base:
                above = "\n".join(self.lines[first:number])
                torn = any(above.count(quote) % 2 for quote in ('"""', "'''"))
                return None if torn else number
        return last

    def _indent(self, index: int) -> int:
        piece = self.pieces[index]
        if piece.kind == "line":
            return len(piece.text) - len(piece.text.lstrip())
        return piece.indent

    def _is_clean(self, begin: int, end: int, first: int, last: int) -> bool:
        """Tell whether a stretch of lines holds the block's own lines and nobody else's."""
        if first > last:
            return False
        own = range(begin, end)
        return all((first <= line < last) == (index in own) for line, index in self.places)

    def _made(
        self, name: str, lines: Span, heading: tuple[int, int, str] | None, base: int = 0
    ) -> TemplateBlock:
        first, last = lines
        start = self._offset(first)
        span = start, max(self._offset(last), start)
        text = self.document.text[start : span[1]]
        indent = text[: len(text) - len(text.lstrip(" \t"))] if text else " " * base
        if heading is None:
            return TemplateBlock(name, self._plain_type, span, "", indent)
        parts = {"heading": (start, self._offset(first + 1)), "body": self._body(first, last)}
        return TemplateBlock(
            name, self.skeleton.type_at(heading[0]), span, heading[2], indent, parts
        )

    @property
    def _plain_type(self) -> str:
        return "section" if self.outline.language == "markdown" else "code_block"

    def _body(self, first: int, last: int) -> Span:
        line = first + 1
        while line < last and not self.lines[line]:
            line += 1
        return self._offset(line), max(self._offset(last), self._offset(line))

    def _offset(self, line: int) -> int:
        starts = self.document.starts
        return starts[line] if line < len(self.lines) else len(self.document.text)

    def sections(self) -> Iterator[TemplateBlock]:
        """Yield the sections that the template has outside a block of their own."""
        for number, heading in enumerate(self.skeleton.headings):
            index, level, title = heading
            begins = self._next_begin(index)
            if index not in self.at or begins or self.outline.language != "markdown":
                continue
            first = self.at[index]
            last = self._section_end(first)
            rest = self.skeleton.headings[number + 1 :]
            end = next((at for at, other, _ in rest if other <= level), len(self.pieces))
            while last > first and not self.lines[last - 1]:
                last -= 1
            if self._is_clean(index, end, first, last):
                yield self._made(title, (first, last), heading)

    def _next_begin(self, index: int) -> bool:
        """Tell whether a piece is the first of a block: the block then has its name."""
        above = index - 1
        while above >= 0 and not self._is_content(above):
            if self.pieces[above].kind == "begin":
                return True
            above -= 1
        return False

    def inline_blocks(self) -> Iterator[TemplateBlock]:
        """Yield the blocks that are a stretch of one line."""
        for index, piece in enumerate(self.pieces):
            for group in piece.groups if index in self.at else ():
                line = self.at[index]
                span = group_span(piece, group, self.lines[line])
                start = self.document.starts[line]
                if span:
                    whole = start + span[0], start + span[1]
                    yield TemplateBlock(group[0], self._plain_type, whole)
