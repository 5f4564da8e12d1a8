"""Ratios of interleaved timings: what a machine or its neighbours do slows both sides alike."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table: what was measured, the ratio, and the limit it must keep."""

    name: str
    ratio: float
    limit: float


def ratio(
    work: Callable[[], object], floor: Callable[[], object], rounds: int, inner: int = 1
) -> float:
    """Return the median time of `work` over that of `floor`, measured in turns."""
    work(), floor()
    works, floors = [], []
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            works.append(_timed(work, inner))
            floors.append(_timed(floor, inner))
    finally:
        gc.enable()
    return median(works) / median(floors)


def _timed(work: Callable[[], object], inner: int) -> float:
    start = time.perf_counter()
    for _ in range(inner):
        work()
    return time.perf_counter() - start
