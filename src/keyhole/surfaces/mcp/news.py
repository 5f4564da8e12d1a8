"""News: clients hear when a resource changes, whoever changed it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

import anyio
import anyio.to_thread
from mcp import types
from mcp.server.connection import Connection
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPError

from keyhole.surfaces.mcp.connections import Context, connection_of
from keyhole.surfaces.mcp.front.relay import KNOWN
from keyhole.surfaces.mcp.resources import HISTORY, OUTLINE, TRANSACTION
from keyhole.surfaces.mcp.workspaces import Workspaces

if TYPE_CHECKING:
    from keyhole.answers.history import PastTransaction

_LOOK_SECONDS = 1.0
_SEND_SECONDS = 5.0
_MOST_NEWS = 200
_MOST_FOLLOWED = 1000
_MOST_STREAMS = 256


class Subscriptions:
    """Who wants to hear of what, and where the journals stood when we last looked.

    Other programs edit the same files, so the journals are looked at every second while somebody
    listens, and at once after a call of our own.
    """

    def __init__(self, workspaces: Callable[[], Workspaces | None], started: float) -> None:
        self._workspaces, self._started = workspaces, started
        self._bus = InMemorySubscriptionBus()
        self._listening = ListenHandler(self._bus, max_subscriptions=_MOST_STREAMS)
        self._streams = 0
        self._followed: dict[Connection, set[str]] = {}
        self._seen: Mapping[str, int] = {}
        self._looked = 0.0
        self._wanted = anyio.Event()
        self._nudged = anyio.Event()

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve a stream of news until the client closes it."""
        await self._begin()
        self._streams += 1
        try:
            return await self._listening(context, params)
        finally:
            self._streams -= 1

    async def follow(
        self, context: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Remember that a client wants to hear of a resource."""
        uris = await self._of(connection_of(context), is_known=context.request_id == KNOWN)
        if len(uris) >= _MOST_FOLLOWED:
            raise MCPError(
                types.INVALID_REQUEST, f"at most {_MOST_FOLLOWED} resources are followed"
            )
        uris.add(str(params.uri))
        return types.EmptyResult()

    async def unfollow(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Forget that a client wants to hear of a resource."""
        self._followed.get(connection_of(context), set()).discard(str(params.uri))
        return types.EmptyResult()

    async def _of(self, connection: Connection, *, is_known: bool) -> set[str]:
        if connection not in self._followed:
            await self._begin(is_known=is_known)
            self._followed[connection] = set()
            connection.exit_stack.callback(self._followed.pop, connection, None)
        return self._followed[connection]

    @property
    def is_heard(self) -> bool:
        """Tell whether anybody listens."""
        return bool(self._followed or self._streams)

    def nudge(self) -> None:
        """Look at the journals now: a call of ours may have written."""
        self._nudged.set()

    async def _begin(self, *, is_known: bool = False) -> None:
        """Take down where the journals stand, before the first client hears of anything.

        A client that another engine served before hears of what was made since we started.
        """
        if not self._followed and not self._streams:
            self._seen, self._looked = {}, self._started if is_known else time.time()
            if not is_known:
                await self._look()
        self._wanted.set()

    async def watch(self) -> None:
        """Look for news as long as the server runs and somebody listens."""
        while True:
            await self._wanted.wait()
            with anyio.move_on_after(_LOOK_SECONDS):
                await self._nudged.wait()
            self._nudged = anyio.Event()
            if self._followed or self._streams:
                await self._tell(await self._look())
            else:
                self._wanted = anyio.Event()

    async def _look(self) -> list[str]:
        """Return the resources that changed since the last look."""
        workspaces, since = self._workspaces(), self._looked
        self._looked = time.time()
        if workspaces is None:
            return []
        changed, self._seen = await anyio.to_thread.run_sync(changes, workspaces, self._seen, since)
        return changed

    async def _tell(self, changed: list[str]) -> None:
        if not changed:
            return
        for uri in changed:
            await self._bus.publish(ResourceUpdated(uri=uri))
        for connection, uris in list(self._followed.items()):
            # One client that does not read must not keep the news from the others.
            with anyio.move_on_after(_SEND_SECONDS):
                for uri in changed:
                    if uri in uris:
                        await connection.send_resource_updated(uri)


def changes(
    workspaces: Workspaces, seen: Mapping[str, int], since: float
) -> tuple[list[str], Mapping[str, int]]:
    """Return the resources that entries changed since `seen`, and how far the journals are now.

    Of a root that was not there at the last look, what was made since that time is new.
    """
    found: dict[str, None] = {}
    now: dict[str, int] = {}
    for engine in workspaces.engines:
        root = engine.root
        news = engine.news(seen.get(root), since, _MOST_NEWS)
        now[root] = news.newest
        prefixes = ["", f"{root}/"] if engine is workspaces.first else [f"{root}/"]
        for past in news.transactions:
            found |= dict.fromkeys(_touched(past, prefixes))
    return list(found), now


def _touched(past: PastTransaction, prefixes: Sequence[str]) -> Iterator[str]:
    """Yield the resources that a transaction changes, in every spelling a client may use."""
    yield HISTORY
    yield from (f"{TRANSACTION}{undone.entry}" for undone in past.entry.call.undoes)
    for path in (f"{prefix}{change.path}" for change in past.entry.files for prefix in prefixes):
        yield from (f"{OUTLINE}{path}", f"{OUTLINE}{quote(path)}")
