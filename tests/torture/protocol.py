"""A server under messages that make no sense: it answers, and goes on answering."""

import http.client
import json
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from random import Random

from tests.surfaces.mcp.host import HELLO, Host
from tests.surfaces.mcp.site import Site
from tests.torture.messages import messages

_BATCH = 100
_INTERNAL = -32603
_PATIENCE = 60.0


def fuzz_lines(command: Sequence[str], environment: dict[str, str], count: int) -> Counter[str]:
    """Send messages line by line; after each batch the library must still answer a request."""
    found: Counter[str] = Counter(sent=0, answers=0, internal=0, crashed=0)
    with _started(command, environment) as process:
        _say(process, HELLO)
        found["crashed"] += not _heard(process, 1, found)
        _say(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        batch: list[bytes] = []
        for number, message in enumerate([*messages(22, count), b""]):
            batch.append(message)
            if len(batch) < _BATCH and number < count:
                continue
            # A ping is answered by the front, whatever became of the engine behind it.
            ping = {
                "jsonrpc": "2.0",
                "id": f"ping-{number}",
                "method": "prompts/get",
                "params": {"name": "editing-guide"},
            }
            # From another thread: a server that answers meanwhile must not block us.
            body = b"\n".join([*batch, json.dumps(ping).encode(), b""])
            writer = threading.Thread(target=_write, args=(process, body))
            writer.start()
            heard = _heard(process, ping["id"], found)
            writer.join(timeout=_PATIENCE)
            found["sent"] += len(batch)
            batch.clear()
            if not heard:
                found["crashed"] += 1
                break
    return found


@contextmanager
def _started(
    command: Sequence[str], environment: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    pipe, none = subprocess.PIPE, subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=none, env=environment)
    watch = threading.Timer(_PATIENCE * 10, process.kill)
    watch.start()
    try:
        yield process
    finally:
        watch.cancel()
        process.kill()
        # What is still to be written would be written to nobody.
        with suppress(BrokenPipeError):
            process.__exit__(None, None, None)


def _write(process: subprocess.Popen[bytes], body: bytes) -> None:
    assert process.stdin
    try:
        process.stdin.write(body)
        process.stdin.flush()
    except (BrokenPipeError, ValueError):
        return


def _say(process: subprocess.Popen[bytes], message: object) -> None:
    _write(process, json.dumps(message).encode() + b"\n")


def _heard(process: subprocess.Popen[bytes], wanted: object, found: Counter[str]) -> bool:
    """Read answers until the one that is wanted; tell whether it came."""
    assert process.stdout
    for line in process.stdout:
        answer = json.loads(line)
        found["answers"] += "id" in answer
        found["internal"] += (answer.get("error") or {}).get("code") == _INTERNAL
        if answer.get("id") == wanted:
            return True
    return False


def fuzz_http(site: Site, count: int) -> Counter[str]:
    """Send messages as bodies, some with odd headers too; none may be answered by 500 or more."""
    found: Counter[str] = Counter(sent=0, failed=0, internal=0)
    rng = Random(22)
    session = site.ask(site.good)[1]["mcp-session-id"]
    for body in messages(23, count):
        headers = {**site.good, "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18"}
        headers |= dict([rng.choice(_HEADERS)]) if rng.random() < 0.2 else {}
        status, answer, opened = _posted(site, rng.choice(_METHODS), headers, body)
        found["sent"] += 1
        found["failed"] += status >= 500
        found["internal"] += str(_INTERNAL).encode() in answer
        if opened and opened != session:
            site.ask({**headers, "Mcp-Session-Id": opened}, "DELETE")
    return found


_METHODS = ("POST",) * 19 + ("PUT",)
_HEADERS = (
    ("Mcp-Session-Id", "0" * 32),
    ("Mcp-Session-Id", ""),
    ("MCP-Protocol-Version", "1999-01-01"),
    ("MCP-Protocol-Version", "2026-07-28"),
    ("Mcp-Method", "tools/call"),
    ("Accept", "text/html"),
    ("Content-Type", "application/json; charset=utf-16"),
    ("Last-Event-ID", "7"),
    ("Content-Encoding", "gzip"),
    ("X-Long", "x" * 8000),
)


def _posted(
    site: Site, method: str, headers: dict[str, str], body: bytes
) -> tuple[int, bytes, str]:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=_PATIENCE)
    try:
        connection.request(method, "/mcp", body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.getheader("mcp-session-id") or ""
    finally:
        connection.close()


def scene(host: Host) -> Host:
    """Give the server files that the messages speak of."""
    host.write("a.py", "def load():\n    return 1\n")
    host.write("n.txt", "one\ntwo\n")
    return host
