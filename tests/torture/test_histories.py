"""Clients that die at random leave one history that everybody could have seen."""

import pytest

from tests.torture.start import SCALE, counts

pytestmark = pytest.mark.torture


@pytest.mark.parametrize("seed", range(3 if SCALE == 1 else 5 * SCALE))
def test_one_order_of_versions_fits_what_every_client_saw(seed: int) -> None:
    found = counts("histories", 4, 250, seed)

    assert found["calls"] == 1000
    assert found["entries"] >= found["acked"] >= 400
    assert found["reads"] >= 100
    assert found["kills"] >= 4
    for fault in (
        "lost acks",
        "against the clock",
        "gaps",
        "impossible reads",
        "damage",
        "temporary files",
    ):
        assert found[fault] == 0, fault
