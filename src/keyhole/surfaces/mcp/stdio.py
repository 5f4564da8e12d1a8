"""The protocol over standard input and output, as a host starts the server."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from keyhole.surfaces.mcp import loading
from keyhole.surfaces.mcp.protocol import server_of
from keyhole.surfaces.mcp.server import Serving
from keyhole.surfaces.mcp.setup import Setup
from keyhole.surfaces.mcp.shortcut import Shortcut
from keyhole.surfaces.mcp.wire import Wire, claimed

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
