"""Unified diffs, plain and git's: many files, created, deleted, renamed; headers may be damaged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keyhole.dialects.names import path_of
from keyhole.dialects.refusing import bad_patch
from keyhole.edits.hunk import ADD, KEEP, REMOVE, Hunk, Line
from keyhole.edits.operations import DeleteFile, MoveFile, Operation, WriteFile
from keyhole.values import dataclass, field, replace

_HUNK = re.compile(r"^@@(?: -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)|.*)$")
_NO_END = "\\ No newline at end of file"
_LINKS = ("120000", "160000", "040000")
_FORBIDDEN = {
    "GIT binary patch": "a binary patch",
    "Binary files ": "a patch of binary files",
    "Prereq:": "a patch with a prerequisite",
    "copy from ": "a patch that copies a file",
}


@dataclass(slots=True)
class _Section:
    """What a patch says of one file, as it is read."""

    old: str = ""
    new: str = ""
    renamed_from: str = ""
    renamed_to: str = ""
    mode: str = ""
    creates: bool = False
    deletes: bool = False
    hunks: list[Hunk] = field(default_factory=list)


def parse(text: str) -> tuple[Operation, ...]:
    """Return the operations of a unified diff, or refuse it; nothing is applied in part."""
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    sections = list(_sections(lines))
    if not any(section.hunks or section.renamed_to or section.mode for section in sections):
        raise bad_patch("the patch has no hunk", "a hunk begins with @@ and holds marked lines")
    return tuple(operation for section in sections for operation in _operations(section))


def _sections(lines: Sequence[str]) -> Iterator[_Section]:
    section: _Section | None = None
    at = 0
    while at < len(lines):
        line = lines[at]
        _refuse_forbidden(line, at)
        if line.startswith("diff --git "):
            if section:
                yield section
            section = _Section()
        elif _is_header(lines, at):
            if section and (section.hunks or section.old):
                yield section
                section = None
            section = section or _Section()
            section.old, section.new = _name(line), _name(lines[at + 1])
            at += 1
        elif line.startswith("@@") and _HUNK.match(line):
            section = section or _Section()
            hunk, at = _hunk(lines, at)
            section.hunks.append(hunk)
            continue
        elif section and not section.hunks:
            _extended(section, line)
        at += 1
    if section:
        yield section


def _refuse_forbidden(line: str, at: int) -> None:
    for start, what in _FORBIDDEN.items():
        if line.startswith(start):
            raise bad_patch(f"line {at + 1} makes this {what}", "only text changes are applied")


def _is_header(lines: Sequence[str], at: int) -> bool:
    """Tell whether two lines name a file; a removed line `-- x` looks the same, alone."""
    if not lines[at].startswith("--- ") or at + 1 >= len(lines):
        return False
    return lines[at + 1].startswith("+++ ")


def _name(line: str) -> str:
    return path_of(line[4:])


def _extended(section: _Section, line: str) -> None:
    """Read one of git's header lines."""
    words = {
        "rename from ": "renamed_from",
        "rename to ": "renamed_to",
    }
    for start, name in words.items():
        if line.startswith(start):
            setattr(section, name, path_of(line[len(start) :], prefixed=False))
    for start in ("new file mode ", "deleted file mode ", "new mode ", "old mode "):
        if line.startswith(start):
            mode = line[len(start) :].strip()
            if mode in _LINKS:
                raise bad_patch(
                    f"mode {mode} is not that of a file", "links are not made by patches"
                )
            section.creates |= start == "new file mode "
            section.deletes |= start == "deleted file mode "
            section.mode = "" if start.startswith(("old", "deleted")) else mode


