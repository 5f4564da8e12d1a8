import time

import pytest

from keyhole.surfaces.cli.grammar import Usage
from keyhole.surfaces.cli.history import since


@pytest.mark.parametrize(
    ("text", "ago"), [("90s", 90), ("30m", 1800), ("2h", 7200), ("3d", 259200), ("1w", 604800)]
)
def test_a_moment_may_be_how_long_ago(text: str, ago: int) -> None:
    before = time.time()
    found = since(text)

    assert before - ago <= found <= time.time() - ago


@pytest.mark.parametrize(
    ("text", "seconds"),
    [(None, 0.0), ("1970-01-02T00:00:00Z", 86400.0), ("2001-09-09T01:46:40+00:00", 1e9)],
)
def test_a_moment_may_be_a_date(text: str | None, seconds: float) -> None:
    assert since(text) == seconds


def test_longer_ago_than_time_is_the_beginning() -> None:
    assert since("999999999w") == 0.0


@pytest.mark.parametrize("text", ["", "soon", "1", "-1h", "1 h", "١h", "10000-01-01"])
def test_anything_else_is_a_usage_error(text: str) -> None:
    with pytest.raises(Usage):
        since(text)
