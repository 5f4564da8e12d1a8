"""The relay: lines between a client and the engine, which may start late and may die.

The front is one thread that never waits for one side while the other has something to say. It
passes whole lines on, in their order, and knows which requests are open. When the engine dies, a
new one is told of the session and of the requests that the old one left open.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections import deque

from keyhole.surfaces.mcp.front.greetings import note_greeting
from keyhole.surfaces.mcp.front.messages import (
    answered,
    client_name,
    has_envelope,
    is_name,
    is_request,
    line_of,
    message_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from keyhole.surfaces.mcp.front.greeting import Greeter
    from keyhole.surfaces.mcp.front.messages import Message

# What front and engine say to each other: no client can, for it does not know the key.
_KEY = os.urandom(8).hex()
SESSION, AGAIN, LANDED, SAID = (
    f"keyhole/{name}-{_KEY}" for name in ("session", "again", "landed", "said")
)
# The id of requests that the client has had its answer to, and the engine has to know of.
KNOWN = f"keyhole-known-{_KEY}"
_KNOWN = f'"id":"{KNOWN}"'.encode()
_SAID = f'{{"jsonrpc":"2.0","method":"{SAID}"'.encode()
_CHUNK = 1 << 16
_MOST_LINE = 64 << 20
_MOST_WAITING = 64 << 20
_READY_SECONDS = 0.05
# When the input has ended: how often a silent engine is woken, which somebody may have stopped. One
# that hangs is killed after so many times, without open calls or with some; the journal recovers.
_WAKE_SECONDS = 1.0
_MOST_LEAVING, _MOST_WORKING = 60, 600
_PARENT_DEATH_SIGNAL = 1
# Engines that may die over a call: of the first two each carries it out, the others ask the journal
# alone; over another request; and before they read any.
_MOST_DEATHS, _MOST_OTHER_DEATHS, _MOST_VAIN = 4, 1, 3
_BROKEN = -32603
_AT_ONCE = getattr(select, "PIPE_BUF", 512)


class LineReader:
    """Whole lines out of pieces as they come."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def fed(self, piece: bytes) -> list[bytes]:
        """Return the lines that a piece completes, each with its end."""
        head, end, rest = piece.rpartition(b"\n")
        if not end:
            self._pieces.append(rest)
            self._size += len(rest)
            return []
        whole = b"".join([*self._pieces, head])
        self._pieces, self._size = [rest], len(rest)
        return [line + b"\n" for line in whole.split(b"\n")]

    @property
    def is_endless(self) -> bool:
        """Tell whether a line is longer than any client's."""
        return self._size > _MOST_LINE

    @property
    def rest(self) -> bytes:
        """Return what came behind the last line."""
        return b"".join(self._pieces)


class Outgoing:
    """Bytes on their way to a pipe that may be full."""

    def __init__(self, fd: int) -> None:
        self.fd, self.size = fd, 0
        self._parts: deque[memoryview] = deque()
        self._ready = select.poll()
        self._ready.register(fd, select.POLLOUT)

    def send(self, data: bytes) -> None:
        """Write what can be written at once, and keep the rest."""
        self._parts.append(memoryview(data))
        self.size += len(data)
        self.flush()

    def flush(self) -> None:
        """Write what can be written at once; never more than a ready pipe takes."""
        while self._parts and self._ready.poll(0):
            part = self._parts.popleft()
            done = os.write(self.fd, part[:_AT_ONCE])
            self.size -= done
            if done < len(part):
                self._parts.appendleft(part[done:])


class Asked:
    """A request that the engine has, and how often one has died over it."""

    __slots__ = ("deaths", "line", "time")

    def __init__(self, line: bytes, at: float) -> None:
        self.line, self.time, self.deaths = line, at, 0


