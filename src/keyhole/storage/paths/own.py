"""Keyhole's own files: no agent reads or writes its configuration, its state or its cache.

Whoever writes the configuration names the programs that keyhole runs; whoever reads the state reads
the tokens and the history of every workspace. So a root that holds them, such as a home directory
or a repository of dotfiles, is served without them, whatever the user allows besides.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path

from keyhole.fastclasses import dataclass
from keyhole.storage.paths.globs import Glob
from keyhole.storage.roots import Root

# Directories and files that are protected wherever they stand, with everything below them.
_NAMES = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        ".idea",
        ".cursor",
        ".claude",
        ".gemini",
        ".codex",
        ".devcontainer",
        ".devcontainer.json",
        ".husky",
        ".mcp.json",
        ".envrc",
        "keyhole.toml",
        ".keyhole",
    }
)
_PAIRS = frozenset(
    {
        (".vscode", "settings.json"),
        (".vscode", "tasks.json"),
        (".vscode", "launch.json"),
        (".vscode", "mcp.json"),
    }
)
# Windows keeps a short name for each long one: `GIT~1` opens `.git`.
_SHORT = re.compile(
    r"(git|hg|svn|jj|idea|cursor|claude|gemini|codex|vscode|husky|devcon|envrc|mcp)~\d+"
)
# Characters that HFS+ leaves out when it compares names.
_IGNORED = dict.fromkeys(
    [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xAD, 0xFEFF]
)

# Files that run code when somebody builds, tests or logs in: writing them is work, but worth a
# look.
_REVIEW = (
    ".github/workflows/",
    "package.json",
    "Makefile",
    "conftest.py",
    "setup.py",
    "*.pth",
    ".pre-commit-config.yaml",
    ".npmrc",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
)


def protected_part(path: str, allowed: Iterable[Glob] = ()) -> str:
    """Return the component of `path` that makes it protected, or nothing.

    Whether the file exists makes no difference, and `allowed` is what the user (never an agent) has
    opened.
    """
    parts = path.split("/")
    folded = [folded_name(part) for part in parts]
    for index, name in enumerate(folded):
        pair = (folded[index - 1], name) if index else ("", name)
        if name in _NAMES or pair in _PAIRS or _SHORT.fullmatch(name):
            return "" if any(glob.covers(path) for glob in allowed) else parts[index]
    return ""


def worth_review(path: str) -> bool:
    """Tell whether a person should look at a change of this file, although it is allowed."""
    return any(glob.covers(path) for glob in _review_globs())


@cache
def _review_globs() -> tuple[Glob, ...]:
    return tuple(Glob.of(line) for line in _REVIEW)


@lru_cache(maxsize=4096)
def folded_name(name: str) -> str:
    """Return a name as the most forgiving file system would compare it.

    Worked example: `.GIT::$INDEX_ALLOCATION` is `.git` to one system or another.
    """
    if not name.isascii():
        from unicodedata import normalize

        name = normalize("NFKC", name.translate(_IGNORED)).translate(_IGNORED)
    name = name.split(":", 1)[0] or name
    return name.casefold().rstrip(" .") or name


_LEAST_REST = 1.0
_REST_PER_LOOK = 20
_MOST_DIRECTORIES = 4096
# Whoever has more workspaces than these has no links from one's state into another's tree.
_MOST_WORKSPACES = 256

Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Places:
    """Where keyhole's own files are: names below the root, and what they are by inode."""

    # As the most forgiving file system compares them; "" stands for the root and all that is in it.
    names: frozenset[str] = frozenset()
    spelt: frozenset[str] = frozenset()
    identities: frozenset[Identity] = frozenset()


