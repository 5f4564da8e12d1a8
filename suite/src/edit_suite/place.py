"""Where a case lies on disk while it runs, how its paths are spelled, and what is there."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from edit_suite.case import Case, Files

OUTSIDE = "../outside/"
_HEADERS = re.compile(
    r"^(--- |\+\+\+ |diff --git |rename from |rename to |copy from |copy to )(.*)$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files of a directory by their bytes, links by their targets, and modes."""

    files: Files = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    modes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
    """A case's own directory below the root that all cases of a run share."""

    root: Path
    name: str

    @property
    def home(self) -> Path:
        """Return the directory that holds the case's files."""
        return self.root / self.name

    @property
    def outside(self) -> Path:
        """Return the directory beside the root that nobody may touch."""
        return self.root.parent / "outside" / self.name

    def relative(self, path: str) -> str:
        """Return a path of the case as a server reads it: relative to the shared root."""
        if path.startswith("{outside}"):
            return path.replace("{outside}", str(self.outside), 1)
        if path.startswith(OUTSIDE):
            return f"{OUTSIDE}{self.name}/{path.removeprefix(OUTSIDE)}"
        return f"{self.name}/{path}"

    def absolute(self, path: str) -> str:
        """Return the path in full, with its `..` as they were sent."""
        spelled = self.relative(path)
        return spelled if spelled.startswith("/") else f"{self.root}/{spelled}"

    def local(self, path: str) -> str:
        """Return the path for a program that runs in the case's own directory."""
        if path.startswith(OUTSIDE):
            return f"../{OUTSIDE}{self.name}/{path.removeprefix(OUTSIDE)}"
        return path.replace("{outside}", str(self.outside), 1)

    def diff(self, text: str) -> str:
        """Return a diff whose headers name the files below the shared root."""
        return _HEADERS.sub(lambda found: found[1] + _spelled(found[2], self.relative), text)

    def local_diff(self, text: str) -> str:
        """Return a diff for a program that runs in the case's own directory."""
        return _HEADERS.sub(lambda found: found[1] + _spelled(found[2], self.local), text)

    def lay_out(self, case: Case) -> None:
        """Write the case's files."""
        self.home.mkdir(parents=True, exist_ok=True)
        _write(self.home, case.padded(case.before))
        _write(self.outside, case.outside)
        for path, target in case.links.items():
            link = self.home / path
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(self.local(target))
        for path, mode in case.modes.items():
            (self.home / path).chmod(mode)

    def clear(self) -> None:
        """Take the case's files away."""
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.rmtree(self.outside, ignore_errors=True)


def snapshot(directory: Path) -> Snapshot:
    """Return what a directory holds."""
    files: dict[str, bytes] = {}
    links: dict[str, str] = {}
    modes: dict[str, int] = {}
    for each in sorted(directory.rglob("*")):
        name = each.relative_to(directory).as_posix()
        if each.is_symlink():
            links[name] = str(each.readlink())
        elif each.is_file():
            files[name] = each.read_bytes()
            modes[name] = each.stat().st_mode & 0o777
    return Snapshot(files, links, modes)


def _spelled(paths: str, spell: Callable[[str], str]) -> str:
    """Spell the paths of one header anew."""
    if paths.startswith("a/") and " b/" in paths:
        left, _, right = paths.partition(" b/")
        return f"a/{spell(left.removeprefix('a/'))} b/{spell(right)}"
    if paths.startswith("/dev/null"):
        return paths
    side = paths[:2] if paths.startswith(("a/", "b/")) else ""
    return side + spell(paths.removeprefix(side))


def _write(directory: Path, files: Files) -> None:
    for path, data in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(data)
