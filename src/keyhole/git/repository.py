"""What git knows about a checkout: its directories, branch, commit and versions."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.disk.bounded import GIT_FILE, PACKED_REFERENCES, UnfitFile, opened, read_bounded
from keyhole.fastclasses import dataclass

if TYPE_CHECKING:
    from keyhole.disk.broker import Broker
    from keyhole.git.questions import GitQuestion


@dataclass(frozen=True, slots=True)
class Repository:
    """A checkout: its top directory, its own git directory, and the one that worktrees share.

    Behind the fence a broker runs git.
    """

    top: str
    directory: str
    common: str
    broker: Broker | None = None

    def git(self, command: str, paths: Iterable[str] = ()) -> str | None:
        """Return what a command of git says of some paths, None if it fails."""
        from keyhole.git import questions

        question = questions.GitQuestion(command, tuple(paths))
        return (
            questions.ask(self.broker, question)
            if self.broker
            else questions.run(self.top, question)
        )


def git_outside(root: str) -> Broker:
    """Fork a process that runs git for a workspace, whatever checkout it comes to lie in."""
    from keyhole.git import questions

    def run(question: GitQuestion) -> str | None:
        repository = repository_of(root)
        return questions.run(repository.top, question) if repository else None

    return questions.outside(run)


def repository_of(root: str, broker: Broker | None = None) -> Repository | None:
    """Return the checkout that a directory lies in."""
    for top in (Path(root), *Path(root).parents):
        directory = _directory(top / ".git")
        if directory:
            common = _first_line(os.path.join(directory, "commondir"))
            shared = os.path.normpath(os.path.join(directory, common)) if common else directory
            return Repository(str(top), directory, shared, broker)
    return None


def _directory(path: Path) -> str:
    """Return the git directory that `.git` is, or that it names."""
    if os.path.isfile(path / "HEAD"):
        return str(path)
    line = _first_line(str(path))
    if not line.startswith("gitdir:"):
        return ""
    named = os.path.join(path.parent, line.removeprefix("gitdir:").strip())
    return os.path.normpath(named) if os.path.isfile(os.path.join(named, "HEAD")) else ""


def _first_line(path: str) -> str:
    try:
        body = read_bounded(path, GIT_FILE)
    except (UnfitFile, ValueError):
        return ""  # git takes no pipe or device for one of its files either
    return (body or b"").partition(b"\n")[0].decode("utf-8", "replace").strip()


def head(repository: Repository) -> tuple[str, str]:
    """Return the branch and the commit of a checkout; "" for what there is not (yet).

    Two small files are read when they changed, and no program runs: every shared edit asks this.
    """
    line = _line_of(f"{repository.directory}/HEAD")
    if not line.startswith("ref:"):
        return "", line
    name = line.removeprefix("ref:").strip()
    commit = _line_of(f"{repository.common}/{name}") or _packed(repository, name)
    return name.removeprefix("refs/heads/"), commit


def _line_of(path: str) -> str:
    """Return the first line of a file that git exchanges whenever it writes it."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return ""
    return _line_as_of(path, (found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size))


@lru_cache(maxsize=16)
def _line_as_of(path: str, stamp: tuple[int, ...]) -> str:  # noqa: ARG001 - part of the key
    return _first_line(path)


# What git notes while it is in the middle of something, and how much of its log is looked at.
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_NEWEST = 1 << 14


def moves(repository: Repository) -> tuple[str, ...]:
    """Return words that are others after git put files of another commit into the tree.

    A commit leaves the files as they are: of the log of `HEAD` the last line that is none counts.
    Where there is no log, it is the commit.
    """
    own = (os.path.join(repository.directory, name) for name in _UNDER_WAY)
    under_way = tuple(map(_first_line, own))
    branch, commit = head(repository)
    try:
        with opened(os.path.join(repository.directory, "logs/HEAD"), PACKED_REFERENCES) as fd:
            if fd is None:
                return branch, commit, *under_way
            size = os.fstat(fd).st_size
            lines = os.pread(fd, _NEWEST, max(size - _NEWEST, 0)).split(b"\n")
    except (UnfitFile, OSError):
        return branch, commit, *under_way
    moved = (each for each in reversed(lines) if b"\t" in each and b"\tcommit" not in each)
    return branch, next(moved, b"").partition(b"\t")[0].decode("utf-8", "replace"), *under_way


def stashed(repository: Repository) -> str:
    """Return the last commit that was stashed, "" if none is."""
    return _first_line(os.path.join(repository.common, "refs/stash"))


def sparse(repository: Repository) -> tuple[str, ...]:
    """Return a word that is another one once git leaves out other files of the tree, if it does."""
    try:
        status = os.stat(os.path.join(repository.directory, "info/sparse-checkout"))
    except OSError:
        return ()
    return (f"{status.st_size}-{status.st_mtime_ns}",)


def state_word(root: str) -> str:
    """Return a word that is another one after git switched, rewound, stashed or merged."""
    repository = repository_of(root)
    if repository is None:
        return "none"
    return " ".join((*moves(repository), stashed(repository), *sparse(repository))) or "none"


def _packed(repository: Repository, name: str) -> str:
    try:
        with opened(os.path.join(repository.common, "packed-refs"), PACKED_REFERENCES) as fd:
            return _reference(fd, name) if fd is not None else ""
    except (UnfitFile, OSError):
        return ""


