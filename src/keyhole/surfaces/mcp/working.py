"""Work that blocks, in threads: the client that waits hears how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from keyhole.progress import Count, counted
from keyhole.surfaces.mcp.connections import Context

T = TypeVar("T")

# Writers that wait for one file must not keep readers out, so each kind has threads of its own.
_READERS, _WRITERS = 16, 16
_LOOK_SECONDS = 0.1
_PATIENCE = 1.0


class Workers:
    """The threads of a server."""

    def __init__(self) -> None:
        self._readers = anyio.CapacityLimiter(_READERS)
        self._writers = anyio.CapacityLimiter(_WRITERS)

    async def look(self, context: Context, work: Callable[[], T]) -> T:
        """Run something that only reads."""
        return await _told(context, work, self._readers)

    async def write(self, context: Context, work: Callable[[], T]) -> T:
        """Run something that may write.

        A call that is cancelled still runs to its end: its file is old or new, never between.
        """
        return await _told(context, work, self._writers)


async def _told(context: Context, work: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
    if not context.meta or "progress_token" not in context.meta:
        return await anyio.to_thread.run_sync(work, limiter=limiter)
    count = Count()
    teller = _Teller(context, count)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(teller.tell)
            with counted(count):
                done = await anyio.to_thread.run_sync(work, limiter=limiter)
            tasks.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        raise _alone(group) from None  # who waits knows refusals and bugs as the work raised them
    await teller.finish()
    return done


def _alone(error: BaseException) -> BaseException:
    """Return the one exception of a group, however deep; a group of several as it is."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        [error] = error.exceptions
    return error


class _Teller:
    """Tells a client how far its call is: the steps done, or that time goes by."""

    def __init__(self, context: Context, count: Count) -> None:
        self._context, self._count = context, count
        self._said = -1.0

    async def tell(self) -> None:
        """Tell at once, then when something is new, and every second in any case."""
        waited = _PATIENCE
        while True:
            if self._so_far > self._said or waited >= _PATIENCE:
                await self._send(max(self._so_far, self._grown))
                waited = 0.0
            await anyio.sleep(_LOOK_SECONDS)
            waited += _LOOK_SECONDS

    async def finish(self) -> None:
        """Tell that a counted call is through all its steps."""
        if self._count.total and self._count.done > self._said:
            await self._send(float(self._count.done))

    @property
    def _so_far(self) -> float:
        """Return the steps that are done; all of them only once the call is over."""
        done, total = self._count.done, self._count.total
        return done - 0.5 if 0 < total <= done else float(done)

    @property
    def _grown(self) -> float:
        """Return a little more than was told: it must grow, also while one long step goes on."""
        total = self._count.total
        return self._said + (min(1.0, total - self._said) if total else 1.0) / 100

    async def _send(self, progress: float) -> None:
        self._said = progress = max(progress, 0.0)
        count = self._count
        total = float(count.total) if count.total else None
        await self._context.session.report_progress(progress, total, count.doing)
