import pytest

from keyhole.surfaces.mcp.service import host_ids
from tests.surfaces.mcp.host import Data, Host, data

# What hosts were seen to send.
SENT: list[tuple[Data, Data]] = [
    ({"claudecode/toolUseId": "toolu_1", "progressToken": 3}, {"tool_use": "toolu_1"}),
    (
        {"callId": "c", "threadId": "t", "x-codex-turn-metadata": {"turn_id": "n", "model": "m"}},
        {"call": "c", "thread": "t", "turn": "n", "model": "m"},
    ),
    ({"prompt_id": 7, "host/sessionId": "s"}, {"prompt": "7", "session": "s"}),
    ({"progressToken": 1, "io.modelcontextprotocol/clientInfo": {"name": "x"}}, {}),
    ({"callId": "x" * 1000, "threadId": ["t"]}, {}),
]


@pytest.mark.parametrize(("meta", "ids"), SENT, ids=str)
def test_the_ids_of_a_call_are_taken_from_what_the_host_sends(meta: Data, ids: Data) -> None:
    assert host_ids(meta) == ids


def test_ids_are_found_however_deep_a_host_sends_objects() -> None:
    meta: Data = {"turnId": "t"}
    for _ in range(5000):
        meta = {"deeper": meta}

    assert host_ids({**meta, "callId": "c"}) == {"call": "c", "turn": "t"}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_ids_of_a_call_are_journalled(host: Host, mode: str) -> None:
    host.write("a.txt", "one\n")
    edits = [{"find": "one", "content": "two"}]

    async def work(client: Data) -> Data:
        call = {"path": "a.txt", "edits": edits}
        return data(await client.call_tool("edit", call, meta={"claudecode/toolUseId": "t1"}))

    host.run(work, mode=mode)

    [entry] = host.entries()
    ids = entry.call.details["ids"]
    assert isinstance(ids, dict)
    assert ids["tool_use"] == "t1"
