"""Every system call of a transaction fails once, with every error it may fail with."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping

from tests.torture.arena import Arena, Look, arena, child, report
from tests.torture.trace import STRACE, python

# What each call is likely to fail with: the share of every run.
LIKELY = {
    "write": ("ENOSPC", "EIO", "EDQUOT"),
    "pwrite64": ("ENOSPC", "EIO"),
    "fsync": ("EIO", "ENOSPC", "EROFS"),
    "fdatasync": ("EIO", "ENOSPC"),
    "renameat2": ("EIO", "EXDEV", "EINVAL", "EACCES", "ENOSPC"),
    "unlinkat": ("EIO", "EROFS"),
    "unlink": ("EIO",),
    "fchmod": ("EPERM", "EROFS"),
    "openat2": ("EMFILE", "EACCES", "EINTR"),
    "ftruncate": ("EIO",),
    "mkdirat": ("ENOSPC", "EACCES"),
    "flock": ("ENOLCK", "EINTR"),
    "pread64": ("EIO",),
}
# The whole: these calls with all of these errors, whether a kernel would ever answer so or not.
CALLS: tuple[str, ...] = ("write", "pwrite64", "fsync", "fdatasync", "ftruncate")
CALLS += ("renameat2", "unlinkat", "fchmod", "openat2")
ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EROFS", "EMFILE", "EACCES", "EXDEV", "EINTR")
WHOLE = {**LIKELY, **{call: tuple({*LIKELY[call], *ERRORS}) for call in CALLS}}
# Enough to show a fault that was planted.
FEW = {"write": ("ENOSPC", "EIO"), "renameat2": ("EIO",)}
# Others are called as often as the journal has pages; of them the first will do.
_MOST_CALLS, _MOST_OF_OTHERS = 200, 40
Way = tuple[str, str, str]


def run(stride: int, errors: str, mutant: str = "") -> Counter[str]:
    """Let the nth call fail for every n, every `stride`th of them."""
    found: Counter[str] = Counter()
    table = {"likely": LIKELY, "whole": WHOLE, "few": FEW}[errors]
    with arena(2) as here:
        old = here.look()
        tree = here.open()
        here.transact(tree)
        tree.close()
        new = here.look()
        for index, way in enumerate(_ways(table, mutant)):
            found["ways"] += 1
            most = _MOST_CALLS if way[0] in CALLS else _MOST_OF_OTHERS
            for nth in range(1 + index % stride, most, stride):
                if not _inject(here, way, nth, (old, new), found):
                    break
            else:
                found["calls left out"] += way[0] in CALLS
    return found


def _ways(table: Mapping[str, tuple[str, ...]], mutant: str) -> Iterator[Way]:
    """Yield which call fails how."""
    for call, errors in table.items():
        for error in sorted(errors):
            yield call, error, mutant


def _inject(here: Arena, way: Way, nth: int, looks: tuple[Look, Look], found: Counter[str]) -> bool:
    """Run the transaction with one failure; tell whether there was a call left to fail."""
    call, error, mutant = way
    here.reset()
    log = here.home / "strace.log"
    command = [*STRACE, "-o", str(log), "-e", f"trace={call}"]
    command += ["-e", f"inject={call}:error={error}:when={nth}"]
    command += python("tests.torture.worker", str(here.home), str(here.count), "warm", mutant)
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if "INJECTED" not in log.read_text(encoding="utf-8", errors="replace"):
        return False
    found["runs"] += 1
    _check(here, done, (*way, nth), looks, found)
    return True


def _check(
    here: Arena,
    done: subprocess.CompletedProcess[str],
    what: tuple[object, ...],
    looks: tuple[Look, Look],
    found: Counter[str],
) -> None:
    old, new = looks
    said = done.stdout
    if "Traceback" in done.stderr and said:
        said = ""
    middle = here.look()
    found["torn"] += any(middle[path] not in {old[path], new[path]} for path in middle)
    child(lambda _: here.open().close())
    now = here.look()
    found["mixed"] += now not in (old, new)
    found["leftovers"] += len(here.leftovers())
    untold = not said
    lied = (said == "acked" and middle != new) or (said.endswith("not_applied") and now != old)
    found[said or "untold"] += 1
    found["lies"] += lied
    # What a worker cannot tell is that telling failed, or that it was never loaded.
    excused = "os.write(1" in done.stderr or "error while loading" in done.stderr
    found["untyped"] += untold and not excused
    if (untold and not excused) or lied:
        sys.stderr.write(f"{what} {said!r}\n{done.stderr[-2000:]}\n")


if __name__ == "__main__":
    times, *others = sys.argv[1:]
    report(run(int(times), *others))