class EngineProcess:
    """The process that loads the engine: what goes to it, and what comes from it."""

    def __init__(self, pid: int, source: int, sink: int) -> None:
        self.pid, self.source = pid, source
        self.lines, self.to = LineReader(), Outgoing(sink)
        # Whether it reads, and whether the client heard of it.
        self.is_closed, self.is_ready, self.has_said = False, False, False
        # How often it was woken, and whether that was in vain.
        self.wakes, self.is_killed = 0, False

    @classmethod
    def forked(cls) -> EngineProcess | None:
        """Fork the engine's process; None in that process, which has our end of its pipes."""
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        pid = os.fork()
        if pid:
            os.close(to_read)
            os.close(from_write)
            return cls(pid, from_read, to_write)
        os.dup2(to_read, 0)
        os.dup2(from_write, 1)
        for fd in (to_read, to_write, from_read, from_write):
            os.close(fd)
        _wake_with_front()
        return None

    def close(self) -> None:
        """Say that nothing more comes."""
        if not self.is_closed:
            self.is_closed = True
            os.close(self.to.fd)

    def wake(self, most: int) -> None:
        """Let an engine go on that somebody stopped, and kill one that is still there then."""
        from signal import SIGCONT, SIGKILL

        self.wakes += 1
        self.is_killed = self.wakes > most
        os.kill(self.pid, SIGKILL if self.is_killed else SIGCONT)

    def left(self) -> int:
        """Wait for the process, and return what it left with: a code, or less than 0."""
        self.close()
        os.close(self.source)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class Forked(Exception):  # noqa: N818 - it is where the engine begins, not an error
    """This is the engine's process now."""


