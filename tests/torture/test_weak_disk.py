"""A disk that keeps only what was flushed: every state it may leave is recovered."""

import pytest

from tests.torture.start import SCALE, counts

pytestmark = [pytest.mark.torture, pytest.mark.needs("strace")]

FAULTS = ("torn", "acked, not durable", "mixed", "lost acks", "leftovers", "broken", "disagrees")


@pytest.mark.parametrize(
    ("files", "journal", "most"),
    [
        (1, "warm", 900),
        (1, "fresh", 1500),
        (2, "warm", 2400),
        (2, "fresh", 1800),
        (5, "warm", 2400),
    ],
)
def test_no_order_of_writes_tears_or_mixes(files: int, journal: str, most: int) -> None:
    found = counts("weak_disk", files, 6 * SCALE, most * SCALE, journal)

    assert found["states"] >= min(most * SCALE, found["possible"]) * 0.45
    assert found["all new"] > 0
    assert found["states"] > found["all new"]
    for fault in FAULTS:
        assert found[fault] == 0, fault
    assert found["set aside"] == 0 or journal == "fresh"


@pytest.mark.parametrize(
    "mutant",
    [
        "no flush of files",
        "no flush of directories",
        "journal NORMAL",
        "journal OFF",
        "no intent",
        "mark before flush",
    ],
)
def test_a_protocol_with_a_step_left_out_is_caught(mutant: str) -> None:
    found = counts("weak_disk", 2, 2, 200, "warm", mutant)

    assert found["states"] >= 100
    assert sum(found[fault] for fault in FAULTS) > 0
