"""Several workspaces of one project: worktrees and clones, each as if on a machine of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.sharing.identity import Sharing
from keyhole.sharing.server import Unreachable
from keyhole.workspace.tree import TreeOptions

TEXT = "".join(f"line {number}\n" for number in range(1, 21))


def git(directory: Path, *words: str) -> str:
    """Run git, with a name and an address and without the user's configuration."""
    own = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    command = ["git", "-C", str(directory), *own, *words]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout


@dataclass(frozen=True, slots=True)
class Team:
    """A repository with one commit, its worktrees, and the engines on them."""

    home: Path
    url: str
    engines: list[Engine] = field(default_factory=list)

    @property
    def main(self) -> Path:
        return self.home / "main"

    def begin(self, files: dict[str, str]) -> None:
        self.main.mkdir()
        for name, text in files.items():
            path = self.main / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        git(self.main, "init", "-q")
        self.commit(self.main)

    def commit(self, directory: Path) -> None:
        git(directory, "add", ".")
        git(directory, "commit", "-qm", "change")

    def worktree(self, name: str) -> Path:
        git(self.main, "worktree", "add", "-q", "-b", name, str(self.home / name))
        return self.home / name

    def clone(self, name: str) -> Path:
        git(self.home, "clone", "-q", str(self.main), name)
        return self.home / name

    def open(
        self, root: Path, machine: str = "", project: str = "", lock_timeout: float = 10.0
    ) -> Engine:
        machine = machine or root.name
        sharing = Sharing(self.url, project, machine)
        state = self.home / "state" / machine
        options = TreeOptions(sharing=sharing, lock_timeout=lock_timeout)
        engine = Engine.open(root, state, options)
        self.engines.append(engine)
        return engine

    def close(self) -> None:
        for engine in self.engines:
            engine.close()


@contextmanager
def team(home: Path, url: str, files: dict[str, str] | None = None) -> Iterator[Team]:
    """Make a team whose repository holds some files."""
    made = Team(home, url)
    made.begin(files or {"f.txt": TEXT})
    try:
        yield made
    finally:
        made.close()


def edit(  # noqa: PLR0917 - a sentence of its own
    engine: Engine, find: str, content: str, task: str = "", path: str = "f.txt", reason: str = ""
) -> Receipt:
    """Make one edit that must go through."""
    receipt = engine.edit(
        [Edit(find=find, content=content)], Options(task=task, reason=reason), path
    )
    assert receipt.ok, receipt.as_text()
    settle(engine)
    return receipt


def settle(engine: Engine) -> None:
    """Wait until what is sent beside the work is sent."""
    shared = engine._tree.shared
    if shared is not None and not shared.is_failing:
        with suppress(Unreachable):
            shared.ask(lambda _: None)
