"""What the outline of a file says of its blocks, for stretches that a quote leaves out."""

from __future__ import annotations

from keyhole.matching.query import Part, Structure
from keyhole.segments.languages.table import row_of
from keyhole.segments.literals import long_literals, python_literals
from keyhole.segments.outline import Outline, Segment
from keyhole.segments.registry import outline
from keyhole.text.document import Document, plain_lines

_FUNCTIONS = frozenset({"function", "method", "constructor", "modifier", "test"})
_SECTIONS = frozenset({"section", "preamble", "frontmatter"})


def structure_of(path: str, document: Document) -> Structure:
    """Return what is known of the blocks of a file besides their indentation."""
    found = outline(path, document)
    if found.language == "text":
        return Structure()
    if found.language == "markdown":
        sections = (each for each in found.segments if each.kind in _SECTIONS)
        return Structure("sections", tuple(_part(document, each) for each in sections))
    # Imports stand among other statements, and are no block.
    parts = tuple(_part(document, each) for each in found.segments if each.kind != "imports")
    kind = "yaml" if found.language == "yaml" else "code"
    return Structure(kind, parts, _comments(found.language), _inside_literals(found, document))


def _part(document: Document, segment: Segment) -> Part:
    first, last = document.lines_of(segment.span)
    return Part(first - 1, last, segment.level, segment.kind in _FUNCTIONS)


def _comments(language: str) -> tuple[str, ...]:
    row = row_of(language)
    marks = row.marks
    blocks = ("/*", "*/", "* ") if "//" in marks else ()
    directives = ("#",) if row.has_conditionals else ()
    markup = ("<!--",) if language in {"html", "xml", "vue"} else ()
    return (*marks, *blocks, *directives, *markup)


def _inside_literals(found: Outline, document: Document) -> frozenset[int]:
    """Return the lines, from 0, that begin inside a literal: their indentation is a value."""
    text = plain_lines(document.text)
    if found.language == "python":
        literals = python_literals(text)
    else:
        literals = long_literals(found.language, text, (0, len(text)))
    return frozenset(line for each in literals for line in each.inside)
