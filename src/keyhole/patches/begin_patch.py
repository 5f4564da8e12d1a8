"""The `*** Begin Patch` format: files added, updated, deleted, moved; `@@` lines as anchors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keyhole.edits.model.hunk import ADD, KEEP, REMOVE, Hunk, Line
from keyhole.edits.model.operations import DeleteFile, MoveFile, Operation, WriteFile
from keyhole.fastclasses import replace
from keyhole.patches.common import bad_patch, lines_of, path_of
from keyhole.patches.unified import is_open

_HEADER = re.compile(r"^\*\*\* (Add|Delete|Update) File: ?(.+)$")
_MOVE = "*** Move to: "
_END_OF_FILE = "*** End of File"
_ENVELOPE = ("*** Begin Patch", "*** End Patch")
_OWN = re.compile(r"\*\*\* (?:Begin Patch|End Patch|Add|Delete|Update)|@@")
_NO_END = "\\ No newline at end of file"
_CLASSIC = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?")


def is_mark(line: str) -> bool:
    """Tell whether a line says that this is the format, with its envelope or without."""
    return line.startswith(_ENVELOPE[0]) or _HEADER.match(line) is not None


def parse(text: str) -> tuple[Operation, ...]:
    """Return the operations of a patch, or refuse it."""
    lines = _inside(lines_of(text, _OWN))
    starts = [index for index, line in enumerate(lines) if _HEADER.match(line)]
    if not starts:
        help_line = "name the file: *** Update File: path"
        raise bad_patch("the patch names no file", help_line)
    operations: list[Operation] = []
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        found = _HEADER.match(lines[start])
        assert found, "BUG: not a header"
        path = path_of(found[2].strip(), prefixed=False)
        operations += _section(found[1], path, lines[start + 1 : stop])
    return tuple(operations)


def _inside(lines: list[str]) -> list[str]:
    """Return what the envelope holds; a missing end, or a shell's wrapping around it, is fine."""
    starts = [n for n, line in enumerate(lines) if line.rstrip() == _ENVELOPE[0]]
    if len(starts) > 1:
        raise bad_patch("the patch begins twice", "send one *** Begin Patch")
    lines = lines[starts[0] + 1 :] if starts else lines
    ends = [n for n, line in enumerate(lines) if line.rstrip() == _ENVELOPE[1]]
    return lines[: ends[0]] if ends else lines


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
    if body and body[0].startswith(_MOVE):
        target = path_of(body.pop(0)[len(_MOVE) :].strip(), prefixed=False)
    hunks = tuple(replace(hunk, path=path) for hunk in _hunks(path, body))
    if target:
        yield MoveFile(path, target, hunks=hunks)
    elif hunks:
        yield from hunks
    else:
        raise bad_patch(f"the update of {path} has no lines", "mark lines with + and -")


def _hunks(path: str, body: Sequence[str]) -> Iterator[Hunk]:
    anchors: list[str] = []
    piece: list[str] = []
    for line in [*_without_blank_tail(body), "@@"]:
        if not line.startswith("@@"):
            piece.append(line)
            continue
        if piece:
            yield _hunk(path, piece, anchors)
            anchors, piece = [], []
        if anchor := _CLASSIC.sub("", line).removeprefix("@@").strip():
            anchors.append(anchor)


def _without_blank_tail(body: Sequence[str]) -> list[str]:
    lines = list(body)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _marked(path: str, line: str) -> Line:
    if line[:1] in {KEEP, REMOVE, ADD}:
        return line[0], line[1:]
    if not line:
        return KEEP, ""
    help_line = "begin each line with a space, + or -"
    raise bad_patch(f"a line of the update of {path} has no mark: {line[:60]}", help_line)


def _hunk(path: str, piece: Sequence[str], anchors: Sequence[str]) -> Hunk:
    marked: list[Line] = []
    open_at: list[int] = []
    for line in piece:
        if line == _NO_END:
            open_at.append(len(marked) - 1)
        elif line != _END_OF_FILE:
            marked.append(_marked(path, line))
    if all(mark == KEEP for mark, _ in marked):
        raise bad_patch(f"a hunk of {path} changes nothing", "mark lines with + and -")
    return Hunk(
        path,
        tuple(marked),
        anchors=tuple(anchors),
        at_end=_END_OF_FILE in piece,
        open_before=is_open(marked, open_at, REMOVE),
        open_after=is_open(marked, open_at, ADD),
    )
