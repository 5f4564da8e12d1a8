"""A file, or one segment of it: who last changed what, for which task, and why."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.engine.history.blame import SegmentBlame, SegmentTouch
from keyhole.engine.history.timeline import Page
from keyhole.fastclasses import dataclass
from keyhole.surfaces.pages.frame import PageFrame, actor_of, moment, path_of, place_of, task_of
from keyhole.surfaces.pages.html import Html, join, link, tag
from keyhole.surfaces.web.page_frame import empty, page
from keyhole.surfaces.web.pages.timeline import Count, days, older, transaction_row


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of a file: its segments as it stands, and where it lives if not here."""

    blamed: Sequence[SegmentBlame] = ()
    homes: Sequence[str] = ()


def file_page(frame: PageFrame, path: str, known: FileFacts, found: Page, count: Count) -> Html:
    """Return the page of one file: its segments with their last change, then its history."""
    blamed = known.blamed
    return page(
        frame,
        path,
        tag("section", tag("h1", tag("span", path, class_="path")), class_="head"),
        _homes(known.homes),
        _segments(frame, path, blamed),
        tag("div", join(days(frame, found.items, count)), class_="items", id="items"),
        None if found.items else empty("Nothing is known of this file."),
        older(frame, found, path=path),
    )


def _homes(homes: Sequence[str]) -> Html | None:
    if not homes:
        return None
    places = [tag("li", tag("code", home)) for home in homes]
    return tag(
        "section",
        tag("p", "This file is not in this workspace. It lives on"),
        tag("ul", *places),
        class_="panel warn homes",
    )


def _segments(frame: PageFrame, path: str, blamed: Sequence[SegmentBlame]) -> Html | None:
    if not blamed:
        return None
    head = tag("tr", *(tag("th", word) for word in ("Segment", "Last changed", "Why")))
    rows = [_segment(frame, path, each) for each in blamed]
    known = sum(bool(each.touches) for each in blamed)
    return tag(
        "details",
        tag("summary", f"{len(blamed)} segments, {known} of them changed here"),
        tag("table", tag("thead", head), tag("tbody", *rows), class_="list blame"),
        _cut(blamed),
        class_="segments",
        open=True,
    )


def _cut(blamed: Sequence[SegmentBlame]) -> Html | None:
    """Say that older transactions were not looked at, where that is so."""
    count = max((each.looked_at for each in blamed), default=0)
    if not count:
        return None
    said = f"Only the last {count} transactions of the file were looked at: older ones may have"
    return tag("p", f"{said} changed it, too.", class_="empty cut")


def _segment(frame: PageFrame, path: str, each: SegmentBlame) -> Html:
    first, last = each.lines
    where = f"line {first}" if first == last else f"lines {first}–{last}"
    touch = each.touches[0] if each.touches else None
    return tag(
        "tr",
        tag(
            "td",
            link(frame.to_file(path, each.address), each.address, class_="segment"),
            " ",
            tag("span", f"{each.kind}, {where}", class_="dim"),
        ),
        tag("td", _who(frame, touch, each.looked_at)),
        tag("td", _why(frame, touch)),
        data_open=True,
    )


def _who(frame: PageFrame, touch: SegmentTouch | None, looked_at: int) -> Html | None:
    if touch is None:
        older = f"not in the last {looked_at} transactions" if looked_at else ""
        return tag("span", older or "before anything that is known", class_="dim")
    if touch.past is None:
        return tag("span", "by somebody outside keyhole", class_="dim")
    entry = touch.past.entry
    return tag(
        "span",
        actor_of(frame, entry.call.actor),
        task_of(frame, entry.call.task),
        place_of(entry.origin.elsewhere if entry.origin else ""),
        moment(entry.time),
        class_="meta",
    )


def _why(frame: PageFrame, touch: SegmentTouch | None) -> Html | None:
    if touch is None or touch.past is None:
        return None
    said = touch.reason or touch.past.entry.id
    return link(frame.to_transaction(touch.past.entry.id), said)


def segment_page(frame: PageFrame, path: str, each: SegmentBlame, count: Count) -> Html:
    """Return the page of one segment: every change of it, followed through the versions."""
    first, last = each.lines
    rows = [
        transaction_row(frame, touch.past, count)
        if touch.past
        else tag("p", "Changed by somebody outside keyhole", class_="empty outside")
        for touch in each.touches
    ]
    return page(
        frame,
        each.address,
        tag(
            "section",
            tag("h1", tag("span", each.address, class_="segment")),
            tag(
                "p",
                tag("span", each.kind, class_="dim"),
                path_of(frame, path),
                tag("span", f"lines {first}–{last}", class_="dim"),
                class_="meta",
            ),
            class_="head",
        ),
        tag(
            "div",
            tag("h2", "What changed it, the latest first", class_="day"),
            *rows,
            class_="items",
        )
        if rows
        else empty("No transaction that is known changed it."),
        _cut([each]),
    )


def gone_page(frame: PageFrame, path: str, segment: str, found: Page, count: Count) -> Html:
    """Return the page of a segment that is no more, or is under another name: its history."""
    return page(
        frame,
        segment,
        tag(
            "section",
            tag("h1", tag("span", segment, class_="segment")),
            tag(
                "p",
                path_of(frame, path),
                tag("span", "has it no more under this name", class_="dim"),
                class_="meta",
            ),
            class_="head",
        ),
        tag("div", join(days(frame, found.items, count)), class_="items", id="items"),
        older(frame, found, path=path, segment=segment),
    )
