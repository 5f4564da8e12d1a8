"""Nothing is lost, doubled or torn on the way to the engine and back, whoever dies."""

import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.types import METHOD_NOT_FOUND

from keyhole.storage.paths.confining import version
from keyhole.surfaces.mcp.front import relay as relay_module
from keyhole.surfaces.mcp.front.greeting import Greeter
from keyhole.surfaces.mcp.front.messages import answered
from keyhole.surfaces.mcp.front.relay import (
    Asked,
    LineReader,
    Relay,
    _failed,
    _repeated,
)
from tests.surfaces.mcp.host import HELLO, Data, Host, data, engine_of
from tests.surfaces.mcp.test_shortcut import ENVELOPE
from tests.surfaces.mcp.test_stdio import PING, engines, say, started
from tests.surfaces.mcp.test_wire import lines, locked, send

LIST = {"jsonrpc": "2.0", "id": "list", "method": "tools/list"}


def call(name: int | str, tool: str, arguments: Data, **meta: Data) -> Data:
    params = {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})}
    return {"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": params}


def edit(name: int | str, old: str, new: str, **meta: Data) -> Data:
    return call(name, "edit", {"path": "a.txt", "edits": [{"find": old, "content": new}]}, **meta)


def gone(pid: int) -> bool:
    """Wait for a process to be gone."""
    for _ in range(600):
        if not Path(f"/proc/{pid}").exists():
            return True
        time.sleep(0.05)
    return False


@given(st.lists(st.binary(max_size=9).filter(lambda line: b"\n" not in line)), st.data())
def test_lines_come_out_as_they_went_in_however_they_are_cut(
    sent: list[bytes], draws: st.DataObject
) -> None:
    stream, reader, found = b"".join(line + b"\n" for line in sent), LineReader(), []
    while stream:
        size = draws.draw(st.integers(1, len(stream)))
        found += reader.fed(stream[:size])
        stream = stream[size:]

    assert found == [line + b"\n" for line in sent]
    assert reader.rest == b""


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ({"jsonrpc": "2.0", "id": 7, "result": {}}, 7),
        ({"jsonrpc": "2.0", "id": 'a",\\"result":', "error": {}}, 'a",\\"result":'),
        ({"id": "é", "jsonrpc": "2.0", "result": {"error": 1}}, "é"),
        ({"jsonrpc": "2.0", "id": 3, "method": "roots/list", "params": {"result": 1}}, None),
        ({"jsonrpc": "2.0", "method": "notifications/message"}, None),
        ({"jsonrpc": "2.0", "id": "x" * 900, "result": {}}, "x" * 900),
    ],
)
def test_a_line_tells_which_request_it_answers(message: Data, name: object) -> None:
    assert answered(json.dumps(message, separators=(",", ":")).encode() + b"\n") == name


def test_what_no_engine_answers_is_asked_again_as_it_was_and_then_failed() -> None:
    lists = {"jsonrpc": "2.0", "id": 7, "method": "resources/list"}
    modern = call(8, "read", {"path": "a.txt"}, **ENVELOPE)
    line = json.dumps(lists).encode()

    assert _repeated(Asked(line, 1.0)) == line
    assert _failed(lists, "no root", ())["error"]["message"] == "no root"
    assert _failed(modern, "", ())["result"]["resultType"] == "complete"


def test_the_greeting_starts_no_engine_and_the_list_of_tools_does(host: Host) -> None:
    with started(host) as process:
        say(process, HELLO)
        say(process, PING)
        assert engines(process) == []

        say(process, LIST)
        while not engines(process):
            time.sleep(0.01)


def test_thousands_of_messages_are_answered_once_each(host: Host) -> None:
    lines(host)
    asked = []
    for number in range(3000):
        kind = number % 3
        one: Data = {"jsonrpc": "2.0", "id": f"é{number}", "method": "ping"}
        if kind:
            read = {"path": "a.txt", "lines": str(1 + number % 40)}
            one = call(number, "read", read, **({"progressToken": number} if kind > 1 else {}))
        asked.append(one)
    with started(host) as process:
        say(process, HELLO)
        feed = b"".join(json.dumps(one).encode() + b"\n" for one in asked)
        out, _ = process.communicate(feed, timeout=300)
        assert process.returncode == 0

    said = {answer["id"]: answer for answer in map(json.loads, out.split(b"\n")[:-1])}
    assert out.count(b"\n") == len(asked)
    assert said.keys() == {one["id"] for one in asked}
    reads = (said[one["id"]] for one in asked if one["method"] != "ping")
    wrong = [
        each
        for each in reads
        if each["result"]["structuredContent"]["text"].split("line ")[1] != str(each["id"] % 40)
    ]
    assert wrong == []


