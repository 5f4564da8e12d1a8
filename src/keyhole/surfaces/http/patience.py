"""Patience with clients: a request's head must come across in time.

Connections are few, and anybody on this machine can open one: held open with half a head they would
keep everybody else out, without a token.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

_HEAD_SECONDS = 20.0
# Each costs a descriptor, and the files that are edited need some too.
_MOST_OPEN = 256


class Patient(H11Protocol):
    """A connection that is closed if it does not say what it wants."""

    _limit: asyncio.TimerHandle | None = None
    _since = 0.0

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._wait_for_head()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        """Take what comes, and wait for the rest of the head if it is not all."""
        was_idle = self._is_idle
        super().data_received(data)
        if was_idle and not self._is_idle:  # who goes on with a head that is begun waits as before
            self._since = self.loop.time()
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer: a wait keeps all that the connection was made of."""
        self._end_wait()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()  # which it leaves undone where the client broke off

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, with the headers of every other answer."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None:  # it waits for a body that will not come
            cycle.disconnected = True
        self.transport.write(self._bad_request(msg))
        self.transport.close()

    def _bad_request(self, why: str) -> bytes:
        body = f"{why}\n".encode()
        own = (
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        )
        pairs = [*self.server_state.default_headers, *own]
        lines = [b"HTTP/1.1 400 Bad Request", *(b": ".join(pair) for pair in pairs)]
        return b"\r\n".join([*lines, b"", body])

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

    def _make_room(self) -> None:
        """Where all places are taken, give up the one that has kept us waiting longest."""
        if len(self.connections) <= _MOST_OPEN:
            return
        others = [each for each in self.connections if isinstance(each, Patient)]
        waiting = [each for each in others if each is not self and each.keeps_waiting]
        for each in sorted(waiting, key=lambda each: each._since)[:1]:  # noqa: SLF001 - our own kind
            each.transport.abort()
            self.connections.discard(each)

    @property
    def _is_idle(self) -> bool:
        """Tell whether there is no request, or the last is answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    @property
    def keeps_waiting(self) -> bool:
        """Tell whether it is the client's turn: a head, a body or the next request is to come."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete or cycle.more_body
