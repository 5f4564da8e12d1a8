"""The review as one file: no server, no network, no script; for a pull request or an archive."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Iterator

from keyhole.histories import PastTransaction
from keyhole.surfaces.web.assets import asset
from keyhole.surfaces.web.frame import document, empty, mark, moment
from keyhole.surfaces.web.html import Html, attribute, join, tag
from keyhole.surfaces.web.pages.tasks import task_diff, task_head
from keyhole.surfaces.web.pages.timeline import days
from keyhole.surfaces.web.pages.transaction import transaction_body
from keyhole.surfaces.web.routes import whole_of
from keyhole.surfaces.web.site import ReviewSite
from keyhole.values import replace
from keyhole.walks.comparing import compared
from keyhole.walks.timeline import Cursor, Filter, Page, page

MOST = 500


def exported(site: ReviewSite, task: str = "") -> Html:
    """Return what the page shows of a task, or of the latest transactions, as one document."""
    found = page(site.records, Filter(task=task), Cursor(), size=MOST, seconds=60)
    past = [item.past for item in found.items if item.past]
    held = frozenset(each.entry.id for each in past)
    site = ReviewSite(site.engine, site.actor)
    site.shown = replace(site.frame(), static=True, read_only=True, proposals=0, held=held)
    body = tag(
        "main",
        join(_task(site, task, found)) if task else tag("h1", f"Review of {site.shown.workspace}"),
        tag("div", join(days(site.shown, found.items, site.counter(seconds=60))), class_="items"),
        None if found.items else empty("Nothing has happened here yet."),
        tag("p", f"Only the latest {MOST} are in this file.", class_="hint")
        if found.next
        else None,
        *(_transaction(site, each) for each in past),
    )
    title = f"{task or 'Review'} · {site.shown.workspace}"
    return document(_head(title), tag("body", _bar(site.shown.workspace), body, class_="export"))


def _task(site: ReviewSite, task: str, found: Page) -> Iterator[Html]:
    whole = whole_of(site, task, found)
    yield task_head(task, whole.all_files)
    yield from (part for part in task_diff(site.frame(), task, whole) if part)


def _transaction(site: ReviewSite, past: PastTransaction) -> Html:
    files = compared(site.records, past.entry)
    inner = transaction_body(site.frame(), past, files, "split")
    return tag("article", inner, class_="tx", id=f"tx-{past.entry.id}")


def _head(title: str) -> Html:
    style = asset("review.css").decode()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{attribute(policy)}">'),
        tag("title", title),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        Html(f"<style>{style}</style>"),
    )


def _bar(workspace: str) -> Html:
    when = tag("span", "exported ", moment(time.time()), class_="dim when")
    return tag(
        "header", tag("span", mark(), tag("b", workspace), class_="brand"), when, class_="bar"
    )
