"""A session is one client's connection: its calls are a task of their own, which refuses nobody."""

import re
import signal
import time
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from mcp import Client, types

from tests.surfaces.mcp.host import Data, Host, codes, data, text
from tests.surfaces.mcp.site import serving

NAME = re.compile(r"session-[0-9a-f]{8}(-\d+)?")


def line(content: str, **more: Data) -> Data:
    return {"path": "a.txt", "edits": [{"lines": "1", "content": content}], **more}


async def edited(client: Client, content: str, **more: Data) -> Data:
    return data(await client.call_tool("edit", line(content, **more)))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_all_of_a_session_is_shown_and_undone(host: Host, mode: str) -> None:
    host.write("a.txt", "one\n")

    async def work(client: Client) -> list[Data]:
        await edited(client, "two", task="named")
        for content in ("three", "four"):
            await edited(client, content)
        shown = data(await client.call_tool("history", {"session": "this"}))
        undone = data(await client.call_tool("undo", {"session": "this"}))
        again = await client.call_tool("undo", {"session": "this"})
        return [shown, undone, codes(again)]

    shown, undone, again = host.run(work, mode=mode)

    assert [bool(NAME.fullmatch(one["task"])) for one in shown["transactions"]] == [True, True]
    ids = [one["id"] for one in shown["transactions"]]
    assert [one["transaction"] for one in undone["took_back"]] == ids
    assert again == ["nothing-to-undo"]
    assert host.read("a.txt") == "two\n"


def test_sessions_that_are_open_at_once_are_told_of_each_other(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work() -> list[Data]:
        async with host.client(name="same") as one:
            async with host.client(name="same") as two:
                first = await edited(two, "two")
                met = await edited(one, "three")
                seen = await edited(one, "four")
                back = await edited(two, "five")
            return [first, met, seen, back, await edited(one, "six")]

    first, met, seen, back, alone = anyio.run(work)

    assert [each["transaction"] for each in met["conflicts"]] == [first["transaction"]]
    assert NAME.fullmatch(met["conflicts"][0]["task"])
    assert "conflicts" not in seen
    assert [each["transaction"] for each in back["conflicts"]] == [seen["transaction"]]
    assert "conflicts" not in alone
    assert host.read("a.txt") == "six\n"


def test_a_session_whose_server_was_killed_is_over(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work() -> Data:
        async with host.client() as one:
            process = await anyio.open_process(host.command(), env=host.environment)
            assert process.stdin
            assert process.stdout
            for message in _messages(line("two")):
                await process.stdin.send(message)
            heard = b""
            while b"lines_after" not in heard:
                heard += await process.stdout.receive()
            engines = _children(process.pid)
            process.send_signal(signal.SIGKILL)
            await process.wait()
            await anyio.to_thread.run_sync(_wait_for, engines)
            return await edited(one, "three")

    assert "conflicts" not in anyio.run(work)


def _children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()


def _wait_for(processes: list[str]) -> None:
    """Wait until processes are gone: an engine ends with its front."""
    until = time.monotonic() + 120
    while any(Path("/proc", process).exists() for process in processes):
        assert time.monotonic() < until


def _messages(call: Data) -> list[bytes]:
    import json

    from tests.surfaces.mcp.host import HELLO

    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    params = {"name": "edit", "arguments": call}
    ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
    return [json.dumps(each).encode() + b"\n" for each in (HELLO, ready, ask)]


@pytest.mark.parametrize(("first", "second"), [("", "named"), ("named", "")])
def test_a_session_and_a_named_task_refuse_each_other_nothing(
    host: Host, first: str, second: str
) -> None:
    host.write("a.txt", "one\n")

    async def work() -> Data:
        async with host.client(name="one") as one, host.client(name="two") as two:
            await edited(one, "two", task=first)
            return await edited(two, "three", task=second)

    assert "conflicts" not in anyio.run(work)


def test_what_a_caller_wrote_it_has_seen_whatever_its_task_is_called(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work(client: Client) -> Data:
        await edited(client, "two", task="first")
        return await edited(client, "three", task="second")

    done = host.run(work)

    assert [(each["task"], each["seen"]) for each in done["conflicts"]] == [("first", True)]
    assert "skipped" not in done["conflicts"][0]


def test_two_clients_of_one_name_are_two_callers(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work() -> types.CallToolResult:
        async with host.client(name="same") as one, host.client(name="same") as two:
            await edited(one, "two", task="first")
            return await two.call_tool("edit", line("three", task="second"))

    refused = anyio.run(work)

    assert codes(refused) == ["conflict"]
    assert "-one\n      +two" in text(refused)
    assert "-two\n      +three" in text(refused)


def test_over_http_each_session_is_one(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work() -> list[Data]:
        async with site.client(mode="legacy") as one:
            async with site.client(mode="legacy") as two:
                first, second = await edited(one, "two"), await edited(two, "three")
            return [first, second, data(await one.call_tool("history", {}))]

    with serving(host, is_counted=True) as site:
        first, second, listed = anyio.run(work)

    assert [each["transaction"] for each in second["conflicts"]] == [first["transaction"]]
    assert len({each["task"] for each in listed["transactions"]}) == 2


def test_over_http_without_sessions_whoever_holds_the_token_is_one(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work() -> list[Data]:
        async with site.client() as one, site.client() as two:
            done = [await edited(one, "two"), await edited(two, "three")]
            return [*done, data(await one.call_tool("history", {"session": "this"}))]

    with serving(host) as site:
        _, second, listed = anyio.run(work)

    assert "conflicts" not in second
    assert len(listed["transactions"]) == 2