def _hunk(lines: Sequence[str], at: int) -> tuple[Hunk, int]:
    """Read one hunk; the body decides how long it is, the counts only where it could be either."""
    found = _HUNK.match(lines[at])
    assert found, "BUG: not a hunk"
    stop = at + 1
    while stop < len(lines) and not _ends_hunk(lines, stop):
        stop += 1
    body = lines[at + 1 : stop]
    counted = int(found[2] or 1) if found[1] else None, int(found[4] or 1) if found[1] else None
    taken = _by_count(body, counted) if found[1] else None
    notes: tuple[str, ...] = ()
    if taken is None:
        while body and not body[-1]:
            body = body[:-1]
        if found[1]:
            notes = (f"the counts of the hunk at line {at + 1} of the patch are wrong",)
    else:
        body = body[:taken]
    marked, open_before, open_after = _marked(body)
    line = int(found[1]) if found[1] else 0
    anchor = (found[5] or "").strip() if found[1] else lines[at].strip("@ ").strip()
    hunk = Hunk(
        "",
        marked,
        line,
        (anchor,) if anchor and not found[1] else (),
        says_start=found[1] is not None and line == 0,
        open_before=open_before,
        open_after=open_after,
        notes=notes,
    )
    if not any(mark != KEEP for mark, _ in marked):
        raise bad_patch(f"the hunk at line {at + 1} changes nothing", "mark lines with + and -")
    return hunk, stop


def _ends_hunk(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    if line.startswith(("@@", "diff --git ")):
        return True
    return _is_header(lines, at) and at + 2 < len(lines) and lines[at + 2].startswith("@@")


def _by_count(body: Sequence[str], counted: tuple[int | None, int | None]) -> int | None:
    """Return how many lines the counts take, if they come out even and only blanks are left."""
    old = new = 0
    for index, line in enumerate(body):
        if (old, new) == counted and not line.startswith("\\"):
            rest = body[index:]
            signature = rest[:1] == ["-- "]
            return index if signature or not any(rest) else None
        if not line.startswith("\\"):
            old += line[:1] != ADD
            new += line[:1] != REMOVE
    return len(body) if (old, new) == counted else None


def _marked(body: Sequence[str]) -> tuple[tuple[Line, ...], bool, bool]:
    """Return the lines with their marks, and whether the last line has no end before and after."""
    marked: list[Line] = []
    open_before = open_after = False
    for line in body:
        if line.startswith("\\"):
            last = marked[-1][0] if marked else KEEP
            open_before |= last in {KEEP, REMOVE}
            open_after |= last in {KEEP, ADD}
        elif line[:1] in {KEEP, REMOVE, ADD}:
            marked.append((line[0], line[1:]))
        else:
            # A blank line whose mark was lost on the way, or a kept line without its mark.
            marked.append((KEEP, line))
    return tuple(marked), open_before, open_after


def _operations(section: _Section) -> Iterator[Operation]:
    """Yield what a section comes to."""
    old, new = section.renamed_from or section.old, section.renamed_to or section.new
    if old == new == "/dev/null":
        raise bad_patch("a section names /dev/null on both sides", "name the file")
    if section.creates or old == "/dev/null":
        yield _created(section, new)
    elif section.deletes or new == "/dev/null":
        yield DeleteFile(old, expect=_whole(section, REMOVE))
    elif section.renamed_to:
        hunks = tuple(replace(hunk, path=old) for hunk in section.hunks)
        yield MoveFile(old, new, hunks=hunks)
    elif section.mode:
        raise bad_patch(f"the patch changes the mode of {new or old}", "change it with chmod")
    else:
        yield from (replace(hunk, path=new or old) for hunk in section.hunks)


def _created(section: _Section, path: str) -> Operation:
    return WriteFile(path, _whole(section, ADD), executable=section.mode == "100755")


def _whole(section: _Section, mark: str) -> str:
    """Return the text of a file that comes or goes: nothing but lines with this mark."""
    hunks = section.hunks
    if len(hunks) > 1 or any(each != mark for hunk in hunks for each, _ in hunk.lines):
        raise bad_patch(
            "a file that comes or goes has other lines", "it has only + or only - lines"
        )
    if not hunks:
        return ""
    is_open = hunks[0].open_after if mark == ADD else hunks[0].open_before
    text = "\n".join(text for _, text in hunks[0].lines)
    return text if is_open else text + "\n"