def test_edits_that_build_on_each_other_land_in_the_order_they_were_sent(host: Host) -> None:
    host.write("a.txt", "0\n")

    async def work(client: Client) -> None:
        for number in range(50):
            data(
                await client.call_tool(
                    "edit", edit(1, f"{number}", f"{number + 1}")["params"]["arguments"]
                )
            )

    host.run(work)

    assert host.read("a.txt") == "50\n"


def test_a_client_that_writes_all_before_it_reads_is_served(host: Host) -> None:
    host.write("big.txt", "".join(f"{number} {'x' * 90}\n" for number in range(4000)))
    asked = [call(number, "read", {"path": "big.txt"}) for number in range(100)]
    padding = {"jsonrpc": "2.0", "method": "notifications/x", "params": {"x": "y" * 100_000}}
    with started(host) as process:
        say(process, HELLO)
        send(process, *(each for one in asked for each in (one, padding)))
        assert process.stdout
        said = [json.loads(process.stdout.readline()) for _ in asked]

    assert {answer["id"] for answer in said} == set(range(100))


def test_a_list_of_tools_behind_a_first_call_starts_no_second_engine(host: Host) -> None:
    host.write("a.txt", "one\n")
    with started(host) as process:
        send(process, HELLO, call(2, "read", {"path": "a.txt"}), LIST)
        assert process.stdout
        said = [json.loads(process.stdout.readline()) for _ in range(3)]
        assert len(engines(process)) == 1

    assert {answer["id"] for answer in said} == {1, 2, "list"}


def test_a_message_of_megabytes_comes_through_both_ways(host: Host) -> None:
    host.write("a.txt", "x\n")
    text = "é" * 3_000_000
    with started(host) as process:
        say(process, HELLO)
        written = say(process, call(1, "write", {"path": "b.txt", "content": text}))
        process.kill()

    assert written["result"]["structuredContent"]["ok"]
    assert host.read("b.txt") == text


@contextmanager
def open_session(
    host: Host, *, modern: bool = False, is_counted: bool = False
) -> Iterator[subprocess.Popen[bytes]]:
    with started(host, is_counted=is_counted) as process:
        if not modern:
            say(process, HELLO)
            send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        say(process, edit("first", "line 0\n", "done 0\n", **(ENVELOPE if modern else {})))
        yield process


@pytest.mark.parametrize("modern", [False, True])
def test_the_call_after_the_engine_was_killed_works(host: Host, *, modern: bool) -> None:
    lines(host)
    meta = ENVELOPE if modern else {}
    with open_session(host, modern=modern) as process:
        for number in (1, 2, 3):
            [engine] = engines(process)
            os.kill(engine, signal.SIGKILL)
            answer = say(process, edit(number, f"line {number}\n", f"done {number}\n", **meta))

            assert answer["result"]["structuredContent"]["ok"]
            assert engines(process) != [engine]

    assert host.read("a.txt").count("done") == 4
    assert [entry.call.actor for entry in host.entries()] == ["mcp" if modern else "raw"] * 4


def test_the_next_engine_knows_a_client_that_the_library_greeted(host: Host) -> None:
    lines(host)
    hello = json.loads(json.dumps(HELLO))
    hello["params"]["capabilities"] = {"roots": {"listChanged": 1}}  # which is no JSON boolean
    with started(host, is_counted=True) as process:
        assert say(process, hello)["result"]["serverInfo"]
        say(process, edit(2, "line 2\n", "done 2\n"))
        [engine] = engines(process)
        os.kill(engine, signal.SIGKILL)
        say(process, edit(3, "line 3\n", "done 3\n"))

    assert [entry.call.actor for entry in host.entries()] == ["raw", "raw"]


