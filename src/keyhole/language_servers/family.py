"""What a server started, found by a mark in its variables, whatever group or session it is in."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

_NAME = "KEYHOLE_LANGUAGE_SERVER"
# What is killed may just have started something: another look finds that.
_LOOKS = 50


def marked(mark: str) -> dict[str, str]:
    """Return the variable that a server and all that it starts have."""
    return {_NAME: mark}


def end_family(mark: str) -> None:
    """Kill every process of ours that has a mark among its variables."""
    variable = f"{_NAME}={mark}".encode()
    for _ in range(_LOOKS if sys.platform == "linux" else 0):
        with suppress(OSError):
            found = [each for each in os.listdir("/proc") if each.isdigit()]
            if not sum(_is_killed(int(each), variable) for each in found):
                return


def _is_killed(pid: int, variable: bytes) -> bool:
    """Kill a process that has the variable, and tell whether it has."""
    with suppress(OSError):
        # Another process may take the number; the handle stays with this one.
        handle = os.pidfd_open(pid)
        try:
            with open(f"/proc/{pid}/environ", "rb") as variables:
                has_it = variable in variables.read().split(b"\0")
            if has_it:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            return has_it
        finally:
            os.close(handle)
    return False
