"""One hunk of a unified diff: its body decides how long it is, its header only hints."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keyhole.dialects.refusing import bad_patch
from keyhole.edits.hunk import ADD, KEEP, REMOVE, Hunk, Line

_NUMBERS = re.compile(
    r"^@@ *-(\d{1,9})(?:,(\d{1,9}))?(?: +\+(\d{1,9})(?:,(\d{1,9}))?)? *(?:@@.*)?$", re.DOTALL
)
_TOO_LARGE = re.compile(r"^@@ *[-+]\d*[, +\d]*\d{10}")
_NO_TEXT = re.compile(r"^[\s.…@]*$")
_MESSAGE = re.compile(r"(?:From|commit) [0-9a-f]{40}(?:[0-9a-f]{24})?(?:\s|$)")
_FOREIGN = ("diff ", "Index: ", "Only in ", "Property changes on: ")


def begins_message(line: str) -> bool:
    """Tell whether a line begins another mail of a series, or another commit of a log."""
    return line.startswith(("From ", "commit ")) and _MESSAGE.match(line) is not None


def is_header(lines: Sequence[str], at: int) -> bool:
    """Tell whether two lines name a file; a removed line `-- x` looks the same, alone."""
    if not lines[at].startswith("--- ") or at + 1 >= len(lines):
        return False
    return lines[at + 1].startswith("+++ ")


def read_hunk(lines: Sequence[str], at: int) -> tuple[Hunk, int]:
    """Return the hunk whose header is line `at`, and the line behind it."""
    header = lines[at]
    if header.startswith("@@@") or _TOO_LARGE.match(header):
        what = "a combined diff" if header.startswith("@@@") else "a number with too many digits"
        raise bad_patch(f"line {at + 1} holds {what}", "send a unified diff of two files")
    found = _NUMBERS.match(header)
    stop = at + 1
    while stop < len(lines) and not _ends_hunk(lines, stop):
        stop += 1
    body, notes = _body(lines[at + 1 : stop], found, at)
    marked, open_before, open_after = _marked(body)
    if not any(mark != KEEP for mark, _ in marked):
        raise bad_patch(f"the hunk at line {at + 1} changes nothing", "mark lines with + and -")
    anchor = "" if found else header.strip("@ \r")
    line = int(found[1]) if found and _is_stated(marked, found) else 0
    hunk = Hunk(
        "",
        marked,
        line,
        () if _NO_TEXT.match(anchor) else (anchor,),
        anchors_hint=True,
        says_start=found is not None and int(found[1]) == 0,
        open_before=open_before,
        open_after=open_after,
        notes=notes,
    )
    return hunk, stop


def _is_stated(marked: Sequence[Line], found: re.Match[str]) -> bool:
    """Tell whether the header's line is one: added lines alone stand below it, if it counts none.

    Where it counts old lines that the body does not have, they may stand above or below.
    """
    return found[2] == "0" or any(mark != ADD for mark, _ in marked)


def _ends_hunk(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    if line.startswith(("@@", "diff --git ")) or begins_message(line):
        return True
    if line.startswith(_FOREIGN):
        # What other programs write above a file's names; alone it is a line that lost its mark.
        return any(is_header(lines, next_) for next_ in range(at + 1, min(at + 4, len(lines))))
    return is_header(lines, at) and at + 2 < len(lines) and lines[at + 2].startswith("@@")


def _body(
    body: Sequence[str], found: re.Match[str] | None, at: int
) -> tuple[Sequence[str], tuple[str, ...]]:
    """Return the lines of the hunk, and what to say of its counts."""
    if found and found[3]:
        taken = _by_count(body, (int(found[2] or 1), int(found[4] or 1)))
        if taken is not None:
            return body[:taken], ()
    end = len(body)
    while end and not body[end - 1].removesuffix("\r"):
        end -= 1
    wrong = f"the counts of the hunk at line {at + 1} of the patch are wrong"
    return body[:end], (wrong,) if found and found[3] else ()


def _by_count(body: Sequence[str], counted: tuple[int, int]) -> int | None:
    """Return how many lines the counts take, if they come out even and no marked one is left."""
    old = new = 0
    for index, line in enumerate(body):
        if (old, new) == counted and not line.startswith("\\"):
            return index if _is_behind(body[index:]) else None
        if not line.startswith("\\"):
            old += line[:1] != ADD
            new += line[:1] != REMOVE
    return len(body) if (old, new) == counted else None


def _is_behind(rest: Sequence[str]) -> bool:
    """Tell whether lines belong to no hunk: blank ones, a mail's signature, another program's."""
    told = [line for line in rest if line.removesuffix("\r")]
    if told[:1] == ["-- "]:
        return not told[1:2] or told[1][:1] not in {ADD, REMOVE}
    # A line that changes something is part of the hunk, wherever it stands.
    kept = not told or told[0][:1] not in {KEEP, "\\"}
    return kept and not any(line[:1] in {ADD, REMOVE} for line in told)


def _marked(body: Sequence[str]) -> tuple[tuple[Line, ...], bool, bool]:
    """Return the lines with their marks, and whether the last line has no end before and after."""
    marked: list[Line] = []
    open_at: list[int] = []
    for line in body:
        if line.startswith("\\"):
            open_at.append(len(marked) - 1)
        elif line[:1] in {KEEP, REMOVE, ADD}:
            marked.append((line[0], line[1:]))
        else:
            # A blank line whose mark was lost on the way, or a kept line without its mark.
            marked.append((KEEP, line))
    return tuple(marked), is_open(marked, open_at, REMOVE), is_open(marked, open_at, ADD)


def is_open(marked: Sequence[Line], open_at: Sequence[int], side: str) -> bool:
    """Tell whether the last line of a side has no end; of one above it that cannot be.

    `open_at` are the lines that a patch says it of, `side` the mark of those that only it has.
    """
    own = {at for at, (mark, _) in enumerate(marked) if mark in {KEEP, side}}
    said = own.intersection(open_at)
    if said and said != {max(own)}:
        raise bad_patch("a line follows one that has no end", "put the note below the last line")
    return bool(said)
