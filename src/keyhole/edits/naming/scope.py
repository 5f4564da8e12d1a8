"""Scope: the segment, or the part of it, that an edit names."""

from __future__ import annotations

from keyhole.edits.naming.refused import no_such_part
from keyhole.edits.naming.spot import Spot
from keyhole.edits.operations import Edit
from keyhole.edits.target import Target
from keyhole.refusals import Refused
from keyhole.segments.addresses import find_segment, require_kind
from keyhole.segments.outline import Span


def spot_of(edit: Edit, target: Target) -> Spot:
    """Return the segment that an edit names, or refuse."""
    assert edit.segment, "BUG: no segment is named"
    if not edit.kinds:
        return Spot(edit, target, find_segment(target.outline, edit.segment, target.document))
    asked = f"{edit.language} {' or '.join(edit.kinds)}".strip()
    is_other = edit.language not in {"", target.outline.language}
    require_kind(target.outline, () if is_other else edit.kinds, asked)
    segment = find_segment(target.outline, edit.segment, target.document)
    require_kind(target.outline, edit.kinds, asked, segment)
    return Spot(edit, target, segment)


def scope_of_segment(edit: Edit, target: Target) -> Span:
    """Return where a segment or its part lies in the document, to search inside it."""
    spot = spot_of(edit, target)
    if edit.part == "whole":
        return spot.segment.span
    if edit.part not in spot.segment.parts:
        raise Refused(no_such_part(spot))
    return spot.segment.parts[edit.part]
