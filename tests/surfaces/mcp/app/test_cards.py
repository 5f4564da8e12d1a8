"""Cards through the SDK's client: who is shown them, and who may decide by them."""

import pytest
from mcp import Client, types
from mcp.client import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.shared.exceptions import MCPError

from keyhole.surfaces.mcp.app.cards import DECIDE, LOOK, META
from keyhole.surfaces.mcp.app.document import URI
from tests.surfaces.mcp.host import Data, Host, codes, data, text

APPS: dict[str, Data] = {"extensions": [advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})]}
EDIT = {"path": "a.py", "edits": [{"find": "one", "content": "two", "reason": "it is two"}]}


def card_of(result: types.CallToolResult) -> Data:
    """What an answer tells its card."""
    found = (result.meta or {})[META]
    return {"card": found["name"], "secret": found["secret"]}


async def shown(client: Client, card: Data, **more: object) -> Data:
    return data(await client.call_tool(LOOK, {**card, **more}))


@pytest.fixture
def host(host: Host) -> Host:
    host.write("a.py", "value = one\n")
    return host


def test_a_host_with_apps_is_told_where_cards_are_and_what_only_they_call(host: Host) -> None:
    async def work(client: Client) -> tuple[Data, Data]:
        listed = (await client.list_tools()).tools
        read = await client.read_resource(URI)
        return {tool.name: (tool.meta or {}).get("ui") for tool in listed}, read.contents[0]

    tools, document = host.run(work, **APPS)
    assert tools["edit"] == tools["undo"] == {"resourceUri": URI}
    assert tools["read"] is None
    assert tools[LOOK] == tools[DECIDE] == {"resourceUri": URI, "visibility": ["app"]}
    assert document.mime_type == APP_MIME_TYPE
    assert len(document.text.encode()) <= 60_000


def test_a_server_that_only_reads_offers_no_decision(host: Host) -> None:
    async def work(client: Client) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    names = host.run(work, "--read-only", **APPS)
    assert LOOK in names
    assert DECIDE not in names


@pytest.mark.parametrize("more", [{}, {"extensions": [advertise(EXTENSION_ID, {})]}])
def test_a_host_without_apps_sees_and_hears_of_no_card(host: Host, more: dict[str, Data]) -> None:
    async def work(client: Client) -> tuple[str, types.CallToolResult, types.CallToolResult]:
        listed = (await client.list_tools()).model_dump_json()
        with pytest.raises(MCPError, match="there is no resource"):
            await client.read_resource(URI)
        made = await client.call_tool("edit", EDIT)
        return listed, made, await client.call_tool(LOOK, {"card": "1", "secret": "x"})

    listed, made, refused = host.run(work, **more)
    assert "ui://" not in listed
    assert "review_card" not in listed
    assert META not in (made.meta or {})
    assert "there is no tool `review_card`" in text(refused)


def test_the_text_and_data_of_an_answer_are_the_same_with_cards_and_without(host: Host) -> None:
    async def work(client: Client) -> types.CallToolResult:
        return await client.call_tool("edit", {**EDIT, "dry_run": True})

    plain, carded = host.run(work), host.run(work, **APPS)
    assert plain.content == carded.content
    assert plain.structured_content == carded.structured_content


def test_a_card_shows_the_diff_with_its_reason_and_takes_it_back_once_shown(host: Host) -> None:
    async def work(client: Client) -> None:
        card = card_of(await client.call_tool("edit", EDIT))
        first = await shown(client, card)
        assert first["state"] == "applied"
        assert "it is two" in first["html"]
        assert 'data-act="undo"' in first["html"]
        ahead = await shown(client, card, undo=True)
        assert host.read("a.py") == "value = two\n"
        for odd in ("keep", "perhaps"):  # which is about a proposal, and about nothing
            asked = {**card, "decision": odd, "shown": first["shown"]}
            assert codes(await client.call_tool(DECIDE, asked)) == ["bad-request"]
        wrong = {**card, "decision": "confirm", "shown": "0" * 64}
        assert codes(await client.call_tool(DECIDE, wrong)) == ["stale"]
        done = data(await client.call_tool(DECIDE, {**wrong, "shown": ahead["shown"]}))
        assert done["state"] == "undone"
        assert (await shown(client, card))["state"] == "undone"

    host.run(work, **APPS)
    assert host.read("a.py") == "value = one\n"
    assert host.entries()[0].call.actor == "card:tester"


