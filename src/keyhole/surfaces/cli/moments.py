"""Points in time as people write them: a date, or how long ago."""

from __future__ import annotations

import re
import time
from datetime import datetime

from keyhole.surfaces.cli.flags import Usage

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_AGO = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)


def since(text: str | None) -> float:
    """Return the seconds since 1970 of a moment; 0 where none is given."""
    if text is None:
        return 0.0
    if found := _AGO.fullmatch(text):
        return max(time.time() - int(found[1]) * _UNITS[found[2]], 0.0)
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise Usage(
            f"--since is {text!r}; it is 90s, 30m, 2h, 3d, 1w or 2026-01-31T12:00"
        ) from None
