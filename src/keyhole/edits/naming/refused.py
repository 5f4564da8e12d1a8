"""Refusals of edits by name: what the segment has instead."""

from __future__ import annotations

from keyhole.edits.naming.spot import Spot
from keyhole.edits.operations import PARTS
from keyhole.refusals import Refusal


def no_such_part(spot: Spot) -> Refusal:
    """Refuse a part that the segment has not."""
    segment, part = spot.segment, spot.edit.part
    names = tuple(name for name in PARTS if name == "whole" or name in segment.parts)
    return Refusal(
        "wrong-segment-kind",
        f"{segment.kind} `{segment.address}` has no {part}",
        where=f"its parts: {', '.join(names)}",
        help="name one of these parts, or edit inside the segment with `find`",
        suggestions=names,
    )


def no_inside(spot: Spot) -> Refusal:
    """Refuse to put text inside what has no inside."""
    segment, edit = spot.segment, spot.edit
    what = segment.kind if edit.part == "whole" else f"{edit.part} of {segment.kind}"
    return Refusal(
        "wrong-segment-kind",
        f"the {what} `{segment.address}` has no inside to {edit.action} to",
        help="use action before or after, or replace it",
    )


def not_alone(spot: Spot) -> Refusal:
    """Refuse to take away the part that makes the segment what it is."""
    segment, part = spot.segment, spot.edit.part
    return Refusal(
        "wrong-segment-kind",
        f"the {part} of {segment.kind} `{segment.address}` cannot be deleted alone",
        help="delete the whole segment, or replace the part",
    )


def never_closed(spot: Spot, line: int) -> Refusal:
    """Refuse to add text where it would become part of a code block."""
    return Refusal(
        "unparsable",
        f"`{spot.segment.address}` ends in a code fence that is never closed",
        where=f"line {line}",
        help="close the fence first; text added behind it would be code",
    )
