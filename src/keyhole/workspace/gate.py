"""Which paths agents may read and write: the one gate that every call goes through."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from keyhole.refusals import Refusal, Refused
from keyhole.workspace.atomic import is_temporary
from keyhole.workspace.globs import Glob, globs_of
from keyhole.workspace.protected import BARE_REPOSITORY, protected_part
from keyhole.workspace.roots import Root
from keyhole.workspace.trouble import shown


@dataclass(frozen=True, slots=True)
class Gate:
    """What the user allows, ready to be asked."""

    root: Root
    # Our own state, relative to the root, when somebody keeps it inside the tree.
    state: str
    extensions: frozenset[str]
    allowed: tuple[Glob, ...]

    @staticmethod
    def of(root: Root, state: Path, extensions: tuple[str, ...], patterns: tuple[str, ...]) -> Gate:
        """Prepare the user's settings."""
        inside = os.path.relpath(os.path.realpath(state), root.path)
        allowed = tuple(glob for pattern in patterns for glob in globs_of(pattern))
        dotted = frozenset(f".{extension.lstrip('.')}".casefold() for extension in extensions)
        return Gate(root, "" if inside.startswith("..") else inside, dotted, allowed)

    def check_reading(self, path: str) -> None:
        """Refuse what nobody reads through us: our own state, and temporary files."""
        own = self.state and (path == self.state or path.startswith(f"{self.state}/"))
        if own or is_temporary(path.rpartition("/")[2]):
            raise Refused(_own(path))

    def check_writing(self, path: str, together: Collection[str]) -> None:
        """Refuse control files, in whatever spelling and whether they exist or not."""
        part = protected_part(path, self.allowed) or self._repository(path, together)
        if part:
            raise Refused(_protected(path, part))
        if self.extensions and os.path.splitext(path)[1].casefold() not in self.extensions:
            raise Refused(_extension(path, self.extensions))

    def _repository(self, path: str, together: Collection[str]) -> str:
        """Return the directory above `path` that is a bare repository, or would become one."""
        if any(glob.covers(path) for glob in self.allowed):
            return ""
        directory = path
        while directory:
            directory = directory.rpartition("/")[0]
            prefix = f"{directory}/" if directory else ""
            if all(self._is_there(prefix + name, together) for name in sorted(BARE_REPOSITORY)):
                return directory or "."
        return ""

    def _is_there(self, path: str, together: Collection[str]) -> bool:
        if any(each == path or each.startswith(f"{path}/") for each in together):
            return True
        try:
            os.stat(path, dir_fd=self.root.fd, follow_symlinks=False)
        except OSError:
            return False
        return True


def _own(path: str) -> Refusal:
    return Refusal(
        "path-denied",
        f"{shown(path)} belongs to keyhole itself",
        help="use `history` and `show` to look at the journal",
        path=path,
    )


def _protected(path: str, part: str) -> Refusal:
    return Refusal(
        "protected-path",
        f"{shown(path)} is protected: `{shown(part)}` steers tools or runs code",
        help="tell the user what you would change; only the user can allow such a file",
        path=path,
    )


def _extension(path: str, extensions: frozenset[str]) -> Refusal:
    return Refusal(
        "path-denied",
        f"{shown(path)} has no extension that may be written here",
        help=f"write files ending in {', '.join(sorted(extensions))}",
        path=path,
    )
