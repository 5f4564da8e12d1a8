import pytest
from mcp import Client, types

from keyhole.surfaces.mcp.logs import LEVELS
from tests.surfaces.mcp.host import Host, codes, data

LEVEL = "io.modelcontextprotocol/logLevel"
EDIT = {"path": "a.txt", "edits": [{"find": "one", "content": "two"}]}


class Log:
    """What a client was told, without how long it took."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []

    async def __call__(self, params: types.LoggingMessageNotificationParams) -> None:
        assert params.logger == "keyhole"
        self.lines.append((params.level, str(params.data).split(" in ")[0]))


async def three_calls(client: Client, meta: types.RequestParamsMeta | None = None) -> str:
    data(await client.call_tool("read", {"path": "a.txt"}, meta=meta))
    done = data(await client.call_tool("edit", EDIT, meta=meta))
    codes(await client.call_tool("read", {"path": "b.txt"}, meta=meta))
    return str(done["transaction"])


@pytest.mark.parametrize(("level", "count"), [("debug", 3), ("info", 2), ("warning", 0)])
def test_an_old_client_hears_from_the_level_it_sets(
    host: Host, level: types.LoggingLevel, count: int
) -> None:
    host.write("a.txt", "one\n")
    log = Log()

    async def work(client: Client) -> str:
        assert client.server_capabilities.logging is not None
        await client.session.send_request(
            types.SetLevelRequest(params=types.SetLevelRequestParams(level=level)),
            types.EmptyResult,
        )
        return await three_calls(client)

    transaction = host.run(work, mode="legacy", logging_callback=log)

    expected = [
        ("debug", "read answered"),
        ("info", f"edit applied {transaction}"),
        ("info", "read refused"),
    ]
    assert log.lines == expected[3 - count :]


def test_a_new_client_hears_what_it_asks_for_with_each_call(host: Host) -> None:
    host.write("a.txt", "one\n")
    log = Log()

    async def work(client: Client) -> None:
        await three_calls(client, {LEVEL: "info"})  # type: ignore[arg-type]
        codes(await client.call_tool("read", {"path": "c.txt"}))

    host.run(work, logging_callback=log)

    assert [level for level, _ in log.lines] == ["info", "info"]


def test_a_client_that_asked_for_nothing_hears_only_of_trouble(host: Host) -> None:
    host.write("a.txt", "one\n")
    log = Log()

    async def work(client: Client) -> None:
        await three_calls(client)
        first = {"path": "a.txt", "edits": [{"lines": "1", "content": "x"}], "task": "t1"}
        data(await client.call_tool("edit", first))
        second = {**first, "task": "t2", "on_conflict": "warn"}
        data(await client.call_tool("edit", {**second, "edits": [{"lines": "1", "content": "y"}]}))

    host.run(work, mode="legacy", logging_callback=log)

    assert log.lines == [("warning", "edit: conflict with task t1")]


def test_the_levels_are_those_of_the_protocol() -> None:
    assert set(LEVELS) == set(types.LoggingLevel.__args__)  # type: ignore[attr-defined]
