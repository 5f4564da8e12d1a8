"""Clients that die at random leave one history that everybody could have seen."""

import pytest

from tests.torture.start import counts, figure

pytestmark = pytest.mark.torture


@pytest.mark.parametrize("seed", range(figure(3, 50)))
def test_one_order_of_versions_fits_what_every_client_saw(seed: int) -> None:
    found = counts("histories", 4, 500, seed)

    assert found["calls"] == 2000
    assert found["entries"] >= found["acked"] >= 800
    assert found["reads"] >= 200
    assert found["kills"] >= 8
    for fault in (
        "lost acks",
        "against the clock",
        "gaps",
        "impossible reads",
        "damage",
        "temporary files",
    ):
        assert found[fault] == 0, fault


def test_a_client_that_sees_the_past_is_caught() -> None:
    found = counts("histories", 4, 60, 0, "stale reads")

    assert found["calls"] == 240
    assert found["impossible reads"] > 0
