"""INI: sections, keys with values, nothing there twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.segments.outline import plain_lines

_SECTION = re.compile(r"\[(?P<name>[^\]]+)\]\s*(?:[#;].*)?$")
_KEY = re.compile(r"(?P<key>[^=:\s][^=:]*?)\s*[=:]")
_BRACED = re.compile(r"(?m)=[ \t]*\{[ \t\r]*$")


class _IniLine(NamedTuple):
    """A line that says something: where it is, and how deep."""

    start: int
    indent: int
    said: str

    def minded(self, message: str) -> Problem:
        return Problem(self.start, self.start + len(self.said), message)


def ini_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text as an INI file; without a section it is something else."""
    flat = plain_lines(text)
    lines = list(_lines(flat))
    if not any(line.said[0] == "[" for line in lines) or _BRACED.search(flat):
        return ()
    found = list(_read(lines))
    bare = [problem for problem in found if _is_bare(flat[problem.start : problem.end])]
    # A file with several lines of that kind means them.
    return tuple(problem for problem in found if problem not in bare or len(bare) == 1)


def _is_bare(said: str) -> bool:
    """Tell whether a line is neither a section nor a key with a value."""
    return said[0] != "[" and not _KEY.match(said)


def _lines(flat: str) -> Iterator[_IniLine]:
    """Yield the lines that are not blank and not comments."""
    at = 0
    for line in flat.split("\n"):
        said = line.strip()
        if said and said[0] not in "#;":
            indent = line.index(said)
            yield _IniLine(at + indent, indent, said)
        at += len(line) + 1


def _read(lines: list[_IniLine]) -> Iterator[Problem]:
    sections: set[str] = set()
    keys: set[str] = set()
    # How deep the key above is; what is deeper continues its value.
    level = -1
    for line in lines:
        if 0 <= level < line.indent:
            continue
        if line.said[0] == "[":
            section = _SECTION.match(line.said)
            if not section:
                yield line.minded("the name of the section is not closed")
            elif section["name"] in sections:
                yield line.minded(f"the section `{section['name']}` is there twice")
            sections.add(section["name"] if section else "")
            keys, level = set(), -1
            continue
        level = line.indent
        key = _KEY.match(line.said)
        name = key["key"].lower() if key else ""
        if not key:
            yield line.minded("neither a section nor a key with a value")
        elif name in keys:
            yield line.minded(f"the key `{key['key']}` is there twice")
        keys.add(name)
