"""New text as it came: blank edges, and a code fence around all of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keyhole.text.indent import is_blank

_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})[^`]*")


def content_lines(text: str) -> list[str]:
    """Return the lines of new text; blank lines around it are separators, which are nobody's."""
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if not is_blank(line)), len(lines))
    last = next((n for n in range(len(lines), first, -1) if not is_blank(lines[n - 1])), first)
    return lines[first:last]


def is_fence(line: str) -> bool:
    """Tell whether a line opens a code fence."""
    return _FENCE.fullmatch(line) is not None


def unfenced(lines: Sequence[str]) -> list[str] | None:
    """Return what a fence around the whole text holds, or None where there is no such fence."""
    opening = _FENCE.fullmatch(lines[0]) if len(lines) > 2 else None
    if not opening or lines[-1].strip() != opening["mark"]:
        return None
    return content_lines("\n".join(lines[1:-1]))
