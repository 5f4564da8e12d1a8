"""Trailing lines: comments and tables below a segment that belong to it."""

from __future__ import annotations

from keyhole.edits.by_name.attached import is_comment
from keyhole.edits.by_name.layout import column_of
from keyhole.edits.by_name.segment_target import SegmentTarget
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.outline import Segment, Span


def tail_end(spot: SegmentTarget) -> int:
    """Return where a segment ends together with its trailing lines."""
    if spot.has("tail-comments") and spot.part("signature") is not None:
        return _comments_end(spot)
    if spot.has("tail-tables") and _is_of_array(spot):
        return _tables_end(spot)
    return spot.span[1]


def place_of(spot: SegmentTarget, lines: list[str]) -> Span:
    """Return the span that new text replaces, with the comments at its end if the text has them.

    Tables inside a table of an array are segments of their own, and stay.
    """
    start, end = spot.span
    below = tail_end(spot) if spot.has("tail-comments") else end
    tail = [line.strip() for line in spot.lines((end, below)) if line.strip()]
    sent = [line.strip() for line in lines if line.strip()]
    return (start, below) if tail and sent[-len(tail) :] == tail else spot.span


def _comments_end(spot: SegmentTarget) -> int:
    """Return the end of the comment lines below a block that stand inside it.

    The grammar does not count them as part of the block; a reader of the file does.
    """
    end = at = spot.span[1]
    column = column_of(spot.segment.indent + ".")
    while at < len(spot.flat):
        line = spot.flat[at : spot.line_end(at)]
        at += len(line)
        if not line.strip():
            continue
        if not is_comment(line, spot.language) or column_of(line) <= column:
            break
        end = at
    return end


def _is_of_array(spot: SegmentTarget) -> bool:
    heading = spot.part("heading")
    return heading is not None and spot.flat.startswith("[[", heading[0])


def _tables_end(spot: SegmentTarget) -> int:
    """Return the end of the tables that belong to the last table of an array."""
    inner = [one for one in spot.target.outline.segments if _is_inner_table(spot.segment, one)]
    end = spot.span[1]
    for table in inner:
        between = spot.flat[end : spot.span_of(table)[0]]
        if any(line.lstrip().startswith("[") for line in between.split("\n")):
            raise Refused(_scattered(spot.segment, table))
        end = spot.span_of(table)[1]
    return end


def _is_inner_table(outer: Segment, segment: Segment) -> bool:
    is_below = len(segment.path) > len(outer.path) and segment.span[0] >= outer.span[1]
    return segment.kind == "table" and is_below and segment.path[: len(outer.path)] == outer.path


def _scattered(segment: Segment, table: Segment) -> Refusal:
    return Refusal(
        "wrong-segment-kind",
        f"table `{table.address}` is a part of `{segment.address}` and stands apart from it",
        help=say("edit both by {lines}, or bring them together first"),
    )
