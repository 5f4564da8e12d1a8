"""The gate: which paths agents may read and write, for every call."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from keyhole.fastclasses import dataclass
from keyhole.phrases import FileName, printable, say
from keyhole.refusals import Refusal, Refused
from keyhole.storage.atomic import is_temporary
from keyhole.storage.paths.globs import Glob, globs_of
from keyhole.storage.paths.own import OwnFiles, protected_part
from keyhole.storage.roots import Root

# What git takes for a repository without a work tree; HEAD first, because few directories have one.
_BARE_REPOSITORY = ("HEAD", "objects", "refs")


@dataclass(frozen=True, slots=True)
class Gate:
    """What the user allows."""

    root: Root
    own: OwnFiles
    extensions: frozenset[str]
    allowed: tuple[Glob, ...]

    @staticmethod
    def of(
        root: Root, homes: Iterable[Path], extensions: tuple[str, ...], patterns: tuple[str, ...]
    ) -> Gate:
        """Prepare the user's settings; `homes` are the directories that keyhole keeps."""
        allowed = tuple(glob for pattern in patterns for glob in globs_of(pattern))
        dotted = frozenset(f".{extension.lstrip('.')}".casefold() for extension in extensions)
        return Gate(root, OwnFiles(root, homes), dotted, allowed)

    def check_reading(self, path: str) -> None:
        """Refuse to read keyhole's own files and temporary ones."""
        if self.own.holds(path) or is_temporary(path.rpartition("/")[2]):
            raise Refused(_own(path))

    def check_file(self, path: str, status: os.stat_result) -> None:
        """Refuse an open file that is one of our own under another name."""
        if self.own.is_one(status):
            raise Refused(_own(path))

    def check_writing(self, paths: Collection[str]) -> None:
        """Refuse to write keyhole's own files and control files, however spelt, existing or not."""
        own = [path for path in paths if self.own.holds(path) or self.own.would_hide(path)]
        if own:
            raise Refused(*map(_own, own))
        repositories = self._repositories(paths)
        refusals = []
        for path in paths:
            part = protected_part(path, self.allowed) or self._repository_of(path, repositories)
            if part:
                refusals.append(_protected(path, part))
            elif self.extensions and _extension(path) not in self.extensions:
                refusals.append(_wrong_extension(path, self.extensions))
        if refusals:
            raise Refused(*refusals)

    def _repository_of(self, path: str, repositories: set[str]) -> str:
        """Return the bare repository that `path` lies in, unless the user allowed it."""
        above = [each for each in repositories if path.startswith(f"{each}/") or not each]
        if not above or any(glob.covers(path) for glob in self.allowed):
            return ""
        return above[0] or "."

    def _repositories(self, paths: Collection[str]) -> set[str]:
        """Return the directories above the paths that are, or would become, bare repositories."""
        written: dict[str, set[str]] = {}
        for path in paths:
            below = path
            while below:
                directory, _, name = below.rpartition("/")
                written.setdefault(directory, set()).add(name)
                below = directory
        return {
            directory
            for directory, names in written.items()
            if all(self._is_there(directory, name, names) for name in _BARE_REPOSITORY)
        }

    def _is_there(self, directory: str, name: str, written: set[str]) -> bool:
        path = f"{directory}/{name}" if directory else name
        return name in written or os.access(path, os.F_OK, dir_fd=self.root.fd)


def _extension(path: str) -> str:
    return os.path.splitext(path)[1].casefold()


def _own(path: str) -> Refusal:
    return Refusal(
        "path-denied",
        say("{} belongs to keyhole itself", FileName(path)),
        help=say(
            "look at the journal with {history:tool} and {show:tool}; "
            "only the user changes the settings"
        ),
        path=path,
    )


def _protected(path: str, part: str) -> Refusal:
    return Refusal(
        "protected-path",
        say("{} is protected: `{}` steers tools or runs code", FileName(path), printable(part)),
        help="tell the user what you would change; only the user can allow such a file",
        path=path,
    )


def _wrong_extension(path: str, extensions: frozenset[str]) -> Refusal:
    headline = say("{} has no extension that may be written here", FileName(path))
    usable = sorted(each for each in extensions if "/" not in each)
    help_line = f"write files ending in {', '.join(usable)}"
    if not usable:
        help_line = "ask the user to allow some: by the settings there are none"
    return Refusal("path-denied", headline, help=help_line, path=path)
