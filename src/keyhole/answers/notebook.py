"""Answers as a notebook shows them: text that is always escaped, diffs in colours."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from keyhole.phrases import Row

_ROLES = {"refused": "#b3261e", "help": "", "warning": "#8a5a00", "note": "#8a5a00"}
_DIFF = {"+": "#1a7f4b", "-": "#b3261e", "@": "#3f5bd8"}
_LONE = dict.fromkeys(range(55296, 57344), 65533)


def receipt_html(rows: Iterable[str]) -> str:
    """Return the rows of an answer as HTML."""
    lines = [line for row in rows for line in _lines(row)]
    style = "white-space:pre-wrap;line-height:1.4;margin:0"
    return f'<pre style="{style}">{"".join(lines)}</pre>'


def _lines(row: str) -> Iterable[str]:
    role = row.role if isinstance(row, Row) else ""
    for line in row.split("\n"):
        colour = _DIFF.get(line[:1], "") if role == "diff" else _ROLES.get(role, "")
        said = escape(line.translate(_LONE))
        yield f'<span style="color:{colour}">{said}</span>\n' if colour else f"{said}\n"
