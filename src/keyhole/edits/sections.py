"""Markdown: put text into a section, a code block, a list or a table, each as its own block."""

from __future__ import annotations

import re

from keyhole.edits.compose import block_of, fitted
from keyhole.edits.separators import blank_below
from keyhole.edits.spot import Spot
from keyhole.edits.written import Written, put_lines, put_text
from keyhole.segments.outline import Span
from keyhole.text.indent import indent_of

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")


def is_heading(lines: list[str]) -> bool:
    """Tell whether lines begin with a heading."""
    if not lines:
        return False
    is_setext = len(lines) > 1 and bool(_UNDERLINE.fullmatch(lines[1])) and bool(lines[0].strip())
    return is_setext or _HEADING.match(lines[0].lstrip()) is not None


def holds(kind: str, lines: list[str]) -> bool:
    """Tell whether lines begin as a segment of a kind does."""
    if kind == "section":
        return is_heading(lines)
    first = lines[0].lstrip() if lines else ""
    starts = {"list": bool(_ITEM.match(first)), "table": first.startswith("|")}
    return starts.get(kind, kind == "frontmatter" and first in {"---", "+++"})


def insert_into_markdown(spot: Spot, lines: list[str]) -> Written:
    """Put lines at the top or the bottom of a segment, before the separator that follows it."""
    if spot.segment.kind in {"section", "preamble"}:
        return _into_prose(spot, lines)
    body = spot.part("body") or spot.span
    at = body[1] if spot.edit.action in {"append", "after"} else _top(spot, body)
    indent = spot.segment.indent
    if spot.segment.kind == "code_block" and body == spot.span:
        indent = indent_of(spot.lines(body)[0])
    return put_lines(spot, (at, at), fitted(spot, block_of(spot, lines, (at, at), indent)))


def _top(spot: Spot, body: Span) -> int:
    """Return where the first line of a block goes: in a table, below the head."""
    if spot.segment.kind != "table":
        return body[0]
    return spot.line_end(spot.line_end(body[0]))


def _into_prose(spot: Spot, lines: list[str]) -> Written:
    start, end = spot.part("body") or spot.span
    at = end if spot.edit.action in {"append", "after"} else start
    new = fitted(spot, block_of(spot, lines, (at, at), ""))
    if start == end:
        return _below_heading(spot, end, new)
    if at == end:
        gap = 0 if _joins(spot.flat[spot.line_start(end - 1) : end], new[0]) else 1
        foot = _foot(spot, end)
        return put_lines(spot, (at, at), [""] * gap + new + foot)
    following = spot.flat[start : spot.line_end(start)]
    return put_lines(spot, (at, at), new + [""] * (0 if _joins(new[-1], following) else 1))


def _below_heading(spot: Spot, at: int, new: list[str]) -> Written:
    """Put lines into an empty section, below its heading."""
    return put_lines(spot, (at, at), ["", *new, *_foot(spot, at)])


def _foot(spot: Spot, at: int) -> list[str]:
    """Return the blank line that is missing where the next heading follows at once."""
    is_glued = blank_below(spot, at) == at and at < len(spot.flat)
    return [""] if is_glued else []


def _joins(above: str, below: str) -> bool:
    """Tell whether two lines belong to one list or one table."""
    if _ITEM.match(below):
        return bool(_ITEM.match(above)) or above.startswith((" ", "\t"))
    return above.lstrip().startswith("|") and below.lstrip().startswith("|")


def replace_heading(spot: Spot, span: Span, lines: list[str]) -> Written:
    """Write another heading; a bare title gets the marks of the present one."""
    present = spot.lines(span)
    if len(lines) > 1 or is_heading(lines):
        return put_lines(spot, span, lines)
    title, marks = lines[0].strip(), _HEADING.match(present[0])
    if marks:
        return put_lines(spot, span, [f"{'#' * spot.segment.level} {title}"])
    underline = present[-1].strip()[:1] * max(len(title), 3)
    return put_lines(spot, span, [title, underline])


def delete_body(spot: Spot) -> Written:
    """Leave nothing but the heading of a section."""
    heading, body = spot.part("heading"), spot.part("body")
    if not heading or not body:
        return put_lines(spot, body or spot.span, [])
    return put_lines(spot, (heading[1], body[1]), [])


def delete_heading(spot: Spot, span: Span) -> Written:
    """Take a heading away, and the blank lines below it."""
    return put_lines(spot, (span[0], blank_below(spot, span[1])), [])


def replace_body(spot: Spot, span: Span, lines: list[str]) -> Written:
    """Write what is below a heading, or inside a block."""
    if span[0] == span[1] and spot.segment.kind == "section":
        return _below_heading(spot, span[0], fitted(spot, block_of(spot, lines, span, "")))
    if not spot.is_lines(span):
        return put_text(spot, span, "\n".join(lines))
    new = fitted(spot, block_of(spot, lines, span, spot.segment.indent))
    return put_lines(spot, span, new)
