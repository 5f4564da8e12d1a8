"""Values of YAML: behind the colon, or as a block of lines below it."""

from __future__ import annotations

import re

from keyhole.edits.naming.compose import block_of, fitted
from keyhole.edits.naming.inside import deeper
from keyhole.edits.naming.spot import SegmentTarget
from keyhole.edits.naming.tokens import is_pair
from keyhole.edits.naming.written import Written, put_lines, put_text
from keyhole.segments.outline import Span

_DASHES = re.compile(r" *(?:- +)+")
_DASH = re.compile(r"\s*-(?:\s|$)")
_COLON = re.compile(r":(?=\s|\Z)")
_COMMENT = re.compile(r"\s#")


def is_block(lines: list[str]) -> bool:
    """Tell whether a value is a mapping or a list in block form, which stands below its key."""
    return _DASH.match(lines[0]) is not None or is_pair("yaml", lines[0])


def as_item(lines: list[str]) -> list[str]:
    """Return lines as an item of a list: with a dash, if they came without one."""
    if _DASH.match(lines[0]):
        return lines
    return [f"- {lines[0].strip()}", *(f"  {line}" if line.strip() else "" for line in lines[1:])]


def put_beside_first(spot: SegmentTarget, lines: list[str]) -> Written | None:
    """Put keys before or after one behind a dash, at its column; None where it is no such key."""
    start, end = spot.span
    column = start - spot.line_start(start)
    if spot.segment.kind != "key" or not _DASHES.fullmatch(spot.flat, start - column, start):
        return None
    indent = " " * column
    if spot.edit.action == "before":
        new = fitted(spot, block_of(spot, lines, (start, start), indent))
        return put_text(spot, (start, start), "\n".join([*new, indent]).removeprefix(indent))
    at = spot.line_end(max(start, end - 1))
    return put_lines(spot, (at, at), fitted(spot, block_of(spot, lines, (at, at), indent)))


def put_after_colon(spot: SegmentTarget, body: Span | None, lines: list[str]) -> Written:
    """Write a value of the other form: from behind the colon to below it, or back."""
    start, end = spot.span
    comment = _COMMENT.search(spot.flat, start, end)
    limit = body[0] if body else comment.start() if comment else end
    at = max(found.end() for found in _COLON.finditer(spot.flat, start, limit))
    to = start + len(spot.flat[start : body[1]].rstrip()) if body else at
    if not is_block(lines):
        new = fitted(spot, block_of(spot, lines, (at, at), spot.segment.indent))
        return put_text(spot, (at, to), " " + "\n".join(new).strip())
    new = fitted(spot, block_of(spot, lines, (at, at), _below(spot)))
    return put_text(spot, (at, to), "\n" + "\n".join(new))


def _below(spot: SegmentTarget) -> str:
    """Return the indent one level below a key, which may stand behind the dash of an item."""
    start = spot.span[0]
    dashes = start - spot.line_start(start)
    return " " * max(dashes - len(spot.segment.indent), 0) + deeper(spot)
