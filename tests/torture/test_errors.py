"""Every system call fails once: the answer is typed, and true."""

import pytest

from tests.torture.start import counts, stride

pytestmark = [pytest.mark.torture, pytest.mark.needs("strace")]


def test_a_failing_call_never_tears_mixes_or_makes_us_lie() -> None:
    found = counts("errors", stride(2))

    assert found["runs"] >= 126
    assert found["acked"] > 0
    assert found["refused journal not_applied"] > 0
    assert found["refused too-large not_applied"] > 0
    assert found["refused read-only not_applied"] > 0
    for fault in ("torn", "mixed", "leftovers", "lies", "untyped"):
        assert found[fault] == 0, fault
