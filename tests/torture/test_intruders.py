"""Somebody saves in the middle of a commit, and the commit is killed: the save is there."""

import pytest

from tests.torture.start import counts, stride

pytestmark = pytest.mark.torture


def test_a_save_in_the_middle_of_a_killed_commit_is_not_lost() -> None:
    found = counts("intruders", stride(4))

    assert found["attacks"] >= 50
    assert found["runs"] == found["killed"] >= 350
    assert found["others all old"] > 0
    assert found["others all new"] > 0
    for fault in ("lost saves", "mixed", "leftovers"):
        assert found[fault] == 0, fault


def test_a_recovery_that_does_not_look_is_caught() -> None:
    found = counts("intruders", 2, "blind recovery")

    assert found["lost saves"] > 0
