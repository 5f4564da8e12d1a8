import asyncio
import gc
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn

from keyhole.surfaces.http.guard import Bearer, Guard
from keyhole.surfaces.http.serving import Patient, hosts_at, listening_at, server_of

Message = MutableMapping[str, Any]
Address = tuple[str, int]
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"


async def hello(
    _: Message,
    receive: Callable[[], Awaitable[Message]],
    send: Callable[[Message], Awaitable[None]],
) -> None:
    await receive()
    # Longer than the patience with a head: an answer may take its time.
    await asyncio.sleep(0.7)
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
        async with asyncio.timeout(120):
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
    monkeypatch.setattr("keyhole.surfaces.http.serving._HEAD_SECONDS", 0.5)


def test_half_a_head_is_not_waited_for() -> None:
    assert asyncio.run(said(HEAD)) == b""


def test_a_slow_answer_and_a_second_request_are_given_their_time() -> None:
    heard = asyncio.run(said(HEAD + b"\r\n", HEAD + b"\r\n"))

    assert heard.count(b"HTTP/1.1 200 OK") == 2


def test_half_a_head_after_a_whole_request_is_not_waited_for() -> None:
    heard = asyncio.run(said(HEAD + b"\r\n", HEAD))

    assert heard.count(b"HTTP/1.1") == 1


async def left_of_clients_that_break_off(clients: int) -> int:
    """Let clients end their connections rudely; return how many the server still remembers."""
    listening = listening_at("127.0.0.1", 0)
    config = uvicorn.Config(
        hello, http=Patient, log_level="critical", lifespan="off", timeout_keep_alive=600
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    for _ in range(clients):
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        writer.write(HEAD + b"\r\n")
        await reader.readuntil(b"ok")
        # To linger for no time is to reset the connection.
        told = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, told)
        writer.close()
    while server.server_state.connections:  # noqa: ASYNC110 - nobody tells when one is gone
        await asyncio.sleep(0)
    gc.collect()
    left = sum(isinstance(each, Patient) for each in gc.get_objects())
    server.should_exit = True
    await serving
    return left


def test_a_client_that_breaks_off_is_forgotten() -> None:
    assert asyncio.run(left_of_clients_that_break_off(3)) == 0


async def is_cut_off(reader: asyncio.StreamReader) -> bool:
    """Wait for the end of a connection; tell whether nothing came before it."""
    try:
        return await reader.read() == b""
    except ConnectionError:
        return True


@asynccontextmanager
async def crowded(drips: int) -> AsyncIterator[tuple[Address, list[Connection]]]:
    """Serve while so many are connected, and say nothing yet; give the address and them."""
    listening = listening_at("127.0.0.1", 0)
    guard = Guard(hello, Bearer("t" * 43), hosts_at(listening.getsockname()[1]))
    server = server_of(guard, patience=1)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    address = listening.getsockname()
    slow = [await asyncio.open_connection(*address) for _ in range(drips)]
    await asyncio.sleep(0.2)
    yield address, slow
    for _, writer in slow:
        writer.close()
    server.should_exit = True
    await serving


async def told_others(address: Address, slow: list[Connection], asked: int) -> list[int]:
    """Let the slow ones say half a head and drip on; return what others were told meanwhile."""
    told = []
    for turn in range(asked):
        for reader, writer in slow:
            if not (reader.at_eof() or reader.exception()):
                writer.write(HEAD if not turn else b"x: y\r\n")
        reader, writer = await asyncio.open_connection(*address)
        writer.write(HEAD + b"\r\n")
        told.append(int((await reader.read()).split(b" ")[1]))
        writer.close()
    return told


def test_clients_that_drip_keep_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keyhole.surfaces.http.serving._HEAD_SECONDS", 2.0)

    async def main() -> tuple[list[int], list[bool]]:
        async with crowded(drips=400) as (address, slow):
            told = await told_others(address, slow, asked=20)
            async with asyncio.timeout(120):
                return told, [await is_cut_off(reader) for reader, _ in slow]

    told, cut_off = asyncio.run(main())

    # Everybody else is heard (and turned away for want of a token), and who drips is cut off.
    assert (told, cut_off) == ([421] * 20, [True] * 400)


async def told_while(said: bytes, clients: int) -> list[int]:
    """Let clients say something and stop; return what others are told at once."""
    async with crowded(drips=clients) as (address, held):
        for _, writer in held:
            writer.write(said)
        told = []
        for _ in range(5):
            reader, writer = await asyncio.open_connection(*address)
            writer.write(HEAD + b"\r\n")
            told.append(int((await reader.read()).split(b" ")[1]))
            writer.close()
        return told


@pytest.mark.parametrize("clients", [64, 300])
@pytest.mark.parametrize(
    "said",
    [b"", HEAD, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1"],
    ids=["nothing", "half a head", "half a body"],
)
def test_who_stops_in_the_middle_keeps_nobody_out(
    monkeypatch: pytest.MonkeyPatch, said: bytes, clients: int
) -> None:
    monkeypatch.setattr("keyhole.surfaces.http.serving._HEAD_SECONDS", 600.0)

    assert asyncio.run(told_while(said, clients)) == [421] * 5


def test_where_nobody_makes_room_they_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keyhole.surfaces.http.serving._HEAD_SECONDS", 600.0)
    monkeypatch.setattr(Patient, "_make_room", lambda *_: None)

    async def main() -> int:
        async with crowded(drips=300) as (_, slow):
            return sum(reader.at_eof() or bool(reader.exception()) for reader, _ in slow)

    assert asyncio.run(main()) == 0
