"""Markdown: put text into a section, a code block, a list or a table."""

from __future__ import annotations

import re

from keyhole.edits.by_name.beside import add_sibling, delete_segment
from keyhole.edits.by_name.compose import block_of, fit_text
from keyhole.edits.by_name.lost import rename_note
from keyhole.edits.by_name.segment_target import (
    SegmentChanges,
    SegmentTarget,
    is_fence,
    never_closed,
    no_such_part,
    put_lines,
    with_action,
)
from keyhole.edits.by_name.separators import blank_below
from keyhole.refusals import Refused
from keyhole.segments.markdown import ITEM, MARKS, heading_of
from keyhole.segments.outline import Span
from keyhole.text.indent import indent_of

_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
WITH_HEADING = "the new text begins with the heading, and replaces it too"
HEADLESS = "the heading is gone: the new text has none; part body would have kept it"


def is_heading(lines: list[str]) -> bool:
    """Tell whether lines begin with a heading."""
    if not lines:
        return False
    is_setext = len(lines) > 1 and bool(_UNDERLINE.fullmatch(lines[1])) and bool(lines[0].strip())
    return is_setext or _HEADING.match(lines[0].lstrip()) is not None


def holds(kind: str, lines: list[str]) -> bool:
    """Tell whether lines begin as a segment of this kind does."""
    if kind == "section":
        return is_heading(lines)
    first = lines[0].lstrip() if lines else ""
    starts = {"list": bool(ITEM.match(first)), "table": first.startswith("|")}
    return starts.get(kind, kind == "frontmatter" and first in MARKS)


