"""Refusals: why agents struggle, call by call, with what was sent and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from keyhole.engine.struggles import Struggle, Struggles
from keyhole.refusals import CODES
from keyhole.surfaces.pages.frame import PageFrame, actor_of, day_of, moment, path_of, task_of
from keyhole.surfaces.pages.html import Html, link, tag
from keyhole.surfaces.web.charts import bars
from keyhole.surfaces.web.page_frame import empty, page

_SPANS = (("24h", "1d"), ("7 days", "1w"), ("30 days", "30d"), ("All", "all"))
_MINUTE = 60


def refusals(frame: PageFrame, found: Struggles, since: str, code: str) -> Html:
    """Return the list, below what is refused most."""
    tabs = [
        link(
            frame.to("/refusals", since=value, code=code),
            name,
            class_="button small",
            aria_current="true" if value == since else None,
        )
        for name, value in _SPANS
    ]
    title = f"Refused: {code}" if code else "Why calls are refused"
    head = [tag("h1", title), tag("p", *tabs, class_="tabs")]
    if code:
        head.append(tag("p", CODES.get(code, ""), class_="lead"))
    if not found.latest:
        return page(frame, title, *head, empty("No call was refused in this time."), at="/refusals")
    items = tag("div", *_days(frame, found.latest), class_="items")
    return page(frame, title, *head, _charts(frame, found, since), items, at="/refusals")


def _days(frame: PageFrame, latest: Sequence[Struggle]) -> Iterator[Html]:
    """Yield the calls under the days they belong to."""
    for day, own in groupby(latest, key=lambda each: day_of(each.attempt.time)):
        yield tag("h2", day, class_="day")
        yield from (_row(frame, each) for each in own)


def _charts(frame: PageFrame, found: Struggles, since: str) -> Html:
    codes = [
        tag("li", link(frame.to("/refusals", since=since, code=each), each))
        for each in sorted(found.by_code, key=lambda each: -found.by_code[each])
    ]
    cards = [
        _card("By code", found.by_code, tag("ul", *codes, class_="codes-list")),
        _card("By tool", found.by_tool),
        _card("By agent", found.by_actor),
        _card("By file", found.by_file),
        *([_card("By model", found.by_model)] if found.by_model else []),
    ]
    return tag("div", *cards, class_="grid refused-charts")


def _card(title: str, counts: Mapping[str, int], *more: Html) -> Html:
    chart = bars(counts, f"Refusals {title.lower()}", "refused")
    return tag("section", tag("h2", title), chart, *more, class_="card")


def address(frame: PageFrame, at: float, actor: str) -> str:
    """Return the address of one refused call."""
    return frame.to("/refusal", at=repr(at), actor=actor)


def _row(frame: PageFrame, each: Struggle) -> Html:
    attempt = each.attempt
    why = attempt.said.split("\n")[0] or CODES.get(attempt.codes[0], "")
    return tag(
        "article",
        tag("span", class_="dot", title="refused"),
        moment(attempt.time, day=False),
        tag(
            "div",
            link(address(frame, attempt.time, attempt.actor), why, class_="title"),
            tag("p", *_who(frame, each), class_="meta"),
            class_="what",
        ),
        tag("span", *(tag("code", code) for code in dict.fromkeys(attempt.codes)), class_="words"),
        tag("span", _came(each), class_="counts came"),
        id=f"no-{attempt.time!r}",
        class_="row refused",
    )


def _who(frame: PageFrame, each: Struggle) -> Iterator[Html | None]:
    attempt = each.attempt
    yield actor_of(frame, attempt.actor)
    yield task_of(frame, attempt.task)
    yield tag("span", attempt.tool, class_="tool")
    yield tag("span", each.model, class_="dim") if each.model else None
    yield path_of(frame, attempt.path) if attempt.path else None


def _came(each: Struggle) -> str:
    if not each.recovered:
        return "given up" if not each.tries else f"{each.tries} more"
    return "recovered"


def refused_call(frame: PageFrame, each: Struggle) -> Html:
    """Return the page of one refused call."""
    attempt = each.attempt
    sent = [_sent(number, one) for number, one in enumerate(each.sent, 1)]
    return page(
        frame,
        f"Refused: {', '.join(dict.fromkeys(attempt.codes))}",
        tag(
            "section",
            tag("h1", "Refused: ", attempt.said.split("\n")[0]),
            tag("p", *_who(frame, each), moment(attempt.time), class_="meta"),
            _outcome(frame, each),
            class_="head",
        ),
        tag("h2", "What was sent", class_="day"),
        *(sent or [empty("What the call said is not kept any more.")]),
        tag("p", f"and {each.more} more edits", class_="hint") if each.more else None,
        tag("h2", "What the agent was told", class_="day"),
        *(_told(one) for one in each.refusals),
        *([] if each.refusals else [tag("pre", attempt.said, tabindex=0)]),
        at="/refusals",
    )


def _outcome(frame: PageFrame, each: Struggle) -> Html:
    """Return whether the agent got through after all."""
    tries = f" after {each.tries} more refusals" if each.tries else ""
    if not each.recovered:
        said = f"The agent has not edited this file since{tries}."
        return tag("p", tag("em", "not recovered", class_="word refused"), f" {said}")
    name = link(frame.to_transaction(each.recovered), each.recovered)
    word = tag("em", "recovered", class_="word applied")
    return tag("p", word, " by ", name, tries, f", {_lasted(each.seconds)} later")


def _lasted(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.0f} seconds"
    return f"{seconds / _MINUTE:.0f} minutes"


def _sent(number: int, one: Mapping[str, str]) -> Html:
    rows = [
        tag("div", tag("dt", name), tag("dd", tag("pre", said, tabindex=0)))
        for name, said in one.items()
    ]
    head = tag("p", tag("b", f"Edit {number}"))
    return tag("section", head, tag("dl", *rows, class_="sent"), class_="panel")


def _told(one: Mapping[str, object]) -> Html:
    candidates = one.get("candidates")
    listed = candidates if isinstance(candidates, list) else []
    offered = [each for each in listed if isinstance(each, dict)]
    code = str(one.get("code", ""))
    return tag(
        "section",
        tag("p", tag("em", code, class_="word refused"), f" {one.get('message', '')}"),
        tag("pre", str(one["where"]), tabindex=0) if one.get("where") else None,
        *(_candidate(each) for each in offered),
        tag("p", str(one["help"]), class_="dim") if one.get("help") else None,
        class_="panel",
    )


def _candidate(each: Mapping[str, object]) -> Html:
    lines = each.get("lines")
    first, last = lines if isinstance(lines, list) and len(lines) == 2 else ("?", "?")
    differs = f": {each.get('differs')}" if each.get("differs") else ""
    said = tag("figcaption", f"offered: lines {first}-{last}{differs}")
    return tag("figure", said, tag("pre", str(each.get("text", "")), tabindex=0), class_="offered")
