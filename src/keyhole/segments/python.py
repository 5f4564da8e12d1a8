"""Python: functions, methods, classes, constants, the import block and the module's docstring."""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from bisect import bisect_left
from collections.abc import Iterator
from functools import partial
from keyword import iskeyword

from keyhole.segments.outline import (
    Outline,
    SegmentDraft,
    Span,
    line_ranges,
    merged,
    name_segments,
    plain_lines,
)
from keyhole.segments.python_blocks import Blocks, Definition, read_blocks
from keyhole.segments.python_parts import docstring_end, header_of, parts_of, value_of

KINDS = ("class", "function", "method", "variable", "imports", "docstring")

_CONSTANT = re.compile(
    r"(?:type[ \t]+([^\W\d]\w*)[ \t]*(?:\[[^\n]*\][ \t]*)?=|([^\W\d]\w*)[ \t]*[=:])(?!=)"
)
_IMPORT = re.compile(r"(?:import|from)[ \t\f\\]")


def read_python(text: str) -> Outline:
    """Return the outline of Python source, or of the sound parts of a broken one."""
    blocks = read_blocks(plain_lines(text))
    drafts, broken = _definitions(blocks)
    # A name that is also defined is rebound, no constant; the definition keeps the plain address.
    taken = {draft.stem for draft in drafts}
    drafts.extend(draft for draft in _statements(blocks) if draft.stem not in taken)
    return Outline(
        "python", name_segments(drafts), KINDS, ".", partial(_unreadable, text, tuple(broken))
    )


def _definitions(blocks: Blocks) -> tuple[list[SegmentDraft], list[Span]]:
    """Return a draft for each sound definition, and the spans that are not sound."""
    drafts: list[SegmentDraft] = []
    broken = list(blocks.broken)
    paths: dict[int, tuple[str, ...]] = {-1: ()}
    classes: set[int] = set()
    for block in blocks.definitions:
        outer = block.outer.at if block.outer else -1
        header = header_of(blocks, block) if outer in paths else None
        if header is None:
            broken.append((block.first, block.end))
            continue
        path = (*paths[outer], _normal(header.name))
        paths[block.at] = path
        is_class = blocks.code.startswith("class", block.at)
        if is_class:
            classes.add(block.at)
        if header.end < 0 or _is_cut(block, blocks):
            broken.append((block.first, blocks.line_end(block.start)))
            continue
        kind = "class" if is_class else "method" if outer in classes else "function"
        parts = parts_of(blocks, block, header)
        indent = blocks.code[block.start : block.at]
        drafts.append(
            SegmentDraft(kind, ".".join(path), path, (block.first, block.end), parts, indent)
        )
    return drafts, broken


def _is_cut(block: Definition, blocks: Blocks) -> bool:
    """Tell whether a broken stretch makes the first or the last line of a definition uncertain.

    A stretch inside it that has a line no deeper than the definition may have ended it.
    """
    if any(map(blocks.is_broken, (block.first, block.start, block.last))):
        return True
    return any(
        _is_shallow(line, block.column)
        for start, end in blocks.broken
        if block.start < start < block.last
        for line in blocks.code[start:end].split("\n")
    )


def _is_shallow(line: str, column: int) -> bool:
    bare = line.lstrip(" \t\f")
    indent = line[: len(line) - len(bare)].rpartition("\f")[2]
    return bool(bare.strip()) and len(indent.expandtabs(8)) <= column


def _normal(name: str) -> str:
    """Return an identifier as the language compares it."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def _statements(blocks: Blocks) -> Iterator[SegmentDraft]:
    """Yield the docstring, the import block and the constants of a module."""
    imports: list[int] = []
    is_open = True
    for index, at in enumerate(blocks.statements):
        if blocks.is_broken(at):
            continue
        if index == 0 and (end := docstring_end(blocks, at)) > 0:
            yield SegmentDraft(
                "docstring", "docstring", ("docstring",), (at, end), {"doc": (at, end)}
            )
        elif _IMPORT.match(blocks.code, at):
            if is_open:
                imports.append(at)
        else:
            is_open = not imports
            yield from _constant(blocks, at)
    if imports:
        span = imports[0], blocks.line_end(imports[-1])
        yield SegmentDraft("imports", "imports", ("imports",), span, {"body": span})


def _constant(blocks: Blocks, at: int) -> Iterator[SegmentDraft]:
    found = _CONSTANT.match(blocks.code, at)
    name = (found[1] or found[2]) if found else ""
    if not name or iskeyword(name):
        return
    value = value_of(blocks, at)
    if value:
        name = _normal(name)
        span = at, blocks.line_end(at)
        yield SegmentDraft("variable", name, (name,), span, {"body": value})


def _unreadable(text: str, broken: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return the lines of the broken stretches, and of errors elsewhere."""
    if _is_sound(text):
        return ()
    from keyhole.segments.code import error_spans

    known = merged(broken)
    errors = [
        error
        for error in error_spans("python", text)
        if not any(error[0] < end for _, end in known[: bisect_left(known, (error[1], 0))][-1:])
    ]
    return line_ranges(text, [*known, *errors])


def _is_sound(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
