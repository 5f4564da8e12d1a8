"""Patience with clients: a request's head must come across in time.

Connections are few, and anybody on this machine can open one: held open with half a head they would
keep everybody else out, without a token.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

_HEAD_SECONDS = 20.0


class Patient(H11Protocol):
    """A connection that is closed if it does not say what it wants."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Take what comes, and wait for the rest of the head if it is not all."""
        super().data_received(data)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._end_wait()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_complete:
            self._end_wait()
        elif self._limit is None:
            self._limit = self.loop.call_later(_HEAD_SECONDS, self.transport.close)

    def _end_wait(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
