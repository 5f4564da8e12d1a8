"""Segments that share a line, or a list with commas: put text beside one, or take it out."""

from __future__ import annotations

import re

from keyhole.edits.naming.compose import block_of, fitted
from keyhole.edits.naming.refused import shares_line
from keyhole.edits.naming.separators import is_line
from keyhole.edits.naming.spot import SegmentTarget
from keyhole.edits.naming.written import Written, put_text
from keyhole.refusals import Refused
from keyhole.segments.outline import Span
from keyhole.text.indent import indent_of

_TYPES = frozenset({"struct", "enum", "union", "class"})
_COMMENT = re.compile(r"//|/\*|#|--")


def comma_before(spot: SegmentTarget) -> int:
    """Return the offset of the comma that stands right before the segment, or -1."""
    at = len(spot.flat[: spot.span[0]].rstrip()) - 1
    is_comma = at >= 0 and spot.flat[at] == "," and spot.has("commas")
    return at if is_comma and "//" not in spot.flat[spot.line_start(at) : at] else -1


def is_listed(spot: SegmentTarget) -> bool:
    """Tell whether commas keep the segment apart from what stands beside it."""
    return "separator" in spot.segment.parts or comma_before(spot) >= 0


def put_beside(spot: SegmentTarget, lines: list[str]) -> Written:
    """Put new text before or after a segment that shares its line."""
    if spot.has("layout") or spot.has("lines") or _is_part(spot):
        raise Refused(shares_line(spot))
    is_before = spot.edit.action == "before"
    at = spot.span[0] if is_before else spot.span[1]
    indent = indent_of(spot.flat[spot.line_start(at) : at])
    lines = fitted(spot, block_of(spot, lines, (at, at), indent))
    new = "\n".join(lines).strip()
    joint = f"\n{indent}"
    if is_listed(spot):
        new, joint = new.removesuffix(",").rstrip(), ", "
    elif is_line(spot.segment.kind) or (len(lines) == 1 and spot.has("braced")):
        joint = " "
    if _COMMENT.search(lines[-1]):
        raise Refused(shares_line(spot))  # it would take in the rest of the line
    return put_text(spot, (at, at), new + joint if is_before else joint + new)


def cut_out(spot: SegmentTarget) -> Written:
    """Take a segment out of its line, with the comma or the blanks that go with it."""
    if _is_part(spot):
        raise Refused(shares_line(spot))
    start, end = spot.span
    separator, comma = spot.part("separator"), comma_before(spot)
    if separator:
        end = separator[1]
    elif comma >= 0:
        return put_text(spot, (comma, end), "")
    return put_text(spot, with_blanks(spot, (start, end)), "")


def with_blanks(spot: SegmentTarget, span: Span) -> Span:
    """Return a span inside a line with the blanks that go with it."""
    start, end = span
    end += len(spot.flat[end:]) - len(spot.flat[end:].lstrip(" \t"))
    if spot.flat.startswith("\n", end) or end == len(spot.flat):
        start = len(spot.flat[:start].rstrip(" \t"))
    return start, end


def _is_part(spot: SegmentTarget) -> bool:
    """Tell whether the segment is a part of another declaration: a type that a name is given."""
    parent = spot.target.outline.by_address.get(spot.segment.parent)
    is_inner = parent is not None and parent.kind in {"type", "variable"}
    return is_inner and spot.segment.kind in _TYPES and spot.has("types")


def with_comma(spot: SegmentTarget, lines: list[str]) -> tuple[list[str], Written | None]:
    """Return lines for a place beside a member of a list, and a comma where it was the last one.

    What may end in a comment, and what is no member of a list, stays as it came.
    """
    if not is_listed(spot) or _COMMENT.search(lines[-1]):
        return lines, None
    bare = lines[-1].rstrip().removesuffix(",")
    if spot.edit.action == "before" or spot.part("separator"):
        return [*lines[:-1], f"{bare},"], None
    end = spot.content_end(spot.span)
    if _COMMENT.search(spot.flat, spot.line_start(end), end):
        return lines, None
    return [*lines[:-1], bare], put_text(spot, (end, end), ",")
