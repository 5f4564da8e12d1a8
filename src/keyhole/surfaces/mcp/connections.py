"""One client: what the server keeps as long as it is connected, and what it asks it."""

from __future__ import annotations

from typing import Any, TypeVar
from uuid import uuid4

from mcp import types
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.shared.dispatcher import CallOptions

Context = ServerRequestContext[Any, Any]
R = TypeVar("R", bound=types.Result)


async def ask_client(context: Context, request: types.ServerRequest, answer: type[R]) -> R:
    """Ask the client while its request runs, and on the stream that it waits at for the answer.

    A client over HTTP need not have another one.
    """
    # The SDK counts from one: the next engine's question would have the number of one that the
    # client was asked by a dead engine, and take the answer to that.
    asking = request.model_dump(by_alias=True, mode="json", exclude_none=True)
    channel = context.session._request_outbound  # noqa: SLF001 - `send_request` takes no name
    options: CallOptions = {"request_id": f"keyhole-{uuid4().hex}"}
    found = await channel.send_raw_request(asking["method"], asking.get("params"), options)
    return answer.model_validate(found, by_name=False)


def connection_of(context: Context) -> Connection:
    """Return the connection that a request came over: it has a place for what we remember."""
    # The SDK hands handlers no public name for it.
    return context.session._connection  # noqa: SLF001
