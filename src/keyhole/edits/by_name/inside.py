"""Inside a segment: put new text at the top or the bottom of its body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from keyhole.edits.by_name.attached import is_comment
from keyhole.edits.by_name.compose import block_of, definitions_in, fit_text, local_style
from keyhole.edits.by_name.doc_comments import begins_with_doc
from keyhole.edits.by_name.layout import is_closer, is_label
from keyhole.edits.by_name.segment_target import (
    SegmentChanges,
    SegmentTarget,
    no_inside,
    put_lines,
    put_text,
)
from keyhole.edits.by_name.separators import is_line, usual_gap
from keyhole.refusals import Refused
from keyhole.segments.outline import Segment, Span
from keyhole.text.indent import indent_of, is_blank

_SECOND = "the string that the new text begins with is no docstring: there is one above it"
_NOTHING = frozenset({"pass", "..."})
_CLASSES = frozenset(
    {"class", "interface", "struct", "enum", "trait", "impl", "object", "module", "namespace"}
    | {"protocol", "record", "contract", "library", "extension", "mixin", "section"}
)


class BodyLines(NamedTuple):
    """The lines inside a segment; with `is_open` they are still to be made around `text`."""

    span: Span
    indent: str
    text: str = ""
    is_open: bool = True


def find_inside(spot: SegmentTarget) -> BodyLines | None:
    """Return what is inside the segment's body, or None where that is no place for statements."""
    body = spot.part("body")
    return _python(spot, body) if spot.language == "python" else _braced(spot, body)


def inside_of_segment(spot: SegmentTarget) -> BodyLines:
    """Return what is inside the segment's body, or refuse where it has no inside."""
    found = find_inside(spot)
    if found is None:
        raise Refused(no_inside(spot))
    return found


def _python(spot: SegmentTarget, body: Span | None) -> BodyLines | None:
    signature, doc = spot.part("signature"), spot.part("doc")
    if body is None or signature is None:
        return BodyLines(body, spot.segment.indent) if body and spot.is_lines(body) else None
    if not spot.is_lines(body):
        text = spot.flat[signature[1] : max(body[1], doc[1] if doc else 0)]
        closed = signature[1], signature[1] + len(text)
        return BodyLines(closed, deeper(spot), text.strip(), is_open=False)
    lines = spot.lines(body) or spot.lines(doc or body)
    first = next((line for line in lines if not is_blank(line) and line.strip()[0] != "#"), "")
    return BodyLines(body, indent_of(first) if first else deeper(spot))


def deeper(spot: SegmentTarget) -> str:
    """Return the indent one level below the segment's own."""
    if spot.segment.kind == "table":
        return spot.segment.indent
    style = local_style(spot)
    return spot.segment.indent + (style.character or " ") * style.unit


def _braced(spot: SegmentTarget, body: Span | None) -> BodyLines | None:
    """Return the lines of a body, or what stands between braces on one line."""
    if body is None:
        return _before_last_line(spot)
    start, end = body
    before, after = spot.flat[:start].rstrip(), spot.flat[end:].lstrip()
    if before.endswith("\\"):
        return None  # each line of a macro but the last is joined to the next
    if start < end and spot.is_lines(body):
        return BodyLines(body, _first_indent(spot, body))
    if not before.endswith("{") or not after.startswith("}"):
        return BodyLines(body, deeper(spot)) if spot.is_lines(body) else None
    inner = len(before), len(spot.flat) - len(after)
    between = spot.flat[slice(*inner)]
    if not between.strip() and between.count("\n") > 1:
        return BodyLines(((first := inner[0] + between.index("\n") + 1), first), deeper(spot))
    return BodyLines(inner, deeper(spot), between.strip(), is_open=False)


def _before_last_line(spot: SegmentTarget) -> BodyLines | None:
    """Return the empty place before the line that closes a segment without a body."""
    start, end = spot.span
    last = spot.line_start(end - 1)
    is_closed = spot.is_lines(spot.span) and last > start and is_closer(spot.flat[last:end])
    return BodyLines((last, last), deeper(spot)) if is_closed else None