class OwnFiles:
    """Tells which paths of a tree lead to keyhole's own files, by name and by inode."""

    def __init__(self, root: Root, homes: Iterable[Path]) -> None:
        self._root = root
        self._homes = tuple(dict.fromkeys(os.path.abspath(home) for home in homes))
        self._until = 0.0
        self._places = _Places()
        self._known: dict[str, bool] = {}

    def holds(self, path: str) -> bool:
        """Tell whether a canonical path is one of keyhole's own, whether it exists or not."""
        return self._holds(path, self._current()) and self._holds(path, self._look_again())

    def _holds(self, path: str, places: _Places) -> bool:
        if "" in places.names:
            return True
        name = _folded(path)
        if any(name == each or name.startswith(f"{each}/") for each in places.names):
            return True
        return bool(places.identities) and self._lies_in_one(path, places.identities)

    def would_hide(self, path: str) -> bool:
        """Tell whether a file of this name would be in the place of a directory above them."""
        name = _folded(path)
        return any(each.startswith(f"{name}/") for each in self._current().names)

    def is_listed(self, path: str) -> bool:
        """Tell by its name alone whether a file that a walk finds is one of keyhole's own."""
        return path in self._current().spelt

    def is_one(self, status: os.stat_result) -> bool:
        """Tell whether an open file is one of keyhole's own under another name."""
        known = _identity(status)
        # A file of ours that is gone leaves its inode to any other: what is denied is looked up.
        return known in self._current().identities and known in self._look_again().identities

    def _lies_in_one(self, path: str, identities: frozenset[Identity]) -> bool:
        """Tell whether a directory on the way is one of keyhole's: mounted twice, or respelt."""
        known = self._known.get(path)
        if known is not None:
            return known
        above = path.rpartition("/")[0]
        found = bool(above) and self._lies_in_one(above, identities)
        if not found:
            try:
                status = os.stat(path, dir_fd=self._root.fd, follow_symlinks=False)
            except (OSError, ValueError):
                return False
            if not stat.S_ISDIR(status.st_mode):
                return False
            found = _identity(status) in identities
        if len(self._known) < _MOST_DIRECTORIES:
            self._known[path] = found
        return found

    def _current(self) -> _Places:
        """Return where keyhole's files are, looked up again after a while."""
        return self._places if time.monotonic() < self._until else self._look_again()

    def _look_again(self) -> _Places:
        started = time.monotonic()
        self._places = _look(self._root, self._homes)
        self._known.clear()
        ended = time.monotonic()
        self._until = ended + max(_LEAST_REST, _REST_PER_LOOK * (ended - started))
        return self._places


def _look(root: Root, homes: Iterable[str]) -> _Places:
    identities: set[Identity] = set()
    links: set[str] = set()
    real = {os.path.realpath(home) for home in homes}
    for home in real:
        _scan(home, identities, links)
    # A link in a home to all of a project, its templates for example, does not close the project.
    links = {link for link in links if not _is_below(root.path, link)}
    identities.update(_identities_of(links))
    places = real | links | set(homes)
    spelt = frozenset(_relative(root.path, each) for each in places if _touches(root.path, each))
    if _is_inside(root.fd, identities):
        spelt |= {""}
    return _Places(frozenset(map(_folded, spelt)), spelt, frozenset(identities))


def _scan(home: str, identities: set[Identity], links: set[str]) -> None:
    """Collect by inode what a home holds and its directories hold, and where links there lead."""
    try:
        status = os.stat(home)
        identities.add(_identity(status))
        device = status.st_dev
        with os.scandir(home) as entries:
            found = list(islice(entries, _MOST_DIRECTORIES))
    except OSError:
        return
    links.update(os.path.realpath(entry.path) for entry in found if entry.is_symlink())
    inner = [entry for entry in found if entry.is_dir(follow_symlinks=False)]
    identities.update(_identities_of(each.path for each in found if each.is_file()))
    identities.update((device, entry.inode()) for entry in inner)
    for entry in inner[:_MOST_WORKSPACES]:
        _scan_workspace(entry.path, device, identities, links)


def _scan_workspace(place: str, device: int, identities: set[Identity], links: set[str]) -> None:
    """Collect by inode the state of one workspace; links deeper down are mirrors for linters."""
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                identities.add((device, entry.inode()))
                if entry.is_symlink():
                    links.add(os.path.realpath(entry.path))
    except OSError:
        return


def _identities_of(paths: Iterable[str]) -> Iterator[Identity]:
    for path in paths:
        with suppress(OSError):
            yield _identity(os.stat(path))


def _is_inside(fd: int, identities: set[Identity]) -> bool:
    """Tell whether the root, or a directory above it, is among `identities`."""
    path, last = ".", None
    while True:
        try:
            here = _identity(os.stat(path, dir_fd=fd))
        except OSError:
            return False
        if here in identities:
            return True
        if here == last:
            return False
        path, last = f"../{path}", here


def _touches(root: str, place: str) -> bool:
    return _is_below(place, root) or _is_below(root, place)


def _is_below(path: str, above: str) -> bool:
    return path == above or path.startswith(above.rstrip("/") + "/")


def _relative(root: str, place: str) -> str:
    """Return a place as it is named below the root; "" if the root lies in it."""
    return "" if _is_below(root, place) else place[len(root.rstrip("/")) + 1 :]


def _folded(path: str) -> str:
    return "/".join(map(folded_name, path.split("/"))) if path else ""


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino
