import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest
from mcp import Client, types
from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError

from tests import forked
from tests.surfaces.mcp.host import HELLO, Data, Host, codes, data
from tests.surfaces.mcp.test_working import SLOW, lint, opened

PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


@contextmanager
def started(
    host: Host, *flags: str, is_counted: bool = False, root: bool = True
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server; one whose branches are counted, which takes time, ends by itself."""
    pipe = subprocess.PIPE
    command = host.command(*flags, root=root)
    environment = {**host.environment, **(forked.counting() if is_counted else {})}
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment
    ) as process:
        yield process
        if is_counted:
            process.communicate(timeout=60)
        process.kill()


def say(process: subprocess.Popen[bytes], message: object) -> Data:
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    wanted = message["id"] if isinstance(message, dict) else None
    while True:
        answer = json.loads(process.stdout.readline())
        if answer.get("id") == wanted:
            return answer


def engines(process: subprocess.Popen[bytes]) -> list[int]:
    """The processes that the front of a server started and that are still there."""
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii")
    return [int(pid) for pid in found.split()]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_old_and_new_clients_are_served(host: Host, mode: str) -> None:
    host.write("a.txt", "one\n")

    async def work(client: Client) -> types.CallToolResult:
        return await client.call_tool("read", {"path": "a.txt"})

    assert data(host.run(work, mode=mode))["total_lines"] == 1


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_versions_that_hosts_still_speak_are_spoken(host: Host, version: str) -> None:
    hello: Data = {**HELLO, "params": {**HELLO["params"], "protocolVersion": version}}  # type: ignore[dict-item]
    with started(host) as process:
        assert say(process, hello)["result"]["protocolVersion"] == version


@pytest.mark.parametrize(
    "garbage",
    [
        b"x" * 1_000_000,
        b"\xff\xfe\x00" * 300_000,
        b'{"jsonrpc": "2.0", "id": 1, "method": ',
        b"[" * 100_000,
        b"null",
        b'{"jsonrpc": "2.0", "id": {}, "method": 7}',
        b'{"jsonrpc": "1.0"}',
        b"\n\n\n",
    ],
    ids=["long", "binary", "half", "deep", "null", "ill-typed", "old", "blank"],
)
def test_garbage_on_standard_input_is_survived(host: Host, garbage: bytes) -> None:
    with started(host) as process:
        assert say(process, HELLO)["result"]["serverInfo"]["name"] == "keyhole"
        assert process.stdin
        process.stdin.write(garbage + b"\n")

        assert say(process, PING)["result"] == {}


def test_a_host_that_reads_no_standard_error_keeps_its_server(host: Host) -> None:
    with started(host) as process:
        say(process, HELLO)
        assert process.stdin
        process.stdin.write(b'{"jsonrpc": "2.0", "method": 1}\nnonsense\n' * 2000)

        assert say(process, PING)["result"] == {}


def test_a_client_that_vanishes_ends_the_server(host: Host) -> None:
    with started(host) as process:
        say(process, HELLO)
        assert process.stdin
        assert process.stdout
        process.stdout.close()
        process.stdin.write(json.dumps(PING).encode() + b"\n" + b'{"half')
        process.stdin.close()

        assert process.wait(timeout=120) == 0


def test_a_client_that_vanishes_during_an_edit_leaves_the_file_old_or_new(host: Host) -> None:
    pipe = lint(host)
    call = {"name": "edit", "arguments": SLOW}
    asked = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call}
    with started(host) as process:
        say(process, HELLO)
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(asked).encode() + b"\n")
        process.stdin.flush()
        anyio.run(opened, pipe)
        process.stdout.close()
        process.stdin.close()

        assert process.wait(timeout=120) == 0
    assert host.read("slow.go") in {"package a\n", "package b\n"}


def test_standard_output_carries_only_the_protocol(host: Host) -> None:
    host.write("a.txt", "one\n")
    call = {"name": "read", "arguments": {"path": "a.txt"}}
    begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    asked = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call}
    feed = b"".join(json.dumps(one).encode() + b"\n" for one in (HELLO, begun, asked))

    with started(host) as process:
        said = say(process, HELLO)
        assert process.stdin
        process.stdin.write(json.dumps(begun).encode() + b"\n")
        answer = say(process, asked)
        out, _ = process.communicate(timeout=120)

    assert (said["jsonrpc"], answer["jsonrpc"]) == ("2.0", "2.0")
    assert out == b""
    assert feed.count(b"\n") == 3


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--tools", "hammer"), "there are no tools 'hammer'"),
        (("--root", "/nowhere/at/all"), "/nowhere/at/all"),
    ],
    ids=["tools", "root"],
)
def test_what_cannot_be_served_is_said_on_standard_error(
    host: Host, flags: tuple[str, ...], said: str
) -> None:
    done = subprocess.run(
        host.command(*flags), input=b"", capture_output=True, env=host.environment, check=False
    )

    assert (done.returncode, done.stdout) == (1, b"")
    assert said in done.stderr.decode()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_without_a_root_a_client_without_roots_is_refused(host: Host, mode: str) -> None:
    async def main() -> None:
        async with host.client(root=False, mode=mode) as client:
            await client.list_tools()

    with pytest.raises(BaseExceptionGroup) as error:
        anyio.run(main)

    assert error.group_contains(MCPError, match="keyhole has no root")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_without_a_root_those_of_the_client_are_served(host: Host, mode: str) -> None:
    host.write("a.txt", "one\n")

    async def roots(_: ClientRequestContext) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root.model_validate({"uri": host.root.as_uri()})])

    async def work(client: Client) -> tuple[Data, list[str]]:
        read = data(await client.call_tool("read", {"path": "a.txt"}))
        return read, codes(await client.call_tool("read", {"path": "/etc/passwd"}))

    read, refused = host.run(work, root=False, mode=mode, list_roots_callback=roots)

    assert (read["total_lines"], refused) == (1, ["path-denied"])


def test_acknowledged_edits_outlive_a_killed_server(host: Host) -> None:
    host.write("a.txt", "".join(f"line {number}\n" for number in range(60)))
    known: set[int] = set()
    for start in range(0, 60, 20):
        with started(host) as process:
            say(process, HELLO)
            assert process.stdin
            process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            known |= set(_edited(process, range(start, start + 20), stop_after=10))
            process.send_signal(signal.SIGKILL)
            process.wait()

    with started(host) as process:
        say(process, HELLO)
    lines = host.read("a.txt").split("\n")[:-1]

    assert len(known) >= 30
    assert [number for number in known if lines[number] != f"done {number}"] == []
    assert [line for line in lines if line.split()[0] not in {"line", "done"}] == []
    assert len(lines) == 60


def _edited(process: subprocess.Popen[bytes], numbers: range, stop_after: int) -> Iterator[int]:
    """Send all edits at once, and yield those that were answered before we stop listening."""
    assert process.stdin
    assert process.stdout
    for number in numbers:
        edits = [{"find": f"line {number}\n", "content": f"done {number}\n"}]
        call = {"name": "edit", "arguments": {"path": "a.txt", "edits": edits}}
        sent = {"jsonrpc": "2.0", "id": 100 + number, "method": "tools/call", "params": call}
        process.stdin.write(json.dumps(sent).encode() + b"\n")
    process.stdin.flush()
    for _ in range(stop_after):
        answer = json.loads(process.stdout.readline())
        assert answer["result"]["structuredContent"]["ok"], answer
        yield answer["id"] - 100