def _first_indent(spot: SegmentTarget, span: Span) -> str:
    lines = (line for line in spot.lines(span) if not is_blank(line) and not is_label(line))
    first = next(lines, None)
    return indent_of(first) if first else deeper(spot)


def insert_inside(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Put new text at the top or the bottom of the segment's body."""
    inside = inside_of_segment(spot)
    at = inside.span[0] if spot.edit.action in {"prepend", "before"} else inside.span[1]
    block = block_of(spot, lines, (at, at), inside.indent)
    new = fit_text(spot, block)
    if not inside.is_open:
        return opened(spot, inside, new)
    if _is_nothing(spot, inside.span) and not _is_only_comments(spot, new):
        written = put_lines(spot, _all_lines(spot, inside.span), new)
    else:
        found = definitions_in(spot, block, (at, at)).segments
        written = _beside_children(spot, inside.span, new, found)
    return written._replace(warnings=(_SECOND,) if _is_second_doc(spot, lines) else ())


def _is_second_doc(spot: SegmentTarget, lines: list[str]) -> bool:
    """Tell whether text for the top of a body begins with a string where a docstring stands."""
    is_top = spot.edit.action in {"prepend", "before"} and spot.language == "python"
    return is_top and "doc" in spot.segment.parts and begins_with_doc(lines)


def opened(
    spot: SegmentTarget, inside: BodyLines, new: list[str], *, replaces: bool = False
) -> SegmentChanges:
    """Write a body that stood on the line of its signature as lines of its own."""
    only_comments = spot.language == "python" and _is_only_comments(spot, new)
    old = (
        []
        if replaces or (inside.text.rstrip(";") in {"", *_NOTHING} and not only_comments)
        else [inside.indent + inside.text]
    )
    lines = [*new, *old] if spot.edit.action in {"prepend", "before"} else [*old, *new]
    text = "\n" + "\n".join(lines)
    if spot.language != "python":
        text += "\n" + spot.segment.indent
    return put_text(spot, inside.span, text)


def _is_only_comments(spot: SegmentTarget, lines: list[str]) -> bool:
    """Tell whether lines make no body by themselves."""
    return all(is_blank(line) or is_comment(line, spot.language) for line in lines)


def _is_nothing(spot: SegmentTarget, span: Span) -> bool:
    return spot.flat[slice(*span)].strip() in _NOTHING


def _all_lines(spot: SegmentTarget, span: Span) -> Span:
    return spot.line_start(span[0]), spot.line_end(max(span[1] - 1, span[0]))


def _beside_children(
    spot: SegmentTarget, inside: Span, new: list[str], found: Sequence[Segment]
) -> SegmentChanges:
    """Put lines at one end of a body, with the usual separator to what stands there."""
    start, end = inside
    is_top = spot.edit.action in {"prepend", "before"}
    own = (found[-1] if is_top else found[0]).kind if found else "variable"
    next_to = _kind_inside(spot, start if is_top else end, 0 if is_top else 1)
    gap = 0
    if spot.segment.kind in _CLASSES or not is_line(own):
        above, below = (own, next_to) if is_top else (next_to, own)
        gap = usual_gap(spot, above, below, spot.segment.address, deeper(spot))
    if start == end:
        doc = spot.part("doc")
        gap = int(bool(doc and doc[1] == start and not is_line(own)))
        is_top = False
    at = start if is_top else end
    above = spot.flat[spot.line_start(end - 1) : end]
    if spot.segment.kind in _CLASSES and not is_top and is_comment(above, spot.language):
        gap = max(gap, 1)  # else a comment about nothing in particular would become its own
    return put_lines(spot, (at, at), [*new, *[""] * gap] if is_top else [*[""] * gap, *new])


def _kind_inside(spot: SegmentTarget, at: int, edge: int) -> str:
    """Return the kind of the child that begins or ends at `at`; a plain statement is a line."""
    for child in spot.target.outline.children(spot.segment.address):
        if spot.span_of(child)[edge] == at:
            return child.kind
    return "variable"
