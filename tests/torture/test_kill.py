"""SIGKILL anywhere: old or new, all files alike, nothing left behind."""

import pytest

from tests.torture.start import counts, figure

pytestmark = pytest.mark.torture


@pytest.mark.parametrize(
    ("files", "guard", "rounds", "least"),
    [
        # Each point a thousand times: 500 with a warm journal, 500 with a fresh one.
        pytest.param(1, "strong", figure(48, 500), 1300, id="one"),
        pytest.param(5, "strong", figure(6, 500), 410, id="five"),
        pytest.param(20, "strong", figure(1, 500), 220, id="twenty"),
        pytest.param(1, "weak", figure(10, 100), 240, id="one, weak"),
        pytest.param(5, "weak", figure(2, 50), 150, id="five, weak"),
    ],
)
def test_a_killed_commit_is_finished_or_gone(
    files: int, guard: str, rounds: int, least: int
) -> None:
    found = counts("kill", files, rounds, guard)

    assert found["runs"] == found["points"] * rounds >= least
    assert found["killed"] == found["runs"] + found["nested runs"]
    assert found["recoveries killed"] >= least // 8
    assert found["recoveries killed four times"] >= 20
    assert found["recovery points killed at"] == found["recovery points"] >= 16
    assert found["all old"] >= found["points"] // 4
    assert found["all new"] >= found["points"] // 4
    for fault in ("torn", "mixed", "lost acks", "leftovers", "pending", "damage", "disagrees"):
        assert found[fault] == 0, fault


def test_a_commit_that_writes_down_nothing_before_it_begins_is_caught() -> None:
    found = counts("kill", 2, 1, "strong", "no intent")

    assert found["runs"] >= 40
    assert found["mixed"] > 0
