"""Hunk: a piece of a patch, with its lines marked as kept, removed or added."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keyhole.fastclasses import dataclass, replace
from keyhole.text.document import Document

KEEP, REMOVE, ADD = " ", "-", "+"

Line = tuple[str, str]
_SURROGATE = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Hunk:
    r"""Change lines at the place that the kept and the removed ones name.

    `line` is where the patch says that its first line stands (0: it does not say); a hint between
    equal places, and never more. `anchors` are lines that come before it, outermost first. A line
    that the patch ends with `\r` has it in its text.
    """

    path: str
    lines: tuple[Line, ...]
    line: int = 0
    anchors: tuple[str, ...] = ()
    # The anchors help where they stand once, and are passed over where they do not.
    anchors_hint: bool = False
    # The patch says that it stands before the first line.
    says_start: bool = False
    # The hunk ends with the file's last line.
    at_end: bool = False
    # The last line has no end, before and afterwards.
    open_before: bool = False
    open_after: bool = False
    reason: str = ""
    # What was wrong with the hunk and did not matter.
    notes: tuple[str, ...] = ()
    stage: int = 0
    # What else the file may be called; the first of the names that is there is meant.
    names: tuple[str, ...] = ()
    # How else all its lines may be meant; a reading counts where it stands once to the character.
    readings: tuple[tuple[Line, ...], ...] = ()

    def spelled(self, document: Document) -> Hunk:
        """Return the hunk with bytes that were no UTF-8 read in the encoding of the file."""
        if document.codec in {"utf-8", "ascii"}:
            return self
        lines = tuple((mark, _spelled(text, document)) for mark, text in self.lines)
        return replace(self, lines=lines) if lines != self.lines else self

    @property
    def plain(self) -> Hunk:
        """Return the hunk without its line ends: it takes those of the file."""
        if not any(text.endswith("\r") for _, text in self.lines):
            return self
        return replace(self, lines=tuple((m, text.removesuffix("\r")) for m, text in self.lines))

    @property
    def old(self) -> list[str]:
        """Return the lines that must be in the file."""
        return [text for mark, text in self.lines if mark != ADD]

    @property
    def new(self) -> list[str]:
        """Return the lines as they shall be."""
        return [text for mark, text in self.lines if mark != REMOVE]

    def readings_at(self, stand: Sequence[str]) -> Iterator[tuple[Line, ...]]:
        """Yield the readings, and the one whose kept lines lost their mark as the file shows."""
        yield from self.readings
        if self.readings:
            there = iter(stand)
            fits = [mark != ADD and next(there, "") == f" {text}" for mark, text in self.lines]
            yield tuple(
                (mark, f" {text}" if mark == KEEP and is_there else text)
                for (mark, text), is_there in zip(self.lines, fits, strict=True)
            )


def _spelled(text: str, document: Document) -> str:
    if text.isascii() or not _SURROGATE.search(text):
        return text
    data = text.encode("utf-8", "surrogateescape")
    try:
        return data.decode(document.codec, document.errors)
    except UnicodeError:
        return text
