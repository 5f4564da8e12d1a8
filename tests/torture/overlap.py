"""Workspaces that overlap work at once: what was acknowledged is there, what was refused is not.

Each worker writes lines that nobody else writes, and notes what it was answered. Nested roots, one
root with two state homes, a bind mount, another user: they know of each other only by the files.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from keyhole.answers.receipt import Receipt
from keyhole.disk import failpoints
from keyhole.edits.model.operations import DeleteFile, Edit, MoveFile, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.workspace.tree import Tree
from tests.mounts import mounted
from tests.torture.arena import memory_directory, report
from tests.torture.contention import race
from tests.torture.loop import mount_alone
from tests.torture.planted.overlap import PLANTED

KINDS = ("nested", "homes", "bind", "user")
FAULTS = (
    "lost",
    "refused but there",
    "taken back but there",
    "twice",
    "nobody's",
    "leftovers",
    "pending",
    "damage",
    "failed",
)
OTHER_USER = 1234
_FILES = ("f0.txt", "f1.txt", "deep/g.txt")
_CONTESTED = 12
# Where somebody else may come in between: the files are read, the names are exchanged.
_WIDE = {"staged": 0.008, "exchanged": 0.008}


@dataclass(frozen=True, slots=True)
class Side:
    """One way to the shared files: a root, where they are below it, its state, and its user."""

    root: Path
    prefix: str
    state: Path
    user: int = 0

    def open(self) -> Engine:
        """Open the workspace of this side."""
        return Engine(Tree.open(self.root, state_home=self.state))


@dataclass(slots=True)
class Worker:
    """One process of a side: what it has written, and a log of what it was answered."""

    side: Side
    name: str
    rng: random.Random
    log: int
    done: int = 0
    lines: list[tuple[str, str]] = field(default_factory=list)
    undoable: list[tuple[str, list[tuple[str, str]]]] = field(default_factory=list)

    def work(self, engine: Engine, wanted: int, rest: float) -> None:
        """Write until so many calls were acknowledged."""
        deeds = {
            self._append: 50,
            self._pair: 12,
            self._replace: 14,
            self._undo: 8,
            self._create: 8,
            self._own: 6,
            self._move: 4,
        }
        tries = 0
        acked = 0
        while acked < wanted:
            tries += 1
            assert tries < 50 * wanted + 500, "BUG: nothing is acknowledged any more"
            (deed,) = self.rng.choices([*deeds], [*deeds.values()])
            acked += deed(engine)
            if rest:
                threading.Event().wait(self.rng.uniform(0, rest))

    def _append(self, engine: Engine) -> bool:
        path, line = self._path(), self._line()
        edit = Edit(action="append", content=line)
        return self._call([(path, line)], [], lambda: engine.edit([edit], _OPTIONS, self._at(path)))

    def _pair(self, engine: Engine) -> bool:
        new = [(path, self._line()) for path in _FILES[:2]]
        edits = [Edit(path=self._at(path), action="append", content=line) for path, line in new]
        return self._call(new, [], lambda: engine.edit(edits, _OPTIONS))

    def _replace(self, engine: Engine) -> bool:
        if not self.lines:
            return False
        path, old = self.rng.choice(self.lines)
        edit = Edit(find=old, content=(line := self._line()), match="exact")
        call = [(path, line)], [(path, old)]
        return self._call(*call, lambda: engine.edit([edit], _OPTIONS, self._at(path)))

    def _undo(self, engine: Engine) -> bool:
        if not self.undoable:
            return False
        entry, lines = self.undoable.pop()
        return self._call([], lines, lambda: engine.undo(UndoRequest(id=entry), _OPTIONS))

    def _create(self, engine: Engine) -> bool:
        path, line = f"new{self.rng.randrange(_CONTESTED)}.txt", self._line()
        made = WriteFile(self._at(path), f"{line}\n")
        return self._call([(path, line)], [], lambda: engine.write(made, _OPTIONS))

    def _move(self, engine: Engine) -> bool:
        old, new = (f"{word}{self.rng.randrange(_CONTESTED)}.txt" for word in ("new", "moved"))
        moved = MoveFile(self._at(old), self._at(new))
        return self._call([], [], lambda: engine.write(moved, _OPTIONS))

    def _own(self, engine: Engine) -> bool:
        """Make a file that nobody else writes to, or delete the one that was made."""
        path = f"own-{self.name}.txt"
        mine = [each for each in self.lines if each[0] == path]
        if mine:
            gone = DeleteFile(self._at(path))
            return self._call([], mine, lambda: engine.write(gone, _OPTIONS))
        made = WriteFile(self._at(path), f"{(line := self._line())}\n")
        return self._call([(path, line)], [], lambda: engine.write(made, _OPTIONS))

    def _call(
        self,
        adds: list[tuple[str, str]],
        drops: list[tuple[str, str]],
        call: Callable[[], Receipt],
    ) -> bool:
        """Call, and note before and after what that does to the lines that are there."""
        words = [line for _, line in adds], [line for _, line in drops]
        self._note("begun", *words)
        receipt = call()
        is_open = any(refusal.data.get("outcome") for refusal in receipt.refusals)
        self._note("acked" if receipt.ok else "open" if is_open else "refused", *words)
        if not receipt.ok:
            return False
        self.lines = [each for each in self.lines if each not in drops] + adds
        self.undoable = [each for each in self.undoable if not set(each[1]) & set(drops)]
        if adds and not drops:
            self.undoable.append((receipt.transaction, adds))
        return True

    def _note(self, *words: object) -> None:
        os.write(self.log, f"{json.dumps(words)}\n".encode())

    def _line(self) -> str:
        self.done += 1
        return f"{self.name}-{self.done}."

    def _path(self) -> str:
        if self.rng.random() < 0.15:
            return f"new{self.rng.randrange(_CONTESTED)}.txt"
        return self.rng.choice((_FILES[0], *_FILES))

    def _at(self, path: str) -> str:
        return f"{self.side.prefix}{path}"


_OPTIONS = Options(actor="torturer", tool="edit")


@contextmanager
def sides_of(kind: str, home: Path) -> Iterator[tuple[Side, Side]]:
    """Make the shared files, and give two ways to them."""
    shared = home / "root/sub"
    (shared / "deep").mkdir(parents=True)
    for name in _FILES:
        (shared / name).write_text("begin\n", encoding="utf-8")
    outer = Side(home / "root", "sub/", home / "state")
    if kind == "nested":
        yield outer, Side(shared, "", home / "state")
    elif kind == "homes":
        yield outer, Side(home / "root", "sub/", home / "other")
    elif kind == "bind":
        (home / "mounted").mkdir()
        with mounted(shared, home / "mounted"):
            yield outer, Side(home / "mounted", "", home / "state")
    else:
        for path in (home, shared, shared / "deep", *(shared / name for name in _FILES)):
            os.chown(path, OTHER_USER, OTHER_USER)
        (home / "other").mkdir()
        os.chown(home / "other", OTHER_USER, OTHER_USER)
        yield outer, Side(shared, "", home / "other", OTHER_USER)


def run(kind: str, wanted: int, seed: int, manner: str = "busy", mutant: str = "") -> Counter[str]:
    """Let three workers of each side write until so many calls are acknowledged; then judge.

    They rest between calls if the manner is "resting"; some are killed if it is "killed"; if it is
    "wide", the moments last longer in which somebody else may come in between.
    """
    if mutant:
        PLANTED[mutant]()
    if kind == "bind":
        mount_alone()
    found: Counter[str] = Counter()
    with memory_directory() as home:
        home.chmod(0o755)
        _warm_up(home / "scratch")
        with sides_of(kind, home) as sides:
            at_once = min(wanted, 60) if manner == "killed" else wanted
            while _acked(home) < wanted:
                found["rounds"] += 1
                rng = random.Random(f"{seed} {found['rounds']}")
                crew = Crew(sides, home, found["rounds"], rng, manner)
                crew.work(-(-at_once // 6), found)
            _judge(sides, home, found)
    return found


def _acked(home: Path) -> int:
    return sum(log.read_text("utf-8").count('"acked"') for log in home.glob("log-*"))


def _warm_up(home: Path) -> None:
    """Load what calls need, before a user who may not read it takes over."""
    import_module("rapidfuzz.distance")
    log = os.open(os.devnull, os.O_WRONLY)
    with sides_of("homes", home) as sides:
        engines = [side.open() for side in sides]
        workers = [Worker(side, f"warm{n}", random.Random(n), log) for n, side in enumerate(sides)]
        for _ in range(20):
            for worker, engine in zip(workers, engines, strict=True):
                worker.work(engine, 3, 0)
        for engine in engines:
            engine.close()


@dataclass(frozen=True, slots=True)
class Crew:
    """Three workers of each side, who begin together."""

    sides: Sequence[Side]
    home: Path
    number: int
    rng: random.Random
    manner: str

    def work(self, wanted: int, found: Counter[str]) -> None:
        """Let each of them write until so many calls are acknowledged, or it is killed."""
        logs = [os.open(self._log(nth), os.O_WRONLY | os.O_CREAT, 0o600) for nth in range(6)]
        seeds = [self.rng.random() for _ in range(6)]
        codes = race(6, lambda nth: self._one(nth, logs[nth], seeds[nth], wanted))
        found["killed"] += sum(code < 0 for code in codes)
        found["failed"] += sum(code > 0 for code in codes)
        for log in logs:
            os.close(log)

    def _log(self, nth: int) -> Path:
        return self.home / f"log-{self.number}-{nth}"

    def _one(self, nth: int, log: int, seed: float, wanted: int) -> None:
        side, rng = self.sides[nth % 2], random.Random(seed)
        if side.user:
            os.setgroups([])
            os.setgid(side.user)
            os.setuid(side.user)
        worker = Worker(side, f"w{self.number}{nth}", rng, log)
        with failpoints.watch(self._hook(nth, rng)):
            engine = side.open()
            worker.work(engine, wanted, 0.004 if self.manner == "resting" else 0.0)
            engine.close()

    def _hook(self, nth: int, rng: random.Random) -> Callable[[str], None]:
        left = rng.randrange(10, 140) if self.manner == "killed" and nth < 4 else -1

        def hook(name: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            if self.manner == "wide" and name in _WIDE:
                threading.Event().wait(_WIDE[name])

        return hook


def _judge(sides: Sequence[Side], home: Path, found: Counter[str]) -> None:
    """Compare the lines that are there with what everybody was answered."""
    for side in sides:
        tree = Tree.open(side.root, state_home=side.state)
        found["pending"] += len(tree.journal.pending())
        found["damage"] += len(tree.journal.examine().damage)
        tree.close()
    files = [path for path in (home / "root").rglob("*") if path.is_file()]
    found["leftovers"] = sum(".kh-" in path.name for path in files)
    there = Counter(line for path in files for line in path.read_text("utf-8").split("\n"))
    del there["begin"], there[""]
    known = Counter[str]()
    for path in home.glob("log-*"):
        fates = _fates(path, found)
        known.update(fates.keys())
        found["lost"] += sum(fate == "there" and not there[line] for line, fate in fates.items())
        for fate in ("refused", "taken back"):
            mine = (there[line] for line, each in fates.items() if each == fate)
            found[f"{fate} but there"] += sum(map(bool, mine))
    found["twice"] = sum(count > 1 for count in there.values())
    found["nobody's"] = len(there.keys() - known.keys())


def _fates(log: Path, found: Counter[str]) -> dict[str, str]:
    """Return what became of each line, as far as its writer knows."""
    fates: dict[str, str] = {}
    before: dict[str, str] = {}
    for text in log.read_text("utf-8").split("\n")[:-1]:
        word, adds, drops = json.loads(text)
        found[word] += 1
        if word == "begun":
            before = {line: fates.get(line, "refused") for line in (*adds, *drops)}
            fates.update(dict.fromkeys(before, "open"))
        elif word == "acked":
            fates.update(dict.fromkeys(adds, "there") | dict.fromkeys(drops, "taken back"))
        elif word == "refused":
            fates.update(before)
    return fates


if __name__ == "__main__":
    name, count, first, *more = sys.argv[1:]
    report(run(name, int(count), int(first), *more))
