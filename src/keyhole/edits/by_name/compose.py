"""Read new text against its place in the file: its indentation, and what it defines."""

from __future__ import annotations

from typing import NamedTuple

from keyhole.edits.by_name.fitting import FittedText, FixedLines
from keyhole.edits.by_name.layout import TAB, column_of, keep, layout_of, verbatim
from keyhole.edits.by_name.reading import TargetLayout, inside_of
from keyhole.edits.by_name.segment_target import SegmentTarget, is_fence
from keyhole.edits.by_text.columns import wrong_column
from keyhole.edits.by_text.reindent import spelled_indent
from keyhole.fastclasses import replace
from keyhole.segments.languages.table import row_of
from keyhole.segments.literals import Literal, long_literals, python_literals
from keyhole.segments.outline import Segment, Span
from keyhole.segments.registry import outline
from keyhole.text.document import Document
from keyhole.text.indent import IndentStyle, columns, indent_of, is_blank, margin, style_of


def block_of(spot: SegmentTarget, lines: list[str], place: Span, indent: str) -> FittedText:
    """Return new text, read against what stands at a place that is indented by `indent`."""
    start, end = place
    present = tuple(spot.lines(place))
    if present and spot.line_start(start) != start:
        present = (indent + present[0], *present[1:])
    there = (
        _literals(spot, spot.flat, (start, start + len("\n".join(spot.lines(place)))))
        if present
        else ()
    )
    text = "\n".join(lines)
    spliced = f"{spot.flat[:start]}{text}\n{spot.flat[end:]}"
    frame = TargetLayout(spot.language, local_style(spot), indent, present, there)
    return FittedText(tuple(lines), _literals(spot, spliced, (start, start + len(text))), frame)


def _literals(spot: SegmentTarget, text: str, within: Span) -> tuple[Literal, ...]:
    """Return the literals in a part of a text; the whole text is read where that tells more."""
    if spot.language == "python":
        return python_literals(text[slice(*within)])
    if spot.language == "markdown":
        return ()
    return long_literals(spot.language, text, within)


def local_style(spot: SegmentTarget) -> IndentStyle:
    """Return how the segment indents what is inside it, else the file, else the new text."""
    lines = spot.lines(spot.span)
    if lines and spot.language == "yaml":
        # The first key of a list item stands behind a dash, at the column of those below it.
        lines[0] = " " * (spot.span[0] - spot.line_start(spot.span[0])) + lines[0]
    literals = long_literals(spot.language, spot.flat, spot.span)
    layout = layout_of(lines, spot.language, inside_of(literals))
    own = {indent[0] for line in lines if not is_blank(line) and (indent := indent_of(line))}
    if own == {"\t"}:
        return IndentStyle("\t", 1)
    if layout and len(layout.steps) == 1 and own == {" "}:
        return IndentStyle(" ", next(iter(layout.steps)))
    if spot.target.style.character:
        return spot.target.style
    sent = style_of(spot.target.view.plain(spot.edit.content or "").split("\n"))
    step = row_of(spot.language).step
    return sent if sent.character else IndentStyle(step[0], len(step))


class Misplaced(Exception):  # noqa: N818 - an answer with what it offers, not an error
    """The column that the caller asks for puts the new text into another block."""


def fit_text(spot: SegmentTarget, block: FittedText) -> list[str]:
    """Return the text at its place; raise `Misplaced` if the column puts it into another block."""
    message = "" if spot.moves else _misplaced(spot, block)
    if message:
        raise Misplaced(message)
    return indented_text(spot, block)


def _misplaced(spot: SegmentTarget, block: FittedText) -> str:
    """Return the message that the column asked for is not that of the place."""
    indentation, heads = spot.edit.indent, block.layout.heads if block.layout else ()
    if indentation == "auto" or not heads or not spot.has("layout"):
        return ""
    place, first = block.frame.indent, block.lines[heads[0]]
    column = column_of(first) if indentation == "keep" else int(indentation)
    if column == columns(place, TAB):
        return ""
    return wrong_column(place, len(indent_of(first)) if indentation == "keep" else indentation)


