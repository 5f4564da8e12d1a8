"""The engine's process: it serves one client over standard input and output."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from keyhole.surfaces.mcp import loading
from keyhole.surfaces.mcp.front.main import Told
from keyhole.surfaces.mcp.service import Service
from keyhole.surfaces.mcp.setup import Setup
from keyhole.surfaces.mcp.shortcut import Shortcut
from keyhole.surfaces.mcp.wire import Inbox, Wire, give_up


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
    service = Service(setup)
    if service.workspaces:
        loading.load_once()
        # Git runs outside of the fence only.
        service.workspaces.observe()
        service.workspaces.fence()
    loading.load()
    # What is there now stays to the end; and calls leave few cycles behind.
    gc.freeze()
    gc.set_threshold(*_COLLECT)
    if os.name != "posix":
        from keyhole.surfaces.mcp.library import serve_stdio

        return serve_stdio(service)
    try:
        with claimed() as (source, sink):
            if isinstance(sys.stderr, Told):
                sys.stderr.ready()
            inbox = Inbox()
            wire = Wire(source, sink, Shortcut(service), inbox)
            if inbox.wait():
                from keyhole.surfaces.mcp.library import speak

                speak(service, wire, inbox)
    except* (BrokenPipeError, ConnectionResetError):
        # Nobody reads any more. What is still buffered would fail again when Python exits.
        sys.stdout = None
    except* (MemoryError, ImportError) as error:  # there was no room for the protocol's library
        sys.stderr.write(f"internal error: {error.exceptions[0]!r}\n")
        # To close the workspaces would take them from the calls that still run.
        give_up()
    finally:
        service.close()
    return 0
