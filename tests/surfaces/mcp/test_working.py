import json
import os
import sys
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from mcp import Client, types
from mcp.shared.exceptions import MCPError

from tests.surfaces.mcp.host import Data, Host, data
from tests.surfaces.mcp.site import serving


def test_a_client_that_hears_of_progress_is_told_what_is_wrong_as_any_other(host: Host) -> None:
    async def work(client: Client) -> str:
        with pytest.raises(MCPError) as error:
            await client.get_prompt("editing-guide", {"path": "x.py"}, meta={"progress_token": 1})
        return error.value.error.message

    assert host.run(work, mode="legacy") == "no-file: there is no file x.py"


def lint(host: Host) -> Path:
    """Configure a linter that waits until somebody writes into a pipe; return the pipe."""
    pipe = host.base / "pipe"
    os.mkfifo(pipe)
    # Opening for reading waits for whoever opens for writing.
    waits = f"import sys; sys.stdin.read(); open({os.fspath(pipe)!r}).read()"
    home = host.base / "home/.config/keyhole"
    home.mkdir(parents=True)
    command = json.dumps([sys.executable, "-c", waits])
    (home / "config.toml").write_text(
        f'[validators.slow]\ncommand = {command}\nlanguages = ["go"]\ntimeout = 60\n',
        encoding="utf-8",
    )
    host.write("slow.go", "package a\n")
    host.write("a.txt", "one\n")
    return pipe


async def opened(pipe: Path) -> None:
    """Wait until the linter runs, then let it go on."""
    await anyio.to_thread.run_sync(lambda: pipe.write_text("", encoding="ascii"))


SLOW = {"path": "slow.go", "edits": [{"find": "package a", "content": "package b"}]}


def test_a_slow_linter_holds_up_no_other_client_and_no_ping(host: Host) -> None:
    pipe = lint(host)
    order: list[str] = []

    async def main() -> None:
        with serving(host) as site:
            async with site.client() as one, site.client(mode="legacy") as two:

                async def edit() -> None:
                    data(await one.call_tool("edit", SLOW))
                    order.append("edit")

                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(edit)
                    data(await two.call_tool("read", {"path": "a.txt"}))
                    other = {"path": "a.txt", "edits": [{"find": "one", "content": "two"}]}
                    data(await one.call_tool("edit", other))
                    await two.session.send_request(types.PingRequest(), types.EmptyResult)
                    order.append("others")
                    await opened(pipe)

    anyio.run(main)

    assert order == ["others", "edit"]
    assert (host.read("slow.go"), host.read("a.txt")) == ("package b\n", "two\n")


def test_a_cancelled_edit_leaves_the_file_old_or_new_and_the_server_well(host: Host) -> None:
    pipe = lint(host)

    async def work(client: Client) -> None:
        async def edit(scope: anyio.CancelScope) -> None:
            with scope:
                await client.call_tool("edit", SLOW)

        scope = anyio.CancelScope()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(edit, scope)
            # Whoever opens the pipe for writing waits for the linter, which then reads to its end.
            linter = await anyio.to_thread.run_sync(lambda: os.open(pipe, os.O_WRONLY))
            scope.cancel()
        assert scope.cancelled_caught
        os.close(linter)
        with anyio.fail_after(120):
            assert "package" in data(await client.call_tool("read", {"path": "slow.go"}))["text"]

    async def look(client: Client) -> Data:
        return data(await client.call_tool("history", {}))["transactions"]

    host.run(work)
    # Another server finishes whatever the first one was in the middle of when it was closed.
    past = host.run(look)

    new = host.read("slow.go") == "package b\n"
    assert new or host.read("slow.go") == "package a\n"
    assert [one["outcome"] for one in past] == ["applied"] * new


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_progress_is_told_of_calls_that_take_longer_than_half_a_second(
    host: Host, mode: str
) -> None:
    pipe = lint(host)
    heard: list[float] = []
    told = anyio.Event()

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        assert message, total
        heard.append(progress)
        told.set()

    async def work(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            quick = {"path": "a.txt", "edits": [{"find": "one", "content": "two"}]}
            data(await client.call_tool("edit", quick, progress_callback=listen))
            assert heard == []
            tasks.start_soon(lambda: client.call_tool("edit", SLOW, progress_callback=listen))
            with anyio.fail_after(60):
                await told.wait()
            await opened(pipe)

    host.run(work, mode=mode)

    assert heard == sorted(set(heard))
    assert host.read("slow.go") == "package b\n"


def test_a_ping_is_answered_in_the_connection_that_waits(host: Host) -> None:
    pipe = lint(host)
    order: list[str] = []

    async def work(client: Client) -> None:
        async def edit() -> None:
            data(await client.call_tool("edit", SLOW))
            order.append("edit")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(edit)
            await client.session.send_request(types.PingRequest(), types.EmptyResult)
            order.append("ping")
            await opened(pipe)

    host.run(work, mode="legacy")

    assert order == ["ping", "edit"]
