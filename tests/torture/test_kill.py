"""SIGKILL anywhere: old or new, all files alike, nothing left behind."""

import pytest

from tests.torture.start import SCALE, counts

pytestmark = pytest.mark.torture


@pytest.mark.parametrize(
    ("files", "rounds", "least", "guard"),
    [
        (1, 56, 1300, "strong"),
        (5, 6, 410, "strong"),
        (20, 1, 220, "strong"),
        (1, 10, 240, "weak"),
        (5, 2, 150, "weak"),
    ],
)
def test_a_killed_commit_is_finished_or_gone(
    files: int, rounds: int, least: int, guard: str
) -> None:
    found = counts("kill", files, rounds * SCALE, guard)

    assert found["runs"] == found["killed"] == found["points"] * rounds * SCALE
    assert found["runs"] >= least
    assert found["recoveries killed"] >= least // 8
    assert found["all old"] >= found["points"] // 4
    assert found["all new"] >= found["points"] // 4
    for fault in ("torn", "mixed", "lost acks", "leftovers", "pending", "damage", "disagrees"):
        assert found[fault] == 0, fault
