"""Whole lines in and out of a document, with the line ends of their neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.text.changes import Change
from keyhole.text.document import Document


def newline_near(document: Document, start: int, end: int) -> str:
    """Return the line end in use at a span: the first in it, else behind it, else before it."""
    text = document.text
    if document.terminator == "\r":
        return "\r"
    at = text.find("\n", start, end)
    at = at if at >= 0 else text.find("\n", end)
    at = at if at >= 0 else text.rfind("\n", 0, start)
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def block(
    document: Document,
    start: int,
    end: int,
    lines: Sequence[str],
    endings: Sequence[str] | None = None,
) -> Change:
    """Return the change that puts `lines` where the whole lines in `[start, end)` stand.

    A file whose last line has no end keeps it so. `endings` gives each line its own end where that
    is known.
    """
    if start == end and not lines:
        return Change(start, end, "")
    text = document.text
    newline = newline_near(document, start, end)
    open_ended = end == len(text) and bool(text) and not text.endswith(document.terminator)
    ends = list(endings) if endings is not None else [newline] * len(lines)
    if open_ended and lines:
        ends[-1] = ""
    written = "".join(line + ending for line, ending in zip(lines, ends, strict=True))
    if open_ended and start == end and lines:
        written = newline + written
    if open_ended and not lines:
        start -= _ending_before(text, start)
    return Change(start, end, written)


def _ending_before(text: str, offset: int) -> int:
    """Return the length of the line end that closes the line before `offset`."""
    if text[:offset].endswith("\r\n"):
        return 2
    return 1 if offset else 0


def range_shown(document: Document, lines: tuple[int, int]) -> str:
    """Return a range of lines as a message names it: in a notebook with its cell."""
    first, last = lines
    if not document.stored:
        return f"{first}-{last}"
    if document.cell_at(first) != document.cell_at(last):
        return f"{document.place_shown(first)} to {document.place_shown(last)}"
    shown = document.lines_shown(lines)
    return f"{shown[0]}-{document.place_shown(last)}"


def line_span(document: Document, start: int, end: int) -> tuple[int, int]:
    """Return the whole lines that a span touches, terminators included."""
    text, mark = document.text, document.terminator
    first = text.rfind(mark, 0, start) + 1
    if end > start and text[end - 1] == mark:
        return first, end
    return first, text.find(mark, end) + 1 or len(text)
