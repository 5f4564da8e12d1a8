"""Every state that a weakly ordered disk may leave after a power cut, recovered and checked.

The calls of one transaction are recorded. A file system that promises nothing but fsync may have
made any of the later ones durable and not the earlier: what a flush forced is there, what a name
needs is there, and the rest is there, missing, or torn, in every combination that is tried.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from keyhole.refusals import Refused
from tests.torture.arena import Arena, applied, arena, report
from tests.torture.trace import Op, python, record

TORN = (0.0, 0.5, -1.0)  # nothing of a write, half of it, zeroes in its place
State = tuple[frozenset[int], tuple[tuple[int, float], ...]]


class Cut(NamedTuple):
    """The operations that were issued before a crash: all, those that are there, the others."""

    issued: list[int]
    forced: set[int]
    free: list[int]


def run(count: int, extra: int, most: int, kind: str, mutant: str = "") -> Counter[str]:
    """Record one transaction, then try up to `most` states that differ on the disk."""
    with arena(count, warm=kind != "fresh") as here:
        base = here.home / "now"
        command = python("tests.torture.worker", str(here.home), str(count), kind, mutant)
        ops = record(here.home, base, command)
        assert len(ops) > 15, "the trace holds nothing"
        return _Trial(here, ops).check_all(extra, most)


class _Trial:
    """One recorded transaction, and the states it may leave."""

    def __init__(self, here: Arena, ops: list[Op]) -> None:
        self.here, self.ops = here, ops
        self.old, self.new = _contents(here, here.template / "root"), _contents(here, here.root)
        self.acked = next(index for index, op in enumerate(ops) if op.kind == "acked")
        self.needs = list(_needs(ops))
        self.cuts = [self._cut(crash) for crash in range(len(ops))]
        self.initial = {
            path.relative_to(here.template).as_posix(): path.read_bytes()
            for path in here.template.rglob("*")
            if path.is_file() and not path.name.endswith("-shm")
        }
        self.directories = [
            path.relative_to(here.template).as_posix()
            for path in here.template.rglob("*")
            if path.is_dir()
        ]
        self.applied = 0
        self.found: Counter[str] = Counter(ops=len(ops))

    def check_all(self, extra: int, most: int) -> Counter[str]:
        """Try states until `most` were tried or no new ones turn up; what is the same is one."""
        here = self.here
        here.reset()
        tree = here.open()
        self.applied = applied(tree)
        tree.close()
        seen: set[tuple[int, bool]] = set()
        for (keep, torn), acked in self._drawn(random.Random(1), extra, most):
            disk = self._disk(keep, dict(torn))
            key = (hash(disk), acked)
            if key in seen:
                self.found["met again"] += 1
                continue
            seen.add(key)
            disk.write_to(here.home / "now")
            self._check(acked=acked)
            if self.found["states"] == most:
                break
        return self.found

    def _drawn(self, rng: random.Random, extra: int, most: int) -> Iterator[tuple[State, bool]]:
        """Yield the states of every crash point, evenly spread, and then some more by chance."""
        states = {
            (state, crash >= self.acked): None
            for crash in range(len(self.ops))
            for state in self._states(crash, rng, extra)
        }
        self.found["planned"] = len(states)
        step = max(1, len(states) // most)
        for first in range(step):
            yield from list(states)[first::step]
        weights = [len(cut.free) for cut in self.cuts]
        for crash in rng.choices(range(len(self.ops)), weights, k=20 * most):
            yield self._by_chance(crash, rng), crash >= self.acked

    def _cut(self, crash: int) -> Cut:
        """Return what is there after a crash right after operation `crash`, and what may be."""
        passive = {"flush file", "flush directory", "acked"}
        issued = [i for i in range(crash + 1) if self.ops[i].kind not in passive]
        forced = self._with_needs(_forced(self.ops, crash))
        return Cut(issued, forced, [i for i in issued if i not in forced])

    def _states(self, crash: int, rng: random.Random, extra: int) -> Iterator[State]:
        """Yield nothing and everything of what is not forced, each alone, all but each, torn."""
        issued, forced, free = self.cuts[crash]
        everything = forced | set(free)
        yield frozenset(forced), ()
        yield frozenset(everything), ()
        for one in free:
            yield frozenset(self._with_needs(forced | {one})), ()
            yield frozenset(everything - self._dependents(one, issued) | forced), ()
            if self.ops[one].kind == "write":
                yield from ((frozenset(everything), ((one, part),)) for part in TORN)
        yield from (self._by_chance(crash, rng) for _ in range(extra))

    def _by_chance(self, crash: int, rng: random.Random) -> State:
        """Return some of it, partly torn."""
        _, forced, free = self.cuts[crash]
        chance = rng.choice((0.2, 0.5, 0.8))
        kept = self._with_needs(forced | {i for i in free if rng.random() < chance})
        writes = [i for i in kept - forced if self.ops[i].kind == "write"]
        torn = [(i, rng.choice(TORN)) for i in sorted(writes) if rng.random() < 0.3]
        return frozenset(kept), tuple(torn)

    def _with_needs(self, wanted: set[int]) -> set[int]:
        closed, todo = set(wanted), list(wanted)
        while todo:
            for need in self.needs[todo.pop()] - closed:
                closed.add(need)
                todo.append(need)
        return closed

    def _dependents(self, one: int, issued: list[int]) -> set[int]:
        out = {one}
        for index in issued:
            if self.needs[index] & out:
                out.add(index)
        return out

    def _check(self, *, acked: bool) -> None:
        found, here = self.found, self.here
        found["states"] += 1
        now = _contents(here, here.root)
        found["torn"] += any(now[path] not in {self.old[path], self.new[path]} for path in now)
        found["acked, not durable"] += acked and now != self.new
        said: list[str] = []
        _recover(here, self.applied, said.append)
        now = _contents(here, here.root)
        found["mixed"] += now not in (self.old, self.new)
        found["all new"] += now == self.new
        found["lost acks"] += acked and now != self.new
        found["leftovers"] += len(here.leftovers())
        found["set aside"] += "set aside" in said
        found["broken"] += "broken" in said
        found["disagrees"] += ("applied" in said) != (now == self.new) and "set aside" not in said

    def _disk(self, keep: frozenset[int], torn: dict[int, float]) -> _Disk:
        disk = _Disk(self.initial, self.directories)
        for index in sorted(keep):
            disk.apply(self.ops[index], torn.get(index))
        return disk


class _Disk:
    """Directories, names and contents, changed by operations."""

    def __init__(self, files: dict[str, bytes], directories: list[str]) -> None:
        self.names = {path: f"old:{path}" for path in files}
        self.contents = {f"old:{path}": bytearray(data) for path, data in files.items()}
        self.directories = set(directories)

    def apply(self, op: Op, torn: float | None) -> None:
        """Let one operation take place; `torn` writes are incomplete."""
        path = f"{op.directory}/{op.name}" if op.directory else op.name
        other = f"{op.directory}/{op.other}" if op.directory else op.other
        match op.kind:
            case "create":
                self.names[path] = op.inode
            case "write":
                self._write(op, torn)
            case "truncate":
                content = self.contents.setdefault(op.inode, bytearray())
                del content[op.offset :]
                content.extend(bytes(op.offset - len(content)))
            case "exchange":
                self.names[path], self.names[other] = self.names[other], self.names[path]
            case "rename":
                self.names[other] = self.names.pop(path)
            case "unlink":
                self.names.pop(path, None)
            case "mkdir":
                self.directories.add(path)

    def _write(self, op: Op, torn: float | None) -> None:
        data = op.data
        if torn is not None:
            data = bytes(len(data)) if torn < 0 else data[: int(len(data) * torn)]
        content = self.contents.setdefault(op.inode, bytearray())
        content.extend(bytes(max(0, op.offset - len(content))))
        content[op.offset : op.offset + len(data)] = data

    def __hash__(self) -> int:
        """Tell disks apart by what is on them."""
        return hash((frozenset(self.directories), frozenset(self._files().items())))

    def _files(self) -> dict[str, bytes]:
        """Return what can be found; a file without its directory is lost."""
        return {
            path: bytes(self.contents.get(inode, b""))
            for path, inode in self.names.items()
            if path.rpartition("/")[0] in self.directories
        }

    def write_to(self, base: Path) -> None:
        """Put it all under a real directory, in place of what is there."""
        wanted = {str(base), *(f"{base}/{directory}" for directory in self.directories)}
        for top, _, names in os.walk(base, topdown=False):
            if top not in wanted:
                shutil.rmtree(top)
            elif not top.endswith("/locks"):  # Hundreds of empty files that mean nothing.
                for name in names:
                    Path(top, name).unlink()
        for directory in sorted(self.directories):
            with suppress(FileExistsError, FileNotFoundError):
                (base / directory).mkdir()
        for path, data in self._files().items():
            with suppress(FileNotFoundError):
                (base / path).write_bytes(data)


def _forced(ops: list[Op], crash: int) -> set[int]:
    """Return what flushes up to the crash made durable."""
    forced: set[int] = set()
    for index in range(crash + 1):
        flush = ops[index]
        for earlier in range(index):
            op = ops[earlier]
            if flush.kind == "flush file" and op.kind in {"write", "truncate"}:
                forced |= {earlier} if op.inode == flush.inode else set()
            elif flush.kind == "flush directory" and op.names:
                forced |= {earlier} if op.directory == flush.directory else set()
    return forced


def _needs(ops: list[Op]) -> Iterator[set[int]]:
    """Yield for each operation the earlier ones without which it makes no sense."""
    last: dict[tuple[str, str], int] = {}
    made: dict[str, int] = {}
    for index, op in enumerate(ops):
        needs = {last[name] for name in op.names if name in last}
        needs |= {made[op.directory]} if op.directory in made else set()
        last.update(dict.fromkeys(op.names, index))
        if op.kind == "mkdir":
            made[f"{op.directory}/{op.name}" if op.directory else op.name] = index
        yield needs


def _contents(here: Arena, root: Path) -> dict[str, bytes | None]:
    """Return contents without modes: those are not modelled."""
    return {path: _content(root / path) for path in here.paths()}


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _recover(here: Arena, before: int, say: Callable[[str], None]) -> None:
    try:
        tree = here.open()
    except Refused as refused:
        say("set aside" if refused.refusals[0].code == "journal" else "broken")
        tree = here.open()
    if here.leftovers():
        tree.sweep()  # Notes may be lost in a power cut; then only a search finds them.
    if applied(tree) > before:
        say("applied")
    if tree.journal.examine().damage or tree.journal.pending():
        say("broken")
    tree.close()


if __name__ == "__main__":
    size, tries, limit, *others = sys.argv[1:]
    report(run(int(size), int(tries), int(limit), *others))
