from collections.abc import Mapping

import pytest
from mcp import Client

from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.mcp.limits import Budget, ServerLimits
from keyhole.surfaces.mcp.tools import chosen
from tests.surfaces.mcp.host import Data, Host, codes, data

EDIT = {"path": "a.txt", "edits": [{"find": "one", "content": "two"}]}


class Clock:
    """A clock that stands still until somebody moves it."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def spend(
    budget: Budget, name: str, given: Mapping[str, object] | None = None, actor: str = "a"
) -> Refusal | None:
    tools = chosen(("native", "claude"))
    try:
        budget.spend(actor, tools[name], given or {})
    except Refused as refused:
        return refused.refusals[0]
    return None


def test_calls_and_writes_are_counted_by_the_minute_and_client() -> None:
    clock = Clock()
    budget = Budget(ServerLimits(calls=4, writes=2), clock)

    assert [spend(budget, name) for name in ("read", "edit", "edit")] == [None] * 3
    clock.now = 20.0
    refused = spend(budget, "edit")
    assert refused is not None
    assert (refused.code, refused.data) == ("busy", {"retry_after": 40})
    assert spend(budget, "read") is None
    full = spend(budget, "read")
    assert full is not None
    assert full.headline == "4 calls a minute are the limit of this server"
    assert spend(budget, "edit", actor="b") is None
    clock.now = 61.0
    assert spend(budget, "edit") is None


def test_the_bytes_of_writing_calls_are_counted_by_the_session() -> None:
    clock = Clock()
    budget = Budget(ServerLimits(megabytes=1), clock)
    half = {"path": "a", "content": "x" * 600_000}

    assert spend(budget, "read", half) is None
    assert spend(budget, "write", half) is None
    clock.now = 3600.0
    refused = spend(budget, "write", half)
    assert refused is not None
    assert refused.code == "too-large"


def test_a_look_is_no_write_whatever_the_tool_may_do_otherwise() -> None:
    budget = Budget(ServerLimits(writes=1))
    tool = "str_replace_based_edit_tool"

    for name, given in (
        (tool, {"command": "view"}),
        ("scaffold", {}),
        ("edit", {"dry_run": True}),
        ("edit", {}),
    ):
        assert spend(budget, name, given) is None
    assert spend(budget, tool, {"command": "insert"}) is not None


@pytest.mark.parametrize("word", ["calls", "calls=", "calls=-1", "shell=10", "60"])
def test_a_limit_that_is_none_is_refused(word: str) -> None:
    with pytest.raises(Refused, match="is none"):
        ServerLimits.of([word])


def test_a_server_with_limits_refuses_and_changes_nothing(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work(client: Client) -> list[Data]:
        first = data(await client.call_tool("edit", EDIT))
        back = {"path": "a.txt", "edits": [{"find": "two", "content": "one"}]}
        second = codes(await client.call_tool("edit", back))
        looked = data(await client.call_tool("read", {"path": "a.txt"}))
        return [first, second, looked]

    first, second, looked = host.run(work, "--limit", "writes=1")

    assert (first["ok"], second, looked["text"]) == (True, ["busy"], "1| two")
