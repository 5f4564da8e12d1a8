"""A change written down as a patch: unified diff, `*** Begin Patch`, SEARCH/REPLACE."""

from __future__ import annotations

from collections.abc import Sequence

from tests.torture.place.changes import ADDED, REMOVED, Row


def hunk(rows: Sequence[Row], start: int, counts: tuple[int, int] | None = None) -> str:
    """Return one hunk of a unified diff."""
    old = sum(mark != ADDED for mark, _ in rows)
    new = sum(mark != REMOVED for mark, _ in rows)
    old, new = counts or (old, new)
    return f"@@ -{start},{old} +{start},{new} @@\n{_body(rows)}"


def unified(suffix: str, *hunks: str) -> str:
    """Return a unified diff of one file."""
    return f"--- a/f{suffix}\n+++ b/f{suffix}\n{''.join(hunks)}"


def envelope(suffix: str, rows: Sequence[Row]) -> str:
    """Return a patch that names no lines."""
    return f"*** Begin Patch\n*** Update File: f{suffix}\n@@\n{_body(rows)}*** End Patch\n"


def blocks(old: Sequence[str], new: Sequence[str]) -> str:
    """Return a SEARCH/REPLACE block."""
    rows = ["<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE"]
    return "\n".join(rows) + "\n"


def _body(rows: Sequence[Row]) -> str:
    return "".join(f"{mark}{text}\n" for mark, text in rows)
