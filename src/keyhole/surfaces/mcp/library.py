"""The protocol's library: it has the say over every line that is more than a plain call."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import Any, Self

import anyio
import anyio.to_thread
from mcp.server.stdio import stdio_server

from keyhole.surfaces.mcp.protocol import server_of
from keyhole.surfaces.mcp.server import Serving
from keyhole.surfaces.mcp.service import Service
from keyhole.surfaces.mcp.wire import Inbox, Wire


def speak(service: Service, wire: Wire, inbox: Inbox) -> None:
    """Serve what comes into the inbox, until it ends."""
    anyio.run(_speak, service, wire, inbox)


async def _speak(service: Service, wire: Wire, inbox: Inbox) -> None:
    serving = Serving(service)
    loop = asyncio.get_running_loop()

    def nudge() -> None:
        if serving.news.is_heard:
            loop.call_soon_threadsafe(serving.news.nudge)

    wire.nudge = nudge
    streams = _Streams(wire, inbox)
    async with stdio_server(streams, streams) as (reading, writing):  # type: ignore[arg-type] # all it uses is there
        await _run(serving, reading, writing)


class _Streams:
    """The wire as the library reads and writes it, for the loop it was made in."""

    def __init__(self, wire: Wire, inbox: Inbox) -> None:
        self._wire = wire
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Queue[bytes | OSError] = asyncio.Queue()
        inbox.open(self._deliver)

    def _deliver(self, line: bytes | OSError) -> None:
        with suppress(RuntimeError):  # the loop is closed, and nobody wants the line
            self._loop.call_soon_threadsafe(self._waiting.put_nowait, line)

    def __aiter__(self) -> Self:
        """Give the lines that are for the library."""
        return self

    async def __anext__(self) -> str:
        """Return the next of them; the end comes when every plain call is answered."""
        line = await self._waiting.get()
        self._wire.room.release()
        if isinstance(line, OSError):
            raise line
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")

    async def write(self, text: str) -> None:
        """Send what the library says."""
        await anyio.to_thread.run_sync(partial(self._wire.send, text.encode("utf-8")))

    async def flush(self) -> None:
        """Do nothing: what was written is on its way."""


def serve_stdio(service: Service) -> int:
    """Serve a client by the library alone, where a pipe cannot be waited for with others."""
    anyio.run(_serve_stdio, service)
    return 0


async def _serve_stdio(service: Service) -> None:
    async with stdio_server() as streams:
        await _run(Serving(service), *streams)


async def _run(serving: Serving, reading: Any, writing: Any) -> None:
    server = server_of(serving)
    await server.run(reading, writing, server.create_initialization_options())
