"""Put new text beside a segment, or take the segment out, with the right separators."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keyhole.edits.by_name.attached import is_comment, tail_end
from keyhole.edits.by_name.compose import block_of, definitions_in, fit_text
from keyhole.edits.by_name.layout import column_of, is_closer, layout_of
from keyhole.edits.by_name.segment_target import (
    SegmentChanges,
    SegmentTarget,
    put_lines,
    put_text,
    shares_line,
)
from keyhole.edits.by_name.separators import blank_above, blank_below, gap_lines, is_line, usual_gap
from keyhole.refusals import Refused
from keyhole.segments.outline import Segment, Span
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


def put_beside(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Put new text before or after a segment that shares its line."""
    if spot.has("layout") or spot.has("lines") or _is_part(spot):
        raise Refused(shares_line(spot))
    is_before = spot.edit.action == "before"
    at = spot.span[0] if is_before else spot.span[1]
    indent = indent_of(spot.flat[spot.line_start(at) : at])
    lines = fit_text(spot, block_of(spot, lines, (at, at), indent))
    new = "\n".join(lines).strip()
    joint = f"\n{indent}"
    if is_listed(spot):
        new, joint = new.removesuffix(",").rstrip(), ", "
    elif is_line(spot.segment.kind) or (len(lines) == 1 and spot.has("braced")):
        joint = " "
    if _COMMENT.search(lines[-1]):
        raise Refused(shares_line(spot))  # it would take in the rest of the line
    return put_text(spot, (at, at), new + joint if is_before else joint + new)


def cut_out(spot: SegmentTarget) -> SegmentChanges:
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
    """Tell whether the segment is a part of another declaration, as the type in a typedef."""
    parent = spot.target.outline.by_address.get(spot.segment.parent)
    is_inner = parent is not None and parent.kind in {"type", "variable"}
    return is_inner and spot.segment.kind in _TYPES and spot.has("types")


def with_comma(spot: SegmentTarget, lines: list[str]) -> tuple[list[str], SegmentChanges | None]:
    """Return lines for a place beside a member of a list, and a comma where it was the last one.

    A line that may end in a comment, and one that is no member of a list, stays as it is.
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


_OPENERS = ("{", "(", "[")


def add_sibling(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Put new text before or after the segment, at its indentation."""
    if not spot.is_lines(spot.span):
        return put_beside(spot, lines)
    at = spot.span[0] if spot.edit.action == "before" else tail_end(spot)
    block = block_of(spot, lines, (at, at), spot.segment.indent)
    new, comma = with_comma(spot, fit_text(spot, block))
    written = insert_beside(spot, new, definitions_in(spot, block, (at, at)).segments)
    return written._replace(changes=comma.changes + written.changes) if comma else written


def insert_beside(
    spot: SegmentTarget, lines: list[str], found: Sequence[Segment]
) -> SegmentChanges:
    """Put lines before or after the segment; `found` are the segments they define."""
    kinds = (found[0].kind, found[-1].kind) if found else ("variable", "variable")
    if spot.edit.action == "before":
        at = _before_comment(spot)
        below = spot.segment.kind
        above = _neighbour_above(spot, blank_above(spot, at))
    else:
        at = tail_end(spot)
        above = spot.segment.kind
        below = _neighbour_below(spot, blank_below(spot, at))
    head = _missing(spot, above, kinds[0], (blank_above(spot, at), at))
    foot = _missing(spot, kinds[1], below, (at, blank_below(spot, at)))
    return put_lines(spot, (at, at), [""] * head + lines + [""] * foot)


def _missing(spot: SegmentTarget, above: str, below: str, gap: Span) -> int:
    """Return how many blank lines to add, so that the gap is the usual one."""
    if not above or not below:
        return 0
    wanted = usual_gap(spot, above, below, spot.segment.parent, spot.segment.indent)
    return max(wanted - gap_lines(spot, gap), 0)


def _before_comment(spot: SegmentTarget) -> int:
    """Return the start of the comment lines right above the segment, which go with it."""
    start = at = spot.span[0]
    column = column_of(spot.flat[start : spot.line_end(start)])
    while at:
        above = _comment_start(spot, spot.line_start(at - 1))
        line = spot.flat[above:at]
        if not is_comment(line, spot.language) or column_of(line) != column:
            return at
        at = above
    return start  # what begins the file is its header


