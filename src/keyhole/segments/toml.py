"""TOML: tables and keys by path, by a scanner of our own: ast-grep has no TOML grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from keyhole.segments.code.layout import indent_of, line_end, line_start, own_lines
from keyhole.segments.outline import Outline, SegmentDraft, Span, line_ranges, name_segments
from keyhole.text.document import plain_lines

KINDS = ("table", "key", "item")

_STRING = (
    r'"""(?>(?:[^"\\]++|\\(?s:.)|"(?!""))*)"{3,5}'
    r"|'''(?>(?:[^']++|'(?!''))*)'{3,5}"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'[^'\n]*+'"
)
_PART = r'(?:[\w-]+|"(?:[^"\\\n]++|\\.)*+"|\'[^\'\n]*+\')'
_PATH = rf"{_PART}(?>(?:[ \t]*\.[ \t]*{_PART})*)"
_PARTS = re.compile(_PART)
_HEADER = re.compile(
    rf"[ \t]*\[(?P<array>\[?)[ \t]*(?P<path>{_PATH})[ \t]*\]\]?[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)"
)
_LOST_HEADER = re.compile(r"[ \t]*\[|[^=\n]*\w[^=\n]*\][ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)")
_KEY = re.compile(rf"[ \t]*(?P<path>{_PATH})[ \t]*=[ \t]*")
_NOTHING = re.compile(r"[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)")
_GAP = re.compile(r"(?>(?:[\s,]++|#[^\n]*+)*)")
_SCALAR = re.compile(rf"{_STRING}|[^\s,#\[\]{{}}\"'=]++(?: \d[^\s,#\[\]{{}}]*+)?")
_TOKEN = re.compile(rf"{_STRING}|#[^\n]*+|[\[\]{{}}]|\n(?={_KEY.pattern})")
_COMMA = re.compile(r"\s*(,)")
# Deeper than this nobody names a key, and each level reads the ones inside it again.
_DEEPEST = 16


class _Pair(NamedTuple):
    """A key or a numbered item, and the span of its value."""

    kind: str
    path: tuple[str, ...]
    start: int
    value: Span


class _Table(NamedTuple):
    """A table: its path, its header, and what stands below that up to the next one."""

    path: tuple[str, ...]
    header: Span
    pairs: list[_Pair]


def read_toml(text: str) -> Outline:
    """Return the outline of a TOML text."""
    flat = plain_lines(text)
    tables = [_Table((), (0, 0), [])]
    arrays: dict[tuple[str, ...], int] = {}
    broken: list[Span] = []
    at, is_lost = 0, False
    while at < len(flat):
        if nothing := _NOTHING.match(flat, at):
            at = nothing.end()
        elif header := _HEADER.match(flat, at):
            is_lost = False
            tables.append(_Table(_table_path(header, arrays), header.span(), []))
            at = header.end()
        elif not is_lost and (pair := _pair(flat, at, tables[-1].path)):
            tables[-1].pairs.append(pair)
            at = line_end(flat, pair.value[1])
        else:
            # Below a header that cannot be read, nobody knows which table a key is in.
            is_lost = is_lost or bool(_LOST_HEADER.match(flat, at))
            broken.append((at, line_end(flat, at)))
            at = broken[-1][1]
    drafts = (draft for table in tables for draft in _table_drafts(flat, table))
    return Outline("toml", name_segments(drafts), KINDS, ".", partial(line_ranges, text, broken))


def _table_path(header: re.Match[str], arrays: dict[tuple[str, ...], int]) -> tuple[str, ...]:
    """Return the path of a table, the numbers of the arrays it lies in included."""
    names = _names(header["path"])
    path: tuple[str, ...] = ()
    for index, name in enumerate(names):
        path = (*path, name)
        is_new = header["array"] and index == len(names) - 1
        if is_new:
            arrays[path] = arrays.get(path, -1) + 1
        if path in arrays:
            path = (*path, str(arrays[path]))
    return path


def _pair(flat: str, at: int, above: tuple[str, ...]) -> _Pair | None:
    """Read the key and value that stand at `at` on lines of their own."""
    pair = _key(flat, at, above)
    return pair if pair and _NOTHING.match(flat, pair.value[1]) else None


def _key(flat: str, at: int, above: tuple[str, ...]) -> _Pair | None:
    key = _KEY.match(flat, at)
    end = _value_end(flat, key.end()) if key else -1
    if not key or end < 0:
        return None
    path = (*above, *_names(key["path"]))
    return _Pair("key", path, key.start("path"), (key.end(), end))


def _value_end(flat: str, at: int) -> int:
    """Return the offset behind the value at `at`, or -1 if it has no end."""
    if flat[at : at + 1] not in {"[", "{"}:
        scalar = _SCALAR.match(flat, at)
        return scalar.end() if scalar else -1
    opened: list[str] = []
    for token in _TOKEN.finditer(flat, at):
        sign = token.group()
        if sign in {"[", "{"}:
            opened.append(sign)
        elif sign in {"]", "}"}:
            opened.pop()
        elif sign == "\n" and opened[-1] == "[":
            # A key begins a line inside an array: the array was never closed.
            return -1
        if not opened:
            return token.end()
    return -1


def _names(path: str) -> tuple[str, ...]:
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in _PARTS.findall(path))


def _table_drafts(flat: str, table: _Table) -> Iterator[SegmentDraft]:
    """Yield a table and the keys in it."""
    start, below = table.header
    if table.path:
        body = below, below
        if table.pairs:
            first, last = table.pairs[0], table.pairs[-1]
            above = below + len(flat[below : first.start]) - len(flat[below : first.start].lstrip())
            body = line_start(flat, min(above, first.start)), line_end(flat, last.value[1])
        parts = {"heading": table.header, "body": body}
        yield SegmentDraft("table", ".".join(table.path), table.path, (start, body[1]), parts)
    for pair in table.pairs:
        yield _draft(flat, pair)
        for inner in _inner(flat, pair, 1):
            yield _draft(flat, inner)


def _draft(flat: str, pair: _Pair) -> SegmentDraft:
    start, end = pair.start, pair.value[1]
    parts = {"body": pair.value}
    if comma := _COMMA.match(flat, end):
        parts["separator"] = comma.span(1)
    span = own_lines(flat, start, end) or (start, end)
    indent = indent_of(flat, start)
    return SegmentDraft(pair.kind, ".".join(pair.path), pair.path, span, parts, indent)


def _inner(flat: str, pair: _Pair, depth: int) -> Iterator[_Pair]:
    """Yield the keys of an inline table and the tables of an array, however deep."""
    start, end = pair.value
    if flat[start] not in "[{" or depth > _DEEPEST:
        return
    at, number = _after_gap(flat, start + 1), 0
    while at < end - 1:
        inner = _key(flat, at, pair.path) if flat[start] == "{" else _item(flat, at, pair, number)
        if not inner:
            return
        if inner.kind == "key" or flat[at] in "[{":
            yield inner
            yield from _inner(flat, inner, depth + 1)
        at = _after_gap(flat, inner.value[1])
        number += 1


def _item(flat: str, at: int, pair: _Pair, number: int) -> _Pair | None:
    end = _value_end(flat, at)
    return _Pair("item", (*pair.path, str(number)), at, (at, end)) if end > 0 else None


def _after_gap(flat: str, at: int) -> int:
    gap = _GAP.match(flat, at)
    assert gap, "BUG: the pattern of gaps matches everywhere"
    return gap.end()
