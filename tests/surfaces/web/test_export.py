"""The exported file: whole in itself, and looking as the page does."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from keyhole.surfaces.web.review import ReviewSite
from keyhole.surfaces.web.serving import exported
from tests.surfaces.web.payloads import PAYLOADS
from tests.surfaces.web.stage import Stage

pytestmark = pytest.mark.needs("chromium")


# Every element of the diff: its words, its size, its colours, its letters.
LOOKS = """() => [...document.querySelectorAll(".file, .file *")].map(each => {
    const style = getComputedStyle(each), box = each.getBoundingClientRect();
    return [each.className, each.textContent, box.width, box.height, style.color,
        style.backgroundColor, style.fontFamily, style.fontSize, style.fontWeight];
})"""


def export(stage: Stage, task: str = "") -> Path:
    path = stage.base / "review.html"
    path.write_bytes(exported(ReviewSite(stage.engine, "me"), task).encode())
    return path


def opened(browser: Browser, path: Path) -> tuple[Page, list[str]]:
    """Open a file from the disk with the network off; say what it asked for and complained of."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    heard: list[str] = []
    page.on("request", lambda request: heard.append(request.url))
    page.on("console", lambda message: heard.append(message.text))
    page.goto(path.as_uri())
    return page, [each for each in heard if each != path.as_uri()]


def test_an_export_opens_from_disk_with_the_network_off_and_looks_the_same(
    stage: Stage, page: Page, browser: Browser
) -> None:
    stage.write("a.py", "def f():\n    return 1\n" + "# more\n" * 40)
    stage.edit("a.py", ("return 1", "return 2"), reason="two is better", task="t")
    page.goto("/tx/1")

    alone, heard = opened(browser, export(stage))

    assert heard == []
    expect(alone.locator(".row .title")).to_have_text(["two is better"])
    alone.locator(".row .title").click()
    expect(alone.locator(".tx:target h1")).to_have_text("two is better")
    expect(alone.locator(".button")).to_have_count(0)
    assert len(page.evaluate(LOOKS)) > 50
    assert alone.evaluate(LOOKS) == page.evaluate(LOOKS)
    alone.locator(".fold summary").click()
    expect(alone.locator(".fold .r").first).to_be_visible()
    alone.context.close()


def test_the_export_of_a_task_holds_that_task_as_one_diff(stage: Stage, browser: Browser) -> None:
    stage.write("a.txt", "one\ntwo\nthree\n")
    stage.edit("a.txt", ("one", "1"), task="mine", reason="first")
    stage.edit("a.txt", ("two", "2"), task="other", reason="second")
    stage.edit("a.txt", ("nowhere", "x"), task="mine")

    page, heard = opened(browser, export(stage, "mine"))

    assert heard == []
    expect(page.locator("h1").first).to_have_text("Task mine")
    expect(page.locator(".tx h1")).to_have_text(["first"])
    expect(page.locator(".row.refused")).to_have_count(1)
    assert "second" not in page.locator("body").inner_text()
    page.context.close()


def test_an_export_runs_nothing_of_what_it_shows(stage: Stage, browser: Browser) -> None:
    for number, payload in enumerate(PAYLOADS):
        stage.write(f"{number}.txt", "one\n")
        receipt = stage.edit(
            f"{number}.txt", ("one", payload), reason=payload, task=payload, mode="interactive"
        )
        assert receipt.ok, receipt.as_text()

    page, heard = opened(browser, export(stage))

    assert page.evaluate("window.pwned") is None
    assert heard == []
    assert page.locator(".tx h1").all_text_contents() == list(reversed(PAYLOADS))
    page.context.close()


def test_an_empty_workspace_has_an_export_too(stage: Stage) -> None:
    assert "Nothing has happened here yet." in export(stage).read_text("utf-8")
