"""Undo in random worlds leaves what a model of lines says, and planted faults are found."""

import pytest

from tests.torture.start import counts, figure

pytestmark = pytest.mark.torture

BATCH = 250
# Worlds that show a fault as soon as it is there again.
SEEDS = {
    "undo compares texts after 200 steps": (99,),
    "undo lets touching lines pass": (92,),
}


@pytest.mark.parametrize("batch", range(figure(500, 20_000) // BATCH))
def test_an_undo_leaves_what_the_model_says(batch: int) -> None:
    found = counts("undo_worlds", batch * BATCH, BATCH)

    assert found["worlds"] == BATCH
    assert found["violations"] == 0
    assert found["undos"] >= BATCH
    assert found["redos"] >= BATCH // 4
    assert found["undos of the last"] >= BATCH // 4
    assert found["saves"] >= BATCH


@pytest.mark.parametrize("fault", SEEDS)
def test_a_planted_fault_of_undo_is_found(fault: str) -> None:
    for seed in SEEDS[fault]:
        assert counts("undo_worlds", seed, 1)["violations"] == 0
        assert counts("undo_worlds", seed, 1, fault)["violations"] == 1
