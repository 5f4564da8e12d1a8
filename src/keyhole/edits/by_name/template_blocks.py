"""Template blocks: put text into the lines of a file that a template's block takes up."""

from __future__ import annotations

import re

from keyhole.edits.by_name.compose import block_of, fit_text
from keyhole.edits.by_name.sections import (
    HEADLESS,
    WITH_HEADING,
    has_own_heading,
    is_heading,
    joins,
)
from keyhole.edits.by_name.segment_target import (
    SegmentChanges,
    SegmentTarget,
    no_such_part,
    put_lines,
    put_text,
)
from keyhole.edits.by_name.separators import blank_below
from keyhole.refusals import Refused
from keyhole.segments.outline import Span

_DEFINITION = re.compile(r"\s*(?:@|(?:async\s+)?def\b|class\b)")


def edit_block(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Carry out the edit on a block of the template, or on its heading or body."""
    span = spot.part(spot.edit.part)
    if span is None:
        raise Refused(no_such_part(spot))
    if not spot.is_lines(span):
        return _inline(spot, span, lines)
    match spot.edit.action:
        case "replace" if spot.edit.part == "body" and has_own_heading(spot, lines):
            return _replace(spot, spot.span, lines)._replace(notes=(WITH_HEADING,))
        case "replace" | "delete":
            return _replace(spot, span, [] if spot.edit.action == "delete" else lines)
        case "prepend":
            # Inside a section is below its heading.
            body = spot.part("body") if spot.edit.part == "whole" else None
            return _beside(spot, (body or span)[0], lines)
        case "before":
            return _beside(spot, span[0], lines)
        case _:
            return _beside(spot, span[1], lines)


def _inline(spot: SegmentTarget, span: Span, lines: list[str]) -> SegmentChanges:
    """Write into a block that is a stretch of one line."""
    new = "" if spot.edit.action == "delete" else "\n".join(lines)
    if spot.edit.action in {"prepend", "before"}:
        return put_text(spot, (span[0], span[0]), new)
    if spot.edit.action in {"append", "after"}:
        return put_text(spot, (span[1], span[1]), new)
    return put_text(spot, span, new)


def _replace(spot: SegmentTarget, span: Span, lines: list[str]) -> SegmentChanges:
    if not lines:
        return put_lines(spot, span, [])
    new = fit_text(spot, block_of(spot, lines, span, spot.segment.indent))
    lost = spot.edit.part == "whole" and "heading" in spot.segment.parts and not is_heading(lines)
    if span[0] == span[1]:
        return put_lines(spot, span, [*_above(spot, span[0], new), *new, *_below(spot, span[1])])
    return put_lines(spot, span, new, (HEADLESS,) if lost else ())


def _beside(spot: SegmentTarget, at: int, lines: list[str]) -> SegmentChanges:
    """Put lines at the top or the bottom of a block, or outside it."""
    new = fit_text(spot, block_of(spot, lines, (at, at), spot.segment.indent))
    is_top = spot.edit.action in {"prepend", "before"}
    if spot.language != "markdown":
        gap = [""] * _usual(spot, at, new)
        return put_lines(spot, (at, at), [*new, *gap] if is_top else [*gap, *new])
    if is_top:
        following = spot.flat[at : spot.line_end(at)]
        return put_lines(spot, (at, at), new + ([] if joins(new[-1], following) else [""]))
    return put_lines(spot, (at, at), [*_above(spot, at, new), *new, *_below(spot, at)])


def _usual(spot: SegmentTarget, at: int, new: list[str]) -> int:
    """Return how many blank lines a definition keeps from code that it is put beside."""
    is_top = spot.edit.action in {"prepend", "before"}
    near = spot.flat[at : spot.line_end(at)] if is_top else spot.flat[spot.line_start(at - 1) : at]
    if not near.strip() or not _DEFINITION.match(new[0]):
        return 0
    return 1 if spot.segment.indent else 2


def _above(spot: SegmentTarget, at: int, new: list[str]) -> list[str]:
    """Return the blank line that text in Markdown needs above it."""
    if spot.language != "markdown" or not at:
        return []
    above = spot.flat[spot.line_start(at - 1) : at]
    return [""] if above.strip() and not joins(above, new[0]) else []


def _below(spot: SegmentTarget, at: int) -> list[str]:
    if spot.language != "markdown" or at >= len(spot.flat):
        return []
    return [""] if blank_below(spot, at) == at else []
