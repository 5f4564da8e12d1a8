"""How far a call has come: work counts its steps, and whoever waits may look."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from keyhole.fastclasses import dataclass


@dataclass(slots=True)
class Count:
    """The steps of a call: how many are done, and how many are known of."""

    done: int = 0
    total: int = 0
    doing: str = "working"


_COUNT: ContextVar[Count | None] = ContextVar("keyhole-progress", default=None)


@contextmanager
def counted(count: Count) -> Iterator[None]:
    """Let the work of the block count its steps there."""
    token = _COUNT.set(count)
    try:
        yield
    finally:
        _COUNT.reset(token)


def expect(steps: int, doing: str) -> None:
    """Say that so many steps lie ahead."""
    if (count := _COUNT.get()) is not None:
        count.total += steps
        count.doing = doing


def step() -> None:
    """Say that one step is done."""
    if (count := _COUNT.get()) is not None:
        count.done += 1
