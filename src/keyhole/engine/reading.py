"""Reading: a piece of a file, its outline, a search over the tree; nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from keyhole.answers.form import form_of
from keyhole.answers.reading import Hit, Hits, Outlined, OutlinedTree, Reading, SegmentRow, capped
from keyhole.edits.by_text.target import Target
from keyhole.edits.locate import span_of_lines
from keyhole.edits.model.operations import (
    PARTS,
    LineRange,
    bad,
    check_choice,
    check_text,
    line_range,
)
from keyhole.engine.prefilter import name_filter, regex_filter, text_filter
from keyhole.engine.template_facts import examined
from keyhole.fastclasses import dataclass, replace
from keyhole.matching.regex import starts
from keyhole.matching.rungs import occurrences
from keyhole.matching.view import View, plain_newlines
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.outline import Outline, Segment
from keyhole.segments.registry import outline as outline_of
from keyhole.text.document import Document, chop, split_lines
from keyhole.workspace.tree import Tree

if TYPE_CHECKING:
    from keyhole.segments.template_skeleton import DetectedTemplate
    from keyhole.templates.files import ExaminedFile

# How many files an answer shows the outlines of, and how many are read to find them.
_MOST_FILES = 500
_MOST_OUTLINED = 5_000
_MOST_LINE = 400
_MOST_AROUND = 200
# How many hits of an expression in one file are counted; plain text is counted at once.
_MOST_COUNTED = 200_000
_LEAST_QUOTE = 12
_MOST_ELSEWHERE = 3
# How much is looked through, in characters, for quotes that stand in other files.
_MOST_LOOKED = 1 << 30
# A file, and what is quoted of it.
Quoted = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """Which piece of a file to read: a segment or a part of it, or lines; nothing means all."""

    segment: str = ""
    part: str = "whole"
    lines: str | int | list[int] | None = None
    numbered: bool = True


def read(
    document: Document,
    path: str,
    wanted: ReadRequest,
    detect: Callable[[str, Document], DetectedTemplate | None] | None = None,
) -> Reading:
    """Return a piece of a file, with the hash of the whole."""
    target = Target(path, document, detect=detect)
    try:
        start, end, address = _span(target, wanted)
    except Refused as refused:
        at = (each.at(path=path, hash_current=document.hash) for each in refused.refusals)
        raise Refused(*(_counted(each, document) for each in at)) from None
    text = document.text[start:end]
    lines = [chop(line) for line in split_lines(text, document.terminator)]
    rows, truncated = capped(lines)
    first, total, cell = document.line_at(start), document.line_count, ""
    if document.stored and address:
        cell = address.partition("/")[0]
        first, total = document.line_shown(first), _lines_of_cell(document, first)
    exact = None if truncated else text
    return Reading(
        path,
        document.hash,
        first,
        rows,
        total,
        truncated,
        address,
        wanted.numbered,
        exact,
        form_of(document),
        cell,
        first + len(lines) - 1,
        marks=() if cell else document.marks,
    )


def _counted(refusal: Refusal, document: Document) -> Refusal:
    """Return a refusal whose lines count as answers count them."""
    if not document.stored:
        return refusal
    from keyhole.edits.cell_marks import counted_in_cells

    return counted_in_cells(refusal, document)


def _span(target: Target, wanted: ReadRequest) -> tuple[int, int, str]:
    """Return the offsets of what is wanted, and its canonical address."""
    check_text("segment", wanted.segment or None)
    check_choice("part", wanted.part, PARTS)
    lines = line_range(wanted.lines)
    if wanted.segment and lines is not None and not target.document.stored:
        bad("lines", say("and {segment} both name the place; give one of them"))
    if wanted.part != "whole" and not wanted.segment:
        bad("part", say("needs {segment} beside it"))
    if wanted.segment and target.document.flaw:
        from keyhole.edits.cell_marks import no_notebook

        raise Refused(no_notebook(target.path, target.document))
    if wanted.segment:
        from keyhole.edits.by_name.segment_target import found_segment, span_of_part

        segment = found_segment(target, wanted.segment).segment
        start, end = span_of_part(segment, wanted.part)
        if lines is not None:
            start, end = target.outline.by_address[segment.address.partition("/")[0]].span
            inside = Target(target.path, Document(target.document.text[start:end]))
            first, last = _lines(lines, inside)
            start, end = start + first, start + last
        return start, end, segment.address
    if lines is not None:
        return *_lines(lines, target), ""
    return 0, len(target.document.text), ""


def _lines_of_cell(document: Document, line: int) -> int:
    """Return how many lines the cell has that holds a line."""
    marks = (*document.marks, document.line_count + 1)
    cell = document.cell_at(line)
    return marks[cell] - marks[cell - 1] - 1


def _lines(lines: LineRange, target: Target) -> tuple[int, int]:
    """Return the offsets of lines to read; refuse the points that only edits can name."""
    count = target.document.line_count
    help_line = f"read lines from 1 to {count}" if count else "the file is empty"
    if lines.is_edge:
        beside = "{lines} is {}, a place beside the lines: there is nothing to read"
        headline = say(beside, lines.first)
        raise Refused(Refusal("bad-request", headline, help=help_line, data={"field": "lines"}))
    try:
        return span_of_lines(lines, target, is_scope=True)
    except Refused as refused:
        raise Refused(*(replace(each, help=help_line) for each in refused.refusals)) from None


@dataclass(frozen=True, slots=True)
class Shape:
    """Which segments an outline shows: how deep, of which kinds, with which words in their name."""

    depth: int = 0
    kinds: Collection[str] = ()
    query: str = ""


def outline(
    document: Document, path: str, shape: Shape, template: ExaminedFile | None = None
) -> Outlined:
    """Return the outline of one file, with what its template says of it."""
    found = outline_of(path, document)
    _ = document.starts  # every segment's lines are looked up
    kept = tuple(_row(segment, document) for segment in _shaped(found, shape))
    ways = ("text", "lines", "patch", *(("segment",) if found.by_address else ()))
    ways = () if document.flaw else ways
    others = () if kept else tuple(sorted({segment.kind for segment in found.listed}))
    answer = Outlined(path, document.hash, found.language, kept, found.unreadable, ways)
    answer = replace(answer, kinds=others, form=form_of(document))
    return _with_blocks(answer, found, document, shape, template) if template else answer


def _with_blocks(
    answer: Outlined, found: Outline, document: Document, shape: Shape, template: ExaminedFile
) -> Outlined:
    """Return the outline with the blocks of the template as rows of their own.

    If a block and a symbol have the same name, the name means the block.
    """
    blocks = template.detected.blocks if template.detected else ()
    hidden = {block.name: f"{block.name}#1" for block in blocks if block.name in found.by_address}
    others = tuple(
        replace(
            row,
            address=hidden.get(row.address, row.address),
            parent=hidden.get(row.parent, row.parent),
        )
        for row in answer.rows
    )
    inner = Outline(found.language, tuple(block.segment for block in blocks))
    rows = tuple(_row(segment, document) for segment in _shaped(inner, shape))
    header, schema = template.header, template.schema
    facts = {
        "id": header.template,
        "version": header.version,
        "created": header.created,
        "updated": header.updated,
        "blocks": [
            {
                "name": block.name,
                "type": block.type,
                "lines": list(document.lines_of(block.span)),
                "title": block.title,
            }
            for block in blocks
        ],
        "schema": schema.names if schema else {"required": [], "optional": []},
        "warnings": list(template.warnings),
    }
    ways = (*answer.editable, *(("template_block",) if blocks else ()))
    return replace(answer, rows=(*others, *rows), template=facts, editable=ways)


def _shaped(found: Outline, shape: Shape) -> Iterator[Segment]:
    depths: dict[str, int] = {"": 0}
    words = shape.query.casefold()
    for segment in found.listed:
        depth = depths.get(segment.parent, 0) + 1
        depths[segment.address] = depth
        deep = shape.depth and depth > shape.depth
        other = shape.kinds and segment.kind not in shape.kinds
        if not deep and not other and words in segment.address.casefold():
            yield segment


def _row(segment: Segment, document: Document) -> SegmentRow:
    places = {name: document.lines_of(span) for name, span in segment.parts.items()}
    parts = {name: document.lines_shown(lines) for name, lines in places.items()}
    lines = document.lines_shown(document.lines_of(segment.span))
    return SegmentRow(segment.address, segment.kind, lines, segment.parent, parts)


def outline_tree(tree: Tree, under: str, shape: Shape) -> OutlinedTree:
    """Return the outlines of the files below a directory that have one.

    A query is looked for in every file that may have such a segment; what the answer does not show,
    and what is not looked at any more, is counted.
    """
    files: list[Outlined] = []
    outlined = left = 0
    for path in tree.walk_texts(under, name_filter(shape.query)):
        if len(files) == _MOST_FILES or outlined == _MOST_OUTLINED:
            left += 1
            continue
        document = _text_of(tree, path)
        facts = examined(tree, path, document) if document else None
        found = outline(document, path, shape, facts) if document else None
        outlined += found is not None and found.language != "text"
        if found and found.rows:
            files.append(found)
    return OutlinedTree(under, tuple(files), len(files) + left)


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for: text or a regular expression, below a path, in files a glob names."""

    query: str
    path: str = "."
    regex: bool = False
    glob: str = ""
    context: int = 0
    limit: int = 100

    def __post_init__(self) -> None:
        """Refuse a search for nothing."""
        if not self.query:
            raise Refused(
                Refusal("bad-request", say("{query} is empty"), help="give the text to look for")
            )