def _reference(fd: int, name: str) -> str:
    """Return the commit of a reference, looked up line by line."""
    wanted = f" {name}".encode("utf-8", "replace")
    with os.fdopen(fd, "rb", closefd=False) as file:
        while line := file.readline(GIT_FILE):
            if line.rstrip().endswith(wanted):
                return line.split()[0].decode("ascii", "replace")
    return ""


def root_commit(repository: Repository) -> str:
    """Return the first commit of all, which every clone shares; "" where it cannot be told."""
    if repository.git("is shallow") != "false":
        return ""
    return min((repository.git("first commits") or "").split(), default="")


@dataclass(frozen=True, slots=True)
class GitVersion:
    """Bytes of a file as git would name them, and the commit they were made on."""

    blobs: frozenset[str]
    base: str = ""

    @staticmethod
    def of(data: bytes | None, base: str) -> GitVersion:
        """Return a version; git may keep it with other line ends, and under a longer name."""
        import hashlib  # a look names no version

        if data is None:
            return GitVersion(frozenset(["0" * 40, "0" * 64]), base)
        texts = {data, data.replace(b"\r\n", b"\n")}
        named = [b"blob %d\0" % len(text) + text for text in texts]
        old = [hashlib.sha1(each, usedforsecurity=False).hexdigest() for each in named]
        return GitVersion(
            frozenset([*old, *(hashlib.sha256(each).hexdigest() for each in named)]), base
        )


def checkouts(repository: Repository) -> dict[str, Repository]:
    """Return the worktrees of a repository by their directories, the main one first.

    Its files say so, and no program runs.
    """
    found = dict[str, Repository]()
    common = repository.common
    if os.path.basename(common) == ".git":
        top = os.path.dirname(common)
        found[top] = Repository(top, common, common)
    directory = os.path.join(common, "worktrees")
    with suppress(OSError):
        for name in sorted(os.listdir(directory)):
            own = os.path.join(directory, name)
            if line := _first_line(os.path.join(own, "gitdir")):
                top = os.path.dirname(os.path.normpath(os.path.join(own, line)))
                found[top] = Repository(top, own, common)
    return found


_BEGIN, _BETWEEN = "\1", "\2"


class Commits:
    """The newest commits of a repository: what they made of some files, and who holds them.

    Git is asked once. What an older commit holds counts as held by nobody.
    """

    def __init__(self, repository: Repository, paths: Iterable[str], bases: Iterable[str]) -> None:
        self.blobs: dict[str, dict[str, list[str]]] = {path: {} for path in paths}
        self._parents: dict[str, list[str]] = {}
        self._tips: dict[str, set[str]] = {}
        self._read(repository)
        for top, checkout in checkouts(repository).items():
            branch, commit = head(checkout)
            self._tip(self._of_branch(branch) or commit, top)
        for base in bases:
            self._tip(base, base)
        self._names = sorted({name for names in self._tips.values() for name in names})
        self._reached = self._carried()
        self._held: dict[int, frozenset[str]] = {}

    def holders(self, commit: str) -> frozenset[str]:
        """Return the references, worktrees and bases whose history holds a commit."""
        mask = self._reached.get(commit, 0)
        if mask not in self._held:
            self._held[mask] = frozenset(
                name for bit, name in enumerate(self._names) if mask >> bit & 1
            )
        return self._held[mask]

    def _read(self, repository: Repository) -> None:
        output = repository.git("commits", self.blobs) or ""
        commit, blob = "", ""
        for piece in output.split("\0"):
            text = piece.strip("\n")
            if blob:
                commits = self.blobs.get(piece, {}).setdefault(blob, [])
                if commit not in commits[-1:]:
                    commits.append(commit)
                blob = ""
            elif text.startswith(":"):
                blob = text.split()[3]
            elif text.startswith(_BEGIN):
                commit = self._begin(text[1:])

    def _begin(self, text: str) -> str:
        commit, parents, names = text.split(_BETWEEN)
        commit = commit.split(maxsplit=1)[0]
        if commit not in self._parents:
            self._parents[commit] = parents.split()
            for name in names.split(", "):
                if reference := name.removeprefix("tag: ").removeprefix("HEAD -> "):
                    self._tip(commit, reference)
        return commit

    def _tip(self, commit: str, name: str) -> None:
        self._tips.setdefault(commit, set()).add(name)

    def _of_branch(self, branch: str) -> str:
        name = f"refs/heads/{branch}"
        return next((each for each, names in self._tips.items() if name in names), "")

    def _carried(self) -> dict[str, int]:
        """Return for each commit the numbers of the names that hold it, as bits."""
        bits = {name: 1 << bit for bit, name in enumerate(self._names)}
        children = Counter(each for parents in self._parents.values() for each in parents)
        reached = dict[str, int]()
        ready = [commit for commit in self._parents if not children[commit]]
        while ready:
            commit = ready.pop()
            mask = reached.get(commit, 0)
            for name in self._tips.get(commit, ()):
                mask |= bits[name]
            reached[commit] = mask
            for parent in self._parents.get(commit, ()):
                reached[parent] = reached.get(parent, 0) | mask
                children[parent] -= 1
                if not children[parent] and parent in self._parents:
                    ready.append(parent)
        return reached
