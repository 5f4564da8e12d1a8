"""SIGKILL anywhere: old or new, all files alike, nothing left behind."""

import pytest

from tests.torture.start import SCALE, counts

pytestmark = pytest.mark.torture


@pytest.mark.parametrize(("files", "rounds", "least"), [(1, 40, 900), (5, 4, 300), (20, 1, 200)])
def test_a_killed_commit_is_finished_or_gone(files: int, rounds: int, least: int) -> None:
    found = counts("kill", files, rounds * SCALE)

    assert found["runs"] == found["killed"] == found["points"] * rounds * SCALE
    assert found["runs"] >= least
    assert found["recoveries killed"] >= least // 8
    assert found["all old"] >= found["points"] // 4
    assert found["all new"] >= found["points"] // 4
    for fault in ("torn", "mixed", "lost acks", "leftovers", "pending", "damage", "disagrees"):
        assert found[fault] == 0, fault
