"""Another program saves a file in the middle of a commit, and the process is killed as well."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from keyhole.disk import failpoints
from keyhole.refusals import Refused
from tests.torture.arena import Arena, Look, arena, child, kill_at, points_of, report, seen
from tests.torture.mutants import MUTANTS

PHASES = (
    "staged",
    "intended",
    "alone",
    "exchanged",
    "published-one",
    "published",
    "durable",
    "clean",
)
SAVED = b"a save of somebody else\n"


def by_rename(path: Path) -> None:
    """Save as most editors do."""
    beside = path.with_name(".save")
    beside.write_bytes(SAVED)
    beside.rename(path)


def in_place(path: Path) -> None:
    """Save as simple programs do."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(fd, SAVED)
    os.close(fd)


def run(stride: int, mutant: str = "") -> Counter[str]:
    """Try every phase, both ways of saving, several files, and every `stride`th kill point."""
    if mutant:
        MUTANTS[mutant]()
    found: Counter[str] = Counter()
    with arena(3) as here:
        old = here.look()
        for phase in PHASES:
            for save in (by_rename, in_place):
                for victim in ("d0/f0.txt", "d0/f2.txt", "d1/goes.txt", "d0/made/comes.txt"):
                    _attack(here, old, (phase, victim, save), found, stride)
                    if mutant and found["lost saves"]:
                        return found  # It is caught.
    return found


def _attack(
    here: Arena,
    old: Look,
    how: tuple[str, str, Callable[[Path], None]],
    found: Counter[str],
    stride: int,
) -> None:
    """Let somebody save at a phase, undisturbed first, then with a kill at every point."""
    here.reset()
    try:
        points = points_of(lambda: _transact(here, how, lambda _: None))
    except FileNotFoundError:
        return  # There is no directory to save into at this phase.
    found["attacks"] += 1
    _check(here, old, how[1], found)
    for point in points[found["attacks"] % stride :: stride]:
        here.reset()
        said, killed = child(lambda say, point=point: _killed(here, how, point, say))  # type: ignore[misc]
        found["runs"] += 1
        found["killed"] += killed
        child(lambda _: here.open().close())
        if "saved" in said:
            _check(here, old, how[1], found)
        found["leftovers"] += len(here.leftovers())


def _transact(
    here: Arena, how: tuple[str, str, Callable[[Path], None]], say: Callable[[str], None]
) -> None:
    phase, victim, save = how
    pending = [phase]
    watching = failpoints.reach

    def hook(name: str) -> None:
        if name in pending:
            pending.clear()
            save(here.root / victim)
            say("saved")
        watching(name)

    tree = here.open()
    with failpoints.watch(hook), suppress(Refused):
        here.transact(tree)
    tree.close()


def _killed(
    here: Arena,
    how: tuple[str, str, Callable[[Path], None]],
    point: tuple[str, int],
    say: Callable[[str], None],
) -> None:
    with failpoints.watch(kill_at(*point)):
        _transact(here, how, say)


def _check(here: Arena, old: Look, victim: str, found: Counter[str]) -> None:
    """The save is where it was made or was rescued; the other files are all old or all new."""
    kept = (here.root / victim).exists() and (here.root / victim).read_bytes() == SAVED
    rescued = any(
        path.read_bytes() == SAVED for path in (here.home / "now/state").glob("keyhole/*/rescued/*")
    )
    found["lost saves"] += not kept and not rescued
    found["rescued"] += not kept and rescued
    others = [path for path in here.paths() if path != victim]
    same = [seen(here.root / path) == old[path] for path in others]
    found["others all old"] += all(same)
    found["others all new"] += not any(same)
    found["mixed"] += any(same) and not all(same)


if __name__ == "__main__":
    report(run(int(sys.argv[1]), *sys.argv[2:]))