def test_no_two_engines_ask_a_client_by_one_number(host: Host) -> None:
    lines(host)
    hello = json.loads(json.dumps(HELLO))
    hello["params"]["capabilities"] = {"roots": {}}
    asked = []
    with started(host, root=False) as process:
        assert process.stdout
        say(process, hello)
        for number in (2, 3):
            send(process, call(number, "read", {"path": "a.txt"}))
            told = map(json.loads, process.stdout)
            asked.append(next(one["id"] for one in told if one.get("method") == "roots/list"))
            [engine] = engines(process)
            os.kill(engine, signal.SIGKILL)
            assert gone(engine)
        process.kill()

    assert asked[0] != asked[1]


@pytest.mark.parametrize("name", ["again", "landed", "session", "said"])
def test_what_front_and_engine_say_to_each_other_no_client_can_say(host: Host, name: str) -> None:
    lines(host)
    with open_session(host) as process:
        for params in ({}, {"name": "read", "arguments": {"path": "a.txt"}, "since": 0}):
            own = {"jsonrpc": "2.0", "id": 9, "method": f"keyhole/{name}", "params": params}
            assert say(process, own)["error"]["code"] == METHOD_NOT_FOUND
        [engine] = engines(process)
        assert process.stdin
        process.stdin.close()

        assert process.wait(timeout=60) == 0
        assert gone(engine)


def test_a_client_that_does_not_read_is_not_read_either() -> None:
    relay = Relay(Greeter({}, [], []))
    relay._client.size = relay_module._MOST_WAITING

    assert 0 not in relay._ready()


def test_what_a_client_follows_is_followed_by_the_next_engine(host: Host) -> None:
    lines(host)
    uri = "keyhole://history"
    follow = {"jsonrpc": "2.0", "id": 5, "method": "resources/subscribe", "params": {"uri": uri}}
    with open_session(host) as process:
        say(process, follow)
        [engine] = engines(process)
        os.kill(engine, signal.SIGKILL)
        send(process, edit(6, "line 6\n", "done 6\n"))
        assert process.stdout
        said = [json.loads(process.stdout.readline()) for _ in range(2)]

    assert {one.get("method", one.get("id")) for one in said} == {
        "notifications/resources/updated",
        6,
    }


def test_a_call_in_flight_that_did_not_land_is_carried_out_once(host: Host) -> None:
    lines(host)
    with open_session(host, is_counted=True) as process:
        held = locked(host)
        send(process, edit(7, "line 7\n", "done 7\n"), call(8, "read", {"path": "a.txt"}))
        assert process.stdout
        assert json.loads(process.stdout.readline())["id"] == 8
        [engine] = engines(process)
        os.kill(engine, signal.SIGKILL)
        assert gone(engine)
        held.release()
        answer = json.loads(process.stdout.readline())

        assert (answer["id"], answer["result"]["isError"]) == (7, False)
        assert say(process, PING)["result"] == {}

    assert host.read("a.txt").count("done") == 2
    assert len(host.entries()) == 2


# A server whose engine dies over a call: once when the edit is made, or always before.
DYING = """
import os, signal, sys
from pathlib import Path
from keyhole.surfaces.mcp import calls
from keyhole.toolsets.native import calls as native

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def once(*given):
    if not Path(sys.argv[0]).exists():
        Path(sys.argv[0]).touch()
        die()
    return said(*given)

said = native.receipt_answer
{patch}
sys.argv = ["keyhole", *sys.argv[1:]]
from keyhole.__main__ import run
run()
"""


# A front that goes on only when the engine has died over what it passed on.
PREEMPTED = """
from keyhole.surfaces.mcp.front import relay
send = relay._send

def preempted(engine, data):
    send(engine, data)
    while b'"edit"' in data and not Path(sys.argv[0]).exists():
        pass

relay._send = preempted
"""


# Engines that die one after the other: while they load, or over a call and then over the journal.
MORTAL = """
from keyhole.surfaces.mcp import loading

def mortal(known, last):
    def done(*given):
        with open(sys.argv[0], "ab", buffering=0) as file:
            file.write(b".")
            if file.tell() <= last:
                die()
        return known(*given)
    return done

"""
LOADING = f"{MORTAL}loading.load = mortal(loading.load, 3)"
ASKING = f"""{MORTAL}native.receipt_answer = mortal(said, 1)
calls.Desk.landed = mortal(calls.Desk.landed, 3)"""


