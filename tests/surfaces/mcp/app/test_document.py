"""The card in a real browser, in a page that plays the host of MCP Apps."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, types
from playwright.sync_api import Browser, FrameLocator, Page, Route, expect

from keyhole.surfaces.mcp.app.document import document
from tests.surfaces.mcp.app.test_cards import APPS, EDIT
from tests.surfaces.mcp.host import Data, Host, data

pytestmark = pytest.mark.needs("chromium")

# `make apps` names a page with the bridge that hosts are built with (npm).
PAGE = Path(os.environ.get("KEYHOLE_HOST_PAGE") or Path(__file__).with_name("host.html"))
# What hosts let a view do that names no domain: the specification's own words.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'"
)


@dataclass
class Stand:
    """A host with one server, and the page in which it shows cards."""

    page: Page
    portal: BlockingPortal
    client: Client
    told: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def call(self, tool: str, arguments: Data) -> types.CallToolResult:
        result: types.CallToolResult = self.portal.call(self.client.call_tool, tool, arguments)
        return result

    def forward(self, params: str) -> str:
        given = json.loads(params)
        return self.call(given["name"], given["arguments"]).model_dump_json(by_alias=True)

    def hear(self, said: str) -> None:
        self.told.append(said)

    def show(self, result: types.CallToolResult, theme: str = "light") -> FrameLocator:
        """Show the card of an answer, as a host does that opens a conversation."""
        if not self.page.url.startswith("http://host.test"):
            self.page.goto("http://host.test/")
        given = [result.model_dump(by_alias=True, mode="json", exclude_none=True), theme]
        self.page.evaluate("([result, theme]) => show(result, theme)", given)
        return self.page.frame_locator("iframe")

    def served(self, route: Route) -> None:
        url = route.request.url
        self.requests.append(url)
        if url == "http://view.test/":
            headers = {"content-security-policy": POLICY, "content-type": "text/html"}
            route.fulfill(body=document(), headers=headers)
        elif url == "http://host.test/":
            route.fulfill(body=PAGE.read_text(encoding="utf-8"), content_type="text/html")
        else:
            route.abort()


@pytest.fixture
def flags() -> tuple[str, ...]:
    return ()


@pytest.fixture
def stand(browser: Browser, host: Host, flags: tuple[str, ...]) -> Iterator[Stand]:
    """A stand whose page says nothing on its console, and asks nobody but the host."""
    host.write("a.py", "value = one\n" + "line\n" * 40)
    context = browser.new_context()
    context.set_default_timeout(60_000)
    page = context.new_page()
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    # The bridge tells what passes through it, which is no trouble.
    page.on("console", lambda said: None if said.type == "debug" else trouble.append(said.text))
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(host.client(*flags, **APPS)) as client,
    ):
        made = Stand(page, portal, client)
        context.route("**/*", made.served)
        page.expose_function("forward", made.forward)
        page.expose_function("told", made.hear)
        yield made
        context.close()
    assert [each for each in trouble if "favicon" not in each] == []
    asked = {url for url in made.requests if "favicon" not in url}
    assert asked == {"http://host.test/", "http://view.test/"}


def test_a_card_shows_an_edit_and_takes_it_back(stand: Stand, host: Host) -> None:
    made = stand.call("edit", EDIT)
    card = stand.show(made)
    expect(card.locator("h1")).to_have_text("it is two")
    expect(card.locator(".diff .del code")).to_have_text("value = one")
    expect(card.locator(".diff .add code")).to_have_text("value = two")
    expect(card.locator(".edit .why")).to_have_text("it is two")

    card.get_by_role("button", name="Undo").click()
    expect(card.locator("h1")).to_contain_text("Undo 1-")
    expect(card.locator(".diff .add code")).to_have_text("value = one")
    card.get_by_role("button", name="Back").click()
    expect(card.locator("h1")).to_have_text("it is two")
    assert host.read("a.py").startswith("value = two\n")
    card.get_by_role("button", name="Undo").click()
    card.get_by_role("button", name="Undo now").click()
    expect(card.locator("#card[data-state=undone]")).to_be_visible()
    assert host.read("a.py").startswith("value = one\n")
    assert [said.partition(" as ")[0] for said in stand.told] == [
        f"the user took back {data(made)['transaction']}"
    ]

    again = stand.show(made, "dark")  # the conversation is opened anew
    expect(again.locator("#card[data-state=undone]")).to_be_visible()
    expect(again.locator("html[data-theme=dark]")).to_be_attached()
    expect(again.locator("button")).to_have_count(0)


@pytest.mark.parametrize("flags", [("--propose",)])
@pytest.mark.parametrize(
    ("name", "state", "left"), [("Keep", "applied", "two"), ("Reject", "rejected", "one")]
)
def test_a_proposal_is_decided_in_its_card(
    stand: Stand, host: Host, name: str, state: str, left: str
) -> None:
    made = stand.call("edit", EDIT)
    card = stand.show(made)
    expect(card.locator(".lead")).to_have_text("Nothing of this is written yet.")
    expect(card.get_by_role("button")).to_have_text(["Keep", "Reject"])
    assert host.read("a.py").startswith("value = one\n")

    card.get_by_role("button", name=name).click()
    expect(card.locator(f"#card[data-state={state}]")).to_be_visible()
    assert host.read("a.py").startswith(f"value = {left}\n")
    assert stand.told[0].startswith({"Keep": "the user kept", "Reject": "the user rejected"}[name])
    expect(stand.show(made).locator(f"#card[data-state={state}]")).to_be_visible()


@pytest.mark.parametrize("flags", [("--propose",)])
def test_a_proposal_that_moved_on_says_so_and_is_shown_anew(stand: Stand, host: Host) -> None:
    made = stand.call("edit", EDIT)
    card = stand.show(made)
    expect(card.get_by_role("button")).to_have_text(["Keep", "Reject"])
    host.write("a.py", "first = 0\n" + host.read("a.py"))
    card.get_by_role("button", name="Keep").click()

    expect(card.get_by_role("alert")).to_contain_text("the files moved on since this was shown")
    assert host.read("a.py").startswith("first = 0\nvalue = one\n")
    again = stand.show(made)
    again.get_by_role("button", name="Keep").click()
    expect(again.locator("#card[data-state=applied]")).to_be_visible()
    assert host.read("a.py").startswith("first = 0\nvalue = two\n")


def test_text_in_a_diff_stays_text(stand: Stand, host: Host) -> None:
    host.write("b.txt", "value = one\n")
    hostile = '<img src="http://elsewhere.test/x" onerror="alert(1)"></script>'
    edits = [{"find": "one", "content": hostile, "reason": hostile}]
    card = stand.show(stand.call("edit", {"path": "b.txt", "edits": edits}))

    expect(card.locator("h1")).to_have_text(hostile)
    expect(card.locator(".diff .add code")).to_have_text(f"value = {hostile}")
    expect(card.locator("img")).to_have_count(0)


def test_an_answer_without_a_diff_is_shown_as_the_text_it_is(stand: Stand) -> None:
    edits = [{"find": "not there", "content": "x"}]
    card = stand.show(stand.call("edit", {"path": "a.py", "edits": edits}))

    expect(card.locator(".answer")).to_contain_text("refused: nothing was changed")