class Relay:
    """One client, its session, and the engine behind it."""

    def __init__(self, greeter: Greeter) -> None:
        self._greeter = greeter
        self._session = os.urandom(8).hex()
        self._input, self._client = LineReader(), Outgoing(1)
        self._engine: EngineProcess | None = None
        self._is_wanted, self._was_started, self._has_ended = False, False, False
        # How the client names itself, and whether that is noted.
        self._greets, self._is_met = "", False
        self._open: dict[int | str, Asked] = {}
        # Engines in a row that died while they loaded.
        self._vain = 0
        # What a new engine has to know of the session, in order.
        self._past: dict[str, bytes] = {}
        # What an engine said before it left, and its refusals if these made it leave.
        self._reason, self._refusals = "", ()
        self._code = 0

    def run(self) -> int | None:
        """Serve until both sides are through; None if nobody ever needed the engine."""
        while self._goes_on():
            ready = self._ready()
            if not ready:
                self._meet()
                if self._is_wanted:
                    self._start()
                elif self._engine and self._has_ended and not self._client.size:
                    self._engine.wake(_MOST_WORKING if self._open else _MOST_LEAVING)
            for fd in sorted(ready, reverse=True):  # the engine's first: it may be dead
                self._move(fd)
        self._meet()
        return self._code if self._was_started else None

    def _goes_on(self) -> bool:
        if self._engine is None:
            return not self._has_ended or bool(self._client.size)
        if self._has_ended and not self._engine.to.size:
            self._engine.close()
        return True

    def _ready(self) -> list[int]:
        """Wait until something can be moved; nothing when there is time for what is due."""
        poll = select.poll()
        engine = self._engine
        is_full = self._client.size >= _MOST_WAITING  # the client does not read
        if not self._has_ended and not is_full and not (engine and engine.to.size > _MOST_WAITING):
            poll.register(0, select.POLLIN)
        if self._client.size:
            poll.register(1, select.POLLOUT)
        if engine:
            if not is_full:
                poll.register(engine.source, select.POLLIN)
            if engine.to.size:
                poll.register(engine.to.fd, select.POLLOUT)
        is_due = (engine is None and self._is_wanted) or (self._greets and not self._is_met)
        waits = _READY_SECONDS if is_due and not self._has_ended else None
        if engine and self._has_ended:
            waits = _WAKE_SECONDS
        return [fd for fd, _ in poll.poll(waits and waits * 1000)]

    def _move(self, fd: int) -> None:
        engine = self._engine
        if fd == 0:
            self._read_client()
        elif fd == 1:
            self._say(b"")
        elif engine and fd == engine.source:
            self._read_engine(engine)
        elif engine and fd == engine.to.fd and not engine.is_closed:
            _send(engine, b"")

    def _read_client(self) -> None:
        try:
            piece = os.read(0, _CHUNK)
        except OSError:  # there is no input any more
            piece = b""
        if not piece or self._input.is_endless:  # who sends a line without an end is no client
            piece, self._has_ended = b"\n" if piece == b"" else b"", True
        for line in self._input.fed(piece) if piece else ():
            if line.strip():
                self._take(line)

    def _take(self, line: bytes) -> None:
        """Answer a line of the client, or pass it on."""
        # Not after it is passed on: the engine may write sooner than the front goes on.
        at = time.time()
        if self._engine is not None and b'"tools/call"' in line:
            _send(self._engine, line)  # and only then look at it: this is what takes time
            self._note(message_of(line), line, at)
            return
        message = message_of(line)
        self._greets = self._greets or client_name(message)
        # Half a character is what the library does not read, and we could not write.
        if is_request(message) and b"\\ud" not in line.lower():
            answer = self._greeter.answer(message)
            if answer is not None:
                self._say(line_of(answer))
                self._remember(message)
                return
        if "method" in message and "id" not in message and self._has_heard(message, line):
            return
        self._pass_on(message, line, at)

    def _meet(self) -> None:
        """Take note of who greeted, once a session: when nobody waits for an answer."""
        if self._greets and not self._is_met:
            self._is_met = True
            note_greeting(self._greets, self._greeter.roots)

    def _has_heard(self, message: Message, line: bytes) -> bool:
        """Take note of a notification; tell whether there is nobody else to hear of it."""
        method, params = message["method"], message.get("params")
        if method == "notifications/initialized":
            self._past["initialized"] = line
        name = params.get("requestId") if isinstance(params, dict) else None
        if method == "notifications/cancelled" and is_name(name):
            self._open.pop(name, None)  # type: ignore[arg-type] # it is a name
            self._greeter.streams.discard(name)
        return self._engine is None

    def _remember(self, message: Message) -> None:
        """Keep what a new engine has to know of a request that the client has its answer to."""
        method = message["method"]
        if method == "tools/list" and self._engine is None:
            self._is_wanted = True
        opens = method == "initialize" or (has_envelope(message) and "opening" not in self._past)
        if opens:
            self._past["opening"] = line_of({**message, "id": KNOWN})
            if self._engine is not None:
                _send(self._engine, self._past["opening"])

    def _pass_on(self, message: Message, line: bytes, at: float) -> None:
        if self._engine is None:
            self._start()
        assert self._engine is not None, "BUG: it was just started"
        _send(self._engine, line)
        self._note(message, line, at)

    def _note(self, message: Message, line: bytes, at: float) -> None:
        """Remember a request until it is answered, and what it changes about the session."""
        name, method, params = message.get("id"), message.get("method"), message.get("params")
        if not is_name(name) or not isinstance(method, str):
            return
        self._open[name] = Asked(line, at)  # type: ignore[index] # it is a name
        known = line_of({**message, "id": KNOWN})
        uri = params.get("uri") if isinstance(params, dict) else None
        if method == "initialize":
            self._past["opening"] = known
        elif method == "logging/setLevel":
            self._past[method] = known
        elif method == "resources/subscribe":
            self._past[f"follow {uri}"] = known
        elif method == "resources/unsubscribe":
            self._past.pop(f"follow {uri}", None)

    def _start(self) -> None:
        """Start an engine and tell it of the session."""
        assert self._engine is None, "BUG: an engine is there, and would be forgotten"
        self._engine = EngineProcess.forked()
        if self._engine is None:
            raise Forked
        self._is_wanted, self._was_started = False, True
        self._reason, self._refusals = "", ()
        about = {"jsonrpc": "2.0", "method": SESSION, "params": {"name": self._session}}
        _send(self._engine, b"".join([line_of(about), *self._past.values()]))

    def _read_engine(self, engine: EngineProcess) -> None:
        piece = os.read(engine.source, _CHUNK)
        if not piece:
            self._bury(engine)
            return
        lines = [line for line in engine.lines.fed(piece) if not self._is_ours(engine, line)]
        if lines:
            engine.has_said = True
            self._say(b"".join(lines))
            for line in lines:
                if (name := answered(line)) is not None:
                    self._open.pop(name, None)

    def _is_ours(self, engine: EngineProcess, line: bytes) -> bool:
        """Tell whether a line of the engine is for us, and take note of it."""
        if line.startswith(_SAID):
            said = message_of(line)["params"]
            self._reason += said.get("text", "")
            self._refusals = said.get("refusals", self._refusals)
            engine.is_ready |= "ready" in said
            return True
        return _KNOWN in line[:64]

    def _say(self, data: bytes) -> None:
        """Send bytes to the client; when nobody reads them any more, all ends."""
        try:
            self._client.send(data) if data else self._client.flush()
        except OSError:
            self._client = Outgoing(1)
            self._has_ended = True
            self._open.clear()

    def _bury(self, engine: EngineProcess) -> None:
        """Let a dead engine go, and care for the requests that it left open."""
        was_told, code = engine.is_closed, engine.left()
        self._engine, self._code = None, max(code, 0)
        if was_told and code >= 0:
            self._open.clear()
        self._vain = 0 if engine.is_ready else self._vain + 1
        is_hopeless = (code > 0 and not engine.has_said) or self._vain > _MOST_VAIN
        is_hopeless |= engine.is_killed
        for name, asked in list(self._open.items()):
            asked.deaths += engine.is_ready
            is_call = b'"tools/call"' in asked.line
            if is_hopeless or asked.deaths > (_MOST_DEATHS if is_call else _MOST_OTHER_DEATHS):
                del self._open[name]
                message = message_of(asked.line)
                self._say(line_of(_failed(message, self._reason.rstrip(), self._refusals)))
        if self._open:
            self._start()
            for asked in self._open.values():
                _send(self._engine, _repeated(asked))


