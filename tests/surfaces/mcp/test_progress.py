"""Progress is told after half a second, grows, and never says too much."""

import threading

import pytest

from keyhole.progress import Count, step
from keyhole.surfaces.mcp.progress import Telling, Ticker


@pytest.mark.parametrize("count", [Count(60, 60), Count(7, 60), Count(1, 1), Count(3)], ids=str)
def test_what_is_told_of_a_long_step_grows_and_stays_below_all(count: Count) -> None:
    telling = Telling(count, 0.0)
    reports = [telling.due(second) for second in range(1, 200)]
    last = telling.last()

    told = [report[0] for report in reports if report]
    assert len(told) == len(reports)
    assert told == sorted(set(told))
    assert not count.total or told[-1] < count.total
    done = (float(count.done), float(count.total), "working")
    assert last == (done if count.done == count.total else None)


def test_nothing_is_told_in_the_first_half_second_nor_at_the_end_of_such_a_call() -> None:
    telling = Telling(Count(3, 3), 10.0)

    assert telling.due(10.4) is None
    assert telling.last() is None
    assert telling.due(10.5) == (2.5, 3.0, "working")


def test_a_call_is_told_of_while_it_runs_and_not_afterwards() -> None:
    heard: list[tuple[int | str, float]] = []
    enough = threading.Event()

    def send(token: int | str, report: tuple[float, float | None, str]) -> None:
        heard.append((token, report[0]))
        enough.set()

    ticker = Ticker(send)
    with ticker.telling("t"):
        step()
        assert enough.wait(20)
    told = list(heard)

    assert {token for token, _ in told} == {"t"}
    assert not threading.Event().wait(0.3)
    assert heard == told