@contextmanager
def dying(host: Host, patch: str, *flags: str) -> Iterator[subprocess.Popen[bytes]]:
    code = DYING.replace("{patch}", patch).replace("sys.argv[0]", repr(str(host.root / "died")))
    command = [sys.executable, "-c", code, *host.command(*flags)[1:]]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=host.environment) as process:
        say(process, HELLO)
        yield process
        process.kill()


@pytest.mark.parametrize("logs", [False, True], ids=["plain", "library"])
def test_a_call_in_flight_that_had_landed_is_answered_from_the_journal(
    host: Host, *, logs: bool
) -> None:
    lines(host)
    level = {"method": "logging/setLevel", "params": {"level": "error"}}
    with dying(host, "native.receipt_answer = once") as process:
        if logs:
            say(process, {"jsonrpc": "2.0", "id": 3, **level})
        answer = say(process, edit(7, "line 7\n", "done 7\n"))
        again = say(process, edit(8, "line 8\n", "done 8\n"))

    last, first = host.entries()
    said = answer["result"]["structuredContent"]
    assert (said["ok"], said["outcome"], said["transaction"]) == (True, "applied", first.id)
    assert [file["path"] for file in said["files"]] == ["a.txt"]
    assert f"applied {first.id}: done when the engine stopped, not done twice" in str(answer)
    assert again["result"]["structuredContent"]["transaction"] == last.id
    assert host.read("a.txt").count("done") == 2


def test_a_call_that_lands_before_the_front_looks_at_it_is_not_done_twice(host: Host) -> None:
    lines(host)
    with dying(host, f"native.receipt_answer = once{PREEMPTED}") as process:
        answer = say(process, edit(7, "line 7\n", "done 7\nline 7\n"))

    [only] = host.entries()
    assert answer["result"]["structuredContent"]["transaction"] == only.id
    assert host.read("a.txt").count("done") == 1


def test_a_message_that_an_engine_has_no_memory_for_is_for_the_next_one(host: Host) -> None:
    lines(host)
    with open_session(host) as process:
        [engine] = engines(process)
        pages = Path(f"/proc/{engine}/statm").read_text(encoding="ascii").split()[0]
        soft = int(pages) * resource.getpagesize()
        resource.prlimit(engine, resource.RLIMIT_AS, (soft, resource.RLIM_INFINITY))
        written = say(process, call(2, "write", {"path": "b.txt", "content": "x" * 30_000_000}))

        assert written["result"]["structuredContent"]["ok"]
        assert engines(process) != [engine]


# An engine that has no memory for its first call, and one that gets one thread and no other.
MEMORY = """
call = calls.Desk.call

def short(*given):
    if not Path(sys.argv[0]).exists():
        Path(sys.argv[0]).touch()
        raise MemoryError
    return call(*given)

calls.Desk.call = short"""
THREADS = """
import _thread
from keyhole.surfaces.mcp import wire

class Few:
    count = 0

    @staticmethod
    def start_new_thread(*given):
        Few.count += 1
        if Few.count > 1:
            raise RuntimeError("can't start new thread")
        return _thread.start_new_thread(*given)

wire._thread = Few"""


@pytest.mark.parametrize("patch", [MEMORY, THREADS], ids=["memory", "threads"])
def test_an_engine_with_too_little_answers_or_leaves_it_to_the_next(host: Host, patch: str) -> None:
    lines(host)
    with dying(host, patch) as process:
        said = [say(process, edit(n, f"line {n}\n", f"done {n}\n")) for n in (7, 8, 9)]

    assert [answer["result"]["isError"] for answer in said] == [False] * 3


def test_a_server_without_input_ends(host: Host) -> None:
    words = " ".join([*map(shlex.quote, host.command()), "<&-"])
    null = subprocess.DEVNULL
    ended = subprocess.run(
        ["sh", "-c", f"exec {words}"], env=host.environment, timeout=60, stderr=null, check=False
    )

    assert ended.returncode == 0


def test_a_session_of_plain_calls_ends_without_the_library(host: Host) -> None:
    lines(host)
    trace = [sys.executable, "-X", "importtime", *host.command()]
    with subprocess.Popen(
        trace,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=host.environment,
    ) as process:
        say(process, HELLO)
        send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        say(process, edit(2, "line 2\n", "done 2\n"))
        _, told = process.communicate(timeout=60)

    assert b"| keyhole.journal.sqlite" in told
    assert b"mcp_types" not in told


