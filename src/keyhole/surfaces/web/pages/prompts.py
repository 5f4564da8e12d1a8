"""The prompts: what was done for each, by which tools, and by people beside them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from keyhole.answers.observation import PromptGroup
from keyhole.surfaces.pages.frame import PageFrame, moment
from keyhole.surfaces.pages.html import Html, link, tag
from keyhole.surfaces.web.page_frame import empty, page
from keyhole.surfaces.web.pages.timeline import Count, transaction_row


def prompts(
    frame: PageFrame, found: Sequence[PromptGroup], count: Count, unseen: Collection[str]
) -> Html:
    """Return the page."""
    said = (
        "What was done for each prompt, newest first. A rewind is shown before it is carried out."
    )
    nothing = None if found else empty("No prompts yet. Hosts tell of them by their hooks.")
    parts = [_group(frame, each, count, unseen) for each in found]
    head = tag("section", tag("h1", "Prompts"), tag("p", said, class_="lead"), class_="head")
    return page(frame, "Prompts", head, nothing, *parts, at="/prompts", live="timeline")


def _group(frame: PageFrame, group: PromptGroup, count: Count, unseen: Collection[str]) -> Html:
    one = group.mark.happening
    rows = [
        transaction_row(frame, each, count, unseen=each.entry.id in unseen) for each in group.done
    ]
    ways = (
        link(frame.to("/undo", prompt=group.point), "Rewind", class_="button"),
        link(
            frame.to("/undo", prompt=group.point, exact="1"),
            "Rewind exactly",
            class_="button small",
        ),
    )
    return tag(
        "section",
        tag("h2", one.said or f"Prompt {group.point}"),
        tag(
            "p",
            moment(group.mark.time),
            tag("span", one.host, class_="actor"),
            tag("code", group.point, class_="dim"),
            *(ways if frame.acts else ()),
            class_="meta",
        ),
        tag("div", *rows, class_="items") if rows else tag("p", "Nothing changed.", class_="dim"),
        id=f"prompt-{group.mark.id}",
        class_="prompt",
    )
