"""Many at once: no edit of an agent is lost, and no save of a person."""

import pytest

from tests.torture.start import counts, figure

pytestmark = pytest.mark.torture


def test_eight_processes_lose_no_edit() -> None:
    found = counts("contention", 8, 500)

    assert found == {"acked": 4000, "failed": 0, "lost": 0, "twice": 0, "out of order": 0}


def test_the_same_race_without_the_lock_loses_edits() -> None:
    assert counts("contention", "control", 8, 200, 500)["lost"] > 0


def test_twenty_clients_edit_twenty_places_of_one_file() -> None:
    assert counts("contention", "places", 20) == {"failed": 0, "landed": 20}


@pytest.mark.parametrize("style", ["rename", "in place"])
def test_no_save_of_a_person_is_lost_to_a_busy_agent(style: str) -> None:
    saves = figure(1000, 10_000)
    found = counts("outsiders", saves, style, "careful")

    assert found["saves"] == saves
    assert found["attempts"] >= 3 * saves
    assert (found["lost"], found["failed"]) == (0, 0)


@pytest.mark.parametrize("style", ["rename", "in place"])
def test_an_agent_that_checks_and_renames_loses_saves(style: str) -> None:
    assert counts("outsiders", 100_000, style, "control")["lost"] > 0
