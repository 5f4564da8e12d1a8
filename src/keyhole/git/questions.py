"""What git is asked about a checkout: words of ours, with a place for paths.

A path stands behind `--`, so nothing that comes from elsewhere is an option.
"""

from __future__ import annotations

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
    # The newest commits on all branches: what was merged before is no news.
    "commits": (
        *("log", "--all", "--full-history", "--sparse", "-m", "--raw", "--no-abbrev", "-z"),
        *("--no-ext-diff", "--no-textconv", "--no-renames", "--decorate=full"),
        *("--format=%x01%H%x02%P%x02%D", "--decorate-refs=refs/*", "--decorate-refs=HEAD"),
        *("--max-count=20000", "HEAD"),
    ),
}


@dataclass(frozen=True, slots=True)
class GitQuestion:
    """A command by its name, and the files it is about."""

    command: str
    paths: tuple[str, ...] = ()

    def vector(self, top: str) -> list[str]:
        """Return the words of the command, or raise `ValueError` for what is no path."""
        if not all(path and "\0" not in path for path in self.paths):
            raise ValueError("a path is none")
        words = ["-C", top, *_BEFORE, *_COMMANDS[self.command]]
        return [*words, "--", *self.paths] if self.paths else words


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
    asked = {"command": question.command, "paths": list(question.paths)}
    try:
        said = (broker.ask(asked) or {}).get("said")
    except (OSError, ValueError):
        return None
    return said if isinstance(said, str) else None


def _question(asked: Data) -> GitQuestion:
    paths = asked["paths"]
    if not isinstance(paths, list):
        raise TypeError("a list is none")
    return GitQuestion(str(asked["command"]), tuple(map(str, paths)))
