"""Edits by name: find the segment, read the new text against it, write what differs."""

from __future__ import annotations

from keyhole.edits.attached import main_of, with_attached, without_repeated_comment
from keyhole.edits.compose import block_of, defined, fitted
from keyhole.edits.content import content_lines, unfenced
from keyhole.edits.inside import insert_inside
from keyhole.edits.operations import Edit
from keyhole.edits.parts import edit_part, put_inline
from keyhole.edits.patterned import place_pattern
from keyhole.edits.plan import Placed
from keyhole.edits.refused import no_such_part
from keyhole.edits.sections import (
    delete_body,
    delete_heading,
    holds,
    insert_into_markdown,
    replace_body,
    replace_heading,
)
from keyhole.edits.siblings import delete_segment, insert_beside
from keyhole.edits.spot import Spot
from keyhole.edits.target import Target
from keyhole.edits.written import Written, put_lines
from keyhole.refusals import Refused
from keyhole.segments.addresses import find_segment
from keyhole.segments.outline import Span

__all__ = ["place_pattern", "place_segment", "scope_of_segment"]


def scope_of_segment(edit: Edit, target: Target) -> Span:
    """Return where a segment or its part lies, to search inside it."""
    spot = _spot(edit, target)
    if edit.part == "whole":
        return spot.segment.span
    if edit.part not in spot.segment.parts:
        raise Refused(no_such_part(spot))
    return spot.segment.parts[edit.part]


def place_segment(edit: Edit, target: Target) -> Placed:
    """Return an edit of a segment, or of a part of it, as changes; or refuse."""
    spot = _spot(edit, target)
    lines, notes = _sent(spot)
    written = _carry_out(spot, lines)
    return Placed(
        0,
        written.changes,
        segment=spot.segment.address,
        reason=edit.reason,
        notes=(*notes, *written.notes),
        span=written.span,
    )


def _spot(edit: Edit, target: Target) -> Spot:
    assert edit.segment, "BUG: no segment is named"
    return Spot(edit, target, find_segment(target.outline, edit.segment, target.document))


def _sent(spot: Spot) -> tuple[list[str], tuple[str, ...]]:
    """Return the lines of the new text, without a fence that was put around it for show."""
    lines = content_lines(spot.target.view.plain(spot.edit.content or ""))
    inner = unfenced(lines) if spot.edit.match != "exact" else None
    if inner is None:
        return lines, ()
    if spot.language == "markdown":
        is_wrapped = spot.edit.part == "whole" and spot.edit.action == "replace"
        if not is_wrapped or not holds(spot.segment.kind, inner):
            return lines, ()
    return inner, ("a code fence around the new text was taken off",)


def _carry_out(spot: Spot, lines: list[str]) -> Written:
    if spot.language == "markdown":
        return _in_markdown(spot, lines)
    if spot.edit.part != "whole":
        return edit_part(spot, lines)
    match spot.edit.action:
        case "before" | "after":
            return _beside(spot, lines)
        case "prepend" | "append":
            return insert_inside(spot, lines)
        case "replace" if lines:
            return _replace(spot, lines)
        case _:
            return delete_segment(spot)


def _beside(spot: Spot, lines: list[str]) -> Written:
    at = spot.span[0] if spot.edit.action == "before" else spot.span[1]
    block = block_of(spot, lines, (at, at), spot.segment.indent)
    return insert_beside(spot, fitted(spot, block), defined(spot, block, (at, at)).segments)


def _replace(spot: Spot, lines: list[str]) -> Written:
    """Replace the whole segment; what is attached to it and left out stays."""
    if not spot.is_lines(spot.span):
        return put_inline(spot, spot.span, lines)
    block = block_of(spot, lines, spot.span, spot.segment.indent)
    sent = defined(spot, block, spot.span)
    main = main_of(spot, sent.segments)
    new, kept = with_attached(spot, fitted(spot, block), sent, main)
    new, repeated = without_repeated_comment(spot, new, sent, main)
    notes = (*kept, *repeated)
    if main and main.name != spot.segment.name:
        notes += (f"`{spot.segment.name}` is now `{main.name}`",)
    return put_lines(spot, spot.span, new, notes)


def _in_markdown(spot: Spot, lines: list[str]) -> Written:
    part, action = spot.edit.part, spot.edit.action
    span = spot.part(part)
    if span is None:
        raise Refused(no_such_part(spot))
    is_removal = action == "delete" or not lines
    if part == "heading" and action == "before":
        return _beside(spot, lines)
    if part != "whole" and is_removal:
        return delete_body(spot) if part == "body" else delete_heading(spot, span)
    if part == "heading" and action == "replace":
        return replace_heading(spot, span, lines)
    if part == "body" and action == "replace":
        return replace_body(spot, span, lines)
    if action in {"prepend", "append"} or part != "whole":
        return insert_into_markdown(spot, lines)
    if is_removal:
        return delete_segment(spot)
    if action != "replace":
        return _beside(spot, lines)
    notes = () if holds("section", lines) or spot.segment.kind != "section" else (_HEADLESS,)
    return put_lines(
        spot, span, fitted(spot, block_of(spot, lines, span, spot.segment.indent)), notes
    )


_HEADLESS = "the heading is gone: the new text has none; part body would have kept it"
