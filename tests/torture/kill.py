"""SIGKILL at every failpoint of a commit, and at every failpoint of the recovery after it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from keyhole.workspace import failpoints
from keyhole.workspace.kernel import Kernel
from keyhole.workspace.tree import TreeOptions
from tests.torture.arena import Arena, Look, applied, arena, child, kill_at, points_of, report

RECOVERY_POINTS = (
    ("recovery-decided", 1),
    ("temp-written", 1),
    ("restaged", 1),
    ("exchanged", 1),
    ("recovered-one", 1),
    ("recovered-one", 2),
    ("recovery-durable", 1),
    ("recovery-clean", 1),
)


def run(count: int, rounds: int, guard: str = "strong") -> Counter[str]:
    """Kill and recover at each point `rounds` times; half of them with a fresh journal."""
    found: Counter[str] = Counter()
    options = TreeOptions(kernel=Kernel(exchange=guard == "strong"))
    for warm in (True, False):
        with arena(count, warm=warm, options=options) as here:
            old, before = here.look(), _applied(here)
            points = points_of(lambda here=here: _transact(here))  # type: ignore[misc]
            new = here.look()
            found["points"] += len(points)
            for turn in range(rounds):
                for point in points:
                    _kill_and_check(
                        here, point, Sides(old, new, before), found, nested=turn % 4 == 0
                    )
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


def _kill_and_check(
    here: Arena,
    point: tuple[str, int],
    sides: Sides,
    found: Counter[str],
    *,
    nested: bool,
) -> None:
    here.reset()
    said, killed = child(lambda say: _work(here, point, say))
    found["runs"] += 1
    found["killed"] += killed
    _check_not_torn(here, sides, found)
    for inner in RECOVERY_POINTS if nested else ():
        _, dead = child(lambda _, inner=inner: _recover(here, inner))  # type: ignore[misc]
        found["recoveries killed"] += dead
        _check_not_torn(here, sides, found)
    child(lambda _: _recover(here, None))
    _check_end(here, sides, found, acked="acked" in said)


def _work(here: Arena, point: tuple[str, int], say: Callable[[str], None]) -> None:
    tree = here.open()
    with failpoints.watch(kill_at(*point)):
        here.transact(tree)
    say("acked")


def _recover(here: Arena, point: tuple[str, int] | None) -> None:
    with failpoints.watch(kill_at(*(point or ("", 0)))):
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
    now = here.look()
    found["all old"] += now == old
    found["all new"] += now == new
    found["mixed"] += now not in (old, new)
    found["lost acks"] += acked and now != new
    found["leftovers"] += len(here.leftovers())
    tree = here.open()
    found["pending"] += len(tree.journal.pending())
    found["damage"] += len(tree.journal.examine().damage)
    found["disagrees"] += (applied(tree) > sides.applied) != (now == new)
    tree.close()


if __name__ == "__main__":
    report(run(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
