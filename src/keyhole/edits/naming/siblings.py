"""Siblings: put new text beside a segment, or take a segment out, with the separators right."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.edits.naming.attached import is_comment
from keyhole.edits.naming.compose import block_of, defined, fitted
from keyhole.edits.naming.layout import column_of, is_closer, layout_of
from keyhole.edits.naming.separators import blank_above, blank_below, gap_lines, usual_gap
from keyhole.edits.naming.shared import cut_out, put_beside, with_comma
from keyhole.edits.naming.spot import SegmentTarget
from keyhole.edits.naming.tails import tail_end
from keyhole.edits.naming.written import Written, put_lines
from keyhole.segments.outline import Segment, Span

_OPENERS = ("{", "(", "[")


def add_sibling(spot: SegmentTarget, lines: list[str]) -> Written:
    """Put new text before or after the segment, at its indentation."""
    if not spot.is_lines(spot.span):
        return put_beside(spot, lines)
    at = spot.span[0] if spot.edit.action == "before" else tail_end(spot)
    block = block_of(spot, lines, (at, at), spot.segment.indent)
    new, comma = with_comma(spot, fitted(spot, block))
    written = insert_beside(spot, new, defined(spot, block, (at, at)).segments)
    return written._replace(changes=comma.changes + written.changes) if comma else written


def insert_beside(spot: SegmentTarget, lines: list[str], found: Sequence[Segment]) -> Written:
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


def delete_segment(spot: SegmentTarget) -> Written:
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
