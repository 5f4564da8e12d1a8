"""One client: what the server keeps as long as it is connected, and what it asks it."""

from __future__ import annotations

from typing import Any, TypeVar

from mcp import types
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.shared.message import ServerMessageMetadata

Context = ServerRequestContext[Any, Any]
R = TypeVar("R", bound=types.Result)


async def ask_client(context: Context, request: types.ServerRequest, answer: type[R]) -> R:
    """Ask the client while its request runs, and on the stream that it waits at for the answer.

    A client over HTTP need not have another one.
    """
    about = ServerMessageMetadata(related_request_id=context.request_id)
    return await context.session.send_request(request, answer, metadata=about)


def connection_of(context: Context) -> Connection:
    """Return the connection that a request came over: it has a place for what we remember."""
    # The SDK hands handlers no public name for it.
    return context.session._connection  # noqa: SLF001
