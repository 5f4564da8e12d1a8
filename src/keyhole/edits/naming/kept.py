"""Kept lines: what the new text repeats of the old keeps the file's bytes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from keyhole.edits.naming.layout import column_of
from keyhole.text.align import differences
from keyhole.text.indent import is_blank

_Key = tuple[int | str, str]

_SCALAR = re.compile(r"(?:^[ \t]*|[:\-] +)(?:[&!]\S+ +)*[|>][-+\d]*[ \t]*(?:#.*)?$")
_DASHES = re.compile(r" *(?:- +)*")
_SHOWN = re.compile(r"<(pre|textarea)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)


def verbatim(language: str, lines: Sequence[str]) -> frozenset[int]:
    """Return the lines whose blanks are text: in code of Markdown, a scalar of YAML, `<pre>`."""
    if language == "yaml":
        return frozenset(_in_scalars(lines))
    if language == "html":
        return frozenset(_in_tags(lines))
    if language == "markdown":
        return frozenset([*_in_tags(lines), *_in_code(lines)])
    return frozenset()


def _in_scalars(lines: Sequence[str]) -> Iterator[int]:
    depth = -1
    for number, line in enumerate(lines):
        if depth >= 0 and (is_blank(line) or column_of(line) > depth):
            yield number
            continue
        depth = -1
        if _SCALAR.search(line) and not line.lstrip().startswith("#"):
            dashes = _DASHES.match(line)
            is_key = ":" in line.rpartition("|")[0] + line.rpartition(">")[0]
            depth = len(dashes.group()) if dashes and is_key else column_of(line)


def _in_tags(lines: Sequence[str]) -> Iterator[int]:
    text = "\n".join(lines)
    return _lines_of(text, (found.span() for found in _SHOWN.finditer(text)))


def _in_code(lines: Sequence[str]) -> Iterator[int]:
    from keyhole.segments.markdown import elements

    text = "\n".join(lines)
    spans = ((each.start, each.end) for each in elements(text) if each.kind == "CodeBlock")
    return _lines_of(text, spans)


def _lines_of(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Yield the lines of spans, but the first of each."""
    number = at = 0
    for start, end in spans:
        if start < at:
            continue
        number += text.count("\n", at, start)
        last = number + text.count("\n", start, max(end - 1, start))
        yield from range(number + 1, last + 1)
        number, at = last, max(end - 1, start)


def keep(
    lines: Sequence[str],
    present: Sequence[str],
    values: Collection[int] = (),
    present_values: Collection[int] = (),
) -> list[str]:
    """Return lines, with the file's own for each that is the same but for what moving it changes.

    That is the blanks of a blank line, and tabs for spaces in an indent; but not within `values`,
    the lines inside a literal.
    """
    if lines == present:
        return list(lines)
    out, at, there = list(lines), 0, 0
    for hunk in differences(_keys(present, present_values), _keys(lines, values)):
        out[at : hunk.new_start] = present[there : hunk.old_start]
        at, there = hunk.new_end, hunk.old_end
    out[at:] = present[there:]
    return out


def _keys(lines: Sequence[str], values: Collection[int]) -> list[_Key]:
    return [_key(line, exact=number in values) for number, line in enumerate(lines)]


def _key(line: str, *, exact: bool) -> _Key:
    if exact:
        return "", line
    return (0, "") if is_blank(line) else (column_of(line), line.lstrip(" \t"))
