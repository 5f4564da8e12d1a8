"""Brackets: members between `{` and `}` or `[` and `]`, kept apart by commas."""

from __future__ import annotations

import re

from keyhole.edits.naming.compose import block_of, laid_out
from keyhole.edits.naming.inside import deeper
from keyhole.edits.naming.refused import shares_line
from keyhole.edits.naming.shared import with_blanks
from keyhole.edits.naming.spot import SegmentTarget
from keyhole.edits.naming.tokens import joined, last_value, tokens, without_comma
from keyhole.edits.naming.written import Written, put_lines, put_text
from keyhole.refusals import Refused
from keyhole.segments.outline import Segment, Span
from keyhole.text.indent import indent_of, is_blank

_OPEN = re.compile(r"[ \t]*[{\[]")


def is_separated(spot: SegmentTarget) -> bool:
    """Tell whether the segment and its siblings are kept apart by commas."""
    if spot.language == "json" or "separator" in spot.segment.parts:
        return True
    parent = spot.target.outline.by_address.get(spot.segment.parent)
    return parent is not None and _brackets(spot, parent) is not None


def brackets_of(spot: SegmentTarget) -> Span | None:
    """Return what lies between the brackets of the segment's value, if it has such."""
    return _brackets(spot, spot.segment)


def _brackets(spot: SegmentTarget, segment: Segment) -> Span | None:
    body = segment.parts.get("body")
    if not body:
        return None
    start, end = spot.flat_span(body)
    opening = _OPEN.match(spot.flat, start, end)
    if not opening:
        return None
    close = last_value(spot.language, spot.flat, (start, end))[0] - 1
    return (opening.end(), close) if spot.flat[close] in "}]" else None


def add_beside(spot: SegmentTarget, core: Span, lines: list[str]) -> Written:
    """Put a member before or after another one."""
    lines = without_comma(spot.language, lines)
    is_before = spot.edit.action == "before"
    if not spot.is_lines(spot.span):
        at = core[0] if is_before else core[1]
        text = _inline(spot, lines)
        return put_text(spot, (at, at), f"{text}, " if is_before else f", {text}")
    at = spot.span[0] if is_before else spot.span[1]
    new = laid_out(spot, block_of(spot, lines, (at, at), spot.segment.indent))
    if is_before:
        return put_lines(spot, (at, at), with_comma(spot, new))
    if "separator" in spot.segment.parts:
        return put_lines(spot, (at, at), with_comma(spot, new))
    return _after_last(spot, core[1], at, new)


def _inline(spot: SegmentTarget, lines: list[str]) -> str:
    """Return members for a place inside a line, or refuse a comment that would take in the rest."""
    text = joined(spot.language, lines)
    if text is None:
        raise Refused(shares_line(spot))
    return text


def with_comma(spot: SegmentTarget, lines: list[str]) -> list[str]:
    """Return lines with a comma behind the last value, before a comment."""
    text = "\n".join(lines)
    end, comma = last_value(spot.language, text, (0, len(text)))
    return lines if comma >= 0 else (text[:end] + "," + text[end:]).split("\n")


def _after_last(spot: SegmentTarget, value_end: int, at: int, new: list[str]) -> Written:
    """Put lines after the last member, which gets a comma."""
    tail = spot.flat[value_end:at].removesuffix("\n")
    return put_text(spot, (value_end, value_end + len(tail)), "\n".join(["," + tail, *new]))


def add_to_brackets(spot: SegmentTarget, inner: Span, lines: list[str]) -> Written:
    """Put members at the top or the bottom of what brackets hold."""
    start, end = inner
    text = spot.flat[start:end]
    lines = without_comma(spot.language, lines)
    if not text.strip():
        return _into_empty(spot, inner, lines)
    value_end, comma = last_value(spot.language, spot.flat, inner)
    first = start + len(text) - len(text.lstrip())
    is_top = spot.edit.action == "prepend"
    if is_top and "\n" not in spot.flat[start:first]:
        return put_text(spot, (first, first), f"{_inline(spot, lines)}, ")
    if not is_top and "\n" not in spot.flat[value_end:end]:
        at = value_end if comma < 0 else comma
        return put_text(spot, (at, at), f"{',' if comma < 0 else ''} {_inline(spot, lines)}")
    return _among_lines(spot, (start, value_end), lines, comma)


def _among_lines(spot: SegmentTarget, inner: Span, lines: list[str], comma: int) -> Written:
    """Put members among others that stand on lines of their own."""
    start, value_end = inner
    below = spot.line_end(start)
    first = next((line for line in spot.lines((below, value_end)) if not is_blank(line)), "")
    indent = indent_of(first) if first else deeper(spot)
    is_top = spot.edit.action == "prepend"
    at = below if is_top else spot.line_end(value_end)
    new = laid_out(spot, block_of(spot, lines, (at, at), indent))
    if is_top or comma >= 0:
        return put_lines(spot, (at, at), with_comma(spot, new))
    return _after_last(spot, value_end, at, new)


def _into_empty(spot: SegmentTarget, inner: Span, lines: list[str]) -> Written:
    indent = indent_of(spot.flat[spot.line_start(inner[0]) : inner[0]])
    if spot.language != "json" and len(lines) == 1:
        return put_text(spot, inner, lines[0].strip())
    new = laid_out(spot, block_of(spot, lines, (inner[0], inner[0]), deeper(spot)))
    return put_text(spot, inner, "\n" + "\n".join(new) + "\n" + indent)


def delete_between_commas(spot: SegmentTarget, core: Span) -> Written:
    """Take a member out, and the one comma that goes with it."""
    separator = spot.part("separator")
    if separator:
        return _without(spot, core, separator[1])
    comma = _comma_before(spot, core[0])
    if comma < 0:
        return _without_only(spot, core)
    if not spot.is_lines(spot.span):
        return put_text(spot, (comma, core[1]), "")
    kept = spot.flat[comma + 1 : spot.span[0]]
    return put_text(spot, (comma, spot.span[1]), kept)


def _comma_before(spot: SegmentTarget, at: int) -> int:
    """Return the offset of the comma that stands last before a member, or -1 for the first one."""
    last = None
    for token in tokens(spot.language, spot.flat, (0, at)):
        last = last if token["comment"] else token
    return last.start() if last and last["comma"] else -1


def _without_only(spot: SegmentTarget, core: Span) -> Written:
    """Take the only member out; brackets with nothing in them close up."""
    parent = spot.target.outline.by_address.get(spot.segment.parent)
    inner = _brackets(spot, parent) if parent else None
    rest = spot.flat[inner[0] : core[0]] + spot.flat[core[1] : inner[1]] if inner else "."
    return (
        put_text(spot, inner, "") if inner and not rest.strip() else _without(spot, core, core[1])
    )


def _without(spot: SegmentTarget, core: Span, end: int) -> Written:
    if spot.is_lines(spot.span):
        return put_lines(spot, spot.span, [])
    return put_text(spot, with_blanks(spot, (core[0], end)), "")
