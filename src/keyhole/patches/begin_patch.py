"""The `*** Begin Patch` format: files added, updated, deleted, moved; `@@` lines as anchors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from keyhole.edits.model.hunk import ADD, KEEP, REMOVE, Hunk, Line
from keyhole.edits.model.operations import DeleteFile, MoveFile, Operation, WriteFile
from keyhole.patches.common import bad_patch, lines_of, path_of
from keyhole.patches.unified import is_open

_HEADER = re.compile(r"^\*\*\* (Add|Delete|Update) File: ?(.+)$")
_PADDED = re.compile(r"^[ \t]+(?=\*\*\* (?:Begin Patch|(?:Add|Delete|Update) File: ?.))")
_MOVE = "*** Move to: "
_END_OF_FILE = "*** End of File"
_ENVELOPE = ("*** Begin Patch", "*** End Patch")
_OWN = re.compile(r"\*\*\* (?:Begin Patch|End Patch|Add|Delete|Update)|@@")
_NO_END = "\\ No newline at end of file"
_CLASSIC = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)?(?: @@)?|^\*\*\*\s*$")
_MARKS = frozenset({KEEP, REMOVE, ADD})
# Tabs that are written out at the start of a line.
_WRITTEN_TABS = re.compile(r"^ *(?:\\t)+")


def is_mark(line: str) -> bool:
    """Tell whether a line says that this is the format, with its envelope or without."""
    line = _PADDED.sub("", line)
    return line.startswith(_ENVELOPE[0]) or _HEADER.match(line) is not None


def parse(text: str, path: str = "") -> tuple[Operation, ...]:
    """Return the operations of a patch, or refuse it; without a header it is for `path`."""
    lines = _with_plain_headers(_inside(lines_of(text, _OWN)))
    starts = [index for index, line in enumerate(lines) if _HEADER.match(line)]
    if not starts and path:
        return tuple(_updated(path, lines))
    if not starts:
        help_line = "name the file: *** Update File: path"
        raise bad_patch("the patch names no file", help_line)
    operations: list[Operation] = []
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        found = _HEADER.match(lines[start])
        assert found, "BUG: not a header"
        named = path_of(found[2].strip(), prefixed=False)
        operations += _section(found[1], named, lines[start + 1 : stop])
    return tuple(operations)


def _inside(lines: list[str]) -> list[str]:
    """Return what the envelope holds; a missing end, or a shell's wrapping around it, is fine."""
    starts = [n for n, line in enumerate(lines) if line.rstrip() == _ENVELOPE[0]]
    if len(starts) > 1:
        raise bad_patch("the patch begins twice", "send one *** Begin Patch")
    texts = [n for n, line in enumerate(lines) if line.strip()]
    starts = starts or [n for n in texts[:1] if lines[n].strip() == _ENVELOPE[0]]
    first = starts[0] + 1 if starts else 0
    ends = [n for n in range(first, len(lines)) if lines[n].rstrip() == _ENVELOPE[1]]
    ends = ends or [n for n in texts[-1:] if lines[n].strip() == _ENVELOPE[1]]
    return lines[first : ends[0]] if ends else lines[first:]


def _with_plain_headers(lines: list[str]) -> list[str]:
    """Return the lines without the blanks before a header that cannot be a kept line."""
    out: list[str] = []
    is_update = in_hunk = False
    for given, below in zip_longest(lines, lines[1:], fillvalue=""):
        is_kept = in_hunk and not below.startswith("@@")
        line = given if is_kept else _PADDED.sub("", given)
        header = _HEADER.match(line)
        is_update = header[1] == "Update" if header else is_update
        in_hunk = (
            is_update and not header and (in_hunk or line[:1] in _MARKS or line.startswith("@@"))
        )
        out.append(line)
    return out


