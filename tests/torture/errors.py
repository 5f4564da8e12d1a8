"""Every system call of a transaction fails once, with every error it may fail with."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

from tests.torture.arena import Arena, Look, arena, child, report
from tests.torture.trace import python

ERRORS = {
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
_MOST_CALLS = 40


def run(stride: int) -> Counter[str]:
    """Let the nth call fail for every n, every `stride`th of them."""
    found: Counter[str] = Counter()
    with arena(2) as here:
        old = here.look()
        tree = here.open()
        here.transact(tree)
        tree.close()
        new = here.look()
        for index, (call, error, late) in enumerate(_ways()):
            for nth in range(1 + index % stride, _MOST_CALLS, stride):
                if not _inject(here, (call, error, nth, late), (old, new), found):
                    break
    return found


def _ways() -> Iterator[tuple[str, str, str]]:
    """Yield which call fails how; of flushes, also when they come as late as they may."""
    for call, errors in ERRORS.items():
        for error in errors:
            yield call, error, ""
            if call == "fsync":
                yield call, error, "late"


def _inject(
    here: Arena, what: tuple[str, str, int, str], looks: tuple[Look, Look], found: Counter[str]
) -> bool:
    """Run the transaction with one failure; tell whether there was a call left to fail."""
    call, error, nth, late = what
    here.reset()
    log = here.home / "strace.log"
    command = ["strace", "-f", "-o", str(log), "-e", f"trace={call}"]
    command += ["-e", f"inject={call}:error={error}:when={nth}"]
    command += python("tests.torture.worker", str(here.home), str(here.count), "warm", late)
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if "INJECTED" not in log.read_text(encoding="utf-8", errors="replace"):
        return False
    found["runs"] += 1
    _check(here, done, what, looks, found)
    return True


def _check(
    here: Arena,
    done: subprocess.CompletedProcess[str],
    what: tuple[str, str, int, str],
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
    report(run(int(sys.argv[1])))
