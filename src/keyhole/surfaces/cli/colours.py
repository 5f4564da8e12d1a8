"""Colours for answers on a terminal; the words stay the same."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator

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
}
_DIFF = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


def painted(rows: Iterable[str], shown: Callable[[str], str] = str) -> str:
    """Return the rows of an answer with the escape sequences that colour them.

    `shown` is what a text is put through first.
    """
    paper = io.StringIO()
    console = Console(
        file=paper, force_terminal=True, color_system="standard", no_color=False, width=1 << 16
    )
    for row in rows:
        for line, style in _styled(row, shown(row)):
            console.print(Text(line, style=style, end="\n"), soft_wrap=True)
    return paper.getvalue().removesuffix("\n")


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
