"""Points in time as people write them: a date, or how long ago."""

from __future__ import annotations

from keyhole.arguments import parse_moment
from keyhole.surfaces.cli.flags import Usage


def since(text: str | None) -> float:
    """Return the seconds since 1970 of a moment; 0 where none is given."""
    if text is None:
        return 0.0
    found = parse_moment(text)
    if found is None:
        raise Usage(f"--since is {text!r}; it is 90s, 30m, 2h, 3d, 1w or 2026-01-31T12:00")
    return found
