"""Scope: the segment, or the part of it, that an edit names."""

from __future__ import annotations

from keyhole.edits.naming.refused import no_such_part
from keyhole.edits.naming.spot import SegmentTarget
from keyhole.edits.operations import Edit
from keyhole.edits.target import Target
from keyhole.refusals import Refused
from keyhole.segments.addresses import EXACT, HEADING, FoundSegment, look_up, require_kind
from keyhole.segments.blocks import TEMPLATE_BLOCK, with_blocks
from keyhole.segments.misses import not_there
from keyhole.segments.outline import Segment, Span

__all__ = ["HEADING", "heading_note", "scope_of_segment", "spot_of"]


def spot_of(edit: Edit, target: Target) -> SegmentTarget:
    """Return the segment that an edit names, or refuse.

    A block of the file's template comes first. Where there is none of that name, sections and
    symbols are looked for, also for a caller who asked for a block.
    """
    assert edit.segment, "BUG: no segment is named"
    block = _block(edit, target)
    if block:
        return SegmentTarget(edit, target, block)
    name = _name(edit.segment, edit, target)
    kinds = tuple(kind for kind in edit.kinds if kind != TEMPLATE_BLOCK)
    if not kinds:
        return SegmentTarget(edit, target, *_look_up(edit, target, name))
    asked = f"{edit.language} {' or '.join(kinds)}".strip()
    is_other = edit.language not in {"", target.outline.language}
    require_kind(target.outline, () if is_other else kinds, asked)
    segment, rung = _look_up(edit, target, name)
    require_kind(target.outline, kinds, asked, segment)
    return SegmentTarget(edit, target, segment, rung)


def _name(segment: str, edit: Edit, target: Target) -> str:
    """Return a name without the mark of a block; in a file without any it is part of the name."""
    may_be_block = target.detected is not None or TEMPLATE_BLOCK in edit.kinds
    is_there = segment.strip() in target.outline.by_address
    return segment.removeprefix("block:") if may_be_block and not is_there else segment


def _look_up(edit: Edit, target: Target, name: str) -> FoundSegment:
    """Return the segment of that name; where there is none, blocks of the template are near too."""
    try:
        return look_up(target.outline, name, target.document, edit.match)
    except Refused as refused:
        if target.detected is None or refused.refusals[0].code != "unknown-segment":
            raise
    all_of_them = with_blocks(target.outline, target.detected.blocks)
    raise Refused(not_there(all_of_them, name, target.document))


def heading_note(edit: Edit, target: Target) -> str:
    """Say that an edit's segment is a heading in another spelling, or return ""."""
    spot = spot_of(edit, target)
    if spot.rung == EXACT:
        return ""
    asked = " ".join((edit.segment or "").split())
    return f"`{asked}` is the heading `{spot.segment.address}`, case and markup aside"


def _block(edit: Edit, target: Target) -> Segment | None:
    """Return the template's block of that name, if the file has a template and the caller may."""
    asked = not edit.kinds or TEMPLATE_BLOCK in edit.kinds
    if not asked or target.detected is None or not edit.segment:
        return None
    found = target.detected.find(edit.segment)
    return found.segment if found else None


def scope_of_segment(edit: Edit, target: Target) -> Span:
    """Return where a segment or its part lies in the document, to search inside it."""
    spot = spot_of(edit, target)
    if edit.part == "whole":
        return spot.segment.span
    if edit.part not in spot.segment.parts:
        raise Refused(no_such_part(spot))
    return spot.segment.parts[edit.part]
