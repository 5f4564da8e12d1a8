"""The files of a tree, in order, without those that .gitignore names."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator

from keyhole.disk import files
from keyhole.disk.bounded import IGNORE_FILE
from keyhole.fastclasses import dataclass
from keyhole.refusals import Refused
from keyhole.storage.atomic import is_temporary
from keyhole.storage.paths.globs import Glob, globs_of, read_ignore_lines
from keyhole.storage.paths.own import OwnFiles
from keyhole.storage.roots import Root

# Other people's databases: nothing in there is meant to be read by line.
_REPOSITORIES = frozenset({".git", ".hg", ".svn", ".jj"})


@dataclass(frozen=True, slots=True)
class _Rules:
    """The patterns of one .gitignore, for paths below its directory."""

    prefix: str
    globs: tuple[Glob, ...]


@dataclass(frozen=True, slots=True)
class FileSelection:
    """Which files a walk yields: those of a glob, ignored ones too, those that a look lets pass.

    `passes` is asked with the open directory, the file's name there, and its path. `met` is told of
    each file or directory that .gitignore names, and whether it is a directory.
    """

    glob: str = ""
    ignored: bool = False
    passes: Callable[[int, str, str], bool] | None = None
    met: Callable[[str, bool], None] | None = None


def walk(
    root: Root,
    under: str,
    own: OwnFiles,
    wanted: FileSelection | None = None,
) -> Iterator[str]:
    """Yield the files below `under`, or `under` itself if it is a file; keyhole's `own` are not."""
    wanted = wanted or FileSelection()
    rules = () if wanted.ignored else tuple(_rules_above(root, under))
    if _is_file(root, under):
        yield under
        return
    start = "" if under == "." else under
    globs = globs_of(wanted.glob) if wanted.glob else ()
    walking = _Walk(own, globs, wanted.ignored, wanted.passes, wanted.met)
    yield from _walk(root.directory(start), start, walking, rules)


def _is_file(root: Root, path: str) -> bool:
    parent, name = root.parent(path)
    try:
        return stat.S_ISREG(os.lstat(name, dir_fd=parent).st_mode)
    except OSError:
        return False
    finally:
        os.close(parent)


def directories_below(root: Root) -> Iterator[int]:
    """Yield every directory of the tree, open, each closed when the next is asked for."""
    todo = [""]
    while todo:
        path = todo.pop()
        try:
            fd = root.directory(path)
        except Refused:
            continue
        try:
            yield fd
            with os.scandir(fd) as entries:
                names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        finally:
            os.close(fd)
        todo += [f"{path}/{name}".lstrip("/") for name in names if name not in _REPOSITORIES]


@dataclass(frozen=True, slots=True)
class _Walk:
    """What a walk leaves out, and what it is after."""

    own: OwnFiles
    globs: tuple[Glob, ...]
    ignored: bool
    passes: Callable[[int, str, str], bool] | None
    met: Callable[[str, bool], None] | None

    def takes(self, fd: int, name: str, path: str) -> bool:
        """Tell whether a file is yielded."""
        if self.globs and not any(glob.covers(path) for glob in self.globs):
            return False
        return (self.passes is None or self.passes(fd, name, path)) and not self.own.is_listed(path)


def _walk(fd: int, path: str, walking: _Walk, rules: tuple[_Rules, ...]) -> Iterator[str]:
    """Walk one open directory, and close it."""
    try:
        if not walking.ignored:
            rules += tuple(_rules_in(fd, path, ".gitignore"))
        with os.scandir(fd) as entries:
            found = sorted(
                (
                    entry.name,
                    entry.is_dir(follow_symlinks=False),
                    entry.is_file(follow_symlinks=False),
                )
                for entry in entries
            )
        for name, is_directory, is_file in found:
            below = f"{path}/{name}" if path else name
            if _is_ignored(below, rules, is_directory=is_directory):
                if walking.met is not None:
                    walking.met(below, is_directory)
                continue
            if is_directory and name not in _REPOSITORIES and not walking.own.holds(below):
                try:
                    inner = os.open(
                        name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd
                    )
                except OSError:
                    continue
                yield from _walk(inner, below, walking, rules)
            elif is_file and not is_temporary(name) and walking.takes(fd, name, below):
                yield below
    finally:
        os.close(fd)


def _is_ignored(path: str, rules: tuple[_Rules, ...], *, is_directory: bool) -> bool:
    """Tell what the last pattern that matches says; deeper files speak last."""
    for rule in reversed(rules):
        inner = path[len(rule.prefix) :]
        for glob in reversed(rule.globs):
            if glob.matches(inner, is_directory=is_directory):
                return not glob.negated
    return False


def _rules_above(root: Root, under: str) -> Iterator[_Rules]:
    """Read the repository's own patterns and the .gitignore files above, outermost first."""
    yield from _rules_at(root, ".git/info", "", "exclude")
    parts = [] if under == "." else under.split("/")
    for depth in range(len(parts)):
        path = "/".join(parts[:depth])
        yield from _rules_at(root, path, path)


def _rules_at(root: Root, place: str, path: str, name: str = ".gitignore") -> Iterator[_Rules]:
    """Read the patterns for `path` that a file at `place` holds, if there is such a directory."""
    try:
        fd = root.directory(place)
    except Refused:
        return
    try:
        yield from _rules_in(fd, path, name)
    finally:
        os.close(fd)


def _rules_in(fd: int, path: str, name: str) -> Iterator[_Rules]:
    prefix = f"{path}/" if path else ""
    try:
        seen = files.read(fd, name, prefix + name, IGNORE_FILE)
    except Refused:
        return
    if seen is not None:
        yield _Rules(prefix, read_ignore_lines(seen.data.decode("utf-8", "surrogateescape")))
