"""A sign of life for calls that take longer than a second, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading

_PATIENCE = 1.0


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show a moving bar if the block takes longer than a second; it is gone when the block ends."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    import threading

    finished = threading.Event()
    bar = threading.Thread(target=_bar, args=(what, finished), daemon=True)
    bar.start()
    try:
        yield
    finally:
        finished.set()
        bar.join()


def _bar(what: str, finished: threading.Event) -> None:
    if finished.wait(_PATIENCE):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(what, total=None)
        finished.wait()
