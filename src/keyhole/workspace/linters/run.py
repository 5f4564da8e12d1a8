"""One run of one program: fed, listened to, and ended with all it started, whatever it does."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from keyhole.values import dataclass
from keyhole.workspace.linters.base import Failed

MOST_OUTPUT = 8 << 20
_CHUNK = 1 << 16
_TICK = 0.05


@dataclass(frozen=True, slots=True)
class Output:
    """What a program printed, and the code it left with."""

    code: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class RunLimits:
    """When a run ends though the program does not: after so many seconds, or when told to."""

    seconds: float
    stop: threading.Event

    def check(self, began: float) -> None:
        """Raise `Failed` when it is time to end."""
        if self.stop.is_set():
            raise Failed("was stopped")
        if time.monotonic() - began >= self.seconds:
            raise Failed(f"took longer than {self.seconds:g} s and was stopped")


def run(
    words: Sequence[str], cwd: str, environment: Mapping[str, str], stdin: bytes, limits: RunLimits
) -> Output:
    """Run a program to its end, or raise `Failed`; nothing that it started outlives this."""
    began = time.monotonic()
    try:
        process = subprocess.Popen(  # noqa: S603 - a command that the user configured, without a shell
            words,
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise Failed(f"cannot be started: {getattr(error, 'strerror', error)}") from None
    pump = _Pump(process, stdin)
    try:
        while pump.turn():
            limits.check(began)
        while not _has_exited(process):
            limits.check(began)
            limits.stop.wait(_TICK / 5)
    finally:
        pump.close()
        _end(process)
    if process.returncode < 0:
        raise Failed(f"crashed with signal {-process.returncode}")
    return Output(process.returncode, *pump.printed())


class _Pump:
    """Feeds a process and collects what it prints, never waiting for one while the other stalls."""

    def __init__(self, process: subprocess.Popen[bytes], data: bytes) -> None:
        self._process = process
        self._left = memoryview(data)
        self._selector = selectors.DefaultSelector()
        self._printed: dict[int, bytearray] = {}
        self._size = 0
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None, "BUG: every stream is a pipe"
            self._watch(pipe.fileno(), selectors.EVENT_READ)
            self._printed[pipe.fileno()] = bytearray()
        assert process.stdin is not None, "BUG: every stream is a pipe"
        self._stdin = process.stdin
        self._watch(self._stdin.fileno(), selectors.EVENT_WRITE)

    def turn(self) -> bool:
        """Move what can be moved now; tell whether there may be more."""
        # Asked before the pipes are looked at: all that it printed is in them if it has left.
        over = _has_exited(self._process)
        ready = self._selector.select(0 if over else _TICK)
        for key, _ in ready:
            if key.fd in self._printed:
                self._read(key.fd)
            else:
                self._write()
        open_ends = self._selector.get_map().keys() & self._printed.keys()
        # What a program leaves running may hold the pipes open for ever: its own end is the end.
        return bool(open_ends) and (bool(ready) or not over)

    def printed(self) -> tuple[str, str]:
        """Return the two outputs as text."""
        stdout, stderr = (bytes(each).decode("utf-8", "replace") for each in self._printed.values())
        return stdout, stderr

    def close(self) -> None:
        """Watch the pipes no more."""
        self._selector.close()

    def _watch(self, fd: int, event: int) -> None:
        os.set_blocking(fd, False)
        self._selector.register(fd, event)

    def _read(self, fd: int) -> None:
        chunk = os.read(fd, _CHUNK)
        if not chunk:
            self._selector.unregister(fd)
            return
        self._printed[fd] += chunk
        self._size += len(chunk)
        if self._size > MOST_OUTPUT:
            raise Failed(f"printed more than {MOST_OUTPUT >> 20} MiB and was stopped")

    def _write(self) -> None:
        try:
            self._left = self._left[os.write(self._stdin.fileno(), self._left[:_CHUNK]) :]
        except BrokenPipeError:
            self._left = self._left[:0]
        if not self._left:
            self._selector.unregister(self._stdin.fileno())
            self._stdin.close()


def _has_exited(process: subprocess.Popen[bytes]) -> bool:
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    # Not reaped yet: its number stays taken, so killing its group can hit nobody else.
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, flags) is not None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and everything it started, and let go of its pipes."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
        with suppress(OSError):
            pipe.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
