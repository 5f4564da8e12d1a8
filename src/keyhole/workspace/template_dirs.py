"""A directory of templates: what is in it, read within limits."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from keyhole.disk.bounded import TEMPLATE, UnfitFile, read_bounded
from keyhole.fastclasses import dataclass

_MOST_FILES = 2000
_MOST_DIRECTORIES = 10_000
_ENDINGS = (".jinja2", ".jinja", ".j2")


@dataclass(frozen=True, slots=True)
class TemplateDirectory:
    """Templates that the user keeps in a directory; nothing outside it is ever read."""

    path: Path

    def names(self) -> Sequence[str]:
        """Return the names of the templates below the directory."""
        found: list[str] = []
        for place, folders, files in islice(os.walk(self.path), _MOST_DIRECTORIES):
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
        try:
            # A link may lead out of the directory, and the text of a template is shown to agents.
            body = read_bounded(f"{self.path}/{name}", TEMPLATE, within=str(self.path))
            return body.decode("utf-8").replace("\r\n", "\n") if body is not None else None
        except (UnfitFile, ValueError):
            return None
