"""Hostile names, contents, reasons and tasks: nothing runs, and everything reads as it was."""

import re

import pytest
from playwright.sync_api import Page

from keyhole.engine.edit.requests import operation_of
from keyhole.engine.options import Options
from keyhole.fastclasses import replace
from tests.surfaces.web.payloads import PAYLOADS
from tests.surfaces.web.stage import Served, Stage

pytestmark = pytest.mark.needs("chromium")


def name_of(payload: str, number: int) -> str:
    """A payload as a file name: no slash, no line end, and not too long."""
    return re.sub("[/\t\n\\\\\u2028]", "_", payload)[:80] + f".{number}.html"


def test_sixty_hostile_texts_run_nothing_and_read_as_they_are(
    stage: Stage, served: Served, page: Page
) -> None:
    assert len(PAYLOADS) >= 60
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: dialog.accept())
    read = 0
    for number, payload in enumerate(PAYLOADS):
        path = name_of(payload, number)
        write = operation_of(path, f"-{payload}\n", delete=False, move_to="", allow_shrink=False)
        options = Options(actor=payload, task=payload, reason=payload, tool=payload)
        options = replace(options, mode="interactive")
        receipt = stage.engine.write(write, options)
        assert receipt.ok, receipt.as_text()
        page.goto(f"/tx/{receipt.transaction}")
        title, code, head = page.evaluate(
            """() => ["h1", ".r.add code", ".filehead h2"]
                .map(each => document.querySelector(each).textContent)"""
        )
        assert (title, head) == (payload, path)
        assert code == f"-{payload}".partition("\n")[0]
        read += 1
    for address in ("/", "/?refusals=no", "/tasks", "/insight", "/insight?since=all"):
        page.goto(address)
        assert page.evaluate("window.pwned") is None
    titles = page.goto("/") and page.locator(".row .title").all_text_contents()

    assert read == len(PAYLOADS)
    assert titles == list(reversed(PAYLOADS))[:50]
    assert page.evaluate("window.pwned") is None
    assert [url for url in asked if not url.startswith(served.origin)] == []


def test_hostile_texts_in_addresses_are_text_too(stage: Stage, page: Page) -> None:
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("one", "two"))
    for payload in PAYLOADS[:6]:
        for name in ("q", "task", "path"):
            page.goto(f"/?{name}={re.sub('[&#%+]', '', payload)}")
            assert page.evaluate("window.pwned") is None


def test_the_harness_would_see_a_script_that_runs(page: Page) -> None:
    page.evaluate("window.pwned = 1")

    assert page.evaluate("window.pwned") == 1
