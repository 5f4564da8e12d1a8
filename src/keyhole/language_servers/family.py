"""What a server started, found by a mark in its variables, whatever group or session it is in."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress

_NAME = "KEYHOLE_LANGUAGE_SERVER"
# What is killed may just have started something: another look finds that.
_LOOKS = 50


def marked(mark: str) -> dict[str, str]:
    """Return the variable that a server and all that it starts have."""
    return {_NAME: mark}


def end_family(mark: str, server: int) -> None:
    """Kill a server that nobody has waited for, and all that has its mark or comes from such."""
    variable = f"{_NAME}={mark}".encode()
    for _ in range(_LOOKS if sys.platform == "linux" else 0):
        parents = dict(_parents())
        known = {server}
        while more := {pid for pid, above in parents.items() if above in known} - known:
            known |= more
        if not sum([_is_killed(pid, variable, known) for pid in parents]):
            return


def end_children() -> None:
    """Kill all that this process started or that came to it when its parent ended."""
    for _ in range(_LOOKS if sys.platform == "linux" else 0):
        found = [pid for pid, above in _parents() if above == os.getpid()]
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)  # a child that nobody has waited for keeps its number
                os.waitpid(pid, 0)
        if not found:
            return


def _parents() -> Iterator[tuple[int, int]]:
    """Yield the processes that run, each with its parent."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            state, parent = _read(f"/proc/{name}/stat").rpartition(b")")[2].split()[:2]
            if state != b"Z":
                yield int(name), int(parent)


def _is_killed(pid: int, variable: bytes, known: Collection[int]) -> bool:
    """Kill a process that has the variable or is known, and tell whether it is one."""
    with suppress(OSError):
        # Another process may take the number; the handle stays with this one.
        handle = os.pidfd_open(pid)
        try:
            is_ours = pid in known or variable in _read(f"/proc/{pid}/environ").split(b"\0")
            if is_ours:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            return is_ours
        finally:
            os.close(handle)
    return False


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
