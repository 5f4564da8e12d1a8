"""What `TextInspect` tells of a file: headings, code blocks, front matter, anchors, groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keyhole.readings import Outlined, SegmentRow
from keyhole.text.document import Document

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)(.*)")
_CLOSING = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*([^\s`{},]*)")
_KEY = re.compile(r"([^\s:#'\"\[\]{}=][^:=#]*?)[ \t]*(?:[:](?:[ \t]|$)|=)")
_ANCHOR = re.compile(r"""\bid=["']([^"']+)["']|\{#([\w:.-]+)\}""")
_INI = re.compile(r"[ \t]*\[([^\]]+)\][ \t]*$")
_MOST_TEXT = 100


def structure(found: Outlined, document: Document) -> dict[str, object]:
    """Return the structure of a file, of the kinds that its format has."""
    data: dict[str, object] = {
        "totalLines": document.line_count,
        "fileSize": _size(len(document.to_bytes())),
        "format": found.language,
    }
    if found.language != "markdown":
        return {**data, **_plain(document)}
    front = [row for row in found.rows if row.kind == "frontmatter"]
    data["frontmatter"] = _front(front[0], document) if front else None
    blocks = [row for row in found.rows if row.kind == "code_block"]
    sections = [row for row in found.rows if row.kind == "section"]
    return {
        **data,
        "headings": [heading(row, document) for row in sections],
        "codeBlocks": [_block(row, document) for row in blocks],
        "anchors": list(_anchors(document, blocks)),
    }


def heading(row: SegmentRow, document: Document) -> dict[str, object]:
    """Return a heading with its level and its own text, however it is marked."""
    first, last = row.parts["heading"]
    line = document.line(first)
    if match := _ATX.match(line):
        title = _CLOSING.sub("", match[2]).strip()
        return {"level": len(match[1]), "text": title, "line": first}
    words = [document.line(number).strip() for number in range(first, last)]
    level = 1 if document.line(last).lstrip().startswith("=") else 2
    return {"level": level, "text": " ".join(words), "line": first}


def _front(row: SegmentRow, document: Document) -> dict[str, object]:
    """Return the front matter with its outermost keys; nested ones and comments are none."""
    first, last = row.lines
    lines = [document.line(number) for number in range(first + 1, last)]
    keys = [match[1] for line in lines if (match := _KEY.match(line))]
    return {"start": first, "end": last, "keys": keys}


def _block(row: SegmentRow, document: Document) -> dict[str, object]:
    first, last = row.lines
    fence = _FENCE.match(document.line(first))
    return {"start": first, "end": last, "language": fence[1] if fence else ""}


def _anchors(document: Document, blocks: Sequence[SegmentRow]) -> Iterator[dict[str, object]]:
    code = {number for row in blocks for number in range(row.lines[0], row.lines[1] + 1)}
    for number in range(1, document.line_count + 1):
        if number not in code:
            for match in _ANCHOR.finditer(document.line(number)):
                yield {"id": match[1] or match[2], "line": number}


def _plain(document: Document) -> dict[str, object]:
    """Return the sections of an INI file, and the first line of each group of lines."""
    sections, groups = [], []
    is_blank = True
    for number in range(1, document.line_count + 1):
        line = document.line(number)
        if match := _INI.match(line):
            sections.append({"name": match[1], "line": number})
        if is_blank and line.strip():
            groups.append({"line": number, "text": line.strip()[:_MOST_TEXT]})
        is_blank = not line.strip()
    return {"sections": sections, "groups": groups}


def _size(count: int) -> str:
    if count < 1024:
        return f"{count}B"
    kilobytes = count / 1024
    return f"{kilobytes:.1f}KB" if kilobytes < 1024 else f"{kilobytes / 1024:.1f}MB"
