"""Headings of Markdown, as tools that name sections by their titles spell them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keyhole.answers.reading import SegmentRow

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)(.*)")
_CLOSING = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")


def heading(row: SegmentRow, rows: Sequence[str]) -> dict[str, object]:
    """Return a heading with its level and its own text, however it is marked."""
    first, last = row.parts["heading"]
    line = rows[first - 1]
    if match := _ATX.match(line):
        title = _CLOSING.sub("", match[2]).strip()
        return {"level": len(match[1]), "text": title, "line": first}
    words = [line.strip() for line in rows[first - 1 : last - 1]]
    level = 1 if rows[last - 1].lstrip().startswith("=") else 2
    return {"level": level, "text": " ".join(words), "line": first}
