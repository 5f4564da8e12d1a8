"""A scripted model on loopback: it plays steps, and keeps what hosts show it.

Standard library only. `python -m tests.laboratory.model SCRIPT RECORD` serves a script of JSON
in a process of its own: it prints the port, and writes a line of JSON to RECORD for each request.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from tests.laboratory.wires import (
    WIRES,
    Data,
    ModelRequest,
    Reply,
    ToolCall,
    Wire,
    as_event,
    call_id,
)

DONE = "Done."


@dataclass(frozen=True, slots=True)
class Earlier:
    """A value of an argument: the first group of a pattern in what an earlier step was answered.

    `back` is how many steps ago that was.
    """

    pattern: str
    back: int = 1


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the model makes: a tool by its own name, whatever the host calls it."""

    tool: str
    arguments: Mapping[str, Data]


@dataclass(frozen=True, slots=True)
class Step:
    """One reply: calls, a text, or both; `before` is what happens just before it, for `act`."""

    calls: tuple[Call, ...] = ()
    text: str = ""
    before: object = None


# How a host names a tool: from the tool's own name and the request to name and namespace.
Naming = Callable[[str, ModelRequest], tuple[str, str]]
# How a host wants a call: most take it as it is.
Wrapping = Callable[[ToolCall], ToolCall]


def plain_name(tool: str, request: ModelRequest) -> tuple[str, str]:
    """Find a tool by the end of its name, in whatever way a host writes it."""
    ends = re.compile(rf"(?:^|[^a-zA-Z]){re.escape(tool)}$")
    offers = [each for each in request.tools if ends.search(each.name)]
    # A host's own tool may have the same name: the longest one is the server's.
    best = max(offers, key=lambda each: (bool(each.namespace), len(each.name)), default=None)
    return (best.name, best.namespace) if best else (tool, "")


def filled(value: Data, request: ModelRequest, step: int) -> Data:
    """Return arguments with what earlier answers said in them."""
    if isinstance(value, Earlier):
        seen = "\n".join(request.results_of(step - value.back))
        found = re.search(value.pattern, seen)
        return found[1] if found else f"nothing like {value.pattern} was answered"
    if isinstance(value, Mapping):
        return {key: filled(each, request, step) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [filled(each, request, step) for each in value]
    return value


@dataclass(slots=True)
class ScriptedModel:
    """Plays steps, and records requests; the same request gets the same reply."""

    steps: Sequence[Step]
    naming: Naming = plain_name
    wrapping: Wrapping = lambda call: call
    act: Callable[[object], None] = lambda _: None
    requests: list[ModelRequest] = field(default_factory=list)
    sides: list[ModelRequest] = field(default_factory=list)
    first_at: float = 0.0
    _acted: set[int] = field(default_factory=set)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, request: ModelRequest) -> Reply:
        """Return the reply to a request: a step, or a text where no tools are offered."""
        if not request.tools:
            self.sides.append(request)
            return Reply(DONE)
        step = request.step
        with self._turn:
            self.first_at = self.first_at or time.monotonic()
            self.requests.append(request)
            if step >= len(self.steps):
                return Reply(DONE)
            if step not in self._acted and self.steps[step].before is not None:
                self.act(self.steps[step].before)
            self._acted.add(step)
        calls = enumerate(self.steps[step].calls)
        made = tuple(self._call(each, request, step, number) for number, each in calls)
        return Reply(self.steps[step].text, made)

    def _call(self, call: Call, request: ModelRequest, step: int, number: int) -> ToolCall:
        name, namespace = self.naming(call.tool, request)
        arguments = filled(call.arguments, request, step)
        return self.wrapping(ToolCall(call_id(step, number), name, arguments, namespace))

    @property
    def first(self) -> ModelRequest | None:
        """The first request that offers tools."""
        return self.requests[0] if self.requests else None

    def seen(self) -> list[list[str]]:
        """Return what the model saw of each step's calls, as the last request has it."""
        last = max(self.requests, key=lambda each: each.step, default=None)
        return [last.results_of(step) for step in range(len(self.steps))] if last else []


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        path = urlsplit(self.path).path
        wire = next((each for each in WIRES if path.endswith(each.path)), None)
        if wire is None:
            # Counters of tokens and telemetry.
            self._send_json({"input_tokens": 10, "totalTokens": 10})
            return
        request = wire.read(body)
        reply = self.server.model.reply(request)
        with suppress(ConnectionError):
            if request.stream and wire.path != ":generateContent":
                self._send_events(wire, reply)
            else:
                self._send_json(wire.whole(reply))

    def do_GET(self) -> None:
        self._send_json({"object": "list", "data": [{"id": "laboratory", "object": "model"}]})

    def do_HEAD(self) -> None:
        self.do_GET()

    def _send_json(self, value: Data) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _send_events(self, wire: Wire, reply: Reply) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for kind, data in wire.events(reply):
            self.wfile.write(as_event(kind, data))
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing: what counts is recorded."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ScriptedModel) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model

    def handle_error(self, request: object, client_address: object) -> None:
        """Leave out clients that are gone; anything else is a fault of the laboratory."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class Serving:
    """Serves a model at `url` while the context is open."""

    def __init__(self, model: ScriptedModel) -> None:
        self._server = _Server(model)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def steps_from(script: Data) -> list[Step]:
    """Return the steps of a script of JSON: texts, or lists of {tool, arguments}.

    `{"earlier": PATTERN, "back": N}` in an argument is taken from an earlier answer.
    """

    def value(given: Data) -> Data:
        if isinstance(given, dict):
            if "earlier" in given:
                return Earlier(given["earlier"], given.get("back", 1))
            return {key: value(each) for key, each in given.items()}
        return [value(each) for each in given] if isinstance(given, list) else given

    return [
        Step(text=each)
        if isinstance(each, str)
        else Step(tuple(Call(call["tool"], value(call["arguments"])) for call in each))
        for each in script
    ]


def main(script: str, record: str) -> None:
    """Serve a script until the process is ended, and record what is asked."""
    steps = steps_from(json.loads(Path(script).read_text(encoding="utf-8")))
    model = ScriptedModel(steps)
    with Serving(model) as serving, Path(record).open("w", encoding="utf-8") as log:
        sys.stdout.write(f"{serving.url}\n")
        sys.stdout.flush()
        written = 0
        while True:
            time.sleep(0.05)
            for request in model.requests[written:]:
                log.write(json.dumps(asdict(request), ensure_ascii=False) + "\n")
                log.flush()
                written += 1


if __name__ == "__main__":
    main(*sys.argv[1:])
