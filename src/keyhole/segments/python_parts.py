"""The parts of a Python definition: header, docstring, body; the value of a constant."""

from __future__ import annotations

import re
from typing import NamedTuple

from keyhole.segments.outline import Span
from keyhole.segments.python_blocks import Blocks, Definition
from keyhole.segments.python_strings import STRING

_GAP = r"(?:[ \t\f]|\\\r?\n)"
_NAME = rf"(?:(?:async{_GAP}+)?def|class){_GAP}+([^\W\d]\w*){_GAP}*"
_HEADER = re.compile(_NAME)
# The common header in one match; anything harder is read token by token.
_PLAIN_HEADER = re.compile(
    _NAME + r"(?:\([^()'\"#\\]*+\)[ \t]*)?(?:->[ \t]*[\w.]+[ \t]*(?:\[[\w., ]*+\][ \t]*)?)?:"
)
_TOKEN = re.compile(rf"{STRING}|#[^\n]*+|[()\[\]{{}}:;=]")
_DOC = re.compile(rf"(?:[rRuU]?(?:{STRING})[ \t\f]*(?:\\\r?\n[ \t\f]*)?)+(?:#[^\n]*+)?\r?(?=\n|\Z)")
_BLANK_LINES = re.compile(r"(?:[ \t\f]*\r?\n)*")


class DefinitionHeader(NamedTuple):
    """The name a definition binds and the offset behind its colon."""

    name: str
    end: int


def header_of(blocks: Blocks, block: Definition) -> DefinitionHeader | None:
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


def parts_of(blocks: Blocks, block: Definition, header: DefinitionHeader) -> dict[str, Span]:
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


def docstring_end(blocks: Blocks, at: int) -> int:
    """Return the offset behind the docstring that stands at `at`, its line end included, or -1."""
    doc = _DOC.match(blocks.code, at)
    return (blocks.code.find("\n", doc.end()) + 1 or len(blocks.code)) if doc else -1


def value_of(blocks: Blocks, at: int) -> Span | None:
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
