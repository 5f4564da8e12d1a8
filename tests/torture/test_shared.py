"""A shared journal under pressure: many at once, holders held up, a server that goes away."""

import pytest

from tests.torture.machines import why_not
from tests.torture.start import REPORTS, counts, figure, stride

pytestmark = [pytest.mark.torture, pytest.mark.needs("postgres")]


def test_eight_processes_share_every_edit_once_and_in_one_order() -> None:
    assert counts("shared_race", 8, 200) == {
        "failed": 0,
        "orders": 1,
        "arrived": 1600,
        "lost": 0,
        "twice": 0,
        "out of order": 0,
    }


def test_no_holder_that_was_held_up_writes_over_its_rival() -> None:
    rounds = figure(30, 100)

    found = counts("shared_pause", rounds, "claiming")
    assert found["rounds"] == rounds
    assert (found["stale wins"], found["refused but there"]) == (0, 0)
    assert found["rival refused"] == found["rival busy"] <= rounds - rounds // 3


def test_without_a_claim_the_one_who_was_held_up_wins() -> None:
    found = counts("shared_pause", 6, "without")

    assert found["rounds"] == 6
    assert found["stale wins"] >= 2


def test_a_server_that_goes_away_at_any_step_costs_no_edit() -> None:
    each = stride(4)

    found = counts("shared_outage", each, 3 if each > 1 else 2)
    assert found["steps"] * each >= 37
    assert found["cut"] + found["killed"] == found["steps"]
    assert found["killed"] >= 2
    faults = ("refused", "too slow", "lost", "twice", "disagree")
    assert {name: found[name] for name in faults} == dict.fromkeys(faults, 0)


def test_every_conflict_that_git_finds_was_named_or_said_to_be_unchecked() -> None:
    found = counts("shared_meetings", figure(16, 60), "seeing")

    assert found["regions"] >= 10
    assert (found.get("missed", 0), found["failed"]) == (0, 0)
    assert found["named"] >= 5
    assert found["truly hot"] >= 0.95 * found["named hot"]


def test_agents_who_hear_nothing_of_others_are_caught() -> None:
    assert counts("shared_meetings", 6, "blind")["missed"] >= 5


@pytest.mark.needs("ip")
def test_machines_on_one_network_share_and_outlast_a_pulled_cable() -> None:
    if reason := why_not():
        REPORTS.append(f"machines: 0 edits, {reason}")
        return
    assert counts("machines") == {
        "edits": 5,
        "too slow": 0,
        "warned": 1,
        "pending": 3,
        "drained": 1,
        "in one history": 5,
        "same order": 1,
        "conflicts": 1,
    }
