"""Twelve ways to change files, as agents and people have them, on a small tree with git.

Each line that somebody writes is named after its writer and has a number of its own.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options

Snapshot = dict[str, tuple[bytes, bool]]
_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}
_FILES, _LINES = 10, 24


@dataclass
class Playground:
    """The tree, and what happens in it."""

    root: Path
    state: Path
    rng: random.Random
    number: int = 0
    moved: int = 0
    # What the next agent's command is called in its hooks.
    said: str = field(default="")

    def build(self) -> None:
        """Make files in directories, and a repository with two branches."""
        for number in range(_FILES):
            file = self.root / f"d{number % 3}/f{number}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            lines = (f"base {number} {line}\n" for line in range(_LINES))
            file.write_text("".join(lines), encoding="utf-8")
        (self.root / ".gitignore").write_text("*.log\n", encoding="utf-8")
        self.git("init -q -b main && git add -A && git commit -qm base && git branch side")

    def snapshot(self) -> Snapshot:
        """Return the files that count, with their bytes and whether they are programs."""
        found: Snapshot = {}
        for top, directories, files in os.walk(self.root):
            directories[:] = [each for each in directories if each != ".git"]
            for name in files:
                path = Path(top, name)
                if not name.endswith(".log"):
                    own = path.read_bytes(), os.access(path, os.X_OK)
                    found[str(path.relative_to(self.root))] = own
        return found

    def git(self, words: str) -> None:
        """Run git, with whatever follows it."""
        command = ["sh", "-c", f"git {words}"]
        environment = {**os.environ, **_GIT}
        subprocess.run(command, cwd=self.root, env=environment, capture_output=True, check=False)

    def pick(self, who: str = "", spare: str = "") -> Path:
        """Return one of the files; people have some that agents come to less often."""
        names = [each for each in self.snapshot() if each.endswith(".txt") and each != spare]
        own = [each for each in names if each.startswith("d2") == (who == "P")]
        among = own if own and self.rng.random() < 0.8 else names
        return self.root / self.rng.choice(sorted(among))

    def line(self, who: str) -> str:
        """Return a line that nobody wrote before."""
        self.number += 1
        return f"{who}-{self.number} {self.rng.randrange(10**6)}"

    def changed(self, file: Path, who: str) -> bytes:
        """Return a file with a line of somebody's put in or in the place of another."""
        lines = file.read_text(encoding="utf-8").split("\n")
        at = self.rng.randrange(len(lines))
        lines[at : at + self.rng.choice((0, 0, 1))] = [self.line(who)]
        return "\n".join(lines).encode()


def keyhole_edit(ground: Playground, who: str, use: str, actor: str) -> None:
    """Edit a line by keyhole itself, over MCP as far as the engine can tell."""
    file = ground.pick()
    count = file.read_bytes().count(b"\n") or 1
    at = ground.rng.randrange(count) + 1
    options = Options(actor=actor, tool="mcp edit", ids={"tool_use": use})
    engine = Engine.open(ground.root, ground.state)
    try:
        edit = Edit(lines=f"{at}", content=ground.line(who))
        engine.edit([edit], options, str(file.relative_to(ground.root)))
    finally:
        engine.close()


def _shell(command: str) -> Callable[[Playground, str], None]:
    def run(ground: Playground, who: str) -> None:
        words = command.format(
            file=ground.pick().relative_to(ground.root),
            line=ground.line(who),
            at=ground.rng.randrange(1, 9),
            new=f"d{ground.rng.randrange(2)}/m{ground.number}.txt",
            python=sys.executable,
        )
        ground.said = words
        environment = {**os.environ, **_GIT}
        shell = ["sh", "-c", words]
        subprocess.run(shell, cwd=ground.root, env=environment, capture_output=True, check=False)

    return run


_COMMIT = "git add -A; git commit -qm {at}; git checkout -q $(git branch | grep -v '*')"
# What agents do by their shells.
SHELL: dict[str, Callable[[Playground, str], None]] = {
    "sed": _shell("sed -i '{at}s/.*/{line}/' {file}"),
    "python": _shell(
        "{python} -I -S -c \"open('{new}', 'w').write('{line}\\n' * 3)\"; echo >> {file}"
    ),
    "mv": _shell("mv {file} {new}"),
    "rm": _shell("test $(ls d* | wc -l) -lt 9 || rm {file}"),
    "chmod": _shell("if test -x {file}; then chmod -x {file}; else chmod +x {file}; fi"),
    "formatter": _shell("for f in d{at}/*.txt d1/*.txt; do sed -i 's/$/ /; s/  $//' $f; done"),
    "checkout": _shell(_COMMIT),
    "restore": _shell("git checkout -q -- ."),
    "stash": _shell("git stash pop -q || git stash -q -u"),
}


WHOLE_TREES = ("formatter", "checkout", "restore", "stash")


def save_in_place(ground: Playground, spare: str = "") -> None:
    """Save a file as simple editors do: the same file, other bytes."""
    file = ground.pick("P", spare)
    file.write_bytes(ground.changed(file, "P"))


def save_as_vim(ground: Playground, spare: str = "") -> None:
    """Save a file as vim does: the old one goes aside, a new one comes, the old one is removed."""
    file = ground.pick("P", spare)
    data, mode = ground.changed(file, "P"), file.stat().st_mode
    backup = file.with_name(f"{file.name}~")
    file.rename(backup)
    file.write_bytes(data)
    file.chmod(mode)
    backup.unlink()


def git_by_hand(ground: Playground) -> None:
    """Let a person use git in a terminal."""
    words = ground.rng.choice((_COMMIT, "git stash pop -q || git stash -q -u"))
    ground.git(words.removeprefix("git ").format(at="by hand"))
