"""`keyhole doctor` knows a host that has greeted a server, before it calls a tool."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from keyhole.engine.settings import state_home
from keyhole.journal.place import workspace_id
from keyhole.surfaces.mcp.front import greetings
from tests.surfaces.mcp.host import HELLO, KEYHOLE, Data, Host
from tests.surfaces.mcp.test_shortcut import ENVELOPE
from tests.surfaces.mcp.test_stdio import say, started

CODEX = {"name": "codex-mcp-client", "version": "0.166.0"}


def hello(info: Data) -> Data:
    return {**HELLO, "params": {**HELLO["params"], "clientInfo": info}}  # type: ignore[dict-item]


def modern(info: Data) -> Data:
    meta = {**ENVELOPE, "io.modelcontextprotocol/clientInfo": info}
    return {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}}


def greeted(host: Host, message: Data, *flags: str, root: bool = True) -> Data:
    """The answer to the one message of a session."""
    done = subprocess.run(
        host.command(*flags, root=root),
        input=json.dumps(message) + "\n",
        env=host.environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return json.loads(done.stdout.splitlines()[0])


def met(host: Host) -> bool:
    done = subprocess.run(
        [KEYHOLE, "doctor", "--json"],
        cwd=host.root,
        env=host.environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    [status] = json.loads(done.stdout)["hosts"]
    return bool(status["met"])


@pytest.fixture(autouse=True)
def codex(host: Host) -> None:
    (host.base / "home/.codex").mkdir(parents=True)
    (host.base / "home/.codex/config.toml").write_text(
        '[mcp_servers.keyhole]\ncommand = "keyhole"\n', encoding="utf-8"
    )


@pytest.mark.parametrize(
    "message",
    [
        hello(CODEX),
        # The library greets a client that says more than the front knows.
        hello({**CODEX, "icons": [{"src": "https://codex.example/icon.png"}]}),
        modern(CODEX),
    ],
    ids=["front", "library", "modern"],
)
def test_a_greeting_is_a_meeting(host: Host, message: Data) -> None:
    before = met(host)
    answer = greeted(host, message)

    assert "result" in answer
    assert (before, met(host)) == (False, True)


def test_another_client_or_another_root_is_no_meeting(host: Host) -> None:
    other = host.base / "other"
    other.mkdir()

    greeted(host, hello({**CODEX, "name": "someone"}))
    greeted(host, hello(CODEX), "--root", str(other), root=False)

    assert not met(host)


def test_a_client_is_noted_once_for_each_root(host: Host) -> None:
    for _ in range(2):
        greeted(host, hello(CODEX))
    other = hello({**CODEX, "name": 'a "b"\n' + "é" * 300})
    greeted(host, other)

    [file] = (host.base / "state/keyhole").glob("*/greetings")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert lines == ["codex-mcp-client", ('a "b"\n' + "é" * 300)[:200]]
    assert file.stat().st_mode & 0o777 == 0o600


def test_of_a_server_that_was_started_at_home_nothing_is_noted(host: Host) -> None:
    home = host.base / "home"

    for root in (home, host.base, Path("/")):
        greeted(host, hello(CODEX), "--root", str(root), root=False)

    assert list((host.base / "state").rglob("greetings")) == []


def test_who_cannot_write_greets_all_the_same(host: Host) -> None:
    (host.base / "state").mkdir()
    (host.base / "state/keyhole").write_text("in the way", encoding="utf-8")

    assert "result" in greeted(host, hello(CODEX))


def test_a_list_that_grew_too_long_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(greetings, "_MOST_BYTES", 12)
    for client in ("one", "two", "three", "four"):
        greetings.note_greeting(client, ["/somewhere"])

    [file] = (tmp_path / "keyhole").glob("*/greetings")
    assert file.read_text(encoding="utf-8") == '"three"\n"four"\n'


def test_the_list_is_where_the_state_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    state = f"/home/me/.local/state/keyhole/{workspace_id('/root')}/greetings"
    for named in ("", "relative"):
        monkeypatch.setenv("XDG_STATE_HOME", named)
        assert greetings._path("/root") == state
    for unset in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(unset, "")
    assert greetings._path("/root").startswith(f"{state_home({})}/keyhole/")
    monkeypatch.setattr(os, "getuid", lambda: 987_654_321)
    assert greetings._path("/root").startswith("/.local/state/keyhole/")


def test_a_client_that_stays_is_noted_too(host: Host) -> None:
    with started(host) as process:
        say(process, hello(CODEX))
        for _ in range(100):
            if met(host):
                return
    pytest.fail("nobody noted the client")
