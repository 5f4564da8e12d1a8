import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import pytest
import uvicorn

from keyhole.surfaces.http.patience import Patient
from keyhole.surfaces.http.serving import listening_at

Message = MutableMapping[str, Any]
HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"


async def hello(
    _: Message,
    receive: Callable[[], Awaitable[Message]],
    send: Callable[[Message], Awaitable[None]],
) -> None:
    await receive()
    # Longer than the patience with a head: an answer may take its time.
    await asyncio.sleep(0.3)
    headers = [(b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok"})


async def said(*parts: bytes) -> bytes:
    """Send parts over one connection, each after the answer to the last; return all answers."""
    listening = listening_at("127.0.0.1", 0)
    config = uvicorn.Config(hello, http=Patient, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    reader, writer = await asyncio.open_connection(*listening.getsockname())
    heard = b""
    for part in parts:
        writer.write(part)
        async with asyncio.timeout(20):
            got = await reader.read(1000)
            while got and not got.endswith(b"ok"):
                heard += got
                got = await reader.read(1000)
            heard += got
    writer.close()
    server.should_exit = True
    await serving
    return heard


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keyhole.surfaces.http.patience._HEAD_SECONDS", 0.1)


def test_half_a_head_is_not_waited_for() -> None:
    assert asyncio.run(said(HEAD)) == b""


def test_a_slow_answer_and_a_second_request_are_given_their_time() -> None:
    heard = asyncio.run(said(HEAD + b"\r\n", HEAD + b"\r\n"))

    assert heard.count(b"HTTP/1.1 200 OK") == 2


def test_half_a_head_after_a_whole_request_is_not_waited_for() -> None:
    heard = asyncio.run(said(HEAD + b"\r\n", HEAD))

    assert heard.count(b"HTTP/1.1") == 1
