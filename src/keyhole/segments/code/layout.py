"""Layout: the whole lines of a declaration, from its span."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from keyhole.segments.outline import Span

_TRAILER = re.compile(r"[ \t]*(?:[;,][ \t]*)?(?:(?://|#|--|/\*|<!--|;)[^\n]*)?\r?(?:\n|\Z)")
_INDENT = re.compile(r"[ \t]*")
_END_MARK = re.compile(r"[ \t]*;")
_BLANK = " \t\r\n\f"
_OPENING = re.compile(
    r"(?:(?:struct|interface|union|enum|class|opaque|packed|extern)\b[^{}\"'=]*|a?sync\b\*?\s*)?"
    r"(\{|do\b|=>?\s*|:(?=[ \t]*\r?\n))"
    # What a body calls its own object belongs to the brace: `{ self =>`.
    r"(?:(?<=\{)[ \t]*(?!get\b|set\b|init\b)[\w.]+(?:[ \t]*:[^\n{}=;]+)?[ \t]*=>(?=[ \t]*\r?\n))?"
)
_EMPTY_BRACES = re.compile(r"\{\s*\}\s*$")
_CLOSERS = {"{": "}", "do": "end", "=": "", "=>": "", ":": ""}
# What may stand at a declaration's own column before its last line: an opening brace, a label, a
# directive, a comment.
_FLUSH = re.compile(r"\{|#|//|/\*|\*|--|\w+\s*:(?!:)")
_CLOSER = re.compile(r"[})\]]|end\b|<\/")


@lru_cache(maxsize=2)
def _starts(text: str) -> list[int]:
    """Return the starts of the lines of a text, computed once."""
    return [0, *(found.end() for found in re.finditer("\n", text))]


def line_start(text: str, at: int) -> int:
    """Return the offset of the line that holds `at`."""
    starts = _starts(text)
    return starts[bisect_right(starts, at) - 1]


def line_end(text: str, at: int) -> int:
    """Return the offset behind the line that holds `at`, its terminator included."""
    starts = _starts(text)
    line = bisect_right(starts, at)
    return starts[line] if line < len(starts) else len(text)


def indent_of(text: str, at: int) -> str:
    """Return the blanks that the line of `at` begins with, up to `at`."""
    indent = _INDENT.match(text, line_start(text, at), at)
    return indent.group() if indent else ""


def begins_line(text: str, at: int) -> bool:
    """Tell whether only blanks stand before `at` on its line."""
    while at and text[at - 1] in " \t\f":
        at -= 1
    return not at or text[at - 1] == "\n"


def own_lines(text: str, start: int, end: int) -> Span | None:
    """Return the lines from `start` to `end` if nothing else stands on them, comments aside."""
    if not begins_line(text, start) or not _TRAILER.match(text, end):
        return None
    return line_start(text, start), line_end(text, end)


def with_end_mark(text: str, end: int) -> int:
    """Return the end of a declaration with the semicolon that follows it."""
    mark = _END_MARK.match(text, end)
    return mark.end() if mark else end


def trimmed_end(text: str, start: int, end: int) -> int:
    """Return `end` before the blanks that lead up to it."""
    return start + len(text[start:end].rstrip(_BLANK))


def inside(text: str, body: Span) -> Span:
    """Return what lies between the marks that open and close a body, or all of it if none do."""
    start, end = body[0], trimmed_end(text, *body)
    opening = _OPENING.match(text, start, end)
    closer = _CLOSERS[opening[1].rstrip()] if opening else ""
    if opening and text.endswith(closer, opening.end(), end):
        return content(text, opening.end(), end - len(closer))
    return content(text, start, end)


def empty_body(text: str, start: int, end: int) -> Span | None:
    """Return the place between empty braces at the end of a declaration, if it has such."""
    braces = _EMPTY_BRACES.search(text[start:end])
    return (start + braces.start() + 1,) * 2 if braces else None


def opening_of(text: str, body: Span) -> int:
    """Return the offset of the mark that opens a body, or of the body if none does."""
    opening = _OPENING.match(text, *body)
    return opening.start(1) if opening else body[0]


def content(text: str, start: int, end: int) -> Span:
    """Return the lines of [start, end) without blank edges, or its characters if it is one line."""
    content = text[start:end]
    if not content.strip(_BLANK):
        return start, start
    first = start + len(content) - len(content.lstrip(_BLANK))
    last = start + len(content.rstrip(_BLANK))
    return own_lines(text, first, last) or (first, last)


def closes_flush(text: str, span: Span) -> bool:
    """Tell whether a declaration that braces close is closed at the column where it begins."""
    first = line_start(text, span[0])
    lines = text[first : span[1]].rstrip(_BLANK).split("\n")
    is_braced = lines[0].rstrip().endswith("{") or _CLOSER.match(lines[-1].strip(_BLANK))
    return len(lines) == 1 or not is_braced or _depth(lines[-1]) == _depth(lines[0])


def ends_surely(text: str, span: Span) -> bool:
    """Tell whether the indentation confirms the end of a declaration with an error inside."""
    lines = text[slice(*span)].rstrip(_BLANK).split("\n")
    base = _depth(lines[0])
    if lines[0].rstrip().endswith("{") and _depth(lines[-1]) > base:
        return False
    for number, line in enumerate(lines[1:], 2):
        bare = line.strip(_BLANK)
        if not bare or _depth(line) > base:
            continue
        is_last = number == len(lines)
        if not (_CLOSER if is_last else _FLUSH).match(bare) or (
            _depth(line) < base and bare[0] != "#"
        ):
            return False
    return True


def _depth(line: str) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip(" "))
