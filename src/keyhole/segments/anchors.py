"""Anchors: the lines of a file that are lines of its template, as far as that is certain."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from keyhole.segments.outline import Outline, Span
from keyhole.segments.skeleton import Skeleton, SkeletonPiece, fits, level_of
from keyhole.text.document import Document, chop

_WORDS = re.compile(r"\w")
_LEAST_WORDS = 3


class Anchors:
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