def _section(verb: str, path: str, body: Sequence[str]) -> Iterator[Operation]:
    if verb == "Delete":
        if any(body):
            raise bad_patch(f"the deletion of {path} has lines", "a deletion stands alone")
        yield DeleteFile(path)
    elif verb == "Add":
        yield _added(path, body)
    else:
        yield from _updated(path, list(body))


def _added(path: str, body: Sequence[str]) -> Operation:
    lines = _without_blank_tail(body)
    is_open = lines[-1:] == [_NO_END]
    lines = lines[:-1] if is_open else lines
    if any(not line.startswith(ADD) for line in lines):
        raise bad_patch(f"a line of the new file {path} is not marked", "mark every line with +")
    text = "".join(line[1:] + "\n" for line in lines)
    return WriteFile(path, text.removesuffix("\n") if is_open else text)


def _updated(path: str, body: list[str]) -> Iterator[Operation]:
    target = ""
    if body and body[0].lstrip().startswith(_MOVE):
        target = path_of(body.pop(0).lstrip()[len(_MOVE) :].strip(), prefixed=False)
    hunks = tuple(_hunks(path, body))
    if target:
        yield MoveFile(path, target, hunks=hunks)
    elif hunks:
        yield from hunks
    else:
        raise bad_patch(f"the update of {path} has no lines", "mark lines with + and -")


def _hunks(path: str, body: Sequence[str]) -> Iterator[Hunk]:
    """Yield the hunks of a file; lines that are only kept are an anchor of the next hunk."""
    anchors: list[str] = []
    piece: list[str] = []
    count = 0
    for line in [*body, "@@"]:
        if not line.startswith("@@") and line.rstrip() != "***":
            piece.append(line)
            continue
        # A blank line without a mark may belong to the patch: it tells no places apart.
        if piece := _without_blank_tail(piece):
            hunk = _hunk(path, piece, anchors)
            if changes := any(mark != KEEP for mark, _ in hunk.lines):
                yield hunk
            count += changes
            kept = "\n".join(hunk.new)
            anchors = [] if changes else [*anchors, *([kept] if kept.strip() else [])]
        piece, anchor = [], _CLASSIC.sub("", line).removeprefix("@@")
        if anchor := anchor.strip().removesuffix("@@").rstrip():
            anchors.append(anchor)
    if not count and anchors:
        raise bad_patch(f"a hunk of {path} changes nothing", "mark lines with + and -")


def _without_blank_tail(body: Sequence[str]) -> list[str]:
    lines = list(body)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _hunk(path: str, piece: Sequence[str], anchors: Sequence[str]) -> Hunk:
    written = [line for line in piece if line != _END_OF_FILE]
    open_at: list[int] = []
    lines: list[str] = []
    for line in written:
        if line == _NO_END:
            open_at.append(len(lines) - 1)
        else:
            lines.append(line)
    if odd := next((line for line in lines if line.startswith("***")), ""):
        help_line = "begin each line with a space, + or -"
        raise bad_patch(f"a line of the update of {path} has no mark: {odd[:60]}", help_line)
    marked = [(line[0], line[1:]) if line[:1] in _MARKS else (KEEP, line) for line in lines]
    return Hunk(
        path,
        tuple(marked),
        anchors=tuple(anchors),
        at_end=_END_OF_FILE in piece,
        open_before=is_open(marked, open_at, REMOVE),
        open_after=is_open(marked, open_at, ADD),
        readings=_readings(lines, tuple(marked)),
    )


def _readings(lines: Sequence[str], marked: tuple[Line, ...]) -> tuple[tuple[Line, ...], ...]:
    """Return how else lines may be meant: kept ones that lost their mark, tabs written out."""
    whole = tuple(
        (line[0], line[1:]) if line[:1] in {REMOVE, ADD} else (KEEP, line) for line in lines
    )
    tabs = tuple((mark, _WRITTEN_TABS.sub(_tabs, text)) for mark, text in marked)
    return tuple(each for each in (whole, tabs) if each != marked)


def _tabs(found: re.Match[str]) -> str:
    return found[0].replace("\\t", "\t")
