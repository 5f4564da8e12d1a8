"""A server over HTTP for tests: the real one, in a process of its own."""

import http.client
import json
import re
import signal
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests import forked
from tests.surfaces.mcp.host import HELLO, Data, Host


@dataclass(frozen=True, slots=True)
class Site:
    """A server that is running, and how to speak to it."""

    host: Host
    port: int
    token: str
    process: subprocess.Popen[bytes]

    @property
    def good(self) -> dict[str, str]:
        return {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }

    def ask(
        self, headers: dict[str, str], method: str = "POST", path: str = "/mcp", body: str = ""
    ) -> tuple[int, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        body = body or json.dumps(HELLO)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            connection.putheader(name, value)
        connection.endheaders(body.encode())
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        answer.close()
        connection.close()
        return answer.status, found

    def client(self, **more: Data) -> Client:
        web = httpx2.AsyncClient(headers={"Authorization": f"Bearer {self.token}"}, timeout=120)
        url = f"http://127.0.0.1:{self.port}/mcp"
        return Client(streamable_http_client(url, http_client=web), **more)


@contextmanager
def serving(host: Host, *flags: str, port: int = 0, is_counted: bool = False) -> Iterator[Site]:
    """Start a server, and stop it; to count its branches takes time."""
    command = host.command("--http", f"127.0.0.1:{port}", *flags)
    environment = {**host.environment, **(forked.counting() if is_counted else {})}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stderr
        said = process.stderr.readline().decode()
        found = re.fullmatch(r"serving http://127.0.0.1:(\d+)/mcp; .* in (.*)\n", said)
        assert found, said
        token = Path(found[2])
        assert stat.S_IMODE(token.stat().st_mode) == 0o600
        try:
            yield Site(host, int(found[1]), token.read_text(encoding="ascii").strip(), process)
        finally:
            # Killed by a signal, a process keeps no count; interrupted, it ends by itself.
            process.send_signal(signal.SIGINT if is_counted else signal.SIGTERM)
            process.wait(timeout=120)