def edit_markdown(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Carry out the edit on a segment of markdown, or on a part of it."""
    span = spot.part(spot.edit.part)
    if span is None:
        raise Refused(no_such_part(spot))
    match spot.edit.part:
        case "heading":
            return _edit_heading(spot, span, lines)
        case "body":
            return _edit_body(spot, span, lines)
        case _:
            return _edit_whole(spot, span, lines)


def _edit_heading(spot: SegmentTarget, span: Span, lines: list[str]) -> SegmentChanges:
    if spot.is_removed(lines):
        return put_lines(spot, (span[0], blank_below(spot, span[1])), [])
    if spot.edit.action == "replace":
        return _replace_heading(spot, span, lines)
    if spot.edit.action == "before":
        return add_sibling(spot, lines)
    return _insert(with_action(spot, "prepend"), lines)


def _edit_body(spot: SegmentTarget, span: Span, lines: list[str]) -> SegmentChanges:
    if spot.is_removed(lines):
        heading = spot.part("heading")
        return put_lines(spot, (heading[1] if heading else span[0], span[1]), [])
    if spot.edit.action == "replace":
        if has_own_heading(spot, lines):
            return _with_heading(spot, lines)
        return _replace_body(spot, span, lines)
    return _insert(spot, lines)


def has_own_heading(spot: SegmentTarget, lines: list[str]) -> bool:
    """Tell whether the text for a body begins with a heading that is not that of a subsection."""
    own = spot.part("heading")
    if not own or spot.language != "markdown" or not is_heading(lines):
        return False
    return heading_of("\n".join(lines)).level <= heading_of(spot.flat[slice(*own)]).level


def _with_heading(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Replace a section whose heading came with its body."""
    written = _edit_whole(spot, spot.span, lines)
    return written._replace(notes=(WITH_HEADING, *written.notes))


def _edit_whole(spot: SegmentTarget, span: Span, lines: list[str]) -> SegmentChanges:
    if spot.is_removed(lines):
        return delete_segment(spot)
    if spot.edit.action == "after":
        _must_be_closed(spot)
    if spot.edit.action in {"before", "after"}:
        return add_sibling(spot, lines)
    if spot.edit.action != "replace":
        return _insert(spot, lines)
    body = spot.part("body")
    if spot.segment.kind == "code_block" and body and body != span and not is_fence(lines[0]):
        return _replace_body(spot, body, lines)._replace(notes=("the fences of the block stay",))
    notes = _about_heading(spot, lines) if spot.segment.kind == "section" else ()
    new = fit_text(spot, block_of(spot, lines, span, _indent(spot)))
    return put_lines(spot, span, new + _foot(spot, span, new), notes)


def _about_heading(spot: SegmentTarget, lines: list[str]) -> tuple[str, ...]:
    """Return the note on the heading of a section: gone, another title, another level."""
    if not is_heading(lines):
        return (HEADLESS,)
    now, notes = heading_of("\n".join(lines)), []
    if now.title != spot.segment.name:
        notes.append(rename_note(spot.segment.name, now.title))
    if now.level != spot.segment.level:
        was = f"was a heading of level {spot.segment.level}"
        notes.append(f"`{now.title}` {was} and is one of level {now.level} now")
    return tuple(notes)


def _insert(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Put lines at the top or the bottom of a segment, before the separator that follows it."""
    if spot.segment.kind in {"section", "preamble"}:
        return _into_prose(spot, lines)
    body = spot.part("body") or spot.span
    at = body[1] if spot.edit.action in {"append", "after"} else _top(spot, body)
    notes: tuple[str, ...] = ()
    if spot.segment.kind == "list" and not ITEM.match(lines[0]) and not indent_of(lines[0]):
        lines, notes = _as_item(spot, lines), ("the mark of a list item was put before the text",)
    new = fit_text(spot, block_of(spot, lines, (at, at), _indent(spot)))
    return put_lines(spot, (at, at), new, notes)


def _as_item(spot: SegmentTarget, lines: list[str]) -> list[str]:
    """Return lines as an item of the list; without a mark they would continue the item above."""
    indent = _indent(spot)
    items = [line.strip() for line in spot.lines(spot.span) if indent_of(line) == indent]
    marks = [line.split()[0] for line in items if ITEM.match(line)]
    is_last = spot.edit.action in {"append", "after"}
    mark = marks[-1 if is_last else 0]
    if is_last and mark[:-1].isdigit():
        mark = f"{int(mark[:-1]) + 1}{mark[-1]}"
    hanging = " " * (len(mark) + 1)
    return [f"{mark} {lines[0]}", *(hanging + line if line.strip() else "" for line in lines[1:])]


def _indent(spot: SegmentTarget) -> str:
    """Return the indent of a segment; without a mark of its own, the indent of its lines."""
    is_bare = spot.segment.kind in {"list", "table", "code_block"} and not spot.segment.indent
    if not is_bare or spot.part("body") != spot.span:
        return spot.segment.indent
    return indent_of(spot.lines(spot.span)[0])


def _top(spot: SegmentTarget, body: Span) -> int:
    """Return where the first line of a block goes: in a table, below the head."""
    if spot.segment.kind != "table":
        return body[0]
    return spot.line_end(spot.line_end(body[0]))


def _into_prose(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    start, end = spot.part("body") or spot.span
    at = end if spot.edit.action in {"append", "after"} else start
    if at == end:
        _must_be_closed(spot)
    new = fit_text(spot, block_of(spot, lines, (at, at), ""))
    if start == end:
        return _below_heading(spot, end, new)
    if at == end:
        gap = 0 if joins(spot.flat[spot.line_start(end - 1) : end], new[0]) else 1
        return put_lines(spot, (at, at), [""] * gap + new + _blank(spot, end))
    following = spot.flat[start : spot.line_end(start)]
    return put_lines(spot, (at, at), new + [""] * (0 if joins(new[-1], following) else 1))


def _must_be_closed(spot: SegmentTarget) -> None:
    """Refuse to add text behind a fence that never closes: it would be code."""
    for block in spot.target.outline.inside(spot.segment):
        body = block.parts.get("body", block.span)
        is_open = block.kind == "code_block" and body != block.span and body[1] == block.span[1]
        if is_open and block.span[1] == spot.segment.span[1]:
            raise Refused(never_closed(spot, spot.target.document.line_at(block.span[0])))


def _below_heading(spot: SegmentTarget, at: int, new: list[str]) -> SegmentChanges:
    """Put lines into an empty section, below its heading."""
    return put_lines(spot, (at, at), ["", *new, *_blank(spot, at)])


def _blank(spot: SegmentTarget, at: int) -> list[str]:
    """Return the blank line that is missing before the next heading."""
    is_glued = blank_below(spot, at) == at and at < len(spot.flat)
    return [""] if is_glued else []


def _foot(spot: SegmentTarget, span: Span, new: list[str]) -> list[str]:
    """Return the blank line that keeps an underlined heading apart from new text above it."""
    is_prose = spot.segment.kind in {"section", "preamble"}
    is_same = spot.lines(span)[-1:] == new[-1:]
    if not is_prose or is_same or spot.flat.startswith("#", span[1]):
        return []
    return _blank(spot, span[1])


def joins(above: str, below: str) -> bool:
    """Tell whether two lines belong to one list or one table."""
    if ITEM.match(below):
        return bool(ITEM.match(above)) or above.startswith((" ", "\t"))
    return above.lstrip().startswith("|") and below.lstrip().startswith("|")


def _replace_heading(spot: SegmentTarget, span: Span, lines: list[str]) -> SegmentChanges:
    """Write another heading; a bare title gets the marks of the present one."""
    present = spot.lines(span)
    if len(lines) > 1 or is_heading(lines):
        return put_lines(spot, span, lines, _about_heading(spot, lines))
    title, marks = lines[0].strip(), _HEADING.match(present[0])
    notes = (rename_note(spot.segment.name, title),) if title != spot.segment.name else ()
    if marks:
        return put_lines(spot, span, [f"{'#' * spot.segment.level} {title}"], notes)
    underline = present[-1].strip()[:1] * max(len(title), 3)
    return put_lines(spot, span, [title, underline], notes)


def _replace_body(spot: SegmentTarget, span: Span, lines: list[str]) -> SegmentChanges:
    """Write what is below a heading, or inside a block."""
    if span[0] == span[1] and spot.segment.kind == "section":
        return _below_heading(spot, span[0], fit_text(spot, block_of(spot, lines, span, "")))
    new = fit_text(spot, block_of(spot, lines, span, _indent(spot)))
    return put_lines(spot, span, new + _foot(spot, span, new))
