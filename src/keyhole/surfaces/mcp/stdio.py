"""The protocol over standard input and output, as a host starts the server."""

from __future__ import annotations

import sys

import anyio
from mcp.server.stdio import stdio_server

from keyhole.surfaces.mcp.server import Serving, server_of
from keyhole.surfaces.mcp.setup import Setup


def serve(setup: Setup) -> int:
    """Serve one client until it closes our input, or goes away."""
    serving = Serving(setup)
    try:
        anyio.run(_serve, serving)
    except* (BrokenPipeError, ConnectionResetError):
        # Nobody reads any more. What is still buffered would fail again when Python exits.
        sys.stdout = None
    return 0


async def _serve(serving: Serving) -> None:
    server = server_of(serving)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
