"""Limits of a server: how many calls and writes a client may make, and how much it may send."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from threading import Lock

from keyhole.fastclasses import dataclass, field
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import Tool

_MINUTE = 60.0
_MEGABYTE = 1_000_000
NAMES = ("calls", "writes", "megabytes")


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Calls and writes in a minute, megabytes of writing calls in a session; 0 is no limit."""

    calls: int = 0
    writes: int = 0
    megabytes: int = 0

    @staticmethod
    def of(words: Iterable[str]) -> ServerLimits:
        """Return the limits that words like `calls=60` say, or refuse them."""
        given: dict[str, int] = {}
        for word in words:
            name, _, number = word.partition("=")
            if name not in NAMES or not number.isascii() or not number.isdecimal():
                headline = f"the limit {word[:40]!r} is none"
                help_line = "write calls=60,writes=30,megabytes=50, or some of them"
                raise Refused(Refusal("bad-request", headline, help=help_line))
            given[name] = int(number[:12])
        return ServerLimits(**given)

    @property
    def is_none(self) -> bool:
        """Tell whether nothing is limited."""
        return not (self.calls or self.writes or self.megabytes)


@dataclass(slots=True)
class _Spent:
    """What one client used up: the times of its calls of the last minute, and its bytes."""

    calls: deque[float] = field(default_factory=deque)
    writes: deque[float] = field(default_factory=deque)
    size: int = 0


class Budget:
    """What the clients of a server have left."""

    def __init__(self, limits: ServerLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._spent: dict[str, _Spent] = {}
        self._lock = Lock()

    def spend(self, actor: str, tool: Tool, given: Mapping[str, object]) -> None:
        """Count a call, or refuse it: one that is refused here costs nothing."""
        writes = _writes(tool, given)
        size = len(json.dumps(given, ensure_ascii=False).encode("utf-8", "replace"))
        with self._lock:
            spent, now = self._spent.setdefault(actor, _Spent()), self._clock()
            self._check(spent.calls, self._limits.calls, "calls", now)
            if writes:
                self._check(spent.writes, self._limits.writes, "writes", now)
                self._check_size(spent.size + size)
                spent.writes.append(now)
                spent.size += size
            spent.calls.append(now)

    def _check(self, times: deque[float], most: int, what: str, now: float) -> None:
        while times and times[0] <= now - _MINUTE:
            times.popleft()
        if not most or len(times) < most:
            return
        wait = max(1, round(times[-most] + _MINUTE - now))
        headline = f"{most} {what} a minute are the limit of this server"
        help_line = f"wait {wait} seconds, then send the call again; put more edits into one call"
        raise Refused(Refusal("busy", headline, help=help_line, data={"retry_after": wait}))

    def _check_size(self, size: int) -> None:
        most = self._limits.megabytes
        if not most or size <= most * _MEGABYTE:
            return
        headline = f"{most} MB of edits are the limit of a session of this server"
        raise Refused(Refusal("too-large", headline, help="ask the user to start a new session"))


def _writes(tool: Tool, given: Mapping[str, object]) -> bool:
    """Tell whether a call is to change files; a tool that also looks is told by its arguments."""
    if not tool.writes or given.get("dry_run") is True:
        return False
    is_look = given.get("command") == "view" or (
        tool.name == "scaffold" and not given.get("template")
    )
    return not is_look
