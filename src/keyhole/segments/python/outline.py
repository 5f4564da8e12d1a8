"""Python: functions, methods, classes, constants, the import block and the module's docstring."""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import partial
from keyword import iskeyword
from typing import NamedTuple

from keyhole.segments.outline import Outline, SegmentDraft, Span, line_ranges, merged, name_segments
from keyhole.segments.python.lines import Definition, PythonBlocks, read_blocks
from keyhole.segments.python.strings import STRING
from keyhole.text.document import plain_lines

_GAP = r"(?:[ \t\f]|\\\r?\n)"
_NAME = rf"(?:(?:async{_GAP}+)?def|class){_GAP}+([^\W\d]\w*){_GAP}*"
_HEADER = re.compile(_NAME)
# The common header in one match; anything harder is read token by token.
_PLAIN_HEADER = re.compile(
    _NAME + r"(?:\([^()'\"#\\]*+\)[ \t]*)?(?:->[ \t]*[\w.]+[ \t]*(?:\[[\w., ]*+\][ \t]*)?)?:"
)
_TOKEN = re.compile(rf"{STRING}|#[^\n]*+|[()\[\]{{}}:;=]")
_DOC = re.compile(rf"(?:[rRuU]?(?:{STRING})[ \t\f]*(?:\\\r?\n[ \t\f]*)?)+(?:#[^\n]*+)?\r?(?=\n|\Z)")
# How long the pieces are, at the least, that a long text is read in.
_PIECE = 1 << 18
_BLANK_LINES = re.compile(r"(?:[ \t\f]*\r?\n)*")


class DefinitionHeader(NamedTuple):
    """The name a definition binds and the offset behind its colon."""

    name: str
    end: int


def header_of(blocks: PythonBlocks, block: Definition) -> DefinitionHeader | None:
    """Read a header: None where it has no name, an end of -1 where it has no colon."""
    code = blocks.code
    if plain := _PLAIN_HEADER.match(code, block.at):
        return DefinitionHeader(plain.group(1), plain.end())
    found = _HEADER.match(code, block.at)
    if not found:
        return None
    colon = _at_depth_zero(":", code, found.end(), blocks.line_end(block.start))
    return DefinitionHeader(found.group(1), colon + 1 if colon >= 0 else -1)


def _at_depth_zero(sign: str, code: str, start: int, end: int) -> int:
    """Return the offset of the first `sign` outside brackets, strings and comments, or -1."""
    depth = 0
    for token in _TOKEN.finditer(code, start, end):
        word = token.group()
        if word == sign and not depth:
            return token.start()
        if len(word) == 1:
            depth += (word in "([{") - (word in ")]}")
    return -1


def parts_of(blocks: PythonBlocks, block: Definition, header: DefinitionHeader) -> dict[str, Span]:
    """Return the spans of a definition's parts."""
    parts = {"decorators": (block.first, block.start)} if block.first < block.start else {}
    parts["signature"] = block.start, header.end
    if block.inside < 0:
        parts |= _inline_parts(blocks.code, header.end, block.end)
        return parts
    body = blocks.line_end(header.end)
    if (doc_end := docstring_end(blocks, block.inside)) > 0:
        parts["doc"] = blocks.code.rfind("\n", 0, block.inside) + 1, doc_end
        body = doc_end
    if blank := _BLANK_LINES.match(blocks.code, body, block.end):
        body = blank.end()
    parts["body"] = body, block.end
    return parts


def _inline_parts(code: str, header_end: int, end: int) -> dict[str, Span]:
    """Return the parts of a definition that goes on behind its colon, as exact characters."""
    start = header_end + len(code[header_end:end]) - len(code[header_end:end].lstrip())
    if doc := _DOC.match(code, start, end):
        return {"doc": (start, doc.end()), "body": (doc.end(), doc.end())}
    return {"body": (start, start + len(code[start:end].rstrip()))}


def docstring_end(blocks: PythonBlocks, at: int) -> int:
    """Return the offset behind the docstring that stands at `at`, its line end included, or -1."""
    doc = _DOC.match(blocks.code, at)
    return (blocks.code.find("\n", doc.end()) + 1 or len(blocks.code)) if doc else -1


def value_of(blocks: PythonBlocks, at: int) -> Span | None:
    """Return the span of what the statement at `at` assigns, None where more is on its line."""
    code, end = blocks.code, blocks.line_end(at)
    equals = _at_depth_zero("=", code, at, end)
    last_line = max(code.rfind("\n", at, end - 1), at)
    # A comment or another statement can only follow on the last line; mostly none does.
    if code.find("#", last_line, end) >= 0 or code.find(";", last_line, end) >= 0:
        if _at_depth_zero(";", code, at, end) >= 0:
            return None
        comments = [token.start() for token in _TOKEN.finditer(code, at, end) if token[0][0] == "#"]
        end = comments[-1] if comments and comments[-1] > last_line else end
    end = at + len(code[at:end].rstrip())
    if equals < 0:
        return end, end
    return end - len(code[equals + 1 : end].lstrip()), end


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
    at_margin = (draft.span[0] for draft in drafts if len(draft.path) == 1 and not draft.indent)
    cuts = () if broken else tuple(_cuts(at_margin))
    drafts.extend(draft for draft in _statements(blocks) if draft.stem not in taken)
    find_unreadable = partial(_unreadable, text, tuple(broken), cuts)
    return Outline("python", name_segments(drafts), KINDS, ".", find_unreadable)


def _cuts(starts: Iterable[int]) -> Iterator[int]:
    """Yield where a long text may be cut into pieces: before definitions, far apart."""
    last = 0
    for start in starts:
        if start - last > _PIECE:
            yield start
            last = start


def _definitions(blocks: PythonBlocks) -> tuple[list[SegmentDraft], list[Span]]:
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


def _is_cut(block: Definition, blocks: PythonBlocks) -> bool:
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


def _statements(blocks: PythonBlocks) -> Iterator[SegmentDraft]:
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


def _constant(blocks: PythonBlocks, at: int) -> Iterator[SegmentDraft]:
    found = _CONSTANT.match(blocks.code, at)
    name = (found[1] or found[2]) if found else ""
    if not name or iskeyword(name):
        return
    value = value_of(blocks, at)
    if value:
        name = _normal(name)
        span = at, blocks.line_end(at)
        yield SegmentDraft("variable", name, (name,), span, {"body": value})


def _unreadable(text: str, broken: tuple[Span, ...], cuts: tuple[int, ...]) -> tuple[Span, ...]:
    """Return the lines of the broken stretches, and of errors elsewhere.

    A syntax tree takes a hundred times its text, so a long text is read piece by piece. Definitions
    of a sound text begin statements, and pieces that are sound make a sound whole.
    """
    ends = (*cuts, len(text))
    if all(_is_sound(text[a:b]) for a, b in zip((0, *cuts), ends, strict=True)):
        return ()
    from keyhole.segments.code.parser import error_spans

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
