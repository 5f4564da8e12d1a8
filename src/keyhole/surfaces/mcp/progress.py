"""Progress of calls: told after half a second, and only to clients that gave a token for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Thread

from keyhole.progress import Count, counted

LOOK_SECONDS = 0.1
_FIRST_SECONDS = 0.5
_PATIENCE = 1.0
_IDLE_LOOKS = 50

Report = tuple[float, float | None, str]


class Telling:
    """What a client was told of a call so far, and what there is to tell."""

    def __init__(self, count: Count, now: float) -> None:
        self._count = count
        self._reported, self._next = -1.0, now + _FIRST_SECONDS
        self._begins = self._next

    def due(self, now: float) -> Report | None:
        """Return what to tell now: what is new, or every second that time goes by."""
        if now < self._begins or not (self._so_far > self._reported or now >= self._next):
            return None
        self._next = now + _PATIENCE
        return self._report(max(self._so_far, self._grown, 0.0))

    def last(self) -> Report | None:
        """Return the word that all steps are done, to a client that was told of some."""
        if self._reported < 0 or not self._count.total or self._count.done <= self._reported:
            return None
        return self._report(float(self._count.done))

    @property
    def _so_far(self) -> float:
        """Return the steps that are done; all of them only once the call is over."""
        done, total = self._count.done, self._count.total
        return done - 0.5 if 0 < total <= done else float(done)

    @property
    def _grown(self) -> float:
        """Return a little more than was told: it must grow, also while one long step goes on."""
        total = self._count.total
        return self._reported + (min(1.0, total - self._reported) if total else 1.0) / 100

    def _report(self, progress: float) -> Report:
        self._reported = progress
        count = self._count
        return progress, float(count.total) if count.total else None, count.doing


class Ticker:
    """A thread that tells of calls while they run; it sleeps while none does."""

    def __init__(self, send: Callable[[int | str, Report], None]) -> None:
        self._send = send
        self._running: dict[Telling, int | str] = {}
        self._change = Condition()
        self._looks: int | None = None

    @contextmanager
    def telling(self, token: int | str) -> Iterator[None]:
        """Tell of the work of the block; nothing is told any more when it is over."""
        count = Count()
        telling = Telling(count, time.monotonic())
        with self._change:
            self._running[telling] = token
            self._awake()
        try:
            with counted(count):
                yield
        finally:
            with self._change:
                del self._running[telling]
                if report := telling.last():
                    self._send(token, report)

    def _awake(self) -> None:
        if self._looks is None:
            Thread(target=self._watch, daemon=True).start()
        elif self._looks >= _IDLE_LOOKS:
            self._change.notify()
        self._looks = 0

    def _watch(self) -> None:
        with self._change:
            while True:
                # To wake up ten times a second costs less than to be woken by every call.
                is_idle = self._looks is not None and self._looks >= _IDLE_LOOKS
                self._change.wait(None if is_idle else LOOK_SECONDS)
                self._looks = 0 if self._running else (self._looks or 0) + 1
                now = time.monotonic()
                for telling, token in self._running.items():
                    if report := telling.due(now):
                        self._send(token, report)
