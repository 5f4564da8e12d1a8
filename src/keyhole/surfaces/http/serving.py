"""Listen on this machine: addresses, sockets, the token in its file, the server itself."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.http.guard import Guard

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
        """Cancel the wait, which would keep the connection's objects alive."""
        self._end_wait()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()  # which it leaves undone where the client broke off

    def send_400_response(self, msg: str) -> None:
        """Answer a malformed request, with the headers of every other answer."""
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
        """If all connections are in use, close the one that has waited longest for its client."""
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
        """Tell whether the client has to send next: a head, a body or the next request."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete or cycle.more_body


_LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}
_OTHER_PORT = "name another port, or 0 for any that is free"


def run(guard: Guard, listening: socket.socket, *, patience: int = 5) -> None:
    """Serve until the process is told to stop; `patience` is for requests that are under way."""
    server_of(guard, patience=patience).run(sockets=[listening])


def run_all(guarded: Sequence[tuple[Guard, socket.socket]], *, patience: int = 5) -> None:
    """Serve several doors until the process is told to stop."""
    if len(guarded) == 1:
        run(*guarded[0], patience=patience)
        return
    servers = [(server_of(guard, patience=patience), at) for guard, at in guarded]

    async def serve_all() -> None:
        await asyncio.gather(*(server.serve(sockets=[at]) for server, at in servers))

    asyncio.run(serve_all())


def server_of(guard: Guard, *, patience: int = 5) -> uvicorn.Server:
    """Return the server of a door; every answer carries its headers, whoever gives it."""
    config = uvicorn.Config(
        guard,
        http=Patient,
        headers=list(guard.headers),
        # Standard error may be a pipe that nobody reads: once it is full, a log would stop us.
        log_level="critical",
        access_log=False,
        ws="none",
        server_header=False,
        # Agents think between calls: a connection closed under a call costs them the answer.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=patience,
    )
    config.load()
    server = uvicorn.Server(config)
    # The server fills these in once it runs, which is after its first connection can be there.
    server.server_state.default_headers = list(config.encoded_headers)
    return server


def hosts_at(port: int) -> frozenset[str]:
    """Return the names that a request to this port may call us by."""
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


def address_of(text: str) -> tuple[str, int]:
    """Return the host and port to listen at; only those of this machine are taken."""
    name, _, digits = text.rpartition(":")
    host = name.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not (digits.isascii() and digits.isdecimal() and int(digits[:6]) < 65536):
        raise Refused(_bad_address(f"the address is {text[:80]!r}; it is HOST:PORT"))
    if host not in _LOOPBACK:
        raise Refused(_bad_address(f"{host[:80]!r} is no loopback address"))
    return host, int(digits)


def _bad_address(headline: str) -> Refusal:
    help_line = "listen at 127.0.0.1:PORT; for other machines put a proxy with TLS before it"
    return Refusal("bad-request", headline, help=help_line)


def listening_at(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes any that is free."""
    try:
        listening = socket.create_server((host, port), family=_LOOPBACK[host])
    except OverflowError:
        headline = f"the port is {port}; the last there is is 65535"
        raise Refused(Refusal("bad-request", headline, help=_OTHER_PORT)) from None
    except OSError as error:
        headline = f"cannot listen at {host}:{port}: {os.strerror(error.errno or 0)}"
        raise Refused(Refusal("bad-request", headline, help=_OTHER_PORT)) from None
    # Connections inherit it: else the second half of an answer waits 40 ms for a client's nod.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def token_in(path: Path) -> str:
    """Return the token of a file that only its owner can read; make it if there is none."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return _kept_token(path)
    except OSError as error:
        raise Refused(_bad_token(path, f"cannot be made: {error.strerror}")) from None
    token = secrets.token_urlsafe(32)
    with os.fdopen(fd, "w", encoding="ascii") as file:
        file.write(f"{token}\n")
    return token


def _kept_token(path: Path) -> str:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise Refused(_bad_token(path, f"cannot be read: {error.strerror}")) from None
    with os.fdopen(fd, encoding="ascii", errors="replace") as file:
        mode = os.fstat(fd)
        if not stat.S_ISREG(mode.st_mode) or mode.st_mode & 0o077 or mode.st_uid != os.getuid():
            raise Refused(_bad_token(path, "can be read by others than its owner"))
        token = file.read(1000).strip()
    if len(token) < 43:
        raise Refused(_bad_token(path, "holds no token of 256 bits"))
    return token


def _bad_token(path: Path, what: str) -> Refusal:
    return Refusal("bad-request", f"{path} {what}", help=f"delete {path} to get a new token")