@pytest.mark.parametrize("patch", [LOADING, ASKING], ids=["loading", "asking"])
def test_a_call_is_done_once_however_many_engines_die_beside_it(host: Host, patch: str) -> None:
    lines(host)
    with dying(host, patch) as process:
        answer = say(process, edit(7, "line 7\n", "done 7\nline 7\n"))
        assert (host.root / "died").stat().st_size >= 4

    [only] = host.entries()
    assert answer["result"]["structuredContent"]["transaction"] == only.id
    assert host.read("a.txt").count("done") == 1


def test_a_call_in_flight_that_was_proposed_is_proposed_once(host: Host) -> None:
    lines(host)
    with dying(host, "native.receipt_answer = once", "--propose") as process:
        answer = say(process, edit(7, "line 7\n", "done 7\n"))["result"]["structuredContent"]

    with engine_of(host) as engine:
        [only] = engine.review.proposals()
    assert (answer["outcome"], answer["transaction"]) == ("proposed", only.proposed.id)


def test_a_call_that_no_engine_survives_is_refused_and_the_server_stays(host: Host) -> None:
    lines(host)
    with dying(host, "calls.Desk.call = die") as process:
        answer = say(process, edit(7, "line 7\n", "done 7\n"))
        [refusal] = answer["result"]["structuredContent"]["refusals"]

        assert (refusal["code"], answer["result"]["isError"]) == ("busy", True)
        assert "it was not done" in refusal["message"]
        assert say(process, PING)["result"] == {}
        assert say(process, LIST)["result"]["tools"]

    assert host.read("a.txt").count("done") == 0


def test_an_engine_that_cannot_start_says_why_and_the_next_one_may(host: Host) -> None:
    lines(host)
    settings = host.base / "home/.config/keyhole/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("nonsense = 1\n", encoding="utf-8")
    with started(host, is_counted=True) as process:
        say(process, HELLO)
        refused = say(process, edit(1, "line 1\n", "done 1\n"))["result"]
        settings.unlink()
        done = say(process, edit(2, "line 2\n", "done 2\n"))["result"]

    assert "has the unknown setting `nonsense`" in refused["content"][0]["text"]
    [refusal] = refused["structuredContent"]["refusals"]
    assert refusal["code"] == "bad-request"
    assert "has the unknown setting `nonsense`" in refusal["message"]
    assert (refused["isError"], done["isError"]) == (True, False)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, 0])
def test_when_the_front_goes_no_process_stays(host: Host, number: int) -> None:
    lines(host)
    with open_session(host) as process:
        [engine] = engines(process)
        if number:
            process.send_signal(number)
        else:
            assert process.stdin
            process.stdin.close()
        code = process.wait(timeout=60)

        assert gone(engine)
    assert code == (130 if number == signal.SIGINT else -number)


@pytest.mark.parametrize("number", [signal.SIGKILL, 0])
def test_an_engine_that_somebody_stopped_ends_with_the_front(host: Host, number: int) -> None:
    lines(host)
    with open_session(host) as process:
        [engine] = engines(process)
        os.kill(engine, signal.SIGSTOP)
        send(process, edit(7, "line 7\n", "done 7\n"))
        if number:
            process.send_signal(number)
        said, _ = process.communicate(timeout=60)

        assert gone(engine)
    answers = [json.loads(line)["id"] for line in said.splitlines()]
    assert number or ("done 7\n" in host.read("a.txt") and answers == [7])


# An engine that never comes to an end, and a front that soon has waited for long enough.
HUNG = """
import time
from keyhole.surfaces.mcp import service
from keyhole.surfaces.mcp.front import relay
relay._WAKE_SECONDS, relay._MOST_LEAVING, relay._MOST_WORKING = 0.1, 5, 50

def hang(*_):
    time.sleep(1000)

"""