def search(tree: Tree, wanted: Search) -> Hits:
    """Return the places that hold the query, each with the address of its segment."""
    hits: list[Hit] = []
    total, is_counted = 0, True
    passes = (regex_filter if wanted.regex else text_filter)(wanted.query)
    for path in tree.walk_texts(wanted.path, passes, glob=wanted.glob):
        document = _text_of(tree, path)
        if document is None:
            continue
        view = View(document)
        marks = {number - 1 for number in document.marks}
        first, count = _find(view, wanted, max(wanted.limit - len(hits), 0), marks)
        hits += _hits(path, document, view, first, wanted)
        total += count
        is_counted &= not wanted.regex or count < _MOST_COUNTED
    return Hits(tuple(hits), total, is_counted)


def _find(view: View, wanted: Search, most: int, marks: Collection[int]) -> tuple[list[int], int]:
    """Return where the first hits begin, and how many there are; an expression's up to a limit.

    The lines in `marks`, which tell of a notebook's cells, are in no cell, and not searched.
    """
    query = plain_newlines(wanted.query)
    if wanted.regex:
        found = starts(wanted.query, view.flat)
    else:
        found = _apart(occurrences(view.flat, query, 0, len(view.flat)), len(query))
    if marks:
        found = (at for at in found if view.line_of(at) not in marks)
    elif not wanted.regex:
        return list(islice(found, most)), view.flat.count(query)
    found = islice(found, _MOST_COUNTED) if wanted.regex else found
    first = list(islice(found, most))
    return first, len(first) + sum(1 for _ in found)


