"""Listening on this machine: addresses, sockets, the token in its file, the server itself."""

from __future__ import annotations

import os
import secrets
import socket
import stat
from pathlib import Path

import uvicorn

from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.http.guard import Guard
from keyhole.surfaces.http.patience import Patient

_LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}
_OTHER_PORT = "name another port, or 0 for any that is free"


def run(guard: Guard, listening: socket.socket, *, patience: int = 5) -> None:
    """Serve until the process is told to stop; `patience` is for requests that are under way."""
    server_of(guard, patience=patience).run(sockets=[listening])


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
