"""Calls that were refused, as they were sent and answered: each in a private file, the latest."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from keyhole.journal.model import Attempt

# So many are kept, and of each text so many characters.
KEPT, _SLACK = 1_000, 100
LONGEST = 4_000


class RefusedCalls:
    """A directory of refused calls, found by what the journal remembers of each."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def keep(self, attempt: Attempt, data: Mapping[str, object]) -> None:
        """Remember a call, and forget the oldest ones; a full disk loses it and no more."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._directory / _name(attempt)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(json.dumps(data).encode("ascii"))
        self._forget_old()

    def get(self, attempt: Attempt) -> dict[str, object]:
        """Return what was kept of a call; nothing where it was forgotten."""
        try:
            found = json.loads((self._directory / _name(attempt)).read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _forget_old(self) -> None:
        names = os.listdir(self._directory)
        if len(names) <= KEPT + _SLACK:
            return
        known = sorted(os.scandir(self._directory), key=lambda entry: entry.stat().st_mtime_ns)
        for entry in known[:-KEPT]:
            Path(entry.path).unlink(missing_ok=True)


def _name(attempt: Attempt) -> str:
    words = (repr(attempt.time), attempt.actor, attempt.tool, attempt.path)
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:32]
