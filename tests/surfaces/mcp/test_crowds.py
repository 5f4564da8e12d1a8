"""Many clients, many calls, and a server that dies: no edit is lost, none answered wrongly."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.surfaces.mcp.host import Data, Host, data
from tests.surfaces.mcp.site import Site, serving
from tests.torture.start import figure

CLIENTS, EDITS = 20, 50
# Over standard output each client starts a server, so every run takes a share only.
EDITS_BY_PROCESS = figure(5, EDITS)


def places(clients: int, edits: int) -> str:
    return "".join(f"c{c}.{e} open\n" for c in range(clients) for e in range(edits))


def closing(client: int, edit: int) -> Data:
    place = f"c{client}.{edit}"
    return {"path": "a.txt", "edits": [{"find": f"{place} open", "content": f"{place} done"}]}


Connect = Callable[[int], AbstractAsyncContextManager[Client]]


def crowd(connect: Connect, clients: int, edits: int) -> set[str]:
    """Let each client make its edits, each at a line of its own; return the transactions."""
    done: set[str] = set()

    async def one(number: int) -> None:
        async with connect(number) as client:
            for index in range(edits):
                receipt = data(await client.call_tool("edit", closing(number, index)))
                line = number * edits + index + 1
                assert receipt["files"][0]["edits"][0]["lines_after"] == [line, line]
                done.add(receipt["transaction"])

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(clients):
                tasks.start_soon(one, number)

    anyio.run(main)
    return done


def test_twenty_clients_of_one_server_lose_no_edit(host: Host) -> None:
    body = places(CLIENTS, EDITS)
    host.write("a.txt", body)

    with serving(host) as site:
        done = crowd(lambda _: site.client(), CLIENTS, EDITS)

    assert len(done) == CLIENTS * EDITS
    assert host.read("a.txt") == body.replace("open", "done")


def test_twenty_servers_of_one_file_lose_no_edit(host: Host) -> None:
    body = places(CLIENTS, EDITS_BY_PROCESS)
    host.write("a.txt", body)

    done = crowd(lambda number: host.client(name=f"c{number}"), CLIENTS, EDITS_BY_PROCESS)

    assert len(done) == CLIENTS * EDITS_BY_PROCESS
    assert host.read("a.txt") == body.replace("open", "done")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_fifty_calls_in_one_connection_get_their_own_answers(host: Host, mode: str) -> None:
    host.write("a.txt", places(1, 50))
    for number in range(50):
        host.write(f"r{number}.txt", f"{number}\n")
    read: dict[int, str] = {}
    edited: dict[int, Data] = {}

    async def work(client: Client) -> None:
        async def look(number: int) -> None:
            given = {"path": f"r{number}.txt", "numbered": False}
            read[number] = data(await client.call_tool("read", given))["text"]

        async def edit(number: int) -> None:
            edited[number] = data(await client.call_tool("edit", closing(0, number)))

        async with anyio.create_task_group() as tasks:
            for number in range(50):
                tasks.start_soon(look, number)
                tasks.start_soon(edit, number)

    host.run(work, mode=mode)

    assert read == {number: f"{number}\n" for number in range(50)}
    lines = {number: one["files"][0]["edits"][0]["lines_after"] for number, one in edited.items()}
    assert lines == {number: [number + 1, number + 1] for number in range(50)}
    assert host.read("a.txt") == places(1, 50).replace("open", "done")


def test_edits_that_clients_know_of_outlive_a_killed_server(host: Host) -> None:
    clients, edits = 5, 20
    host.write("a.txt", places(clients, edits))
    known: set[tuple[int, int]] = set()
    with serving(host) as site:
        port = site.port
        anyio.run(_until_killed, site, known, clients, edits)
        site.process.wait(timeout=120)
    acknowledged = len(known)

    with serving(host, port=port) as site:
        stands = host.read("a.txt")
        anyio.run(_finish, site, known, clients, edits)

    assert 10 <= acknowledged < clients * edits
    assert [
        place for place in known if f"c{place[0]}.{place[1]} done" not in host.read("a.txt")
    ] == []
    assert stands.count("\n") == clients * edits
    assert host.read("a.txt") == places(clients, edits).replace("open", "done")


async def _until_killed(site: Site, known: set[tuple[int, int]], clients: int, edits: int) -> None:
    async def one(client_number: int) -> None:
        try:
            async with site.client() as client:
                for edit in range(edits):
                    data(await client.call_tool("edit", closing(client_number, edit)))
                    known.add((client_number, edit))
                    if len(known) == 10:
                        site.process.kill()
        except* (MCPError, httpx2.HTTPError, OSError):
            assert site.process.wait(timeout=120) != 0

    async with anyio.create_task_group() as tasks:
        for number in range(clients):
            tasks.start_soon(one, number)


async def _finish(site: Site, known: set[tuple[int, int]], clients: int, edits: int) -> None:
    """Make the edits that were not made; one may be made without that its client was told."""
    async with site.client() as client:
        # The first call that holds the file finishes what the dead server had begun there.
        nothing = {"path": "a.txt", "edits": [{"lines": "1", "find": "c0.0", "content": "c0.0"}]}
        data(await client.call_tool("edit", nothing))
        stands = site.host.read("a.txt")
        for place in ((c, e) for c in range(clients) for e in range(edits)):
            if f"c{place[0]}.{place[1]} open\n" in stands:
                assert place not in known
                data(await client.call_tool("edit", closing(*place)))


def test_a_server_that_is_told_to_stop_finishes_its_answers(host: Host) -> None:
    host.write("a.txt", places(1, 1))
    with serving(host) as site:
        assert site.ask(site.good)[0] == 200
        site.process.terminate()

        assert site.process.wait(timeout=120) in {0, -15, 143}
