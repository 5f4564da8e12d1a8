"""Colours for answers on a terminal; the words stay the same."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import Console
from rich.text import Text

from keyhole.phrases import Row

_ROLES = {
    "applied": "bold green",
    "verified": "bold green",
    "unchanged": "bold yellow",
    "already-applied": "bold yellow",
    "committed_pending": "bold yellow",
    "refused": "bold red",
    "help": "bold",
    "warning": "yellow",
    "note": "yellow",
    "candidate": "cyan",
    "reason": "dim",
}
_DIFF = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


def painted(
    rows: Iterable[str], shown: Callable[[str], str] = str, words: Sequence[str] = ()
) -> str:
    """Return the rows of an answer with the escape sequences that colour them.

    `shown` is what a text is put through first; `words` are marked in hits.
    """
    paper = io.StringIO()
    console = Console(
        file=paper, force_terminal=True, color_system="standard", no_color=False, width=1 << 16
    )
    for row in rows:
        for line, style in _styled(row, shown(row)):
            text = Text(line, style=style, end="\n")
            if isinstance(row, Row) and row.role in _MARKED:
                _MARKED[row.role](text, words)
            console.print(text, soft_wrap=True)
    return paper.getvalue().removesuffix("\n")


_NUMBER = re.compile(r"^ *\d+\| ?", re.MULTILINE)
_HIT = re.compile(r"^.*?:\d+:\d+: |^.*?-\d+- ")


def _mark_numbers(text: Text, _: Sequence[str]) -> None:
    """Put the numbers of lines in the background."""
    for found in _NUMBER.finditer(text.plain):
        text.stylize("dim", *found.span())


def _mark_hit(text: Text, words: Sequence[str]) -> None:
    """Put the place of a hit into a colour of its own, and mark what was looked for."""
    place = _HIT.match(text.plain)
    start = place.end() if place else 0
    if place:
        text.stylize("magenta", 0, start)
    segment = text.plain.rfind("  [")
    if segment > start and text.plain.endswith("]"):
        text.stylize("cyan", segment, len(text.plain))
    for word in words:
        at = text.plain.find(word, start)
        while word and at >= 0:
            text.stylize("bold red", at, at + len(word))
            at = text.plain.find(word, at + len(word))


_MARKED: dict[str, Callable[[Text, Sequence[str]], None]] = {
    "lines": _mark_numbers,
    "hit": _mark_hit,
}


def _styled(row: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield each line of a row with its style: that of the row's role, or of a diff's line."""
    role = row.role if isinstance(row, Row) else ""
    if role == "diff":
        yield from _diff(text)
        return
    yield from ((line, _ROLES.get(role, "")) for line in text.split("\n"))


def _diff(text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a diff: above the first hunk of a file stand its names."""
    in_hunk = False
    for line in text.split("\n"):
        in_hunk = line.startswith("@@") or (in_hunk and line[:1] in {" ", "+", "-", "\\"})
        yield line, _DIFF.get(line[:1], "") if in_hunk else "bold"
