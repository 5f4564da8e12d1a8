"""Looks, hooks and rewinds that are killed at each of their steps, by failpoints and system calls.

Git is killed too: where one of its system calls is the step, whoever started it dies with it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from keyhole.disk import failpoints
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.hooks.hook import take_hook
from keyhole.engine.options import Options
from keyhole.engine.rewind.targets import EVERYBODY
from keyhole.git.command import Finished, Git
from keyhole.journal.model import APPLIED, Query
from keyhole.text.document import hash_of
from tests.torture.arena import child, memory_directory, report
from tests.torture.changes_faults import FAULTS
from tests.torture.trace import python

USER = Options(actor="cli:me", tool="cli rewind")
# Of the calls that change something, or hold something.
CALLS = "write pwrite64 openat openat2 mkdir mkdirat rename renameat2 link linkat unlink unlinkat"
CALLS = f"{CALLS} rmdir ftruncate fsync fdatasync fchmod flock execve close"
WAYS = {"failpoints": "", "calls": CALLS, "renames": "rename link"}
_MOST = 2000
Tree = dict[str, tuple[bytes, bool]]


@dataclass
class World:
    """A tree with a history, and a copy of both to start from again."""

    home: Path
    old: Tree = field(default_factory=dict)
    now: Tree = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.home / "now/root"

    def engine(self) -> Engine:
        return Engine.open(self.root, self.home / "now/state")

    def build(self) -> None:
        """Make a tree in which a session changes all there is to change, and a person beside it."""
        self._files()
        self.hook("SessionStart")
        self.hook("UserPromptSubmit", prompt="go on")
        self.old = self.tree()
        shell = {"tool_name": "Bash", "tool_input": {"command": "sed"}, "tool_use_id": "u1"}
        self.hook("PreToolUse", **shell)
        self._changes()
        self.hook("PostToolUse", **shell)
        self._edit("a.txt", 6, "keyhole")
        _change(self.root / "a.txt", 9, "P-person")
        (self.root / "late/n.txt").parent.mkdir()
        (self.root / "late/n.txt").write_text("P-late\n", encoding="utf-8")
        self.now = self.tree()
        shutil.copytree(self.home / "now", self.home / "kept", symlinks=True)

    def _files(self) -> None:
        for path in ("a.txt", "d/x.txt", "d/e/y.txt", "f", "goes.txt", "program.sh"):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            lines = "".join(f"{path} {number}\n" for number in range(12))
            (self.root / path).write_text(lines, encoding="utf-8")
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)

    def _changes(self) -> None:
        _change(self.root / "a.txt", 2, "shell")
        shutil.rmtree(self.root / "d")
        (self.root / "d").write_text("no directory any more\n", encoding="utf-8")
        (self.root / "f").unlink()
        (self.root / "f/g").mkdir(parents=True)
        (self.root / "f/g/z.txt").write_text("no file any more\n", encoding="utf-8")
        (self.root / "goes.txt").rename(self.root / "went.txt")
        (self.root / "program.sh").chmod(0o755)

    def _edit(self, path: str, line: int, text: str) -> None:
        engine = self.engine()
        edit = Edit(lines=str(line), content=text)
        assert engine.edit([edit], Options(actor="claude-code", tool="mcp edit"), path).ok
        engine.close()

    def hook(self, event: str, **more: object) -> None:
        """Take a hook of Claude Code."""
        common = {"session_id": "s", "cwd": str(self.root), "prompt_id": "prompt-1"}
        body = json.dumps({**common, "hook_event_name": event, **more}).encode()
        assert not take_hook("claude-code", body, self.environment())

    def environment(self) -> dict[str, str]:
        """Return an environment with a state directory of this world."""
        return {**os.environ, "XDG_STATE_HOME": str(self.home / "now/state")}

    def reset(self) -> None:
        """Start again from what was kept."""
        shutil.rmtree(self.home / "now")
        shutil.copytree(self.home / "kept", self.home / "now", symlinks=True)

    def tree(self) -> Tree:
        """Return the files that count, and whether they are programs."""
        found: Tree = {}
        for top, directories, files in os.walk(self.root):
            directories[:] = [each for each in directories if each != ".git"]
            for name in files:
                path = Path(top, name)
                data = path.read_bytes()
                found[str(path.relative_to(self.root))] = data, os.access(path, os.X_OK)
        return found

    def rewind(self, session: str) -> str:
        """Go back to the prompt, and return the name of the transaction."""
        engine = self.engine()
        try:
            wish = UndoRequest(prompt="prompt-1", session=session)
            receipt = engine.checkpoints.rewind(wish, USER)
            assert receipt.ok, receipt.as_text()
            return receipt.transaction or ""
        finally:
            engine.close()

    def undo(self, name: str) -> None:
        """Take a transaction back."""
        engine = self.engine()
        receipt = engine.undo(UndoRequest(id=name), USER)
        engine.close()
        assert receipt.ok, receipt.as_text()

    def look(self) -> None:
        """Look at the tree."""
        engine = self.engine()
        engine.checkpoints.look()
        engine.close()

    def first(self) -> None:
        """Look at the tree for the first time."""
        shutil.rmtree(self.home / "now/state")
        self.look()


def _change(file: Path, line: int, text: str) -> None:
    lines = file.read_text(encoding="utf-8").split("\n")
    lines[line - 1] = text
    file.write_text("\n".join(lines), encoding="utf-8")


WORKS: dict[str, Callable[[World], object]] = {
    "look": World.look,
    "hook": lambda world: world.hook("PreToolUse", tool_name="Bash", tool_use_id="u2"),
    "exact": lambda world: world.rewind(EVERYBODY),
    "rewind": lambda world: world.rewind(""),
    "first": World.first,
}


@dataclass
class Trial:
    """One kind of work, killed at each step, and what the judge found."""

    world: World
    work: str
    found: Counter[str]
    # What the work leads to, from the state that was kept.
    after: Tree = field(default_factory=dict)

    def run(self, stride: int, calls: str) -> None:
        """Kill the work at each step."""
        child(lambda _: void(WORKS[self.work](self.world)))
        self.after = self.world.tree()
        for way in self.by_call(stride, calls) if calls else self.by_failpoint(stride):
            self.found["killed"] += way
            self.check()

    def by_failpoint(self, stride: int) -> Iterator[bool]:
        """Kill it at the nth failpoint, for every n; in every second round recovery as well."""
        for nth in count(1, stride):
            self.world.reset()
            if not self.dies(nth, WORKS[self.work]):
                return
            if nth % 2:
                self.found["looks killed after it"] += self.dies(nth // 2 + 1, World.look)
            yield True

    def dies(self, nth: int, work: Callable[[World], object]) -> bool:
        """Work until the nth failpoint and die there; tell whether there was one."""
        left = iter(range(nth - 1))

        def hook(_: str) -> None:
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)

        def watched(_: object) -> None:
            with failpoints.watch(hook):
                work(self.world)

        return child(watched)[1]

    def by_call(self, stride: int, calls: str) -> Iterator[bool]:
        """Kill it at the nth system call of each kind, for every n."""
        for call in calls.split():
            for nth in range(1, _MOST, stride):
                self.world.reset()
                words = "work", self.work, str(self.world.home)
                watch = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}"]
                watch += ["-e", f"inject={call}:signal=KILL:when={nth}"]
                done = subprocess.run(
                    [*watch, *python("tests.torture.changes_kills", *words)],
                    capture_output=True,
                    check=False,
                    env=self.world.environment(),
                )
                if done.stdout.endswith(b"done\n"):
                    break
                yield True
            else:
                self.found["calls left out"] += 1

    def check(self) -> None:
        """Let the next look repair, and hold everything against what it has to be."""
        world, found = self.world, self.found
        if self.work == "first" and not (world.home / "now/state/keyhole").is_dir():
            return
        found["runs"] += 1
        child(lambda _: world.look())
        tree = world.tree()
        found["mixed"] += tree not in (world.now, self.after)
        found["leftovers"] += sum(".kh-" in path for path in tree)
        found["went back"] += tree == world.now
        found["went on"] += tree == self.after != world.now
        said, _ = child(lambda say: say(str(self.unexplained())))
        found["unexplained"] += int(said[0])
        if int(said[0]):
            return
        if self.work in {"look", "hook"} or tree == world.now != self.after:
            said, _ = child(lambda say: say(world.rewind(EVERYBODY)))
            found["not exact"] += world.tree() != world.old
            child(lambda _: world.undo(said[0]))
            found["not undone"] += world.tree() != tree

    def unexplained(self) -> int:
        """Return how many files the history tells otherwise than they are."""
        engine = self.world.engine()
        try:
            journal = engine._tree.journal
            entries = journal.entries(Query(limit=200))[::-1]
            unexplained = len(journal.pending())
            # A first look takes all as it is.
            base = self.world.tree() if self.work == "first" else self.world.old
            known: dict[str, str | None] = {path: hash_of(data) for path, (data, _) in base.items()}
            for entry in entries:
                for file in entry.files if entry.state == APPLIED else ():
                    unexplained += known.get(file.path) != file.before
                    known[file.path] = file.after
            now = {path: hash_of(data) for path, (data, _) in self.world.tree().items()}
            told = {path: name for path, name in known.items() if name}
            return unexplained + len(now.items() ^ told.items())
        finally:
            engine.close()


def void(_: object) -> None:
    """Take a value that nobody needs."""


@contextmanager
def dying_with_git() -> Iterator[None]:
    """Die where a git that was started here is killed."""
    finished = Git.finished

    def dying(git: Git, *given: object, **named: object) -> Finished:
        done = finished(git, *given, **named)  # type: ignore[arg-type]
        if done.returncode < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    Git.finished = dying  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        Git.finished = finished  # type: ignore[method-assign]


def run(work: str, stride: int, way: str = "failpoints", fault: str = "") -> Counter[str]:
    """Kill one kind of work at every `stride`th step; return what the judge found."""
    found: Counter[str] = Counter()
    with memory_directory() as home:
        world = World(home)
        world.root.mkdir(parents=True)
        os.environ.update(XDG_STATE_HOME=str(home / "now/state"), HOME=str(home))
        world.build()
        if fault:
            FAULTS[fault]()
        Trial(world, work, found).run(stride, WAYS[way])
    return found


def main(word: str, *rest: str) -> None:
    """Run the trial, or one work that somebody watches."""
    if word == "work":
        with dying_with_git():
            WORKS[rest[0]](World(Path(rest[1])))
        os.write(1, b"done\n")
        return
    report(run(word, int(rest[0]), *rest[1:]))


if __name__ == "__main__":
    main(*sys.argv[1:])
