"""Edits by name: find the segment, read the new text against it, write what differs."""

from __future__ import annotations

from keyhole.edits.by_name.attached import main_of, place_of, with_attached, with_own_comment
from keyhole.edits.by_name.beside import add_sibling, delete_segment
from keyhole.edits.by_name.compose import Misplaced, block_of, definitions_in, fit_text
from keyhole.edits.by_name.inside import insert_inside
from keyhole.edits.by_name.keys import edit_key
from keyhole.edits.by_name.lost import lost_headings, missing_note, rename_note, with_name_note
from keyhole.edits.by_name.parts import edit_part, put_inline
from keyhole.edits.by_name.pattern import place_pattern
from keyhole.edits.by_name.sections import edit_markdown, holds
from keyhole.edits.by_name.segment_target import (
    SegmentChanges,
    SegmentTarget,
    content_lines,
    put_lines,
    scope_of_segment,
    target_of,
    unfenced,
)
from keyhole.edits.by_name.template_blocks import edit_block
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import TEMPLATE_FOUND, LocatedEdit
from keyhole.fastclasses import replace
from keyhole.matching.already_applied import Span, among_items, around, is_item
from keyhole.phrases import say
from keyhole.segments.template_skeleton import TEMPLATE_BLOCK

__all__ = ["place_pattern", "place_segment", "scope_of_segment"]


# Actions that add nothing to what there is.
_KEEPS = frozenset({"replace", "delete", "move"})


def place_segment(edit: Edit, target: Target) -> LocatedEdit:
    """Return an edit of a segment, or of a part of it, as changes; or refuse."""
    spot = target_of(edit, target)
    lines, notes = _sent(spot)
    misplaced = ""
    carry_out = _edit_cell if spot.segment.is_cell else _carry_out
    try:
        written = carry_out(spot, lines)
    except Misplaced as error:
        written, misplaced = carry_out(replace(spot, moves=True), lines), str(error)
    lost = lost_headings(spot, written) if spot.language == "markdown" else ()
    return LocatedEdit(
        0,
        written.changes,
        segment=spot.segment.address,
        beside=edit.action if edit.action in {"before", "after"} else "",
        reason=edit.reason,
        notes=(*notes, *written.notes, *_detector(spot)),
        warnings=(*written.warnings, *lost),
        span=written.span,
        misplaced=misplaced if written.changes else "",
        stands=_already_there(spot, written),
        adds=edit.action not in _KEEPS,
    )


def _edit_cell(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    from keyhole.edits.by_name.script_cells import edit_cell

    return edit_cell(spot, lines)


def _already_there(spot: SegmentTarget, written: SegmentChanges) -> Span | None:
    """Return where the file already has the text that an edit adds to its segment."""
    document, action = spot.target.document, spot.edit.action
    if action in _KEEPS:
        return around(document, written.span, written.changes)
    found = [among_items(document, change) for change in written.changes if is_item(change)]
    return found[0] if found and all(found) else None


def _detector(spot: SegmentTarget) -> tuple[str, ...]:
    """Return what the name was found as (block, section or symbol) in a file with a template."""
    detected = spot.target.detected
    if detected is None:
        return ()
    kind, name, template = spot.segment.kind, spot.segment.address, detected.template
    if kind == TEMPLATE_BLOCK:
        found = say("`{}` is a block of template {}", name, template, kind=TEMPLATE_FOUND)
    elif detected.find(name):
        found = say("`{}` is here the {}, not the block of template {}", name, kind, template)
    else:
        found = say(
            "`{}` is a {}; template {} has no block of that name here", name, kind, template
        )
    return found, *detected.warnings


def _sent(spot: SegmentTarget) -> tuple[list[str], tuple[str, ...]]:
    """Return the lines of the new text, without a code fence that an agent put around it."""
    lines = content_lines(spot.target.view.plain(spot.edit.content or ""))
    inner = unfenced(lines) if spot.edit.match != "exact" else None
    if inner is None:
        return lines, ()
    if spot.language == "markdown" and not _is_shown(spot, inner):
        return lines, ()
    return inner, ("a code fence around the new text was taken off",)


def _is_shown(spot: SegmentTarget, inner: list[str]) -> bool:
    """Tell whether a fence in Markdown is only wrapping: what it holds is the segment itself."""
    if spot.edit.action != "replace":
        return False
    if spot.edit.part == "body":
        return spot.segment.kind == "code_block"
    return spot.edit.part == "whole" and holds(spot.segment.kind, inner)


def _carry_out(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    if not lines and spot.edit.action not in {"replace", "delete"}:
        return SegmentChanges((), scope_of_segment(spot.edit, spot.target))  # nothing is added
    if spot.edit.action == "replace" and _is_there(spot, lines):
        return SegmentChanges((), scope_of_segment(spot.edit, spot.target))
    if spot.segment.kind == TEMPLATE_BLOCK:
        return edit_block(spot, lines)
    if spot.language == "markdown":
        return edit_markdown(spot, lines)
    if spot.is_key:
        return edit_key(spot, lines)
    if spot.edit.part != "whole":
        return edit_part(spot, lines)
    match spot.edit.action:
        case "before" | "after":
            return add_sibling(spot, lines)
        case "prepend" | "append":
            return insert_inside(spot, lines)
        case "replace" if lines:
            return _replace(spot, lines)
        case _:
            return delete_segment(spot)


def _is_there(spot: SegmentTarget, lines: list[str]) -> bool:
    """Tell whether new text is what the file has there, to the character."""
    span = spot.part(spot.edit.part)
    return bool(lines and span) and content_lines(spot.flat[slice(*(span or ()))]) == lines


def _replace(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Replace the whole segment; decorators and comments that the new text leaves out stay."""
    if not spot.is_lines(spot.span):
        return with_name_note(spot, put_inline(spot, spot.span, lines))
    place = place_of(spot, lines)
    block = block_of(spot, lines, place, spot.segment.indent)
    sent = definitions_in(spot, block, place)
    main = main_of(spot, sent.segments)
    new, kept = with_attached(spot, fit_text(spot, block), sent, main)
    place, new, led = with_own_comment(spot, place, new, sent.line_of(main.span[0]) if main else 0)
    notes = (*kept, *led)
    if main and main.name != spot.segment.name:
        notes += (rename_note(spot.segment.name, main.name),)
    warnings = () if main else (missing_note(spot, sent.segments),)
    return put_lines(spot, place, new, notes)._replace(warnings=warnings)
