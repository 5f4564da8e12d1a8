"""Work that a call leaves until its answer is out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Action = Callable[[], None]

_MOST_LEFT = 16
_LEFT: ContextVar[list[Action] | None] = ContextVar("keyhole-afterwards", default=None)


@contextmanager
def put_off() -> Iterator[None]:
    """Do at the end of the block the actions that were left within it."""
    left: list[Action] = []
    token = _LEFT.set(left)
    try:
        yield
    finally:
        _LEFT.reset(token)
        for action in left:
            action()


def is_possible() -> bool:
    """Tell whether somebody waits for an answer, and there is room for another action."""
    left = _LEFT.get()
    return left is not None and len(left) < _MOST_LEFT


def leave(action: Action) -> None:
    """Leave an action, which must not fail, to the end of `put_off`; without one it is done now."""
    left = _LEFT.get()
    if left is None:
        action()
    else:
        left.append(action)
