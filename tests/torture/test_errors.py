"""Every system call fails once: the answer is typed, and true."""

import pytest

from tests.torture.errors import CALLS, ERRORS, LIKELY, WHOLE
from tests.torture.start import counts, stride

pytestmark = [pytest.mark.torture, pytest.mark.needs("strace")]

WHOLE_RUNS = 850
FAULTS = ("torn", "mixed", "leftovers", "lies", "untyped")


def test_the_whole_is_each_call_with_each_error() -> None:
    assert len(CALLS) * len(ERRORS) == 72
    assert [call for call in CALLS if not set(ERRORS) <= set(WHOLE[call])] == []


def test_a_failing_call_never_tears_mixes_or_makes_us_lie() -> None:
    every = stride(3) == 1
    found = counts("errors", stride(3), "whole" if every else "likely")

    assert found["runs"] >= (WHOLE_RUNS if every else 126)
    assert found["ways"] == sum(map(len, (WHOLE if every else LIKELY).values()))
    assert found["calls left out"] == 0
    assert found["acked"] > 0
    assert found["refused journal not_applied"] > 0
    assert found["refused too-large not_applied"] > 0
    assert found["refused read-only not_applied"] > 0
    for fault in FAULTS:
        assert found[fault] == 0, fault


@pytest.mark.parametrize(
    ("mutant", "fault"),
    [("swallowed writes", "torn"), ("swallowed exchanges", "lies"), ("raw errors", "untyped")],
)
def test_an_error_that_is_swallowed_or_let_through_is_caught(mutant: str, fault: str) -> None:
    found = counts("errors", 1, "few", mutant)

    assert found["runs"] >= 10
    assert found[fault] > 0
