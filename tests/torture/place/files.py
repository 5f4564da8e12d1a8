"""Files as this harness sees them: lines, one kind of line end, and what makes a stretch unique."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

# What differs only so may be taken for equal; a unique truth must be unique without it.
_ALIKE = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014\u2212", "''\"\"---")
_SPACE = re.compile(r"[\s\u200b\ufeff]+")
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{3,}")


@dataclass(frozen=True)
class File:
    """A text as lines without their ends, and how the lines end."""

    suffix: str
    lines: tuple[str, ...]
    eol: str = "\n"
    ended: bool = True

    @staticmethod
    def of(suffix: str, text: str) -> File:
        """Return the file of a text whose lines all end alike."""
        eol = "\r\n" if "\r\n" in text else "\n"
        ended = text.endswith(eol)
        lines = text.removesuffix(eol).split(eol) if text else []
        return File(suffix, tuple(lines), eol, ended)

    @property
    def text(self) -> str:
        """Return the text as it lies on the disk."""
        return self.eol.join(self.lines) + (self.eol if self.ended and self.lines else "")

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Return each line without any blank."""
        return tuple(key(line) for line in self.lines)

    @cached_property
    def digest(self) -> str:
        """Return every line that is not blank, without blanks."""
        return "\n".join(filter(None, self.keys))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Return the words of the file, each once, in order."""
        return tuple(dict.fromkeys(WORD.findall(self.text)))

    def counted(self, lines: tuple[str, ...]) -> int:
        """Return how often lines stand here if blanks are left out, also inside other lines."""
        wanted = "\n".join(filter(None, map(key, lines)))
        return _count(self.digest, wanted) if wanted else 99

    def with_lines(self, first: int, last: int, new: tuple[str, ...]) -> File:
        """Return the file with other lines in place of `first` up to `last`."""
        return replace(self, lines=self.lines[:first] + new + self.lines[last:])


@lru_cache(maxsize=1 << 17)
def key(line: str) -> str:
    """Return a line without blanks and with plain quotes and dashes."""
    return _SPACE.sub("", line.translate(_ALIKE))


def indent(line: str) -> str:
    """Return the blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def is_blank(line: str) -> bool:
    """Tell whether a line holds nothing to see."""
    return not key(line)


def _count(text: str, wanted: str) -> int:
    """Count the places of a text, overlapping ones too."""
    found, at = 0, text.find(wanted)
    while at >= 0:
        found, at = found + 1, text.find(wanted, at + 1)
    return found
