"""Damaged calls on real files: the bytes that were meant, or a refusal, and nothing else."""

from collections import Counter

import pytest

from tests.torture.place.classes import CLASSES, ROUND
from tests.torture.place.seeds import SEEDS
from tests.torture.start import counts, figure

pytestmark = pytest.mark.torture

TRIALS = figure(3_000, 100_000)


def test_a_damaged_call_changes_the_place_that_was_meant_or_nothing() -> None:
    found = counts("place", TRIALS)

    assert found["WRONG"] == 0
    assert sum(number > TRIALS // 100 for number in _of(found, "language ").values()) >= 8
    # Where the quote is in the file in a way that is promised to be found, it must be found.
    assert found["refused"] <= found["unique"] // 50
    assert found["unique"] >= TRIALS // 5
    assert found["right"] >= TRIALS // 4
    assert found["held"] >= TRIALS // 4
    assert found["void"] <= TRIALS // 25
    assert found["gated"] <= TRIALS // 25


def test_every_class_is_tried() -> None:
    found = _of(counts("place", len(ROUND) * 3, "--corpus", "made up"), "class ")

    for title in CLASSES:
        assert sum(number for name, number in found.items() if name.startswith(f"{title}: ")) >= 3


@pytest.mark.parametrize("fault", SEEDS)
def test_a_planted_fault_of_places_is_found(fault: str) -> None:
    found = counts("place", "--planted", fault)

    assert 3 <= len(SEEDS[fault]) <= 10
    assert found["sound"] == 0
    assert found["planted"] == len(SEEDS[fault])


def _of(found: Counter[str], prefix: str) -> dict[str, int]:
    """Return the counts of one kind, by name."""
    return {
        name.removeprefix(prefix): number
        for name, number in found.items()
        if name.startswith(prefix)
    }
