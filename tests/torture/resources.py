"""A server under attacks on its time and memory, and another client of it meanwhile.

Latency is told in processor seconds of the server, between a question and its answer: what a
machine does for others in between is no fault of the server, what the server does before it
answers is.
"""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from contextlib import closing
from pathlib import Path

from keyhole.surfaces.http.guard import MOST_BODY
from tests.surfaces.mcp.host import HELLO
from tests.surfaces.mcp.site import Site
from tests.torture.attacks import Attack

_HANG = 300.0
_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


class Speaker:
    """A client with one connection and one session."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=_HANG)
        self._headers = dict(site.good)
        self._headers["Mcp-Session-Id"] = self._post(HELLO)[1]

    def call(self, tool: str, given: dict[str, object]) -> str:
        """Make a call and return the whole answer as it came."""
        params = {"name": tool, "arguments": given}
        return self._post({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})[0]

    def _post(self, message: object) -> tuple[str, str]:
        body = json.dumps(message).encode()
        self._connection.putrequest("POST", "/mcp", skip_host=True)
        for name, value in {**self._headers, "Content-Length": str(len(body))}.items():
            self._connection.putheader(name, value)
        # What is too large is refused by its length, and the body would meet a closed door.
        self._connection.endheaders(body if len(body) <= MOST_BODY else None)
        answer = self._connection.getresponse()
        said = answer.read().decode()
        told = said if answer.status == 200 else f"status {answer.status}"
        return told, answer.getheader("mcp-session-id") or ""

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def processor_time(pid: int) -> float:
    """Return the processor seconds that another process took so far: see clock_getcpuclockid(3)."""
    return time.clock_gettime((~pid << 3) | 2)


def peak_memory(pid: int) -> int:
    """Return the most bytes that another process held."""
    found = _PEAK.search(Path(f"/proc/{pid}/status").read_text(encoding="ascii"))
    assert found, "the kernel says how much memory a process had"
    return int(found[1]) << 10


def meanwhile(site: Site, attack: Attack) -> tuple[str, list[float]]:
    """Make one call; return its answer, and how long each question of another client took."""
    with closing(Speaker(site)) as attacker, closing(Speaker(site)) as other:
        return _both(site.process.pid, attacker, attack, other)


def _both(pid: int, attacker: Speaker, attack: Attack, other: Speaker) -> tuple[str, list[float]]:
    answers: list[str] = []
    work = threading.Thread(target=lambda: answers.append(attacker.call(attack.tool, attack.given)))
    took = []
    work.start()
    while work.is_alive():
        began = processor_time(pid)
        said = other.call("read", {"path": "small.txt"})
        took.append(processor_time(pid) - began)
        assert "two" in said, said
    work.join()
    return "".join(answers), took
