"""A disk that is really full: the tree and the state share an ext4 with hardly any room."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from keyhole.refusals import Refused
from tests.torture.arena import Arena, Look, child, report
from tests.torture.loop import LoopDisk, loop_disk, mount_alone, why_not
from tests.torture.mutants import MUTANTS


def run(step: int, *mutants: str) -> Counter[str]:
    """Leave 0 to 256 KiB of room, `step` KiB at a time."""
    if why_not():
        return Counter()
    mount_alone()
    found: Counter[str] = Counter()
    with loop_disk(4) as disk:
        here = Arena(disk.mounted / "arena", 2)
        with disk.mount():
            here.root.mkdir(parents=True)
            here.build(warm=True)
        disk.save()
        with disk.mount():
            old = here.look()
            tree = here.open()
            here.transact(tree)
            tree.close()
            new = here.look()
        for kibibytes in range(0, 256, step):
            disk.restore()
            _fill_and_try(disk, here, (kibibytes, mutants), (old, new), found)
    return found


def _fill_and_try(
    disk: LoopDisk,
    here: Arena,
    way: tuple[int, tuple[str, ...]],
    looks: tuple[Look, Look],
    found: Counter[str],
) -> None:
    kibibytes, mutants = way
    old, new = looks
    with disk.mount() as mounted:
        free = _free(mounted)
        _fill(mounted, kibibytes << 10)
        said, _ = child(lambda say: _transact(here, mutants, say))
        now = here.look()
        found["runs"] += 1
        found["torn"] += any(now[path] not in {old[path], new[path]} for path in now)
        found[said[-1] if said else "untold"] += 1
        (mounted / "filler").unlink()
        child(lambda _: here.open().close())
        now = here.look()
        found["mixed"] += now not in (old, new)
        found["lies"] += (said == ["applied"] and now != new) or (
            said == ["not_applied"] and now != old
        )
        found["leftovers"] += len(here.leftovers())
        # What a refused transaction leaves behind is at most a page or two of the journal.
        found["space lost"] += now == old and free - _free(mounted) > 64 << 10


def _transact(here: Arena, mutants: tuple[str, ...], say: Callable[[str], None]) -> None:
    for mutant in mutants:
        MUTANTS[mutant]()
    try:
        tree = here.open()
        say(here.transact(tree).outcome)
    except Refused as refused:
        say(str(refused.refusals[0].data.get("outcome", "not_applied")))
        return
    tree.close()


def _free(mounted: Path) -> int:
    status = os.statvfs(mounted)
    return status.f_bfree * status.f_frsize


def _fill(mounted: Path, leave: int) -> None:
    """Fill the disk up, then give back about `leave` bytes."""
    fd = os.open(mounted / "filler", os.O_WRONLY | os.O_CREAT)
    size = 0
    with suppress(OSError):
        while True:
            size += os.write(fd, bytes(1024))
    os.ftruncate(fd, max(0, size - leave))
    os.fsync(fd)
    os.close(fd)


if __name__ == "__main__":
    step, *others = sys.argv[1:]
    report(run(int(step), *others))
