"""What git is asked about a checkout: words of ours, with places for commits and paths.

A commit is a hash and a path stands behind `--`, so nothing that comes from elsewhere is an option.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping

from keyhole.disk.broker import Broker, Data
from keyhole.fastclasses import dataclass
from keyhole.git import command

_SECONDS = 5.0
# No program that the repository's own configuration names may run here.
_BEFORE = ("-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "--literal-pathspecs")
_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "is shallow": ("rev-parse", "--is-shallow-repository"),
    "first commits": ("rev-list", "--max-parents=0", "HEAD"),
    "versions": (
        *("log", "--all", "--full-history", "-m", "--raw", "--no-abbrev", "--no-ext-diff", "-z"),
        *("--no-textconv", "--no-renames", "--format=%H", "HEAD"),
    ),
    "not before": ("rev-list", "--no-walk=unsorted"),
    "worktrees": ("worktree", "list", "--porcelain"),
    "branches": ("for-each-ref", "--format=%(refname)", "--contains"),
    "is before": ("merge-base", "--is-ancestor"),
}
_COMMIT = re.compile(r"\^?[0-9a-f]{7,64}\Z")
# How many commits are looked at for each path.
_VERSIONS = 1000


@dataclass(frozen=True, slots=True)
class GitQuestion:
    """A command by its name, and what it is about; a commit after `^` is left out by git."""

    command: str
    commits: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def vector(self, top: str) -> list[str]:
        """Return the words of the command, or raise `ValueError` for what is no hash or path."""
        if not all(_COMMIT.match(commit) for commit in self.commits):
            raise ValueError("a commit is no hash")
        if not all(path and "\0" not in path for path in self.paths):
            raise ValueError("a path is none")
        words = ["-C", top, *_BEFORE, *_COMMANDS[self.command], *self.commits]
        if self.paths:
            words += [f"--max-count={_VERSIONS * len(self.paths)}", "--", *self.paths]
        return words


def run(top: str, question: GitQuestion) -> str | None:
    """Return what git says, None if it cannot or must not be asked."""
    try:
        done = command.run(question.vector(top), _SECONDS)
    except (ValueError, LookupError):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def outside(answer: Callable[[GitQuestion], str | None]) -> Broker:
    """Fork a process that answers questions for one behind the fence."""

    def serve(asked: Data, _: threading.Event) -> Data:
        try:
            return {"said": answer(_question(asked))}
        except (LookupError, TypeError, ValueError):
            return {"said": None}

    return Broker.started(serve)


def ask(broker: Broker, question: GitQuestion) -> str | None:
    """Return what git says outside the fence, None if it cannot or must not be asked."""
    asked = {
        "command": question.command,
        "commits": list(question.commits),
        "paths": list(question.paths),
    }
    try:
        said = (broker.ask(asked) or {}).get("said")
    except (OSError, ValueError):
        return None
    return said if isinstance(said, str) else None


def _question(asked: Data) -> GitQuestion:
    commits, paths = asked["commits"], asked["paths"]
    if not isinstance(commits, list) or not isinstance(paths, list):
        raise TypeError("a list is none")
    return GitQuestion(str(asked["command"]), tuple(map(str, commits)), tuple(map(str, paths)))