@pytest.mark.parametrize(("decision", "left"), [("keep", "two"), ("reject", "one")])
def test_a_proposal_is_kept_or_rejected_as_it_was_shown(
    host: Host, decision: str, left: str
) -> None:
    async def work(client: Client) -> None:
        card = card_of(await client.call_tool("edit", EDIT))
        found = await shown(client, card)
        assert found["state"] == "proposed"
        assert host.read("a.py") == "value = one\n"
        asked = {**card, "decision": decision, "shown": found["shown"]}
        undo = {**asked, "decision": "confirm"}
        assert codes(await client.call_tool(DECIDE, undo)) == ["nothing-to-undo"]
        done = data(await client.call_tool(DECIDE, asked))
        assert done["state"] == {"keep": "applied", "reject": "rejected"}[decision]
        assert codes(await client.call_tool(DECIDE, asked)) == ["stale"]

    host.run(work, "--propose", **APPS)
    assert host.read("a.py") == f"value = {left}\n"


def test_what_a_person_kept_a_person_takes_back_and_no_agent(host: Host) -> None:
    async def work(client: Client) -> None:
        card = card_of(await client.call_tool("edit", EDIT))
        found = await shown(client, card)
        kept = {**card, "decision": "keep", "shown": found["shown"]}
        data(await client.call_tool(DECIDE, kept))
        assert codes(await client.call_tool("undo", {})) == ["read-only"]
        ahead = await shown(client, card, undo=True)
        asked = {**card, "decision": "confirm", "shown": ahead["shown"]}
        assert data(await client.call_tool(DECIDE, asked))["state"] == "undone"

    host.run(work, "--propose", **APPS)
    assert host.read("a.py") == "value = one\n"


def test_what_moved_on_since_it_was_shown_is_not_kept(host: Host) -> None:
    async def work(client: Client) -> None:
        card = card_of(await client.call_tool("edit", EDIT))
        found = await shown(client, card)
        host.write("a.py", "first = 0\nvalue = one\n")
        asked = {**card, "decision": "keep", "shown": found["shown"]}
        assert codes(await client.call_tool(DECIDE, asked)) == ["stale"]
        again = await shown(client, card)
        data(await client.call_tool(DECIDE, {**asked, "shown": again["shown"]}))

    host.run(work, "--propose", **APPS)
    assert host.read("a.py") == "first = 0\nvalue = two\n"


def test_a_card_says_why_an_undo_cannot_be(host: Host) -> None:
    async def work(client: Client) -> Data:
        card = card_of(await client.call_tool("edit", EDIT))
        host.write("a.py", "value = other\n")
        return await shown(client, card, undo=True)

    found = host.run(work, **APPS)
    assert found["state"] == "refused"
    assert 'class="word refused"' in found["html"]
    assert 'data-act="confirm"' not in found["html"]


def test_a_model_that_calls_what_cards_call_is_refused(host: Host) -> None:
    async def work(client: Client) -> None:
        made = await client.call_tool("edit", EDIT)
        card = card_of(made)
        assert card["secret"] not in text(made)
        assert card["secret"] not in str(made.structured_content)
        found = await shown(client, card)
        other = card_of(await client.call_tool("write", {"path": "b.txt", "content": "b\n"}))
        for secret in ("", "x", found["shown"], card["card"], other["secret"]):
            given = {"card": card["card"], "secret": secret}
            asked = {**given, "decision": "keep", "shown": found["shown"]}
            assert codes(await client.call_tool(LOOK, given)) == ["bad-request"]
            assert codes(await client.call_tool(DECIDE, asked)) == ["bad-request"]
        for lacking in ({}, {"card": card["card"]}, {**card, "decision": "keep"}):
            assert codes(await client.call_tool(DECIDE, lacking)) == ["bad-request"]

    host.run(work, "--propose", **APPS)
    assert host.read("a.py") == "value = one\n"


def test_a_card_is_known_again_after_a_restart_and_only_its_owner_reads_the_secret(
    host: Host,
) -> None:
    async def edit(client: Client) -> Data:
        return card_of(await client.call_tool("edit", EDIT))

    card = host.run(edit, **APPS)

    async def look(client: Client) -> Data:
        return await shown(client, card)

    assert host.run(look, **APPS)["state"] == "applied"
    [kept] = (host.base / "state").rglob("card-secret.json")
    assert kept.stat().st_mode & 0o077 == 0
