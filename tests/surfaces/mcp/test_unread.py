"""A request that the library drops is answered: nobody waits for what never comes."""

import json

import pytest

from keyhole.surfaces.mcp.wire import unread_answer
from tests.surfaces.mcp.host import HELLO, Data, Host
from tests.surfaces.mcp.test_stdio import say, started

HALF = r'{"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "\ud800"}}'
LONG = '{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": %s}}' % ("9" * 5000)
WRITE = {"name": "write", "arguments": {"path": "a.txt", "content": "\ud83d"}}


@pytest.mark.parametrize(("line", "name"), [(HALF, "a"), (LONG, 7)], ids=["half", "long"])
def test_a_request_that_cannot_be_read_gets_an_error_by_its_id(line: str, name: Data) -> None:
    said = json.loads(unread_answer(line.encode()) or b"null")

    assert (said["id"], said["error"]["code"]) == (name, -32700)
    assert said["error"]["message"].startswith("the request cannot be read: Invalid JSON: ")


@pytest.mark.parametrize(
    "line",
    [
        HALF.replace(r"\ud800", r"\ud83d\ude00"),
        HALF.replace('"id": "a", ', ""),
        HALF.replace('"method"', '"result"'),
        HALF.replace('"a"', "true"),
        HALF[:-1],
        json.dumps(HELLO),
        "",
    ],
    ids=["pair", "notification", "answer", "ill-typed", "cut", "sound", "nothing"],
)
def test_every_other_line_is_left_to_the_library(line: str) -> None:
    assert unread_answer(line.encode()) is None


@pytest.mark.parametrize("version", ["2025-03-26", "2025-11-25"])
def test_half_a_character_is_refused_and_the_caller_hears_of_it(host: Host, version: str) -> None:
    greeting: Data = {**HELLO, "params": {**HELLO["params"], "protocolVersion": version}}  # type: ignore[dict-item]
    with started(host) as process:
        say(process, greeting)

        said = say(process, {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": WRITE})

    told = str(said.get("error") or said["result"]["content"])
    assert said["id"] == 9
    assert "surrogate" in told or "hex escape" in told
    assert not (host.root / "a.txt").exists()
