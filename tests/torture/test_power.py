"""Power cuts on a real ext4, where this machine has loop devices for us."""

import pytest

from tests.torture.loop import why_not
from tests.torture.start import REPORTS, counts, figure, stride

pytestmark = pytest.mark.torture

FAULTS = ("torn", "acked, not durable", "mixed", "lost acks", "leftovers", "disagrees", "broken")


def test_a_power_cut_anywhere_leaves_old_or_new() -> None:
    if reason := why_not():
        REPORTS.append(f"power: 0 power cuts, {reason}")
        return
    rounds = figure(6, 100)
    found = counts("power", rounds)

    assert found["runs"] == found["cut"] >= 50 * rounds
    for fault in FAULTS:
        assert found[fault] == 0, fault


def test_names_that_are_not_flushed_are_caught() -> None:
    if reason := why_not():
        REPORTS.append(f"power: 0 power cuts, {reason}")
        return
    found = counts("power", 1, "no flush of directories")

    assert sum(found[fault] for fault in FAULTS) > 0


def test_a_full_disk_refuses_and_gives_its_room_back() -> None:
    if reason := why_not():
        REPORTS.append(f"full disk: 0 runs, {reason}")
        return
    found = counts("full_disk", stride(4))

    assert found["runs"] >= 64
    assert found["applied"] > 0
    assert found["not_applied"] > 0
    for fault in ("torn", "mixed", "lies", "leftovers", "space lost", "untold"):
        assert found[fault] == 0, fault


def test_a_full_disk_that_nobody_heeds_is_caught() -> None:
    if reason := why_not():
        REPORTS.append(f"full disk: 0 runs, {reason}")
        return
    # One of them alone does no harm: an intent that has no room stops what was staged in part.
    found = counts("full_disk", 8, "swallowed writes", "no intent")

    assert found["runs"] == 32
    assert found["torn"] > 0
