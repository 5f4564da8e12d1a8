"""Clients of both kinds hear of changes, made by themselves or by somebody else."""

import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest
from mcp import Client, types
from mcp.client.subscriptions import ResourceUpdated

from keyhole.edits.model.operations import WriteFile
from keyhole.engine.options import Options
from keyhole.surfaces.mcp.news import changes
from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from tests.surfaces.mcp.host import KEYHOLE, Host, data
from tests.surfaces.mcp.test_client_roots import Roots

EDIT = {"path": "a b.py", "edits": [{"find": "return 1", "content": "return 2"}]}
WANTED = ["keyhole://history", "keyhole://outline/a%20b.py"]


@pytest.fixture
def host(host: Host) -> Host:
    host.write("a b.py", "def f():\n    return 1\n")
    return host


async def by_client(_: Host, client: Client) -> None:
    data(await client.call_tool("edit", EDIT))


async def by_command(host: Host, _: Client) -> None:
    words = [KEYHOLE, "edit", "a b.py", "--find", "return 1", "--content", "return 2"]
    await anyio.run_process(words, cwd=host.root, env=host.environment, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("change", [by_client, by_command])
def test_a_client_that_listens_hears_of_changes(
    host: Host, change: Callable[[Host, Client], Awaitable[None]]
) -> None:
    async def work(client: Client) -> set[object]:
        heard: set[object] = set()
        async with client.listen(
            resources_list_changed=True, resource_subscriptions=WANTED
        ) as events:
            await change(host, client)
            with anyio.fail_after(120):
                while len(heard) < 2:
                    heard.add(await anext(events))
        return heard

    heard = host.run(work)

    assert heard == {ResourceUpdated(uri=uri) for uri in WANTED}


@pytest.mark.parametrize("change", [by_client, by_command])
def test_a_client_that_subscribed_hears_of_changes(
    host: Host, change: Callable[[Host, Client], Awaitable[None]]
) -> None:
    heard: list[str] = []
    enough = anyio.Event()

    async def handler(message: object) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.append(str(message.params.uri))
            enough.set()
        if isinstance(message, types.ResourceListChangedNotification):
            heard.append("list")

    async def work(client: Client) -> None:
        assert client.server_capabilities.resources == types.ResourcesCapability(
            subscribe=True, list_changed=False
        )
        for uri in (*WANTED, "keyhole://outline/other.py"):
            await client.session.send_request(_follow(uri), types.EmptyResult)
        away = types.UnsubscribeRequestParams(uri=WANTED[0])
        await client.session.send_request(types.UnsubscribeRequest(params=away), types.EmptyResult)
        await change(host, client)
        with anyio.fail_after(120):
            await enough.wait()

    host.run(work, mode="legacy", message_handler=handler)

    assert heard == WANTED[1:]


def test_a_client_that_subscribed_before_its_roots_were_known_hears_of_its_edit(host: Host) -> None:
    heard = anyio.Event()

    async def handler(message: object) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.set()

    async def work(client: Client) -> None:
        await client.session.send_request(_follow("keyhole://history"), types.EmptyResult)
        await by_client(host, client)
        with anyio.fail_after(20):
            await heard.wait()

    roots = Roots(host.root.as_uri())
    host.run(work, root=False, mode="legacy", message_handler=handler, list_roots_callback=roots)


def _follow(uri: str) -> types.SubscribeRequest:
    return types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))


def test_the_journals_say_what_changed_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        root.mkdir()
    workspaces = Workspaces.open(roots, Allowed())
    nothing, before = changes(workspaces, {}, time.time())
    for engine, path in zip(workspaces.engines, ("a.txt", "b c.txt"), strict=True):
        assert engine.write(WriteFile(path, "x\n"), Options()).ok
    changed, now = changes(workspaces, before, time.time())

    assert nothing == []
    assert set(changed) == {
        "keyhole://history",
        "keyhole://outline/a.txt",
        f"keyhole://outline/{roots[0]}/a.txt",
        f"keyhole://outline/{roots[1]}/b c.txt",
        f"keyhole://outline/{roots[1]}/b%20c.txt",
    }
    assert changes(workspaces, now, 0.0) == ([], now)
    assert set(changes(workspaces, {}, 0.0)[0]) == set(changed)
    workspaces.close()
