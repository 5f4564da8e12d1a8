"""Power cuts on a real ext4: everything that was not flushed is gone, at every failpoint."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable

from keyhole.disk import failpoints
from tests.torture.arena import Arena, Look, applied, child, points_of, report
from tests.torture.loop import LoopDisk, loop_disk, mount_alone, why_not
from tests.torture.mutants import MUTANTS

MOUNTS = ("", "noauto_da_alloc,data=writeback")


def run(rounds: int, mutant: str = "") -> Counter[str]:
    """Cut the power at every failpoint and after the acknowledgement."""
    if why_not():
        return Counter()
    mount_alone()
    if mutant:
        MUTANTS[mutant]()
    found: Counter[str] = Counter()
    with loop_disk(16) as disk:
        here = Arena(disk.mounted / "arena", 3)
        with disk.mount():
            here.root.mkdir(parents=True)
            here.build(warm=True)
        disk.save()
        with disk.mount():
            old = here.look()
            points = points_of(lambda: _transact(here, lambda _: None))
            new = here.look()
        for options in MOUNTS:
            for _ in range(rounds):
                for point in [*points, ("acked", 1)]:
                    _cut(disk, here, (options, point), (old, new), found)
    return found


def _transact(here: Arena, say: Callable[[str], None]) -> None:
    tree = here.open()
    here.transact(tree)
    say("acked")
    failpoints.reach("acked")
    tree.close()


def _cut(
    disk: LoopDisk,
    here: Arena,
    how: tuple[str, tuple[str, int]],
    looks: tuple[Look, Look],
    found: Counter[str],
) -> None:
    (options, point), (old, new) = how, looks
    disk.restore()
    with disk.mount(options):
        said, killed = child(lambda say: _cut_at(disk, here, point, say))
    found["runs"] += 1
    found["cut"] += killed
    acked = "acked" in said
    with disk.mount(options):
        now = here.look()
        found["torn"] += any(now[path] not in {old[path], new[path]} for path in now)
        found["acked, not durable"] += acked and now != new
        said, _ = child(lambda say: _recover(here, say))
        now = here.look()
        found["mixed"] += now not in (old, new)
        found["lost acks"] += acked and now != new
        found["leftovers"] += len(here.leftovers())
        found["disagrees"] += ("applied" in said) != (now == new)
        found["broken"] += "broken" in said


def _cut_at(
    disk: LoopDisk, here: Arena, point: tuple[str, int], say: Callable[[str], None]
) -> None:
    counts: Counter[str] = Counter()

    def hook(name: str) -> None:
        counts[name] += 1
        if (name, counts[name]) == point:
            disk.cut_power()
            os.kill(os.getpid(), signal.SIGKILL)

    with failpoints.watch(hook):
        _transact(here, say)


def _recover(here: Arena, say: Callable[[str], None]) -> None:
    tree = here.open()
    if here.leftovers():
        tree.sweep()  # Notes may be lost in a power cut; then only a search finds them.
    if applied(tree) > 1:
        say("applied")
    if tree.journal.examine().damage or tree.journal.pending():
        say("broken")
    tree.close()


if __name__ == "__main__":
    report(run(int(sys.argv[1]), *sys.argv[2:]))
