"""A disk that keeps only what was flushed: every state it may leave is recovered."""

import pytest

from tests.torture.start import counts, figure

pytestmark = [pytest.mark.torture, pytest.mark.needs("strace")]

FAULTS = ("torn", "acked, not durable", "mixed", "lost acks", "leftovers", "broken", "disagrees")
# Files of the transaction, state of the journal, and how many different states of the disk.
SCENARIOS = [
    (1, "warm", 1200),
    (1, "fresh", 1400),
    (1, "checkpoint", 900),
    (2, "warm", 1600),
    (2, "fresh", 1200),
    (2, "checkpoint", 800),
    (5, "warm", 1200),
    (5, "fresh", 700),
]


def test_the_states_of_all_scenarios_are_as_many_as_promised() -> None:
    assert sum(_most(share) for _, _, share in SCENARIOS) >= figure(9_000, 100_000)


@pytest.mark.parametrize(("files", "journal", "share"), SCENARIOS)
def test_no_order_of_writes_tears_or_mixes(files: int, journal: str, share: int) -> None:
    found = counts("weak_disk", files, figure(6, 60), _most(share), journal)

    assert found["states"] == _most(share)
    assert found["all new"] > 0
    assert found["states"] > found["all new"]
    for fault in FAULTS:
        assert found[fault] == 0, fault
    assert found["set aside"] == 0 or journal == "fresh"


def _most(share: int) -> int:
    return figure(share, 12 * share)


@pytest.mark.parametrize(
    "mutant",
    [
        "no wait for the flush",
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

    assert found["states"] == 200
    assert sum(found[fault] for fault in FAULTS) > 0
