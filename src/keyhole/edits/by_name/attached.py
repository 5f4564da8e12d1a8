"""What belongs to a segment: decorators and doc comments above, comments and tables below.

Those that new text leaves out stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from keyhole.edits.by_name.compose import Definitions
from keyhole.edits.by_name.layout import column_of
from keyhole.edits.by_name.segment_target import SegmentTarget, content_lines
from keyhole.edits.by_name.separators import is_line
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.languages.table import row_of
from keyhole.segments.outline import Segment, Span
from keyhole.segments.registry import outline
from keyhole.text.document import Document
from keyhole.text.indent import indent_of

_LEADING = ("doc", "decorators")
# How the lines of a comment begin where single lines of it have a mark of two strokes.
_STROKES = ("/*", "*")
# Comments that are about the file, a part of it or a tool's business: they stay where they are.
_APART = re.compile(
    r"\s*(?:\#!.*|[\W_]*|\W*[-=~*\#]{3}.*|\W*(?:-\*-|(?:end)?region\b|%%|SPDX|copyright\b|vim?:|type:|noqa\b|pylint:"
    r"|fmt:|ruff:|mypy:|pyright:|flake8:|isort:|yapf:|pragma:).*)",
    re.IGNORECASE,
)


def is_comment(line: str, language: str) -> bool:
    """Tell whether a line is a comment and nothing else."""
    marks = row_of(language).marks
    return line.strip().startswith((*marks, *(_STROKES if "//" in marks else ())))


def leading_parts(segment: Segment) -> list[str]:
    """Return the parts that stand before the line which names the segment."""
    heart = _start_of_definition(segment)
    return [name for name in _LEADING if name in segment.parts and segment.parts[name][1] <= heart]


def _start_of_definition(segment: Segment) -> int:
    for name in ("signature", "body"):
        if name in segment.parts:
            return segment.parts[name][0]
    return segment.span[1]


def main_of(spot: SegmentTarget, found: Sequence[Segment]) -> Segment | None:
    """Return the segment of the new text that stands for the one it replaces, if one does."""
    segment = spot.segment
    found = [one for one in found if one.kind == segment.kind or not is_line(one.kind)]
    named = [one for one in found if one.name == segment.name]
    _refuse_wrapped(spot, found, named)
    if named:
        return named[0]
    alike = [one for one in found if one.kind == segment.kind] or list(found)
    if len(alike) > 1 and leading_parts(segment):
        raise Refused(_unclear(segment, alike))
    return alike[0] if alike else None


def _refuse_wrapped(spot: SegmentTarget, found: Sequence[Segment], named: list[Segment]) -> None:
    """Refuse a method that comes within its class: it would nest the class in itself."""
    parent = spot.target.outline.by_address.get(spot.segment.parent)
    if named or not parent or parent.kind == "section" or len(found) != 1:
        return
    if found[0].name == parent.name and found[0].kind == parent.kind:
        headline = f"the new text is `{parent.name}` as a whole, not its `{spot.segment.name}`"
        move = f"send `{spot.segment.name}` alone, or name the segment `{parent.address}`"
        raise Refused(Refusal("wrong-segment-kind", headline, help=move))


def _unclear(segment: Segment, found: Sequence[Segment]) -> Refusal:
    names = ", ".join(f"`{one.name}`" for one in found)
    kept = " and ".join(_WORDS[name] for name in leading_parts(segment))
    return Refusal(
        "ambiguous",
        f"the new text defines {names}, and none is `{segment.name}`, which has {kept}",
        help=f"write the {kept} out where they belong, or replace part body",
        suggestions=tuple(one.name for one in found),
    )


_WORDS = {"doc": "doc comment", "decorators": "decorators"}


def with_attached(
    spot: SegmentTarget, lines: list[str], new: Definitions, main: Segment | None
) -> tuple[list[str], list[str]]:
    """Return the lines with the leading parts of the segment that they leave out, and notes."""
    missing = [name for name in leading_parts(spot.segment) if not main or name not in main.parts]
    if not missing:
        return lines, []
    if main is None:
        return lines, [f"the {_listed(missing)} of `{spot.segment.name}` went with it"]
    out = list(lines)
    # From the last one up, so that those which come to one line stay in the order of the file.
    for name in sorted(missing, key=lambda name: spot.segment.parts[name], reverse=True):
        at = _start_of_definition(main) if name == "decorators" else main.span[0]
        _insert(spot, out, new.line_of(at), name)
    note = f"kept the {_listed(missing)} of `{spot.segment.name}`, which the new text leaves out"
    return out, [note]


def with_leading_parts(
    spot: SegmentTarget, span: Span, text: str
) -> tuple[Span, str, tuple[str, ...]]:
    """Return where a signature with decorators or a doc comment goes, and its text.

    They replace those of the segment; lines between that were not sent stay.
    """
    parts = {name: part for name in leading_parts(spot.segment) if (part := spot.part(name))}
    if not parts:
        return span, text, ()
    top = min(part[0] for part in parts.values())
    leading, names = _parts_before_signature(spot, (top, span[1]), text)
    gone = [name for name in parts if name in names]
    if not gone:
        return span, text, ()
    start = min(parts[name][0] for name in gone)
    kept = "".join(
        spot.flat[slice(*part)]
        for name, part in parts.items()
        if name not in gone and part[0] > start
    )
    note = f"the {_listed(gone)} of `{spot.segment.name}` came with the signature, and replaced"
    new = text[:leading] + kept + text[leading:]
    is_same = new == spot.flat[start : span[0]] + text[leading:]
    return (start, span[1]), new, () if is_same else (f"{note} what was there",)


def _parts_before_signature(spot: SegmentTarget, span: Span, text: str) -> tuple[int, list[str]]:
    """Return the length of what precedes the signature in a text, and which parts that is."""
    start, end = span
    after = f"{spot.flat[:start]}{text}{spot.flat[end:]}"
    for one in outline(spot.target.path, Document(after)).segments:
        heart = one.parts.get("signature", (0, 0))[0]
        if start < heart < start + len(text) and text[: heart - start].strip():
            return heart - start, leading_parts(one)
    return 0, []


def _insert(spot: SegmentTarget, out: list[str], number: int, name: str) -> None:
    span = spot.part(name)
    assert span, "BUG: a missing part is one the segment has"
    if spot.is_lines(span):
        out[number:number] = spot.lines(span)
        return
    line = out[number]
    indent = indent_of(line)
    out[number] = f"{indent}{spot.flat[slice(*span)].strip()} {line[len(indent) :]}"


def _listed(names: list[str]) -> str:
    return " and ".join(_WORDS[name] for name in names)


class PlacedLines(NamedTuple):
    """New lines, the place that they replace with the comment above it, and notes."""

    place: Span
    lines: list[str]
    notes: tuple[str, ...] = ()


def with_own_comment(spot: SegmentTarget, place: Span, lines: list[str], count: int) -> PlacedLines:
    """Return lines that begin with `count` lines before their definition, and where they belong.

    Comments among them replace the comments right above the definition; a comment that is repeated
    to the word stays, with what is above it.
    """
    leading = [line.strip() for line in content_lines("\n".join(lines[:count]))]
    if not leading or not all(is_comment(line, spot.language) for line in leading):
        return PlacedLines(place, lines)
    above = _comment_above(spot, place[0])
    if [line.strip() for line in above][-len(leading) :] == leading:
        return PlacedLines(
            place, lines[count:], ("the comment above the segment stands there already",)
        )
    if not above:
        return PlacedLines(place, lines)
    start = place[0] - len("\n".join(above)) - 1
    note = f"the comment above `{spot.segment.name}` gave way to that of the new text"
    return PlacedLines((start, place[1]), lines, (note,))


def _comment_above(spot: SegmentTarget, at: int) -> list[str]:
    """Return the comment right above a line that describes it: no ruler, no directive to a tool."""
    rows = spot.flat[:at].removesuffix("\n").split("\n") if at else []
    found: list[str] = []
    for row in reversed(rows):
        is_about_this = is_comment(row, spot.language) and not _APART.fullmatch(row)
        if not is_about_this or indent_of(row) != spot.segment.indent:
            break
        found.insert(0, row)
    return found


def tail_end(spot: SegmentTarget) -> int:
    """Return where a segment ends together with its trailing lines."""
    if spot.has("tail-comments") and spot.part("signature") is not None:
        return _comments_end(spot)
    if spot.has("tail-tables") and _is_of_array(spot):
        return _tables_end(spot)
    return spot.span[1]


def place_of(spot: SegmentTarget, lines: list[str]) -> Span:
    """Return the span that new text replaces, with the comments at its end if the text has them.

    Tables inside a table of an array are segments of their own, and stay.
    """
    start, end = spot.span
    below = tail_end(spot) if spot.has("tail-comments") else end
    tail = [line.strip() for line in spot.lines((end, below)) if line.strip()]
    sent = [line.strip() for line in lines if line.strip()]
    return (start, below) if tail and sent[-len(tail) :] == tail else spot.span


def _comments_end(spot: SegmentTarget) -> int:
    """Return the end of the comment lines below a block that stand inside it.

    The grammar does not count them as part of the block; a reader of the file does.
    """
    end = at = spot.span[1]
    column = column_of(spot.segment.indent + ".")
    while at < len(spot.flat):
        line = spot.flat[at : spot.line_end(at)]
        at += len(line)
        if not line.strip():
            continue
        if not is_comment(line, spot.language) or column_of(line) <= column:
            break
        end = at
    return end


def _is_of_array(spot: SegmentTarget) -> bool:
    heading = spot.part("heading")
    return heading is not None and spot.flat.startswith("[[", heading[0])


def _tables_end(spot: SegmentTarget) -> int:
    """Return the end of the tables that belong to the last table of an array."""
    inner = [one for one in spot.target.outline.segments if _is_inner_table(spot.segment, one)]
    end = spot.span[1]
    for table in inner:
        between = spot.flat[end : spot.span_of(table)[0]]
        if any(line.lstrip().startswith("[") for line in between.split("\n")):
            raise Refused(_scattered(spot.segment, table))
        end = spot.span_of(table)[1]
    return end


def _is_inner_table(outer: Segment, segment: Segment) -> bool:
    is_below = len(segment.path) > len(outer.path) and segment.span[0] >= outer.span[1]
    return segment.kind == "table" and is_below and segment.path[: len(outer.path)] == outer.path


def _scattered(segment: Segment, table: Segment) -> Refusal:
    return Refusal(
        "wrong-segment-kind",
        f"table `{table.address}` is a part of `{segment.address}` and stands apart from it",
        help=say("edit both by {lines}, or bring them together first"),
    )
