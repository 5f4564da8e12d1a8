"""Scope: the segment, or the part of it, that an edit names."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.edits.naming.refused import missing_part
from keyhole.edits.naming.spot import SegmentTarget
from keyhole.edits.operations import Edit
from keyhole.edits.target import Target
from keyhole.refusals import Refused
from keyhole.segments.addresses import EXACT, HEADING, FoundSegment, look_up, require_kind
from keyhole.segments.blocks import TEMPLATE_BLOCK, with_blocks
from keyhole.segments.misses import not_there
from keyhole.segments.outline import Segment, Span

__all__ = [
    "HEADING",
    "found_segment",
    "heading_note",
    "scope_of_segment",
    "span_of_part",
    "spot_of",
]


def spot_of(edit: Edit, target: Target) -> SegmentTarget:
    """Return the segment that an edit names, or refuse."""
    assert edit.segment, "BUG: no segment is named"
    found = found_segment(target, edit.segment, edit.match, edit.kinds, edit.language)
    return SegmentTarget(edit, target, *found)


def found_segment(
    target: Target,
    name: str,
    match: str = "tolerant",
    asked: Sequence[str] = (),
    language: str = "",
) -> FoundSegment:
    """Return the segment of a name, of one of the kinds that are asked for, or refuse.

    A block of the file's template comes first. Where there is none of that name, sections and
    symbols are looked for, also for a caller who asked for a block.
    """
    block = _block(target, name, asked)
    if block:
        return FoundSegment(block)
    name = _name(name, asked, target)
    kinds = tuple(kind for kind in asked if kind != TEMPLATE_BLOCK)
    if not kinds:
        return _look_up(target, name, match)
    words = f"{language} {' or '.join(kinds)}".strip()
    is_other = language not in {"", target.outline.language}
    require_kind(target.outline, () if is_other else kinds, words)
    found = _look_up(target, name, match)
    require_kind(target.outline, kinds, words, found.segment)
    return found


def _name(segment: str, asked: Sequence[str], target: Target) -> str:
    """Return a name without the mark of a block; in a file without any it is part of the name."""
    may_be_block = target.detected is not None or TEMPLATE_BLOCK in asked
    is_there = segment.strip() in target.outline.by_address
    return segment.removeprefix("block:") if may_be_block and not is_there else segment


def _look_up(target: Target, name: str, match: str) -> FoundSegment:
    """Return the segment of that name; where there is none, blocks of the template are near too."""
    try:
        return look_up(target.outline, name, target.document, match)
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


def _block(target: Target, name: str, asked: Sequence[str]) -> Segment | None:
    """Return the template's block of that name, if the file has a template and the caller may."""
    if target.detected is None or (asked and TEMPLATE_BLOCK not in asked):
        return None
    found = target.detected.find(name)
    return found.segment if found else None


def scope_of_segment(edit: Edit, target: Target) -> Span:
    """Return where a segment or its part lies in the document, to search inside it."""
    return span_of_part(spot_of(edit, target).segment, edit.part)


def span_of_part(segment: Segment, part: str) -> Span:
    """Return where a part of a segment lies, or refuse one that it has not."""
    if part == "whole":
        return segment.span
    if part not in segment.parts:
        raise Refused(missing_part(segment, part))
    return segment.parts[part]
