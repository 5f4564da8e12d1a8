"""The wire: standard input and output, read and written by threads that also carry out calls.

Whoever has the turn reads. A thread that reads a plain call passes the turn on, carries the call
out and writes the answer itself, so that no other thread need wake up for it. Everything else goes
to the library's loop, in the order it came.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import select
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Condition, Lock, Semaphore, Thread
from typing import Any, Self

import anyio
import anyio.to_thread
from mcp import types
from mcp.server.stdio import stdio_server

from keyhole import deferred
from keyhole.arguments import from_json
from keyhole.surfaces.mcp import loading
from keyhole.surfaces.mcp.hosts import Setup
from keyhole.surfaces.mcp.news import Subscriptions
from keyhole.surfaces.mcp.protocol import server_of
from keyhole.surfaces.mcp.server import Serving
from keyhole.surfaces.mcp.shortcut import Plain, Shortcut

# What JSON may hold and the library's reader does not take: half a character, a number too long.
_DOUBTFUL = re.compile(rb"\\u[dD]|\d{4000}")
_LONG = re.compile(r"\d{4000,}+")


def unread_answer(line: bytes) -> bytes | None:
    """Return the error that a request gets which would get none; None for every other line."""
    if not _DOUBTFUL.search(line):
        return None
    text = line.decode("utf-8", "replace")
    try:
        types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValueError as error:
        name = _asked(text)
        return None if name is None else _error(name, _why(error))
    return None


def _asked(text: str) -> int | str | None:
    """Return the id of a request, None where a line is none."""
    try:
        message = from_json(_LONG.sub("0", text))
    except ValueError:
        return None
    if not isinstance(message, dict) or "method" not in message:
        return None
    name = message.get("id")
    return name if isinstance(name, int | str) and not isinstance(name, bool) else None


def _why(error: ValueError) -> str:
    return str(error).split("[type=", 1)[0].partition("\n")[2].strip() or str(error)


def _error(name: int | str, why: str) -> bytes:
    said = {"code": types.PARSE_ERROR, "message": f"the request cannot be read: {why}"}
    return json.dumps({"jsonrpc": "2.0", "id": name, "error": said}).encode() + b"\n"


_MOST_THREADS = 16
_MOST_WAITING = 256
_MOST_LINE = 64 * 1024 * 1024
_CHUNK = 1 << 16
# What a pipe that has room takes without making the writer wait.
_AT_ONCE = select.PIPE_BUF if hasattr(select, "PIPE_BUF") else 512


class Wire:
    """Lines in and out, for the loop it was made in."""

    def __init__(self, source: int, sink: int, shortcut: Shortcut, news: Subscriptions) -> None:
        self._source, self._sink, self._shortcut, self._news = source, sink, shortcut, news
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Queue[bytes | OSError] = asyncio.Queue()
        self._room = Semaphore(_MOST_WAITING)
        self._turn, self._sending = Lock(), Lock()
        self._rest = b""
        self._threads, self._busy, self._ended = 0, 0, False
        self._backlog: deque[Plain] = deque()
        self._change = Condition()
        self._add_thread()

    def __aiter__(self) -> Self:
        """Give the lines that are for the library."""
        return self

    async def __anext__(self) -> str:
        """Return the next of them; the end comes when every plain call is answered."""
        line = await self._waiting.get()
        self._room.release()
        if isinstance(line, OSError):
            raise line
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")

    async def write(self, text: str) -> None:
        """Send what the library says."""
        self._shortcut.told(text)
        data = text.encode("utf-8")
        if len(data) <= _AT_ONCE and self._sending.acquire(blocking=False):
            try:
                if select.select([], [self._sink], [], 0)[1]:
                    self._put(data)
                    return
            finally:
                self._sending.release()
        await anyio.to_thread.run_sync(self._send, data)

    async def flush(self) -> None:
        """Do nothing: what was written is on its way."""

    def _send(self, data: bytes) -> None:
        with self._sending:
            self._put(data)

    def _put(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._sink, view) :]

    def _add_thread(self) -> None:
        self._threads += 1
        Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        try:
            while plain := self._taken():
                self._carry_out(plain)
                while plain := self._left_over():
                    self._carry_out(plain)
        finally:
            if not self._ended:  # a bug took this thread away; the others may all be busy
                with self._change:
                    self._busy -= 1
                    self._threads -= 1
                    self._add_thread()

    def _taken(self) -> Plain | None:
        """Wait for the turn, and read until there is a call for this thread to carry out."""
        with self._turn:
            return None if self._ended else self._next_plain()

    def _left_over(self) -> Plain | None:
        """Return a call that came when all threads were busy; None says that this one is free."""
        with self._change:
            self._change.notify_all()
            if self._backlog:
                return self._backlog.popleft()
            self._busy -= 1
            return None

    def _carry_out(self, plain: Plain) -> None:
        answer: bytes | None = None
        try:
            with deferred.put_off():
                answer = self._shortcut.answer(plain)
                if answer:
                    self._send(answer)
            if self._news.is_heard:
                self._loop.call_soon_threadsafe(self._news.nudge)
        except OSError as error:
            if answer is None:
                raise
            self._pass_on(error)  # nobody listens any more
            return
        finally:
            if answer is None:  # a question to the user, or a bug: the library says it
                self._pass_on_or_answer(plain.line)

    def _next_plain(self) -> Plain | None:
        """Return the next plain call, and pass on what is none; None at the end."""
        while line := self._line():
            plain = self._shortcut.plain(line)
            if plain is None:
                self._pass_on_or_answer(line)
            elif self._may_leave(plain):
                return plain
        self._ended = True
        with self._change:
            self._change.wait_for(lambda: not self._busy)
        self._pass_on(b"")
        return None

    def _may_leave(self, plain: Plain) -> bool:
        """Tell whether somebody else can go on reading; if not, the call waits for a thread."""
        with self._change:
            self._change.wait_for(lambda: self._spare() or len(self._backlog) < _MOST_WAITING)
            if not self._spare():
                self._backlog.append(plain)
                return False
            self._busy += 1
            if self._busy == self._threads:
                self._add_thread()
            return True

    def _spare(self) -> bool:
        return self._busy + 1 < _MOST_THREADS

    def _line(self) -> bytes:
        """Return the next line with its end; nothing at the end of the input."""
        pieces, size = [self._rest], 0
        while b"\n" not in pieces[-1]:
            piece = os.read(self._source, _CHUNK)
            size += len(piece)
            if size > _MOST_LINE:
                return b""  # who sends a line without an end is no client: the input ends here
            if not piece:
                self._rest = b""
                return b"".join(pieces)
            pieces.append(piece)
        head, _, self._rest = pieces[-1].partition(b"\n")
        return b"".join([*pieces[:-1], head, b"\n"])

    def _pass_on_or_answer(self, line: bytes) -> None:
        unread = unread_answer(line)
        if unread is None:
            self._pass_on(line)
            return
        with suppress(OSError):  # nobody listens any more, as the next answer will tell
            self._send(unread)

    def _pass_on(self, line: bytes | OSError) -> None:
        self._room.acquire()
        with suppress(RuntimeError):  # the loop is closed, and nobody wants the line
            self._loop.call_soon_threadsafe(self._waiting.put_nowait, line)


@contextmanager
def claimed() -> Iterator[tuple[int, int]]:
    """Give the standard streams for the wire alone: what others print goes to standard error."""
    source, sink, nothing = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        yield source, sink
    finally:
        os.close(nothing)
        os.dup2(source, 0)
        os.dup2(sink, 1)


_COLLECT = (10_000, 20, 20)


def serve(setup: Setup) -> int:
    """Serve one client until it closes our input, or goes away."""
    serving = Serving(setup)
    if serving.workspaces:
        loading.load_once()
        serving.workspaces.fence()
    # What is there now stays to the end; and calls leave few cycles behind.
    gc.freeze()
    gc.set_threshold(*_COLLECT)
    try:
        anyio.run(_serve, serving)
    except* (BrokenPipeError, ConnectionResetError):
        # Nobody reads any more. What is still buffered would fail again when Python exits.
        sys.stdout = None
    return 0


async def _serve(serving: Serving) -> None:
    if os.name != "posix":
        async with stdio_server() as streams:
            await _run(serving, *streams)
        return
    with claimed() as (source, sink):
        wire = Wire(source, sink, Shortcut(serving), serving.news)
        async with stdio_server(wire, wire) as streams:  # type: ignore[arg-type] # all it uses is there
            await _run(serving, *streams)


async def _run(serving: Serving, reading: Any, writing: Any) -> None:
    server = server_of(serving)
    await server.run(reading, writing, server.create_initialization_options())
