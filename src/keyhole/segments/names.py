"""Which names are near a misspelt one: for the help of a refusal, never for an edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

_NEAR = 0.4


def nearest_names(wanted: str, names: Iterable[str], most: int) -> tuple[str, ...]:
    """Return at most `most` of `names` that look like `wanted`, the nearest first."""
    pairs = _pairs(wanted)
    scored = [(_likeness(pairs, _pairs(name)), name) for name in dict.fromkeys(names)]
    near = sorted((item for item in scored if item[0] >= _NEAR), key=lambda item: -item[0])
    return tuple(name for _, name in near[:most])


def _pairs(name: str) -> Counter[str]:
    """Count the pairs of neighbouring characters, ends included."""
    padded = f" {name.casefold()} "
    return Counter(padded[at : at + 2] for at in range(len(padded) - 1))


def _likeness(left: Counter[str], right: Counter[str]) -> float:
    shared = sum(min(count, right[pair]) for pair, count in left.items())
    return 2 * shared / (left.total() + right.total())
