"""What the server keeps for one client as long as it is connected."""

from __future__ import annotations

from typing import Any

from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext

Context = ServerRequestContext[Any, Any]


def connection_of(context: Context) -> Connection:
    """Return the connection that a request came over: it has a place for what we remember."""
    # The SDK hands handlers no public name for it.
    return context.session._connection  # noqa: SLF001
