"""Colours for answers on a terminal; the words stay the same."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

_HEADS = {
    "applied": "bold green",
    "verified": "bold green",
    "unchanged": "bold yellow",
    "already-applied": "bold yellow",
    "committed_pending": "bold yellow",
    "refused:": "bold red",
}
_DIFF = {"+": "green", "-": "red", "@": "cyan", "\\": "dim", " ": ""}
_MARKS = {"help:": "bold", "warning:": "yellow", "candidate": "cyan", "note:": "yellow"}


def painted(text: str) -> str:
    """Return a text with the escape sequences that colour it."""
    paper = io.StringIO()
    console = Console(
        file=paper, force_terminal=True, color_system="standard", no_color=False, width=1 << 16
    )
    for line, style in _styled(text):
        console.print(Text(line, style=style, end="\n"), soft_wrap=True)
    return paper.getvalue().removesuffix("\n")


def _styled(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line with its style; a diff runs from its head to a line that is no part of it."""
    in_diff = False
    for line in text.split("\n"):
        in_diff = line[:1] in _DIFF if in_diff else line.startswith(("--- ", "diff --git "))
        if in_diff:
            bold = line.startswith(("--- ", "+++ ", "diff --git "))
            yield line, "bold" if bold else _DIFF.get(line[:1], "")
        else:
            yield line, _style(line)


def _style(line: str) -> str:
    head = _HEADS.get(line.partition(" ")[0], "")
    if head:
        return head
    word = line.strip().partition(" ")[0]
    return _MARKS.get(word.rstrip(":") if word.startswith("candidate") else word, "")
