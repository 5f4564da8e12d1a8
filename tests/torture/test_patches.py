"""Damaged patches: only refusals with a name, each at once, and never a file changed by one."""

import pytest

from tests.torture.start import counts, figure

pytestmark = pytest.mark.torture

TRIES, ON_DISK = figure(50_000, 1_000_000), figure(600, 6_000)


@pytest.mark.parametrize("seed", ["first", "second"])
def test_a_damaged_patch_is_applied_soundly_or_refused_by_name(seed: str) -> None:
    found = counts("patches", TRIES, seed, "sound")

    assert found["tries"] >= TRIES
    assert found["applied"] + found["refused"] == found["tries"]
    assert min(found["applied"], found["refused"]) > found["tries"] // 20
    assert (found["raised"], found["nameless"], found["unsound"], found["slow"]) == (0, 0, 0, 0)
    assert found["MiB"] < 256


def test_a_refused_patch_leaves_the_tree_as_it_was() -> None:
    found = counts("patches", ON_DISK, "disk", "whole")

    assert found["tries"] >= ON_DISK
    assert min(found["applied"], found["refused"]) > found["tries"] // 20
    assert (found["changed on refusal"], found["escaped"]) == (0, 0)


@pytest.mark.parametrize(
    ("way", "fault"),
    [
        ("careless", "raised"),
        ("slow", "slow"),
        ("unsound", "unsound"),
        ("hasty", "changed on refusal"),
    ],
)
def test_a_planted_fault_is_found(way: str, fault: str) -> None:
    assert counts("patches", 400, "teeth", way)[fault] > 0
