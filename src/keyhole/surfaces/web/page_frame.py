"""What every page shares: the bar on top, the links between pages, how times and names look."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.surfaces.pages.frame import PageFrame
from keyhole.surfaces.pages.html import Child, Html, join, link, tag

_PLACES = (
    ("/", "Timeline"),
    ("/changes", "Changes"),
    ("/tasks", "Tasks"),
    ("/proposals", "Proposals"),
    ("/refusals", "Refusals"),
    ("/insight", "Insight"),
)
_MANY = 1000
_PROMPTS = ("/prompts", "Prompts")
_SHARED = ("/conflicts", "Conflicts")
_AWAY = "The shared journal is out of reach, so this is what happened in this workspace alone."


def page(
    frame: PageFrame, title: str, *body: Child, at: str = "", live: str = "", sought: str = ""
) -> Html:
    """Return a whole page; `sought` is what the search field holds."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("title", f"{_waiting(frame)}{title} · {frame.workspace}"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="csrf", content=frame.csrf) if frame.csrf else None,
        tag("link", rel="icon", href=_icon(frame), type="image/svg+xml"),
        tag("link", rel="stylesheet", href="/assets/review.css"),
        tag("script", src="/assets/review.js", defer=True),
    )
    away = tag("p", _AWAY, class_="panel warn", role="status") if frame.away else None
    inner = join((_bar(frame, at, sought), tag("main", away, *body, id="main"), _keys()))
    return document(head, tag("body", inner, data_live=live or None, data_mark=frame.mark))


def _waiting(frame: PageFrame) -> str:
    """Return what a tab says of how much waits."""
    return f"({frame.waiting}) " if frame.waiting else ""


def _icon(frame: PageFrame) -> str:
    return "/assets/waiting.svg" if frame.waiting else "/assets/icon.svg"


def document(head: Html, body: Html) -> Html:
    """Return head and body as a document."""
    return Html(f'<!doctype html>\n<html lang="en">{head}{body}</html>\n')


def _bar(frame: PageFrame, at: str, sought: str) -> Html:
    known = [*_PLACES, *([_PROMPTS] if frame.observed else [])]
    known += [_SHARED] if frame.shares else []
    places = [_place(frame, path, name, at) for path, name in known]
    search = tag(
        "form",
        tag(
            "input",
            type="search",
            name="q",
            id="search",
            value=sought or None,
            placeholder="Search reasons and diffs",
            aria_label="Search reasons and diffs",
            autocomplete="off",
        ),
        tag("kbd", "/"),
        action="/",
        class_="search",
        role="search",
    )
    return tag(
        "header",
        tag("a", mark(), tag("b", frame.workspace), href="/", class_="brand", title=frame.root),
        _others(frame) if frame.others else None,
        tag("nav", *places, aria_label="Pages"),
        search,
        tag("span", "live", class_="live", id="live", title="Edits appear as they happen"),
        tag("button", "◐", type="button", id="theme", title="Light or dark", class_="icon"),
        class_="bar",
    )


def _others(frame: PageFrame) -> Html:
    """Return the way to the other workspaces."""
    ways = [tag("li", link(address, name)) for name, address in frame.others]
    said = tag("summary", "▾", aria_label="Other workspaces", title="Other workspaces")
    return tag("details", said, tag("ul", *ways), class_="roots")


def stranger_page(workspace: str, command: str) -> Html:
    """Return what a browser sees that is not let in, and what to do about it."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("title", "Not let in · keyhole"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="stylesheet", href="/assets/review.css"),
    )
    body = tag(
        "main",
        tag("h1", mark(), f" {workspace}"),
        tag("p", "This browser is not known here, and an address lets in one browser, once."),
        tag("p", "Open the address that is printed last where the page is served, or run"),
        tag("pre", tag("code", command), tabindex=0),
        tag("p", "and open what it prints. This browser is then known for 90 days."),
    )
    return document(head, tag("body", body, class_="stranger"))


def _place(frame: PageFrame, path: str, name: str, at: str) -> Html:
    badge = None
    waits = {"/proposals": frame.proposals, "/changes": frame.unseen}.get(path, 0)
    if waits:
        badge = tag("em", waits if waits < _MANY else f"{_MANY - 1}+", class_="badge")
    return tag("a", name, badge, href=path, aria_current="page" if path == at else None)


def mark() -> Html:
    """Return the keyhole of the logo."""
    return Html(
        '<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2a10 10 0 1 0 0 20 '
        "10 10 0 0 0 0-20Zm0 5a3.2 3.2 0 0 1 1.8 5.9l1.4 4.6H8.8l1.4-4.6A3.2 3.2 0 0 1 12 7Z"
        '"/></svg>'
    )


def _keys() -> Html:
    keys = (
        ("j k", "next, previous"),
        ("n p", "next, previous file or transaction"),
        ("↵", "open"),
        ("m", "seen or not"),
        ("u", "undo"),
        ("/", "search"),
    )
    return tag(
        "footer", *(tag("span", tag("kbd", key), f" {what}") for key, what in keys), class_="keys"
    )


def choices(known: Mapping[str, list[str]]) -> list[Html]:
    """Return the values that fields offer to choose from."""
    return [
        tag("datalist", *(tag("option", value=each) for each in values), id=f"known-{name}")
        for name, values in known.items()
        if values
    ]


def needs_script(command: str) -> Html:
    """Return what a reader without JavaScript can do instead of a button."""
    return tag(
        "noscript", tag("p", "Without JavaScript, run ", tag("code", command), class_="hint")
    )


def empty(*words: Child) -> Html:
    """Return what is said where there is nothing."""
    return tag("p", *words, class_="empty")