def _comment_start(spot: SegmentTarget, at: int) -> int:
    """Return the line that a block comment begins on if it ends on the line at `at`, else `at`."""
    end = spot.line_end(at)
    is_closed = is_comment("/*", spot.language) and spot.flat[at:end].rstrip().endswith("*/")
    opening = spot.flat.rfind("/*", 0, end) if is_closed else -1
    return spot.line_start(opening) if opening >= 0 else at


def _neighbour_above(spot: SegmentTarget, end: int) -> str:
    """Return the kind of what ends at `end` on the segment's level, "" if nothing does."""
    if not end:
        return ""
    if spot.language == "markdown":
        return _kind_at(spot, end, 1)
    line = spot.flat[spot.line_start(end - 1) : end]
    is_outer = column_of(line) < column_of(spot.segment.indent + ".")
    if is_outer or line.rstrip().endswith(_OPENERS):
        return ""
    return _kind_at(spot, end, 1)


def _neighbour_below(spot: SegmentTarget, start: int) -> str:
    """Return the kind of what begins at `start` on the segment's level, "" if nothing does."""
    if start == len(spot.flat):
        return ""
    line = spot.flat[start : spot.line_end(start)]
    is_outer = column_of(line) < column_of(spot.segment.indent + ".")
    return "" if is_outer or is_closer(line) else _kind_at(spot, start, 0)


def _kind_at(spot: SegmentTarget, at: int, edge: int) -> str:
    """Return the kind of the sibling that begins or ends at `at`; a plain statement is a line."""
    for segment in spot.target.outline.segments:
        is_sibling = segment.parent == spot.segment.parent and segment.indent == spot.segment.indent
        if is_sibling and spot.span_of(segment)[edge] == at:
            return segment.kind
    return "variable"


def delete_segment(spot: SegmentTarget) -> SegmentChanges:
    """Take the segment out, and one of the two separators around it."""
    if not spot.is_lines(spot.span):
        return cut_out(spot)
    start, end = spot.span[0], tail_end(spot)
    if spot.language == "python" and is_only_statement(spot, (start, end)):
        return put_lines(spot, (start, end), [f"{spot.segment.indent}pass"])
    notes: tuple[str, ...] = ()
    if _is_below_comment(spot, start):
        notes = ("the comment right above the segment stays",)
    return put_lines(spot, _with_separator(spot, (start, end)), [], notes)


def _is_below_comment(spot: SegmentTarget, start: int) -> bool:
    return start > 0 and is_comment(spot.flat[spot.line_start(start - 1) : start], spot.language)


def _with_separator(spot: SegmentTarget, span: Span) -> Span:
    """Return the segment's span with the separator that goes with it."""
    start, end = span
    top, bottom = blank_above(spot, start), blank_below(spot, end)
    above, below = _neighbour_above(spot, top), _neighbour_below(spot, bottom)
    if not above:
        return start, bottom if below or not top else end
    if not below:
        return top, end
    if _is_below_comment(spot, start):
        return top, end  # else the comment would pass to what follows
    if bottom == end and _is_below_comment(spot, top):
        return start, end  # so it would here, without the blank line below it
    wanted = usual_gap(spot, above, below, spot.segment.parent, spot.segment.indent)
    first, second = gap_lines(spot, (top, start)), gap_lines(spot, (end, bottom))
    keeps_first = first == wanted or (second != wanted and first >= second)
    return (start, bottom) if keeps_first else (top, end)


def is_only_statement(spot: SegmentTarget, span: Span) -> bool:
    """Tell whether a Python block would be empty without the lines of a span."""
    lines = spot.flat.split("\n")
    layout = layout_of(lines, "python", ())
    first = spot.flat.count("\n", 0, span[0])
    last = first + len(spot.lines(span))
    column = column_of(lines[first])
    if not layout or not column:
        return False
    heads = list(zip(layout.heads, layout.columns, strict=True))
    above = next((where for head, where in reversed(heads) if head < first), -1)
    below = next((where for head, where in heads if head >= last), -1)
    return above < column and below < column
