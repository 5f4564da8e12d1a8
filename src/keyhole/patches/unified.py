"""Unified diffs, plain and git's: many files, made, deleted, moved; headers may be damaged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keyhole.edits.model.hunk import ADD, KEEP, REMOVE, Hunk, Line
from keyhole.edits.model.operations import (
    CopyFile,
    DeleteFile,
    MoveFile,
    Operation,
    SetMode,
    WriteFile,
)
from keyhole.fastclasses import replace
from keyhole.patches.common import bad_patch, check_count, lines_of
from keyhole.patches.git_header import (
    Section,
    is_of,
    name_files,
    read_header,
    refuse_forbidden,
    section_of,
)

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
    line = int(found[1]) if found and _has_line(marked, found) else 0
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


def _has_line(marked: Sequence[Line], found: re.Match[str]) -> bool:
    """Tell whether the header's line number can be trusted for a hunk that only adds.

    If the header counts old lines that the body lacks, the addition may go above or below.
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
    """Return how many lines the counts take, if they add up and no marked line is left."""
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
    """Tell whether the last line of a side has no end.

    `open_at` are the lines without an end, `side` is the mark of the lines that only it has.
    """
    own = {at for at, (mark, _) in enumerate(marked) if mark in {KEEP, side}}
    said = own.intersection(open_at)
    if said and said != {max(own)}:
        raise bad_patch("a line follows one that has no end", "put the note below the last line")
    return bool(said)


_OWN = re.compile(r"@@|diff --git ")
_EPOCH = re.compile(r"\t(?:1970-01-01|1969-12-31) \d\d:[03]0:00(?:\.0+)? [-+]\d{4}\r?$")
_NOWHERE = "/dev/null"
Part = Hunk | WriteFile | DeleteFile | MoveFile | CopyFile | SetMode


def parse(text: str) -> tuple[Operation, ...]:
    """Return the operations of a unified diff, or refuse it; nothing is applied in part."""
    sections = list(_sections(lines_of(text.removesuffix("\n"), _OWN)))
    if not any(section.says_something for section in sections):
        raise bad_patch("the patch has no hunk", "a hunk begins with @@ and holds marked lines")
    return tuple(_staged(sections))


def _staged(sections: Sequence[Section]) -> Iterator[Part]:
    """Yield all operations; a later mail, or a second section of a file, is a later stage."""
    stage = 0
    seen: set[str] = set()
    away = {section.renamed_from for section in sections if section.renamed_from}
    for section in sections:
        name = section.renamed_to or section.copied_to or section.new or section.old
        name = section.old if name == _NOWHERE else name
        if (section.follows and seen) or name in seen:
            stage += 1
            seen.clear()
        seen.add(name)
        if section.rewrites and section.old in away:
            section.creates = True
        for operation in _operations(section):
            yield replace(operation, stage=stage) if stage else operation


def _sections(lines: Sequence[str]) -> Iterator[Section]:
    section: Section | None = None
    named = follows = False
    at = count = 0
    while at < len(lines):
        line = lines[at]
        refuse_forbidden(line, at)
        begins = begins_message(line)
        if begins or line.startswith("diff --git "):
            if section:
                yield section
            section = None if begins else section_of(line, follows=follows)
            named, follows = False, begins
        elif is_header(lines, at):
            headers = line, lines[at + 1]
            if section and (section.hunks or named or not is_of(section, *headers)):
                yield section
                section = None
            section, named, follows = section or Section(follows=follows), True, False
            name_files(section, line[4:], lines[at + 1][4:])
            section.no_old, section.no_new = map(_is_nowhere, (line, lines[at + 1]))
            at += 1
        elif line.startswith("@@"):
            section = section or Section()
            hunk, at = read_hunk(lines, at)
            section.hunks.append(hunk)
            count += 1
            check_count(count)
            continue
        elif section and not section.hunks:
            read_header(section, line)
        at += 1
    if section:
        yield section


def _operations(section: Section) -> Iterator[Part]:
    """Yield the operations of a section."""
    old, new = section.renamed_from or section.old, section.renamed_to or section.new
    if old == new == _NOWHERE:
        raise bad_patch("a section names /dev/null on both sides", "name the file")
    if section.rewrites and section.creates:
        yield _rewritten(section)
    elif section.creates or old == _NOWHERE or (section.no_old and _all(section, ADD)):
        text, program = _whole(section, ADD), bool(section.executable)
        yield WriteFile(new, text, executable=program, holds_bytes=not text.isascii())
    elif section.deletes or new == _NOWHERE or (section.no_new and _all(section, REMOVE)):
        yield DeleteFile(old, expect=_whole(section, REMOVE), names=section.names)
    elif section.copied_to:
        yield _copied(section)
    elif section.renamed_to:
        hunks = tuple(replace(hunk, path=old) for hunk in section.hunks)
        yield MoveFile(old, new, hunks=hunks, executable=section.executable)
    else:
        path, names = new or old, section.names
        yield from (replace(hunk, path=path, names=names) for hunk in section.hunks)
        if section.executable is not None:
            yield SetMode(new or old, section.executable)


def _rewritten(section: Section) -> WriteFile:
    """Return the file that replaces one which the same patch moves away."""
    lines = [text for hunk in section.hunks for text in hunk.new]
    is_open = section.hunks[-1].open_after if section.hunks else True
    text = "\n".join(lines) + ("" if is_open else "\n")
    program = section.was_program if section.executable is None else section.executable
    return WriteFile(section.new, text, executable=program, holds_bytes=not text.isascii())


def _is_nowhere(header: str) -> bool:
    """Tell whether a header has the date that `diff -N` gives to a file that is not there."""
    return _EPOCH.search(header) is not None


def _all(section: Section, mark: str) -> bool:
    lines = [line for hunk in section.hunks for line in hunk.lines]
    return len(section.hunks) == 1 and all(each == mark for each, _ in lines)


def _copied(section: Section) -> CopyFile:
    source = section.copied_from
    hunks = tuple(replace(hunk, path=source) for hunk in section.hunks)
    return CopyFile(section.copied_to, source, hunks=hunks, executable=section.executable)


def _whole(section: Section, mark: str) -> str:
    """Return the text of a file that comes or goes: nothing but lines with this mark."""
    hunks = section.hunks
    if hunks and not _all(section, mark):
        raise bad_patch(
            "a file that comes or goes has other lines", "it has only + or only - lines"
        )
    if not hunks:
        return ""
    is_open = hunks[0].open_after if mark == ADD else hunks[0].open_before
    text = "\n".join(text for _, text in hunks[0].lines)
    return text if is_open else text + "\n"
