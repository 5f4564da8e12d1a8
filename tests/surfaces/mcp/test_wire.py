"""Calls that wait hold up nobody, and none is lost when the client goes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from keyhole.disk.locks import Locked, Locks
from keyhole.storage.paths.confining import version
from tests.surfaces.mcp.host import HELLO, KEYHOLE, Data, Host
from tests.surfaces.mcp.test_stdio import PING, engines, say, started
from tests.team import git

MANY = 40  # more than there are threads for plain calls


def edit(number: int) -> Data:
    edits = [{"find": f"line {number}\n", "content": f"done {number}\n"}]
    call = {"name": "edit", "arguments": {"path": "a.txt", "edits": edits}}
    return {"jsonrpc": "2.0", "id": 100 + number, "method": "tools/call", "params": call}


def send(process: subprocess.Popen[bytes], *messages: Data) -> None:
    assert process.stdin
    process.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in messages))
    process.stdin.flush()


def lines(host: Host) -> None:
    host.write("a.txt", "".join(f"line {number}\n" for number in range(MANY + 1)))


def locked(host: Host) -> Locked:
    """Hold the lock of the file as another process that edits it would."""
    import os

    [state] = (host.base / "state" / "keyhole").iterdir()
    fd = os.open(Path(state) / "locks", os.O_RDONLY)
    return Locks(fd, 1.0).acquire(["a.txt"])


def test_calls_that_wait_for_a_file_hold_up_nobody(host: Host) -> None:
    lines(host)
    with started(host) as process:
        say(process, HELLO)
        say(process, edit(MANY))
        held = locked(host)
        send(process, *(edit(number) for number in range(MANY)))

        assert say(process, PING)["result"] == {}

        held.release()
        assert process.stdout
        answers = [json.loads(process.stdout.readline()) for _ in range(MANY)]

    assert {answer["id"] for answer in answers} == {100 + number for number in range(MANY)}
    assert all(answer["result"]["structuredContent"]["ok"] for answer in answers)
    assert host.read("a.txt").count("done") == MANY + 1


def test_a_call_that_is_cancelled_is_not_answered(host: Host) -> None:
    lines(host)
    cancel = {"method": "notifications/cancelled", "params": {"requestId": 100}}
    with started(host) as process:
        say(process, HELLO)
        say(process, edit(MANY))
        held = locked(host)
        send(process, edit(0), {"jsonrpc": "2.0", **cancel})
        say(process, PING)
        held.release()
        send(process, edit(1))
        assert process.stdout
        answer = json.loads(process.stdout.readline())
        rest, _ = process.communicate(timeout=120)

    assert (answer["id"], rest) == (101, b"")


def test_the_first_call_is_not_answered_either_if_it_is_cancelled_while_the_engine_loads(
    host: Host,
) -> None:
    lines(host)
    cancel = {"method": "notifications/cancelled", "params": {"requestId": 100}}
    with started(host) as process:
        say(process, HELLO)
        send(process, edit(0), {"jsonrpc": "2.0", **cancel})
        say(process, PING)
        rest, _ = process.communicate(timeout=120)

    assert rest == b""


def test_the_calls_of_a_client_that_has_said_all_are_answered(host: Host) -> None:
    lines(host)
    with started(host) as process:
        say(process, HELLO)
        feed = b"".join(json.dumps(edit(number)).encode() + b"\n" for number in range(MANY))
        out, _ = process.communicate(feed, timeout=120)

        assert process.returncode == 0

    assert {json.loads(line)["id"] for line in out.split(b"\n")[:-1]} == set(range(100, 100 + MANY))
    assert host.read("a.txt").count("done") == MANY


def test_a_client_that_stops_listening_ends_the_server(host: Host) -> None:
    lines(host)
    with started(host) as process:
        say(process, HELLO)
        assert process.stdout
        process.stdout.close()
        send(process, edit(0))

        assert process.wait(timeout=120) == 0

    assert host.read("a.txt").count("done") == 1


def test_a_message_longer_than_a_pipe_holds_comes_through(host: Host) -> None:
    host.write("a.txt", "x" * 300_000 + "\n")
    with started(host) as process:
        say(process, HELLO)
        call = {
            "name": "edit",
            "arguments": {
                "path": "a.txt",
                "edits": [{"find": "x" * 300_000, "content": "y" * 400_000}],
                "detail": "full",
            },
        }
        answer = say(process, {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call})

    assert answer["result"]["structuredContent"]["ok"]
    assert host.read("a.txt") == "y" * 400_000 + "\n"


def test_the_engine_is_fenced_in(host: Host) -> None:
    with started(host) as process:
        say(process, HELLO)
        say(process, edit(0))
        [engine] = engines(process)
        status = Path(f"/proc/{engine}/status").read_text(encoding="utf-8")

    assert f"NoNewPrivs:\t{int(version() >= 3)}\n" in status


@pytest.mark.needs("postgres")
def test_the_engine_is_fenced_in_with_a_shared_journal_too_and_git_answers(
    host: Host, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEYHOLE_JOURNAL", database)
    monkeypatch.setenv("KEYHOLE_MACHINE", "here")
    host.write("a.txt", "".join(f"line {number}\n" for number in range(9)))
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        git(host.root, *words)
    git(host.base, "clone", "-q", str(host.root), "there")
    there = {**host.environment, "KEYHOLE_MACHINE": "there"}
    command = [KEYHOLE, "edit", "a.txt", "--content", "changed", "--task", "T", "--lines"]
    for line in ("1", "9"):
        subprocess.run([*command, line], cwd=host.base / "there", env=there, check=True)
        if line == "1":
            git(host.base / "there", "commit", "-qam", "merged in a moment")
    git(host.root, "pull", "-q", str(host.base / "there"), "HEAD")

    conflicts = []
    with started(host) as process:
        say(process, HELLO)
        for line in ("1", "9"):
            arguments = {"path": "a.txt", "edits": [{"lines": line, "content": "ours"}]}
            call = {"name": "edit", "arguments": arguments}
            asked = {"jsonrpc": "2.0", "id": line, "method": "tools/call", "params": call}
            found = say(process, asked)["result"]["structuredContent"]
            assert found["ok"], found
            conflicts.append([each["kind"] for each in found.get("conflicts", ())])
        [engine] = engines(process)[:1]
        status = Path(f"/proc/{engine}/status").read_text(encoding="utf-8")

    assert f"NoNewPrivs:\t{int(version() >= 3)}\n" in status
    # Git says that the first change is merged; the other is not even committed.
    assert conflicts == [[], ["hot"]]


# A server whose first receipt cannot be said, when the edit is done.
BUG = """
import sys
from keyhole.surfaces.cli.main import main
from keyhole.toolsets.native import calls

calls.receipt_answer = lambda *_: {}["bug"]
sys.exit(main(sys.argv[1:]))
"""


def test_a_call_that_a_bug_stopped_is_not_carried_out_again(host: Host) -> None:
    host.write("a.txt", "a\n")
    more = {"path": "a.txt", "edits": [{"action": "append", "content": "b\n"}]}
    call = {"method": "tools/call", "params": {"name": "edit", "arguments": more}}
    command = [sys.executable, "-c", BUG, *host.command()[1:]]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, env=host.environment
    ) as process:
        say(process, HELLO)
        answer = say(process, {"jsonrpc": "2.0", "id": 2, **call})
        _, errors = process.communicate(timeout=120)

    assert (host.read("a.txt"), errors) == ("a\nb\n", b"")
    assert answer.keys() == {"jsonrpc", "id", "error"}
