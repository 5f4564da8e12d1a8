"""A plain call gets the answer that the library would give, and nothing else is plain."""

import json

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from keyhole.surfaces.mcp.hosts import Setup
from keyhole.surfaces.mcp.server import Serving
from keyhole.surfaces.mcp.shortcut import VERSIONS, Shortcut
from keyhole.surfaces.mcp.workspaces import Allowed
from tests.surfaces.mcp.host import HELLO, Data, Host
from tests.surfaces.mcp.test_stdio import say, started

CALLS: list[tuple[str, Data]] = [
    ("read", {"path": "a.py"}),
    ("read", {"path": "a.py", "segment": "shout"}),
    ("outline", {"path": "a.py"}),
    ("outline", {}),
    ("search", {"query": "é"}),
    ("history", {}),
    ("edit", {"path": "a.py", "edits": [{"find": "shout", "content": "call"}], "dry_run": True}),
    ("edit", {"path": "a.py", "edits": [{"find": "nowhere", "content": ""}]}),
    ("edit", {"path": "a.py"}),
    ("read", {"path": "../a.py", "deep": 1}),
    ("hammer", {}),
    ("undo", None),
]


def request(tool: str, arguments: Data, **more: Data) -> Data:
    params = {"name": tool, "arguments": arguments, **more}
    return {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params}


def hello(version: str) -> Data:
    return {**HELLO, "params": {**HELLO["params"], "protocolVersion": version}}  # type: ignore[dict-item]


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_the_answer_is_that_of_the_library(host: Host, version: str) -> None:
    host.write("a.py", "def shout(x):\n    return x + 'é'\n")
    with started(host) as process:
        say(process, hello(version))
        # Whoever wants to hear of progress is answered by the library.
        slow = [say(process, request(*call, _meta={"progressToken": 1})) for call in CALLS]

        assert [say(process, request(*call)) for call in CALLS] == slow


def shortcut(host: Host, version: str = "2025-06-18") -> Shortcut:
    made = Shortcut(Serving(Setup(roots=(host.root,), allowed=Allowed(), tools=("native",))))
    made.plain(json.dumps(hello(version)).encode())
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": version}}
    made.told(json.dumps(answer))
    return made


PLAIN = request("read", {"path": "a.py"})


@pytest.mark.parametrize(
    "message",
    [
        PLAIN,
        request("read", {}, _meta={}),
        request("read", {}, _meta={"host/own": 1}),
        {**PLAIN, "id": 7},
        {**PLAIN, "params": {"name": "read"}},
        request("read", {"path": "\ud83d\ude00"}),
        request("read", {"path": "\ud800"}),  # which the library would drop without an answer
    ],
)
def test_a_call_of_a_tool_is_plain(host: Host, message: Data) -> None:
    assert shortcut(host).plain(json.dumps(message).encode()) is not None


@pytest.mark.parametrize(
    "message",
    [
        {**PLAIN, "id": None},
        {**PLAIN, "id": True},
        {**PLAIN, "id": 1.5},
        {**PLAIN, "jsonrpc": "1.0"},
        {**PLAIN, "method": "ping", "params": {"name": "tools/call"}},
        {**PLAIN, "more": "tools/call"},
        {**PLAIN, "params": []},
        {**PLAIN, "params": {"name": 1}},
        {**PLAIN, "params": {"name": "read", "arguments": []}},
        {**PLAIN, "params": {"name": "read", "inputResponses": {}}},
        request("read", {}, _meta=[]),
        request("read", {}, _meta={"progressToken": 1}),
        request("read", {}, _meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"}),
        request("read", {"path": float("nan")}),
        request("read", {"path": "x" * (1 << 20)}),
        [PLAIN],
        "tools/call",
    ],
)
def test_everything_else_is_left_to_the_library(host: Host, message: Data) -> None:
    assert shortcut(host).plain(json.dumps(message).encode()) is None


@pytest.mark.parametrize("line", [b'"tools/call"\xff', b'{"tools/call"', b'["tools/call",' * 99999])
def test_a_line_that_is_no_message_is_left_to_the_library(host: Host, line: bytes) -> None:
    assert shortcut(host).plain(line) is None


@pytest.mark.parametrize("version", sorted(set(HANDSHAKE_PROTOCOL_VERSIONS) - VERSIONS))
def test_sessions_of_older_versions_are_left_to_the_library(host: Host, version: str) -> None:
    assert shortcut(host, version).plain(json.dumps(PLAIN).encode()) is None


def test_a_session_that_is_opened_again_is_left_to_the_library(host: Host) -> None:
    open_ = shortcut(host)
    open_.plain(json.dumps(hello("2025-06-18")).encode())

    assert open_.plain(json.dumps(PLAIN).encode()) is None