def indented_text(spot: SegmentTarget, block: FittedText) -> list[str]:
    """Return the text as the edit's `indent` says it shall be written."""
    indentation = spot.edit.indent
    if indentation == "keep":
        return list(block.lines)
    if spot.language == "markdown":
        return _in_markdown(spot, block)
    indent = (
        block.frame.indent
        if indentation == "auto"
        else spelled_indent(int(indentation), block.frame.style)
    )
    out, present = block.fit(indent), block.frame.present
    if not present:
        return out
    values = block.inside | verbatim(spot.language, out)
    theirs = inside_of(block.frame.literals) | verbatim(spot.language, present)
    return keep(out, present, values, theirs)


def _in_markdown(spot: SegmentTarget, block: FittedText) -> list[str]:
    """Return Markdown at its place; only its outermost indent changes."""
    indentation, present = spot.edit.indent, block.frame.present
    sent = list(block.lines)
    if isinstance(indentation, int):
        return [_at(line, " " * indentation) for line in _flush(sent)]
    is_text = spot.segment.kind != "code_block" and spot.edit.part != "body"
    forms = [_moved(block, indent, _flush(sent) if is_text else sent) for indent in _indents(block)]
    # The file decides: what it has of the text is where the rest belongs, too.
    stands = frozenset(present)
    best = max([*forms, sent], key=lambda form: sum(line in stands for line in form))
    if not present:
        return best
    if spot.segment.kind == "code_block":
        return keep(best, present, range(len(best)), range(len(present)))
    return keep(best, present, verbatim("markdown", best), verbatim("markdown", present))


def _indents(block: FittedText) -> list[str]:
    """Return the indents that the text may be meant for, likeliest first."""
    indent, lines = block.frame.indent, list(block.lines)
    if indent and _is_indented(lines, indent):
        return [""]
    return [indent, margin(block.frame.present)]


def _moved(block: FittedText, indent: str, lines: list[str]) -> list[str]:
    if indent and len(lines) > 1 and is_fence(lines[0]) and _is_indented(lines[1:], indent):
        lines = [lines[0], *(line.removeprefix(indent) for line in lines[1:])]
    stays, present = FixedLines(block.frame.present, indent), frozenset(block.frame.present)
    moved = [(line, _at(line, indent)) for line in lines]
    return [new if new in present else stays.find(line) or new for line, new in moved]


def _at(line: str, indent: str) -> str:
    return line if is_blank(line) else indent + line


def _is_indented(lines: list[str], indent: str) -> bool:
    return all(line.startswith(indent) for line in lines if not is_blank(line))


def _flush(lines: list[str]) -> list[str]:
    size = len(margin(lines))
    return [line[size:] for line in lines]


class Definitions(NamedTuple):
    """The outermost segments of new text, in offsets of `source`, which has the same lines."""

    source: str
    segments: tuple[Segment, ...]

    @property
    def is_all(self) -> bool:
        """Whether nothing stands before the first segment and behind the last."""
        start, end = self.segments[0].span[0], self.segments[-1].span[1]
        return not (self.source[:start] + self.source[end:]).strip()

    def line_of(self, at: int) -> int:
        """Return the number of the line that holds an offset, from 0."""
        return self.source.count("\n", 0, at)


def definitions_in(spot: SegmentTarget, block: FittedText, place: Span) -> Definitions:
    """Return what new text defines, read alone or, where a fragment says too little, in place."""
    if spot.language in _EXTENSION:
        source = "\n".join(block.at(""))
        found = outline(f"_.{_EXTENSION[spot.language]}", Document(source)).segments
        return Definitions(source, tuple(segment for segment in found if not segment.parent))
    source = "\n".join(block.lines)
    start, end = place
    text = f"{spot.flat[:start]}{source}\n{spot.flat[end:]}"
    inner = [
        _shifted(segment, -start)
        for segment in outline(spot.target.path, Document(text)).segments
        if start <= segment.span[0] and segment.span[1] <= start + len(source) + 1
    ]
    outermost = [one for one in inner if not any(_holds(other, one) for other in inner)]
    return Definitions(source, tuple(outermost))


_EXTENSION = {"python": "py", "markdown": "md"}


def _shifted(segment: Segment, by: int) -> Segment:
    parts = {name: (start + by, end + by) for name, (start, end) in segment.parts.items()}
    return replace(segment, span=(segment.span[0] + by, segment.span[1] + by), parts=parts)


def _holds(outer: Segment, inner: Segment) -> bool:
    return outer is not inner and outer.span[0] <= inner.span[0] and inner.span[1] <= outer.span[1]