def _apart(starts: Iterator[int], size: int) -> Iterator[int]:
    reach = 0
    for start in starts:
        if start >= reach:
            yield start
            reach = start + size


def _hits(
    path: str, document: Document, view: View, found: list[int], wanted: Search
) -> Iterator[Hit]:
    if not found:
        return
    segments = outline_of(path, document)
    around = min(wanted.context, _MOST_AROUND)
    for start in found:
        number = view.line_of(start)
        near = max(number - around, 0)
        inner = segments.enclosing(view.offset(start))
        yield Hit(
            path,
            document.line_shown(number + 1),
            start - view.starts[number] + 1,
            view.lines[number][:_MOST_LINE],
            inner.address if inner else "",
            _rows(view, near, number),
            _rows(view, number + 1, number + 1 + around),
        )


def _rows(view: View, first: int, end: int) -> tuple[str, ...]:
    """Return lines around a hit, each cut like the hit's own."""
    return tuple(line[:_MOST_LINE] for line in view.lines[first:end]) if end > first else ()


def _text_of(tree: Tree, path: str) -> Document | None:
    """Return a file of the tree if it is text that may be read."""
    try:
        document = tree.read(path)
    except Refused:
        return None
    return None if document.is_binary else document


def elsewhere(tree: Tree, quotes: Collection[Quoted]) -> dict[Quoted, tuple[str, ...]]:
    """Return the files of the same type in which missing quotes stand.

    Each file is read once for all quotes, within a budget.
    """
    by_suffix: dict[str, dict[Quoted, list[str]]] = {}
    for path, quote in quotes:
        if len(quote.strip()) >= _LEAST_QUOTE:
            suffix = path.rpartition("/")[2].rpartition(".")[2]
            by_suffix.setdefault(suffix, {})[path, quote] = []
    looked = 0
    for suffix, found in by_suffix.items():
        for other in islice(tree.walk(glob=f"*.{suffix}"), _MOST_FILES):
            open_ones = [each for each, places in found.items() if len(places) < _MOST_ELSEWHERE]
            if not open_ones or looked > _MOST_LOOKED:
                break
            looked += _look_in(tree, other, open_ones, found)
    return {each: tuple(places) for own in by_suffix.values() for each, places in own.items()}


def _look_in(
    tree: Tree, other: str, quotes: Collection[Quoted], found: dict[Quoted, list[str]]
) -> int:
    """Note which missing quotes stand in a file; return how much text was searched."""
    wanted = [each for each in quotes if each[0] != other]
    document = _text_of(tree, other) if wanted else None
    if document is None:
        return 0
    view = View(document)
    for path, quote in wanted:
        if (at := view.flat.find(plain_newlines(quote).strip("\n"))) >= 0:
            found[path, quote].append(f"{other}:{document.place_shown(view.line_of(at) + 1)}")
    return len(view.flat) * len(wanted)
