"""A small client of the Model Context Protocol over standard input and output."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from edit_suite import __version__

PROTOCOL = "2025-06-18"
# What a server may take to end when its input ends, in seconds.
PATIENCE = 5.0
_HELLO = {
    "protocolVersion": PROTOCOL,
    "capabilities": {},
    "clientInfo": {"name": "edit-suite", "version": __version__},
}


class Lost(Exception):  # noqa: N818 - a state of the connection
    """The server is gone, or did not answer in time."""


class Client:
    """A server that was started, and the requests that are under way; any thread may ask."""

    def __init__(
        self, command: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None
    ) -> None:
        self._process = subprocess.Popen(
            [*command],
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdin
        # A server that reads no more must not hold whoever writes to it.
        os.set_blocking(self._process.stdin.fileno(), False)
        self._writing = threading.Lock()
        self._answers: dict[int, dict[str, Any]] = {}
        self._changed = threading.Condition()
        self._gone = False
        self._last = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def greet(self, seconds: float = 60) -> list[dict[str, Any]]:
        """Open the session and return the list of tools."""
        self.request("initialize", _HELLO, seconds)
        self._send({"method": "notifications/initialized"})
        listed = self.request("tools/list", {}, seconds)
        tools = [*listed["tools"]]
        while listed.get("nextCursor"):
            listed = self.request("tools/list", {"cursor": listed["nextCursor"]}, seconds)
            tools += listed["tools"]
        return tools

    def request(self, method: str, params: Mapping[str, Any], seconds: float = 30) -> Any:  # noqa: ANN401 - what JSON holds
        """Send a request and wait for its result; an error of the protocol is a result too."""
        with self._changed:
            self._last += 1
            number = self._last
        self._send({"id": number, "method": method, "params": params}, seconds)
        with self._changed:
            self._changed.wait_for(lambda: number in self._answers or self._gone, seconds)
            if number not in self._answers:
                raise Lost(method)
            answer = self._answers.pop(number)
        if "error" in answer:
            text = str(answer["error"].get("message", ""))
            return {"isError": True, "content": [{"type": "text", "text": text}]}
        return answer["result"]

    def kill(self) -> None:
        """End the server and what it started, at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """Close the connection; a server that stays is ended."""
        if self._process.stdin:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)
        self.kill()
        # What the server started elsewhere may hold the other end for longer: the thread stays.
        self._reader.join(PATIENCE)

    def _send(self, message: Mapping[str, Any], seconds: float = 30) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        stream, end = self._process.stdin, time.monotonic() + seconds
        if stream is None or not self._writing.acquire(timeout=seconds):
            raise Lost("no standard input")
        try:
            ready, left = select.poll(), memoryview(line.encode())
            ready.register(stream, select.POLLOUT)
            while left:
                wait = max(0.0, end - time.monotonic())
                if not ready.poll(wait * 1000):
                    raise Lost("the server reads no more")
                left = left[stream.write(left) or 0 :]
        except (OSError, ValueError) as broken:
            raise Lost(str(broken)) from broken
        finally:
            self._writing.release()

    def _read(self) -> None:
        assert self._process.stdout
        with (
            self._process.stdout,
            open(self._process.stdout.fileno(), "rb", closefd=False) as lines,
        ):
            for line in lines:
                with contextlib.suppress(json.JSONDecodeError):
                    self._take(json.loads(line))
        with self._changed:
            self._gone = True
            self._changed.notify_all()

    def _take(self, message: Mapping[str, Any]) -> None:
        if "method" in message and "id" in message:
            refusal = {"code": -32601, "message": "this client offers nothing"}
            with contextlib.suppress(Lost):
                self._send({"id": message["id"], "error": refusal})
        elif "id" in message:
            with self._changed:
                self._answers[int(message["id"])] = dict(message)
                self._changed.notify_all()
