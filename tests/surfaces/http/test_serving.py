"""Answers that no application gives: the server's own carry the headers of all others."""

import socket
import threading
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn

from keyhole.refusals import Refused
from keyhole.surfaces.http.guard import MOST_SERVED, Bearer, Guard, Message, Receive, Send
from keyhole.surfaces.http.serving import hosts_at, listening_at, server_of

TOKEN = "t" * 43
MOST = MOST_SERVED["streams"]


async def behind(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """An application with every fault that a server has to answer for."""
    if scope["type"] == "lifespan":
        return
    await receive()
    if scope["path"] == "/raises":
        message = "a bug"
        raise RuntimeError(message)
    if scope["path"] == "/says-nothing":
        return
    start: Message = {"type": "http.response.start", "status": 200, "headers": []}
    await send(start)
    if scope["path"] == "/slow":
        await send({"type": "http.response.body", "body": b"begun", "more_body": True})
        await receive()
    await send({"type": "http.response.body", "body": b"ok"})


@contextmanager
def served(server: uvicorn.Server | None = None) -> Iterator[int]:
    """Serve the application behind a guard, or by a server that is given, and give the port."""
    with listening_at("127.0.0.1", 0) as listening:
        port = int(listening.getsockname()[1])
        running = server or server_of(Guard(behind, Bearer(TOKEN), hosts_at(port)), patience=1)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield port
        finally:
            running.should_exit = True
            thread.join()


def said(port: int, sent: bytes) -> tuple[int, list[str]]:
    """Send bytes; return the status of the answer and the names of its headers."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(sent)
        heard = b""
        while b"\r\n\r\n" not in heard and (got := connection.recv(65536)):
            heard += got
    first, *lines = heard.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    names = [line.partition(":")[0].lower() for line in lines]
    return int(first.split(" ")[1]), names


def request(port: int, path: str = "/", *more: str, method: str = "GET") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
    lines += [f"Authorization: Bearer {TOKEN}", *more]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


# What no parser takes for a request.
OWN: dict[str, bytes] = {
    "no words of HTTP": b"hello\r\n\r\n",
    "the greeting of TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "a header without a colon": b"GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n",
    "a header with a blank in its name": b"GET / HTTP/1.1\r\nHost: a\r\nx y: 1\r\n\r\n",
    "a NUL in a header": b"GET / HTTP/1.1\r\nHost: a\r\nx: \x00\r\n\r\n",
    "a byte over 127 in the path": b"GET /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n",
    "a version that is none": b"GET / HTTP/x\r\nHost: a\r\n\r\n",
    "a header that is too large": b"GET / HTTP/1.1\r\nx: " + b"a" * 200_000 + b"\r\n\r\n",
    "a path that is too long": b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "headers without end": b"GET / HTTP/1.1\r\n" + b"x: 1\r\n" * 30_000,
    "two lengths": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n" * 2 + b"\r\n",
    "a length below nothing": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    "a transfer nobody knows": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
}


def lacking(names: list[str], port: int) -> list[str]:
    """Return the headers that an answer lacks, or has twice."""
    wanted = [name for name, _ in Guard(behind, Bearer(TOKEN), hosts_at(port)).headers]
    assert len(wanted) == 6
    return [name for name in wanted if names.count(name) != 1]


def own_answers(port: int) -> list[tuple[str, int, list[str]]]:
    """Return every answer that comes from the server alone: what it was, status, what it lacks."""
    asked = list(OWN.items())
    asked += [(path, request(port, path)) for path in ("/raises", "/says-nothing")]
    heard = [(name, *said(port, sent)) for name, sent in asked]
    return [(name, status, lacking(names, port)) for name, status, names in heard]


def test_what_the_server_says_by_itself_carries_the_headers() -> None:
    with served() as port:
        found = own_answers(port)

    statuses = [*[400] * len(OWN), 500, 500]
    assert [status for _, status, _ in found] == statuses
    assert [(name, lacks) for name, _, lacks in found if lacks] == []


def test_a_server_without_them_is_found_out() -> None:
    plain = uvicorn.Config(behind, log_level="critical", ws="none", lifespan="off")
    with served(uvicorn.Server(plain)) as port:
        found = own_answers(port)

    assert len(found) == len(OWN) + 2
    assert [name for name, _, lacks in found if len(lacks) != 6] == []


def test_a_body_that_is_none_ends_the_connection_with_the_headers() -> None:
    with served() as port:
        chunks = request(
            port, "/", "Transfer-Encoding: chunked", "Content-Type: application/json", method="POST"
        )
        status, names = said(port, chunks + b"no number\r\n")

        assert (status, lacking(names, port)) == (400, [])


def test_an_upgrade_is_answered_as_a_plain_request() -> None:
    with served() as port:
        for upgrade in ("websocket", "h2c", "nonsense"):
            sent = request(port, "/", "Connection: Upgrade", f"Upgrade: {upgrade}")
            status, names = said(port, sent)

            assert (status, lacking(names, port)) == (200, [])


def test_one_request_too_many_is_told_so_with_the_headers() -> None:
    with served() as port:
        busy = [socket.create_connection(("127.0.0.1", port), timeout=120) for _ in range(MOST)]
        for connection in busy:
            connection.sendall(request(port, "/slow"))
            while b"begun" not in connection.recv(65536):
                pass
        status, names = said(port, request(port))
        for connection in busy:
            connection.close()

    assert (status, lacking(names, port)) == (503, [])


def test_the_first_answer_of_all_carries_them_too() -> None:
    server = server_of(Guard(behind, Bearer(TOKEN), hosts_at(80)))

    names = [name.decode() for name, _ in server.server_state.default_headers]

    assert lacking(names, 80) == []


def test_a_port_that_is_taken_or_none_is_refused_with_what_to_do() -> None:
    help_line = "name another port, or 0 for any that is free"
    with listening_at("127.0.0.1", 0) as taken:
        port = int(taken.getsockname()[1])
        with pytest.raises(Refused) as busy:
            listening_at("127.0.0.1", port)
    with pytest.raises(Refused) as wrong:
        listening_at("127.0.0.1", 65_536)

    assert [(each.headline, each.help) for each in busy.value.refusals + wrong.value.refusals] == [
        (f"cannot listen at 127.0.0.1:{port}: Address already in use", help_line),
        ("the port is 65536; the last there is is 65535", help_line),
    ]


def test_the_halves_of_an_answer_do_not_wait_for_each_other() -> None:
    with listening_at("127.0.0.1", 0) as listening:
        client = socket.create_connection(listening.getsockname())
        accepted, _ = listening.accept()
        with client, accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
