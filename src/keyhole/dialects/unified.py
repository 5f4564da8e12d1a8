"""Unified diffs, plain and git's: many files, made, deleted, moved; headers may be damaged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keyhole.dialects.git_header import (
    Section,
    is_of,
    name_files,
    read_header,
    refuse_forbidden,
    section_of,
)
from keyhole.dialects.lines import lines_of
from keyhole.dialects.refusing import bad_patch, check_count
from keyhole.dialects.unified_hunk import begins_message, is_header, read_hunk
from keyhole.edits.hunk import ADD, REMOVE, Hunk
from keyhole.edits.operations import (
    CopyFile,
    DeleteFile,
    MoveFile,
    Operation,
    SetMode,
    WriteFile,
)
from keyhole.values import replace

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
    """Yield all operations, those of a later mail or of a file that had a section before later."""
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
    """Yield what a section comes to."""
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
    """Return the file that comes in the place of one that the same patch moves away."""
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
