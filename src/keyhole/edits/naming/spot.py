"""Spot: a segment that an edit is for, in offsets of the view's flat text."""

from __future__ import annotations

from functools import cached_property

from keyhole.edits.operations import Edit
from keyhole.edits.target import Target
from keyhole.segments.languages import row_of
from keyhole.segments.outline import Segment, Span
from keyhole.values import dataclass, replace


@dataclass(frozen=True)
class SegmentTarget:
    """One segment of a file and the edit that names it; every offset is one of `flat`."""

    edit: Edit
    target: Target
    segment: Segment
    # The rung at which the segment's name was found.
    rung: str = "exact"
    # Whether new text may stand at another column than its place has: the caller will be told.
    moves: bool = False

    @property
    def flat(self) -> str:
        """The file's text with plain line ends."""
        return self.target.view.flat

    @property
    def language(self) -> str:
        """The language of the file."""
        return self.target.outline.language

    def has(self, habit: str) -> bool:
        """Tell whether the language of the file has a habit: see `segments.language.HABITS`."""
        return row_of(self.language).has(habit)

    @cached_property
    def span(self) -> Span:
        """Where the whole segment lies."""
        return self.span_of(self.segment)

    def span_of(self, segment: Segment) -> Span:
        """Return where a segment of the file lies."""
        return self._whole_lines(self.flat_span(segment.span))

    def flat_span(self, span: Span) -> Span:
        """Return a span of the document as one of the flat text."""
        view = self.target.view
        return view.flat_offset(span[0]), view.flat_offset(span[1])

    def part(self, name: str) -> Span | None:
        """Return where a part lies, or None where the segment has no such part."""
        if name == "whole":
            return self.span
        span = self.segment.parts.get(name)
        if not span:
            return None
        return self._whole_lines(self.flat_span(span)) if name == "body" else self.flat_span(span)

    def _whole_lines(self, span: Span) -> Span:
        """Return a span with the end of its last line, which what is around it may have cut off.

        The last item below the first key of another one ends with that key, behind a dash.
        """
        start, end = span
        is_cut = start < end and self.line_start(start) == start and self.flat.startswith("\n", end)
        return (start, end + 1) if is_cut and self.flat[end - 1] != "\n" else span

    def is_removed(self, lines: list[str]) -> bool:
        """Tell whether the edit takes away what it names: nothing in its place does so too."""
        action = self.edit.action
        return action == "delete" or (action == "replace" and not lines)

    def line_start(self, at: int) -> int:
        """Return the start of the line that holds `at`."""
        return max(self.flat.rfind("\n", 0, at), self.flat.rfind("\r", 0, at)) + 1

    def line_end(self, at: int) -> int:
        """Return the end of the line that holds `at`, its terminator included."""
        return self.flat.find("\n", at) + 1 or len(self.flat)

    def is_lines(self, span: Span) -> bool:
        """Tell whether a span is made of whole lines."""
        start, end = span
        at_end = end == len(self.flat) or self.line_start(end) == end
        return self.line_start(start) == start and at_end

    def lines(self, span: Span) -> list[str]:
        """Return the lines of a span, without their ends."""
        start, end = span
        return self.flat[start : self.content_end(span)].split("\n") if end > start else []

    def content_end(self, span: Span) -> int:
        """Return the end of a span without the end of its last line."""
        start, end = span
        # A file whose lines end with line feeds may have a lone return that the language counts.
        return end - self.flat.endswith(("\n", "\r"), start, end)


def acting(spot: SegmentTarget, action: str) -> SegmentTarget:
    """Return the spot with another action in its edit."""
    return replace(spot, edit=replace(spot.edit, action=action))
