"""Insight: how calls go in this workspace, in figures and charts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime, timedelta

from keyhole.engine.history.insights import Stats, pairs
from keyhole.refusals import CODES
from keyhole.surfaces.pages.frame import PageFrame
from keyhole.surfaces.pages.html import Html, link, tag
from keyhole.surfaces.web.charts import Calls, bars, columns, key, stacked
from keyhole.surfaces.web.page_frame import empty, page

_SPANS = (("24h", "1d"), ("7 days", "1w"), ("30 days", "30d"), ("All", ""))
_MOST_COLUMNS = 60


def insight(frame: PageFrame, stats: Stats, since: str) -> Html:
    """Return the page."""
    tabs = [
        link(
            frame.to("/insight", since=value) if value else frame.to("/insight", since="all"),
            name,
            class_="button small",
            aria_current="true" if value == since else None,
        )
        for name, value in _SPANS
    ]
    head = [tag("h1", "Insight"), tag("p", *tabs, class_="tabs")]
    if not stats.calls.done and not stats.calls.refused:
        return page(frame, "Insight", *head, empty("No calls in this time."), at="/insight")
    return page(frame, "Insight", *head, figures(stats), charts(stats), at="/insight")


def figures(stats: Stats) -> Html:
    """Return the figures on top."""
    efforts = stats.tally.efforts
    calls = stats.calls
    shown = (
        (f"{calls.done}", "edits went through"),
        (f"{stats.success:.0%}", f"of {calls.done + calls.refused} calls succeeded"),
        (f"{stats.retry_rate:.0%}", f"retry rate: {efforts.retried} of {efforts.total} efforts"),
        (
            f"{stats.catastrophic:.0%}",
            f"catastrophic failures: {efforts.rewritten} files written anew",
        ),
        (
            f"{stats.self_recovery:.0%}" if efforts.retried else "–",
            f"self-recovery: {efforts.recovered} of {efforts.retried} refused efforts",
        ),
    )
    cards = [
        tag("div", tag("b", big), tag("span", said), class_="card figure") for big, said in shown
    ]
    return tag("div", *cards, class_="figures")


def charts(stats: Stats) -> Html:
    """Return every chart."""
    tally = stats.tally
    waits = {
        "at once" if not count else f"after {count}": times
        for count, times in tally.efforts.after.items()
    }
    if tally.efforts.abandoned:
        waits["given up"] = tally.efforts.abandoned
    refusals = tag(
        "div",
        bars(tally.refusals, "Refusals by code", "refused")
        if tally.refusals
        else tag("p", "None.", class_="dim"),
        *(
            tag("p", tag("code", code), f" {CODES.get(code, '')}", class_="dim")
            for code in sorted(tally.refusals, key=lambda each: -tally.refusals[each])[:3]
        ),
    )
    return tag(
        "div",
        _card("Calls over time", columns(over_time(pairs(tally.by_hour))), key(), wide=True),
        _card("Refusals by code", refusals),
        _card(
            "Refusals until an edit went through",
            bars(waits, "Refusals until an edit went through"),
            tag("p", "An effort is one agent's calls at one file.", class_="dim"),
        ),
        _card("How places were found", bars(tally.rungs, "How places were found")),
        _card("By tool", stacked(pairs(tally.by_tool), "Calls by tool"), key()),
        _card("By agent", stacked(pairs(tally.by_actor), "Calls by agent"), key()),
        *(
            [_card("By machine", stacked(pairs(tally.by_machine), "Calls by machine"), key())]
            if tally.by_machine
            else []
        ),
        class_="grid",
    )


def _card(title: str, *body: Html, wide: bool = False) -> Html:
    return tag("section", tag("h2", title), *body, class_="card wide" if wide else "card")


def over_time(by_hour: Mapping[int, Calls]) -> list[tuple[str, Calls]]:
    """Return hours as columns: hours of two days, else days, else so many days together."""
    if not by_hour:
        return []
    first = datetime.fromtimestamp(min(by_hour)).astimezone()
    last = datetime.fromtimestamp(max(*by_hour, int(time.time()))).astimezone()
    if last - first < timedelta(hours=48):
        step, form = timedelta(hours=1), "%H:00"
        start = first.replace(minute=0, second=0, microsecond=0)
    else:
        days = (last - first).days + 1
        step, form = timedelta(days=-(-days // _MOST_COLUMNS)), "%d %b"
        start = first.replace(hour=0, minute=0, second=0, microsecond=0)
    count = int((last - start) / step) + 1
    done, refused = [0] * count, [0] * count
    for hour, (through, stopped) in by_hour.items():
        at = int((datetime.fromtimestamp(hour).astimezone() - start) / step)
        done[at] += through
        refused[at] += stopped
    return [((start + at * step).strftime(form), (done[at], refused[at])) for at in range(count)]
