"""Kept lines: what the new text repeats of the old keeps the file's bytes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from keyhole.edits.naming.layout import column_of
from keyhole.text.align import differences
from keyhole.text.indent import is_blank

_Key = tuple[int | str, str]


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
