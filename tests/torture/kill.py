"""SIGKILL at every failpoint of a commit, and at every failpoint of the recovery after it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from keyhole.disk import failpoints
from keyhole.disk.kernel import Kernel
from keyhole.workspace.tree import TreeOptions
from tests.torture.arena import Arena, Look, applied, arena, child, kill_at, points_of, report
from tests.torture.mutants import MUTANTS

# How often the recovery of one transaction is killed, one after the other.
NESTED = 4
Point = tuple[str, int]


def run(count: int, rounds: int, guard: str = "strong", mutant: str = "") -> Counter[str]:
    """Kill and recover at each point `rounds` times each with a warm and with a fresh journal."""
    if mutant:
        MUTANTS[mutant]()
    found: Counter[str] = Counter()
    options = TreeOptions(kernel=Kernel(exchange=guard == "strong"))
    for warm in (True, False):
        with arena(count, warm=warm, options=options) as here:
            old, before = here.look(), _applied(here)
            points = points_of(lambda here=here: _transact(here))  # type: ignore[misc]
            _Trial(here, Sides(old, here.look(), before), found).run(points, rounds)
    return found


@dataclass(frozen=True, slots=True)
class Sides:
    """How the files may look afterwards, and what the journal had applied before."""

    old: Look
    new: Look
    applied: int


def _transact(here: Arena) -> None:
    tree = here.open()
    here.transact(tree)
    tree.close()


class _Trial:
    """One arena whose transaction is killed at its points, and whose recovery at its own."""

    def __init__(self, here: Arena, sides: Sides, found: Counter[str]) -> None:
        self.here, self.sides, self.found = here, sides, found
        self.passed: set[str] = set()
        self.died: Counter[str] = Counter()

    def run(self, points: list[Point], rounds: int) -> None:
        """Kill at every point; every fourth time also inside the recovery, where it died least."""
        self.found["points"] += len(points)
        for turn in range(rounds):
            for point in points:
                passed = self._kill(point)
                if turn % 4 == 0 and passed:
                    least = min(passed, key=lambda one: (self.died[one[0]], self.died[str(one)]))
                    self._kill_nested(point, least)
        self.found["recovery points"] += len(self.passed)
        self.found["recovery points killed at"] += len(self.passed & self.died.keys())

    def _kill(self, point: Point) -> list[Point]:
        """Kill once, recover, and return the points that the recovery passed."""
        said = self._killed_at(point)
        self.found["runs"] += 1
        passed = points_of(lambda: self.here.open().close())
        self.passed.update(name for name, _ in passed)
        _check_end(self.here, self.sides, self.found, acked="acked" in said)
        return passed

    def _kill_nested(self, point: Point, inner: Point) -> None:
        """Kill, and kill the recovery when it passes a point, again and again."""
        said = self._killed_at(point)
        self.found["nested runs"] += 1
        for depth in range(1, NESTED + 1):
            _, dead = child(lambda _: _recover(self.here, inner))
            if not dead:
                break
            self.died.update((inner[0], str(inner)))
            self.found["recoveries killed"] += 1
            self.found["recoveries killed four times"] += depth == NESTED
            _check_not_torn(self.here, self.sides, self.found)
        _check_end(self.here, self.sides, self.found, acked="acked" in said)

    def _killed_at(self, point: Point) -> list[str]:
        self.here.reset()
        said, killed = child(lambda say: _work(self.here, point, say))
        self.found["killed"] += killed
        _check_not_torn(self.here, self.sides, self.found)
        return said


def _work(here: Arena, point: Point, say: Callable[[str], None]) -> None:
    tree = here.open()
    with failpoints.watch(kill_at(*point)):
        here.transact(tree)
    say("acked")


def _recover(here: Arena, point: Point) -> None:
    with failpoints.watch(kill_at(*point)):
        here.open().close()


def _applied(here: Arena) -> int:
    tree = here.open()
    count = applied(tree)
    tree.close()
    return count


def _check_not_torn(here: Arena, sides: Sides, found: Counter[str]) -> None:
    old, new = sides.old, sides.new
    now = here.look()
    found["torn"] += sum(now[path] not in {old[path], new[path]} for path in now)


def _check_end(here: Arena, sides: Sides, found: Counter[str], *, acked: bool) -> None:
    old, new = sides.old, sides.new
    tree = here.open()
    now = here.look()
    found["all old"] += now == old
    found["all new"] += now == new
    found["mixed"] += now not in (old, new)
    found["lost acks"] += acked and now != new
    found["leftovers"] += len(here.leftovers())
    found["pending"] += len(tree.journal.pending())
    found["damage"] += len(tree.journal.examine().damage)
    found["disagrees"] += (applied(tree) > sides.applied) != (now == new)
    tree.close()


if __name__ == "__main__":
    report(run(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
