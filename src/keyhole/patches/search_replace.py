"""SEARCH/REPLACE blocks: the text to find, a divider, the text to put there; file names above."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keyhole.edits.model.operations import Edit, Operation, WriteFile
from keyhole.fastclasses import dataclass
from keyhole.patches.common import bad_patch, check_count, lines_of, path_of

_SEARCH = re.compile(r"^(<{5,9}|-{5,9}) ?(?:SEARCH|ORIGINAL)>?\s*$")
_USUAL = 7
_REPLACE = re.compile(r"^(?:>{5,9}|\+{5,9}) ?(?:REPLACE|UPDATED)>?\s*$")
_OWN = re.compile(r"[<-]{5,9} ?(?:SEARCH|ORIGINAL)|[>+]{5,9} ?(?:REPLACE|UPDATED)")
_HINT = re.compile(r"^:(?:start|end)_line: ?\d+\s*$|^-{7}\s*$")
_FENCE = re.compile(r"^(?:`{3,}|~{3,})[\w+.-]*\s*$")
_DOTTED = re.compile(r"\.[\w-]+$")
_NAME = re.compile(r"^[^\s<>|*?\"`][^<>|*?\"`]*$")


@dataclass(frozen=True, slots=True)
class _Marks:
    """What begins, divides and ends a block."""

    search: re.Pattern[str]
    divider: re.Pattern[str]
    replace: re.Pattern[str]
    size: int


def is_mark(line: str) -> bool:
    """Tell whether a line begins such a block."""
    return _SEARCH.match(line) is not None


def parse(text: str, path: str = "") -> tuple[Operation, ...]:
    """Return an edit a block; one without text to find makes a new file."""
    return tuple(_operations(lines_of(text, _OWN), path))


def _operations(lines: Sequence[str], path: str) -> Iterator[Operation]:
    at = count = 0
    while at < len(lines):
        found = _SEARCH.match(lines[at])
        if not found:
            at += 1
            continue
        path = _name_above(lines, at) or path
        if not path:
            help_line = "put the file name on a line of its own above the block"
            raise bad_patch(f"the block at line {at + 1} names no file", help_line)
        marks = _marks(len(found[1]))
        divider = _find(marks.divider, lines, at + 1, marks)
        end = _cut_off(lines, divider + 1, marks) or _find(marks.replace, lines, divider + 1, marks)
        if any(map(marks.divider.match, lines[divider + 1 : end])):
            help_line = "make every marker of the block two characters longer"
            raise bad_patch(f"the block at line {at + 1} has two dividers", help_line)
        yield _operation(path, _old_lines(lines[at + 1 : divider]), lines[divider + 1 : end])
        at = end + 1
        count += 1
        check_count(count)


def _marks(size: int) -> _Marks:
    """Return the markers of a block; longer ones are chosen for texts that hold the usual ones."""
    sizes = size if size >= _USUAL else f"{size}}}|={{{_USUAL}"
    divider = re.compile(rf"^(?:={{{sizes}}})\s*$")
    if size <= _USUAL:
        return _Marks(_SEARCH, divider, _REPLACE, size)
    search = re.compile(rf"^[<-]{{{size}}} ?(?:SEARCH|ORIGINAL)>?\s*$")
    replace = re.compile(rf"^[>+]{{{size}}} ?(?:REPLACE|UPDATED)>?\s*$")
    return _Marks(search, divider, replace, size)


def _cut_off(lines: Sequence[str], start: int, marks: _Marks) -> int:
    """Return where the last block ends if only its end marker is missing, else 0.

    With nothing behind the divider more may be missing than the marker.
    """
    # Not by slices: a patch of a hundred thousand blocks would be copied as often.
    rest = (lines[index] for index in range(start, len(lines)))
    if any(marks.replace.match(line) or marks.search.match(line) for line in rest):
        return 0
    end = len(lines)
    while end > start and (not lines[end - 1].strip() or _FENCE.match(lines[end - 1])):
        end -= 1
    return end if end > start else 0


def _find(wanted: re.Pattern[str], lines: Sequence[str], start: int, marks: _Marks) -> int:
    """Return the line of the next marker; another block may not begin before it."""
    for index in range(start, len(lines)):
        if wanted.match(lines[index]):
            return index
        if marks.search.match(lines[index]):
            break
    name, help_line = f"{'>' * marks.size} REPLACE", "close every block"
    if wanted is marks.divider:
        name, help_line = "=" * marks.size, "make the divider as long as the markers"
    raise bad_patch(f"the block above line {start + 1} has no {name}", help_line)


def _old_lines(lines: Sequence[str]) -> Sequence[str]:
    """Leave out the line hints some agents write above the text."""
    at = 0
    while at < len(lines) and lines[at].startswith(":") and _HINT.match(lines[at]):
        at += 1
    return lines[at + 1 :] if at and at < len(lines) and _HINT.match(lines[at]) else lines[at:]


def _operation(path: str, old: Sequence[str], new: Sequence[str]) -> Operation:
    content = "".join(line + "\n" for line in new)
    if not any(line.strip() for line in old):
        return WriteFile(path, content)
    return Edit(path=path, find="".join(line + "\n" for line in old), content=content)


def _name_above(lines: Sequence[str], at: int) -> str:
    """Return the file name on the line above a block, or above the fence around it."""
    for index in range(at - 1, max(at - 4, -1), -1):
        line = lines[index].strip()
        if not line or _FENCE.match(line):
            continue
        if _REPLACE.match(line):
            return ""
        name = line.strip("*`#: ").strip()
        # A name without a dot, as of a Makefile, stands alone; a word with a colon is prose.
        alone = len(line.split()) == 1 and not line.endswith(":")
        is_name = _NAME.match(name) and (_DOTTED.search(name) or alone)
        return path_of(name, prefixed=False) if is_name else ""
    return ""
