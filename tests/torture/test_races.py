"""A directory swapped for a link to the outside, while files in it are used: nothing escapes."""

import pytest

from tests.torture.start import counts, figure

pytestmark = pytest.mark.torture


@pytest.mark.parametrize("way", ["beneath", "walk"])
def test_nothing_is_read_or_written_outside(way: str) -> None:
    tries = figure(20_000, 1_000_000)
    found = counts("races", tries, way)

    assert found["tries"] >= tries
    assert min(found["read"], found["edited"], found["created"], found["refused"]) > 0
    assert found["escapes"] == 0


@pytest.mark.parametrize("way", ["beneath, opening", "walk, opening"])
def test_nothing_outside_is_opened(way: str) -> None:
    found = counts("races", 1_000_000, way)

    assert found["tries"] >= 1_000_000
    assert min(found["read"], found["error"]) > 0
    assert found["escapes"] == 0


def test_checking_the_path_before_using_it_escapes() -> None:
    assert counts("races", 1_000_000, "naive")["escapes"] > 0
