"""The processes of one start: found by the home they run in, ended when the start is over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

BUSY_LOOPS = 8
# It ends with whoever started it.
_LOOP = "import os\nstarted = os.getppid()\nwhile os.getppid() == started: sum(range(9999))"


def processes_of(home: Path) -> dict[int, tuple[int, str]]:
    """Return parent and command line of each process that runs in a home, by its id."""
    found = {}
    mark = os.fsencode(home)
    for each in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if mark in (each / "environ").read_bytes():
                line = (each / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                stat = (each / "stat").read_text(encoding="ascii", errors="replace")
                found[int(each.name)] = (int(stat.rpartition(")")[2].split()[1]), line)
    return found


def server_process(home: Path, part: str) -> list[int]:
    """Return the ids of a server's `front`, or of the `engine` that it started."""
    servers = {key: each for key, each in processes_of(home).items() if "keyhole mcp" in each[1]}
    is_engine = part == "engine"
    return [key for key, (parent, _) in servers.items() if (parent in servers) == is_engine]


def kill_server(home: Path, part: str, delay: float = 0.0) -> None:
    """Kill a process of the server as the kernel would; with a delay, while a call runs."""

    def end() -> None:
        time.sleep(delay)
        for each in server_process(home, part):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)

    if delay:
        threading.Thread(target=end, daemon=True).start()
    else:
        end()


def end_all(home: Path) -> None:
    """End what a host left behind."""
    for each in processes_of(home):
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


@contextmanager
def busy_machine() -> Iterator[None]:
    """Run endless loops, each in a session of its own: the kernel shares the processor by them."""
    command = [sys.executable, "-I", "-S", "-c", _LOOP]
    loops = [subprocess.Popen(command, start_new_session=True) for _ in range(BUSY_LOOPS)]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()
