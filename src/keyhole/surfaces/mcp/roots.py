"""Roots that the client names: asked for when the first call needs them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mcp import types
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError

from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.mcp.connections import Context, ask_client

ROOTS = "roots"
_NO_ROOT = "keyhole has no root: start it with --root DIRECTORY, or with a client that has roots"


class NoRoots(Exception):  # noqa: N818 - it is a question, not an error
    """The client has roots and must be asked for them before the call can go on."""


async def require_roots(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Refuse to begin with a client that names no roots either.

    A client of the stateless protocol has no beginning but the list of tools: it takes a refused
    discovery for an old server and hides what was said.
    """
    if ctx.method in {"initialize", "tools/list"} and not _has_roots(ctx):
        raise MCPError(types.INVALID_REQUEST, _NO_ROOT)
    return await call_next(ctx)


def _has_roots(context: Context) -> bool:
    if context.method == "initialize":
        capabilities = (context.params or {}).get("capabilities")
        return isinstance(capabilities, Mapping) and "roots" in capabilities
    known = context.session.client_capabilities
    return known is not None and known.roots is not None


async def paths_of(context: Context, responses: types.InputResponses | None) -> tuple[Path, ...]:
    """Return the directories that the client names, or refuse if there are none."""
    answer = (responses or {}).get(ROOTS)
    capabilities = context.session.client_capabilities
    if answer is None:
        if capabilities is None or capabilities.roots is None:
            raise Refused(_no_root(_NO_ROOT))
        if not context.session.can_send_request:
            raise NoRoots
        answer = await ask_client(context, types.ListRootsRequest(), types.ListRootsResult)
    if not isinstance(answer, types.ListRootsResult) or not answer.roots:
        raise Refused(_no_root("the client names no root"))
    return tuple(_path(str(root.uri)) for root in answer.roots)


def _path(uri: str) -> Path:
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
        raise Refused(_no_root(f"the root {uri[:200]} is no directory of this machine"))
    return Path(unquote(parts.path))


def _no_root(headline: str) -> Refusal:
    return Refusal("path-denied", headline, help="ask the user for a root directory")
