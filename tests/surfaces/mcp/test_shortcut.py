"""A plain call gets the answer that the library would give, and nothing else is plain."""

import json

import pytest

from keyhole.surfaces.mcp.front.messages import HANDSHAKE, MODERN
from keyhole.surfaces.mcp.front.relay import AGAIN, LANDED, SESSION
from keyhole.surfaces.mcp.service import Service
from keyhole.surfaces.mcp.setup import Setup
from keyhole.surfaces.mcp.shortcut import Shortcut
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


ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
@pytest.mark.parametrize("more", [{}, {"progressToken": 1}], ids=["", "progress"])
def test_the_answer_is_that_of_the_library(host: Host, version: str, more: Data) -> None:
    host.write("a.py", "def shout(x):\n    return x + 'é'\n")
    meta = {**(ENVELOPE if version == MODERN else {}), **more}
    with started(host) as process:
        if version != MODERN:
            say(process, hello(version))
        quick = [say(process, request(*call, _meta=meta)) for call in CALLS]
        if version == MODERN:  # who wants logs is answered by the library
            meta |= {"io.modelcontextprotocol/logLevel": "error"}
        else:
            level = {"method": "logging/setLevel", "params": {"level": "error"}}
            say(process, {"jsonrpc": "2.0", "id": 9, **level})

        assert [say(process, request(*call, _meta=meta)) for call in CALLS] == quick


def shortcut(host: Host, version: str = "2025-06-18") -> Shortcut:
    setup = Setup(roots=(host.root,), allowed=Allowed(), tools=("native",))
    made = Shortcut(Service(setup))
    made.plain(json.dumps(hello(version)).encode())
    return made


PLAIN = request("read", {"path": "a.py"})

EDIT = request("edit", {"path": "a.txt", "edits": [{"find": "one", "content": "two"}]})


@pytest.mark.parametrize(
    "message",
    [
        PLAIN,
        request("read", {}, _meta={}),
        request("read", {}, _meta={"host/own": 1}),
        request("read", {}, _meta={"progressToken": 1}),
        request("read", {"path": "x" * (1 << 20)}),
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
        request("read", {}, _meta={"progressToken": 1.5}),
        request("read", {}, _meta=ENVELOPE),
        request("read", {"path": float("nan")}),
        [PLAIN],
        "tools/call",
    ],
)
def test_everything_else_is_left_to_the_library(host: Host, message: Data) -> None:
    assert shortcut(host).plain(json.dumps(message).encode()) is None


@pytest.mark.parametrize("line", [b'"tools/call"\xff', b'{"tools/call"', b'["tools/call",' * 99999])
def test_a_line_that_is_no_message_is_left_to_the_library(host: Host, line: bytes) -> None:
    assert shortcut(host).plain(line) is None


@pytest.mark.parametrize("version", HANDSHAKE)
def test_sessions_of_every_version_are_open_for_plain_calls(host: Host, version: str) -> None:
    assert shortcut(host, version).plain(json.dumps(PLAIN).encode()) is not None


def test_a_request_that_stands_alone_is_plain_without_a_session(host: Host) -> None:
    made = Shortcut(Service(Setup(roots=(host.root,))))
    plain = made.plain(json.dumps(request("read", {}, _meta=ENVELOPE)).encode())

    assert plain is not None
    assert (plain.is_modern, plain.caller.actor) == (True, "mcp")


def test_a_call_with_logs_is_left_to_the_library(host: Host) -> None:
    meta = {**ENVELOPE, "io.modelcontextprotocol/logLevel": "debug"}
    made = Shortcut(Service(Setup(roots=(host.root,))))

    assert made.plain(json.dumps(request("read", {}, _meta=meta)).encode()) is None


def test_a_session_that_is_opened_again_is_left_to_the_library(host: Host) -> None:
    open_ = shortcut(host)
    open_.plain(json.dumps(hello("2025-06-18")).encode())

    assert open_.plain(json.dumps(PLAIN).encode()) is None


def taken(made: Shortcut, method: str, **more: Data) -> Data:
    """What a call is answered that the front sends again, once its engine is dead."""
    plain = made.plain(json.dumps({**EDIT, "method": method, **more}).encode())
    assert plain is not None
    answer = made.answer(plain)
    assert answer is not None
    return json.loads(answer.splitlines()[-1])["result"]


def test_a_call_that_an_engine_died_over_lands_once(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(host.base / "state"))
    host.write("a.txt", "one\n")
    made, since = shortcut(host), {**EDIT["params"], "since": 1.0}
    session = {"jsonrpc": "2.0", "id": 1, "method": SESSION, "params": {"name": "s"}}
    made.plain(json.dumps(session).encode())

    lost = taken(made, LANDED, params=since)
    done = taken(made, AGAIN, params=since)
    again = taken(made, AGAIN, params=since)
    other = taken(made, LANDED, params=since, id="b")
    odd = taken(made, AGAIN, params={**since, "more": 1}, id="c")

    assert host.read("a.txt") == "two\n"
    assert [each["isError"] for each in (lost, done, again, other, odd)] == [
        True,
        False,
        False,
        True,
        True,
    ]
    assert "done when the engine stopped, not done twice" in again["content"][0]["text"]
    [refusal] = odd["structuredContent"]["refusals"]
    assert refusal["message"].endswith("carried out this call; it was not done")


def test_without_roots_nobody_knows_whether_a_call_landed() -> None:
    made = Shortcut(Service(Setup()))
    made.plain(json.dumps(hello("2025-06-18")).encode())

    said = taken(made, AGAIN, params={**EDIT["params"], "since": 1.0})

    assert "the history says whether it was done" in said["content"][0]["text"]


def test_a_call_that_is_cancelled_is_made_and_not_answered(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(host.base / "state"))
    host.write("a.txt", "one\n")
    made = shortcut(host)
    plain = made.plain(json.dumps(EDIT).encode())
    assert plain is not None
    for params in ({"told": "initialize"}, {"requestId": "other"}, {"requestId": "a"}):
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        assert made.plain(json.dumps(cancel).encode()) is None

    assert made.answer(plain) == b""
    assert host.read("a.txt") == "two\n"


def test_calls_of_one_number_are_answered_each(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(host.base / "state"))
    host.write("a.txt", "one\n")
    made = shortcut(host)
    first, second = (made.plain(json.dumps(EDIT).encode()) for _ in range(2))
    assert first is not None
    assert second is not None

    assert b'"ok":true' in (made.answer(first) or b"")
    assert b'"id":"a"' in (made.answer(second) or b"")
