"""Named points on the way of a commit where a test may look, interfere or kill the process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Hook = Callable[[str], None]


def _go_on(name: str) -> None:
    """Do nothing: what every failpoint does outside tests."""


# Called as `failpoints.reach("staged")`; replaced only by `watch`, so that it costs one empty call
# when off.
reach: Hook = _go_on


@contextmanager
def watch(hook: Callable[[str], None]) -> Iterator[None]:
    """Call `hook` with the name of each failpoint that is reached."""
    global reach  # noqa: PLW0603 - the one switch of this file
    before, reach = reach, hook
    try:
        yield
    finally:
        reach = before
