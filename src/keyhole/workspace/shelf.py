"""A directory of templates: what is in it, read within limits."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from keyhole.values import dataclass

_MOST_FILES = 2000
_MOST_BYTES = 1024 * 1024
_ENDINGS = (".jinja2", ".jinja", ".j2")


@dataclass(frozen=True, slots=True)
class Directory:
    """Templates that the user keeps in a directory; nothing outside it is ever read."""

    path: Path

    def names(self) -> Sequence[str]:
        """Return the names of the templates below the directory."""
        found: list[str] = []
        for place, folders, files in os.walk(self.path):
            folders.sort()
            below = os.path.relpath(place, self.path).replace(os.sep, "/")
            prefix = "" if below == "." else f"{below}/"
            found += [prefix + name for name in sorted(files) if name.endswith(_ENDINGS)]
            if len(found) > _MOST_FILES:
                break
        return found[:_MOST_FILES]

    def read(self, name: str) -> str | None:
        """Return the text of a template, None where there is none, or none that can be read."""
        if not name.endswith(_ENDINGS):
            return None  # an include names no other files of the user
        root = os.path.realpath(self.path)
        try:
            place = os.path.realpath(os.path.join(root, name))
            # A link may lead out of the directory, and the text of a template is shown to agents.
            if os.path.commonpath([root, place]) != root or not os.path.isfile(place):
                return None
            if os.path.getsize(place) > _MOST_BYTES:
                return None
            with open(place, encoding="utf-8", newline="") as file:
                return file.read().replace("\r\n", "\n")
        except (OSError, ValueError):
            return None