def _wake_with_front() -> None:
    """Have this process go on when the front dies, if somebody stopped it: it ends then."""
    if sys.platform == "linux":
        from ctypes import CDLL
        from signal import SIGCONT

        CDLL(None).prctl(_PARENT_DEATH_SIGNAL, SIGCONT)


def _send(engine: EngineProcess | None, data: bytes) -> None:
    assert engine is not None, "BUG: nobody is there"
    try:
        engine.to.send(data) if data else engine.to.flush()
    except OSError:  # it is dead, as the end of its output will tell
        engine.to = Outgoing(engine.to.fd)


def _repeated(asked: Asked) -> bytes:
    """Return a request for the next engine: a call lands once, and its journal knows."""
    message = message_of(asked.line)
    if message["method"] != "tools/call" or not asked.deaths:
        return asked.line
    method = AGAIN if asked.deaths == 1 else LANDED
    params = {**message.get("params", {}), "since": asked.time}
    return line_of({**message, "method": method, "params": params})


_STOPPED = "the engine stopped while it carried out this call"
_HELP = "look at the history before you send the call again"


def _failed(message: Message, reason: str, refusals: Sequence[Message]) -> Message:
    """Return the answer to a request that no engine could answer, or that it refused to serve."""
    answer: Message = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] != "tools/call":
        return {**answer, "error": {"code": _BROKEN, "message": reason or _STOPPED}}
    text = reason or f"refused: {_STOPPED}\n  help: {_HELP}"
    refusal = {"code": "busy", "message": reason or _STOPPED, "help": "" if reason else _HELP}
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": text}],
        "structuredContent": {
            "ok": False,
            "outcome": "not_applied",
            "refusals": refusals or [refusal],
        },
        "isError": True,
    }
    if has_envelope(message):
        result["resultType"] = "complete"
    return {**answer, "result": result}
