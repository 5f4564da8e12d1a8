import re
import time

from keyhole.surfaces.web.charts import bars, columns, stacked
from keyhole.surfaces.web.pages.insight import over_time

HOUR, DAY = 3600, 86400


def numbers(svg: str, kind: str, name: str) -> list[float]:
    found = re.findall(rf'<rect class="{kind}"[^>]*? {name}="([\d.]+)"', svg)
    return [float(each) for each in found]


def test_bars_are_as_long_as_what_they_count_the_longest_first() -> None:
    svg = bars({"a": 5, "b": 10, "<c>": 0}, "Things")

    long, half = numbers(svg, "done", "width")
    assert long == 2 * half
    assert re.findall(r'text-anchor="end">([^<]*)<', svg) == ["b", "a", "&lt;c&gt;"]


def test_what_was_refused_stands_behind_what_went_through() -> None:
    svg = stacked({"edit": (3, 1)}, "Tools")

    [done], [refused] = numbers(svg, "done", "width"), numbers(svg, "no", "width")
    assert done == 3 * refused
    assert "3 · 1" in svg


def test_columns_stand_on_the_base_and_carry_their_words() -> None:
    svg = columns([("Mon", (2, 2)), ("Tue", (4, 0))])

    assert numbers(svg, "done", "height") == [70.0, 140.0]
    assert numbers(svg, "no", "y") == [20.0]
    assert "<title>Mon: 2 done, 2 refused</title>" in svg


def test_nothing_to_draw_is_no_error() -> None:
    assert "<svg" in columns([])
    assert "<svg" in bars({}, "None")
    assert over_time({}) == []


def test_two_days_are_drawn_by_the_hour_and_more_by_the_day() -> None:
    now = int(time.time()) // HOUR * HOUR

    hours = over_time({now - 3 * HOUR: (1, 0), now: (2, 1)})
    days = over_time({now - 100 * DAY: (1, 0), now: (2, 0)})

    assert [each for _, each in hours] == [(1, 0), (0, 0), (0, 0), (2, 1)]
    assert len(days) <= 60
    assert (days[0][1], days[-1][1]) == ((1, 0), (2, 0))
    assert sum(done for _, (done, _) in days) == 3


def test_of_many_columns_some_carry_their_names() -> None:
    svg = columns([(f"d{number}", (1, 0)) for number in range(24)])

    assert re.findall(r">(d\d+)</text>", svg) == [f"d{number}" for number in range(0, 24, 3)]