@pytest.mark.parametrize("where", ["service.Service.close", "calls.Desk.call"])
def test_an_engine_that_hangs_when_the_input_ends_is_killed(host: Host, where: str) -> None:
    lines(host)
    with dying(host, f"{HUNG}{where} = hang") as process:
        say(process, {**LIST, "method": "prompts/get", "params": {"name": "nobody's"}})
        [engine] = engines(process)
        send(process, edit(7, "line 7\n", "done 7\n"))
        said, _ = process.communicate(timeout=60)

        assert gone(engine)
    [result] = [json.loads(line)["result"] for line in said.splitlines()]
    assert result["isError"] == (where == "calls.Desk.call")
    assert host.read("a.txt").count("done") == (where == "service.Service.close")


def test_a_client_that_is_gone_takes_the_engine_with_it(host: Host) -> None:
    lines(host)
    with open_session(host, is_counted=True) as process:
        [engine] = engines(process)
        assert process.stdout
        process.stdout.close()
        with suppress(BrokenPipeError):
            send(process, PING)

        assert process.wait(timeout=60) == 0
        assert gone(engine)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_real_client_outlives_the_engine(host: Host, mode: str) -> None:
    lines(host)

    async def work(client: Client) -> Data:
        await client.list_tools()
        data(await client.call_tool("read", {"path": "a.txt"}))
        for engine in _children(_children(os.getpid())[-1]):
            os.kill(engine, signal.SIGKILL)
        await client.list_resources()
        return data(await client.call_tool("read", {"path": "a.txt"}))

    assert host.run(work, mode=mode, is_forked=False)["total_lines"] == 41


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(each) for each in found.split()]


def test_cancelled_requests_are_forgotten_when_the_engine_dies(host: Host) -> None:
    lines(host)
    cancel = {"method": "notifications/cancelled", "params": {"requestId": 7}}
    with open_session(host) as process:
        held = locked(host)
        send(process, edit(7, "line 7\n", "done 7\n"), {"jsonrpc": "2.0", **cancel})
        say(process, PING)
        [engine] = engines(process)
        os.kill(engine, signal.SIGKILL)
        assert gone(engine)
        held.release()

        assert say(process, edit(8, "line 8\n", "done 8\n"))["id"] == 8
        rest, _ = process.communicate(timeout=60)
    assert rest == b""


def test_a_server_of_roots_that_the_client_names_outlives_its_engine(host: Host) -> None:
    lines(host)
    from tests.surfaces.mcp.test_client_roots import Roots

    async def work(client: Client) -> Data:
        data(await client.call_tool("read", {"path": "a.txt"}))
        for engine in _children(_children(os.getpid())[-1]):
            os.kill(engine, signal.SIGKILL)
            await anyio.to_thread.run_sync(gone, engine)
        return data(await client.call_tool("read", {"path": "a.txt"}))

    roots = Roots(host.root.as_uri())
    found = host.run(work, root=False, mode="legacy", list_roots_callback=roots, is_forked=False)
    assert found["total_lines"] == 41


BLOCKS = "import sys; print('x:1:1: error: no') if 'no' in sys.stdin.read() else None"


def test_an_engine_with_linters_is_fenced_in_and_leaves_no_process(host: Host) -> None:
    home = host.base / "home/.config/keyhole"
    home.mkdir(parents=True)
    command = json.dumps([sys.executable, "-c", BLOCKS])
    (home / "config.toml").write_text(
        f'[validators.no]\ncommand = {command}\nlanguages = ["*"]\n', encoding="utf-8"
    )
    host.write("a.txt", "yes\n")
    with started(host) as process:
        say(process, HELLO)
        answer = say(process, edit(2, "yes", "no"))
        [refusal] = answer["result"]["structuredContent"]["refusals"]
        [engine] = engines(process)
        status = Path(f"/proc/{engine}/status").read_text(encoding="utf-8")
        brokers = _children(engine)  # of linters, and of language servers if the machine has some
        os.kill(engine, signal.SIGKILL)
        answer = say(process, edit(3, "yes", "no"))
        again = answer["result"]["structuredContent"]["refusals"]
        [engine] = engines(process)
        stopped = [*_children(engine), engine]
        for each in stopped:
            os.kill(each, signal.SIGSTOP)
        process.communicate(timeout=60)

    assert (refusal["code"], again[0]["code"]) == ("lint-broken", "lint-broken")
    assert f"NoNewPrivs:\t{int(version() >= 3)}\n" in status
    assert brokers
    assert all(map(gone, [*brokers, *stopped]))
