"""Refusals of edits by name: what the segment has instead."""

from __future__ import annotations

from keyhole.edits.naming.spot import SegmentTarget
from keyhole.edits.operations import PARTS
from keyhole.phrases import say
from keyhole.refusals import Refusal
from keyhole.segments.outline import Segment


def no_such_part(spot: SegmentTarget) -> Refusal:
    """Refuse a part that the edit's segment has not."""
    return missing_part(spot.segment, spot.edit.part)


def missing_part(segment: Segment, part: str) -> Refusal:
    """Refuse a part that the segment has not."""
    names = tuple(name for name in PARTS if name == "whole" or name in segment.parts)
    return Refusal(
        "wrong-segment-kind",
        f"{segment.kind} `{segment.address}` has no {part}",
        where=f"its parts: {', '.join(names)}",
        help=say("name one of these parts, or edit inside the segment with {find}"),
        suggestions=names,
    )


def no_inside(spot: SegmentTarget) -> Refusal:
    """Refuse to put text inside what has no inside, or to empty it."""
    segment, edit = spot.segment, spot.edit
    what = segment.kind if edit.part == "whole" else f"{edit.part} of {segment.kind}"
    reason, move = _NO_PLACE.get(
        edit.action,
        (f"has no inside to {edit.action} to", "use action before or after, or replace it"),
    )
    return Refusal("wrong-segment-kind", f"the {what} `{segment.address}` {reason}", help=move)


_BY_TEXT = say("replace it with both, or edit the line by {find}")
_NO_PLACE = {
    "delete": ("cannot be left empty", "replace it, or delete the whole segment"),
    "before": ("shares its line", _BY_TEXT),
    "after": ("shares its line", _BY_TEXT),
}


def shares_line(spot: SegmentTarget) -> Refusal:
    """Refuse to put text beside, or take out, what is only a piece of its line."""
    segment, parent = spot.segment, spot.segment.parent
    move = say("edit the line by {lines}")
    if parent:
        move = say("edit `{}`, which holds it", parent)
    doing = f"text put {spot.edit.action} it" if spot.edit.action != "delete" else "taking it out"
    return Refusal(
        "wrong-segment-kind",
        f"{segment.kind} `{segment.address}` shares its line; {doing} would change the rest of it",
        help=say("{}, or use {find}", move),
    )


def not_alone(spot: SegmentTarget) -> Refusal:
    """Refuse to take away the part that makes the segment what it is."""
    segment, part = spot.segment, spot.edit.part
    return Refusal(
        "wrong-segment-kind",
        f"the {part} of {segment.kind} `{segment.address}` cannot be deleted alone",
        help="delete the whole segment, or replace the part",
    )


def never_closed(spot: SegmentTarget, line: int) -> Refusal:
    """Refuse to add text where it would become part of a code block."""
    return Refusal(
        "unparsable",
        f"`{spot.segment.address}` ends in a code fence that is never closed",
        where=f"line {line}",
        help="close the fence first; text added behind it would be code",
    )
