"""What git knows about a checkout: its directories, branch, commit and versions."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from keyhole.disk.broker import Broker
from keyhole.disk.files import GIT_FILE, PACKED_REFERENCES, UnfitFile, opened, read_bounded
from keyhole.fastclasses import dataclass
from keyhole.git import questions


@dataclass(frozen=True, slots=True)
class Repository:
    """A checkout: its top directory, its own git directory, and the one that worktrees share.

    Behind the fence a broker runs git.
    """

    top: str
    directory: str
    common: str
    broker: Broker | None = None

    def git(self, command: str, *commits: str, paths: Iterable[str] = ()) -> str | None:
        """Return what a command of git says of some commits and paths, None if it fails."""
        question = questions.GitQuestion(command, commits, tuple(paths))
        return (
            questions.ask(self.broker, question)
            if self.broker
            else questions.run(self.top, question)
        )


def git_outside(root: str) -> Broker:
    """Fork a process that runs git for a workspace, whatever checkout it comes to lie in."""

    def run(question: questions.GitQuestion) -> str | None:
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

    Two small files are read and no program runs, for this is asked at every shared edit.
    """
    line = _first_line(os.path.join(repository.directory, "HEAD"))
    if not line.startswith("ref:"):
        return "", line
    name = line.removeprefix("ref:").strip()
    commit = _first_line(os.path.join(repository.common, name)) or _packed(repository, name)
    return name.removeprefix("refs/heads/"), commit


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


def blobs_of(repository: Repository, paths: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Return which commits, on any branch, gave files which bytes, by one call for all files."""
    found: dict[str, dict[str, list[str]]] = {path: {} for path in paths}
    commit, blob = "", ""
    for piece in (repository.git("versions", paths=found) or "").split("\0"):
        text = piece.strip("\n")
        if text.startswith(":"):
            blob = text.split()[3]
        elif blob:
            commits = found.get(piece, {}).setdefault(blob, [])
            if commit not in commits:
                commits.append(commit)
            blob = ""
        elif text:
            commit = text
    return found


def not_before(repository: Repository, commits: Iterable[str], base: str) -> frozenset[str]:
    """Return the commits that the history of `base` does not hold; all where it is not known."""
    asked = frozenset(commits)
    if not (asked and base):
        return asked
    told = repository.git("not before", *sorted(asked), f"^{base}")
    return asked if told is None else asked & frozenset(told.split())


@dataclass(frozen=True, slots=True)
class GitVersion:
    """Bytes of a file as git would name them, and the commit they were made on."""

    blobs: frozenset[str]
    base: str = ""

    @staticmethod
    def of(data: bytes | None, base: str) -> GitVersion:
        """Return a version; git may keep it with other line ends, and under a longer name."""
        if data is None:
            return GitVersion(frozenset(["0" * 40, "0" * 64]), base)
        texts = {data, data.replace(b"\r\n", b"\n")}
        named = [b"blob %d\0" % len(text) + text for text in texts]
        old = [hashlib.sha1(each, usedforsecurity=False).hexdigest() for each in named]
        return GitVersion(
            frozenset([*old, *(hashlib.sha256(each).hexdigest() for each in named)]), base
        )


@dataclass(frozen=True, slots=True)
class Worktree:
    """What a checkout of the same repository has checked out; no branch is a detached commit."""

    commit: str
    branch: str = ""


def worktrees(repository: Repository) -> dict[str, Worktree]:
    """Return the checkouts of the same repository, and what each has checked out."""
    found, top = dict[str, Worktree](), ""
    for line in (repository.git("worktrees") or "").split("\n"):
        name, _, value = line.partition(" ")
        if name == "worktree":
            top = value
        elif name == "HEAD":
            found[top] = Worktree(value)
        elif name == "branch":
            found[top] = Worktree(found[top].commit, value)
    return found


def holders(
    repository: Repository, commit: str, checkouts: Mapping[str, Worktree]
) -> frozenset[str]:
    """Return the branches whose history holds a commit, and the checkouts whose HEAD does."""
    held = frozenset((repository.git("branches", commit) or "").split())
    inside = [
        top
        for top, at in checkouts.items()
        if at.branch in held or (not at.branch and _is_before(repository, commit, at.commit))
    ]
    return held.union(inside)


def _is_before(repository: Repository, commit: str, later: str) -> bool:
    return repository.git("is before", commit, later) is not None
