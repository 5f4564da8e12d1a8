import http.client
import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from mcp import types

from keyhole.refusals import Refused
from keyhole.surfaces.http.serving import address_of, token_in
from tests.surfaces.mcp.host import HELLO, Data, Host, data
from tests.surfaces.mcp.site import Site, serving

SECURE = ("cache-control", "content-security-policy", "referrer-policy", "x-content-type-options")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    base: Path = tmp_path_factory.mktemp("http")
    for name in ("root", "home"):
        (base / name).mkdir()
    with serving(Host(base)) as site:
        yield site


def test_the_token_is_not_said(site: Site) -> None:
    assert len(site.token) >= 43


def test_a_client_with_the_token_edits(site: Site) -> None:
    site.host.write("a.txt", "one\n")

    async def main() -> Data:
        async with site.client() as client:
            edits = [{"find": "one", "content": "two"}]
            data(await client.call_tool("edit", {"path": "a.txt", "edits": edits}))
            return data(await client.call_tool("read", {"path": "a.txt", "numbered": False}))

    assert anyio.run(main)["text"] == "two\n"


def test_many_clients_at_once_get_their_own_answers(site: Site) -> None:
    for number in range(10):
        site.host.write(f"n{number}.txt", f"{number}\n")
    found: list[tuple[int, str]] = []

    async def one(number: int) -> None:
        async with site.client() as client:
            for _ in range(5):
                given = {"path": f"n{number}.txt", "numbered": False}
                found.append((number, data(await client.call_tool("read", given))["text"]))

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(10):
                tasks.start_soon(one, number)

    anyio.run(main)

    assert len(found) == 50
    assert [pair for pair in found if pair[1] != f"{pair[0]}\n"] == []


def test_what_the_forgeries_change_is_all_that_is_wrong_with_them(site: Site) -> None:
    assert site.ask(site.good)[0] == 200


FORGED: list[tuple[str, dict[str, str | None], int]] = [
    ("no token", {"Authorization": None}, 401),
    ("empty token", {"Authorization": "Bearer "}, 401),
    ("short token", {"Authorization": "Bearer abc"}, 401),
    ("other scheme", {"Authorization": "Basic {token}"}, 401),
    ("bare token", {"Authorization": "{token}"}, 401),
    ("longer token", {"Authorization": "Bearer {token}x"}, 401),
    ("cut token", {"Authorization": "Bearer {token:.42}"}, 401),
    ("no host", {"Host": None}, 421),
    ("rebound host", {"Host": "evil.example:{port}"}, 421),
    ("host without port", {"Host": "127.0.0.1"}, 421),
    ("other port", {"Host": "127.0.0.1:1"}, 421),
    ("host as prefix", {"Host": "127.0.0.1:{port}.evil.example"}, 421),
    ("localhost of another", {"Host": "localhost.evil.example:{port}"}, 421),
    ("host with user", {"Host": "127.0.0.1:{port}@evil.example"}, 421),
    ("any address", {"Host": "0.0.0.0:{port}"}, 421),
    ("foreign origin", {"Origin": "http://evil.example"}, 403),
    ("null origin", {"Origin": "null"}, 403),
    ("empty origin", {"Origin": ""}, 403),
    ("origin of another port", {"Origin": "http://127.0.0.1:1"}, 403),
    ("origin by TLS", {"Origin": "https://127.0.0.1:{port}"}, 403),
    ("origin as prefix", {"Origin": "http://127.0.0.1:{port}.evil.example"}, 403),
    ("other name of ours", {"Origin": "http://localhost:{port}"}, 403),
    ("cross-site", {"Sec-Fetch-Site": "cross-site"}, 403),
    ("same-site", {"Sec-Fetch-Site": "same-site"}, 403),
    ("form", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ("plain text", {"Content-Type": "text/plain"}, 415),
    ("no type", {"Content-Type": None}, 415),
    ("almost JSON", {"Content-Type": "application/jsonx"}, 415),
    ("multipart", {"Content-Type": "multipart/form-data; boundary=application/json"}, 415),
]


@pytest.mark.parametrize(("changed", "status"), [f[1:] for f in FORGED], ids=[f[0] for f in FORGED])
def test_a_forged_request_is_turned_away(
    site: Site, changed: dict[str, str | None], status: int
) -> None:
    filled = {
        name: None if value is None else value.format(token=site.token, port=site.port)
        for name, value in changed.items()
    }
    headers = {name: value for name, value in {**site.good, **filled}.items() if value is not None}

    found, answered = site.ask(headers)

    # A request without a host is none, so it goes no further than the parser of HTTP.
    assert found == status or (changed == {"Host": None} and found == 400)
    assert [name for name in SECURE if name not in answered] == []
    assert [name for name in answered if name.startswith("access-control")] == []


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("OPTIONS", "/mcp", 405),
        ("PUT", "/mcp", 405),
        ("TRACE", "/mcp", 405),
        ("POST", "/", 404),
        ("GET", "/mcp?token={token}", 401),
        ("POST", "/mcp?access_token={token}", 401),
    ],
)
def test_other_ways_in_are_closed(site: Site, method: str, path: str, status: int) -> None:
    headers = site.good
    if status == 401:
        del headers["Authorization"]

    assert site.ask(headers, method, path.format(token=site.token))[0] == status


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
@pytest.mark.parametrize("token", [None, "Bearer " + "x" * 43])
def test_a_stolen_session_is_worth_nothing_without_the_token(
    site: Site, method: str, token: str | None
) -> None:
    stolen = site.ask(site.good)[1]["mcp-session-id"]
    headers = {**site.good, "Mcp-Session-Id": stolen}
    del headers["Authorization"]
    if token:
        headers["Authorization"] = token

    assert site.ask(headers, method)[0] == 401
    ping = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"})
    assert site.ask({**site.good, "Mcp-Session-Id": stolen}, body=ping)[0] == 200


def test_a_made_up_session_is_none(site: Site) -> None:
    assert site.ask({**site.good, "Mcp-Session-Id": "0" * 32})[0] == 404


def test_the_messages_of_one_session_reach_no_other(site: Site) -> None:
    site.host.write("secret.txt", "one\n")
    heard: list[str] = []

    async def listen(params: types.LoggingMessageNotificationParams) -> None:
        heard.append(str(params.data))

    async def main() -> None:
        async with (
            site.client(mode="legacy") as one,
            site.client(mode="legacy", logging_callback=listen) as two,
        ):
            for client in (one, two):
                await client.session.send_request(
                    types.SetLevelRequest(params=types.SetLevelRequestParams(level="debug")),
                    types.EmptyResult,
                )
            data(await one.call_tool("read", {"path": "secret.txt"}))
            data(await two.call_tool("history", {}))

    anyio.run(main)

    assert [line.split()[0] for line in heard] == ["history"]


def test_a_web_socket_is_not_opened(site: Site) -> None:
    headers = {**site.good, "Connection": "Upgrade", "Upgrade": "websocket"}
    headers |= {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version": "13"}

    assert site.ask(headers, "GET")[0] != 101


def test_a_doubled_header_is_turned_away(site: Site) -> None:
    body = json.dumps(HELLO)
    lines = [f"{name}: {value}" for name, value in site.good.items()]
    lines += ["Authorization: Bearer other", f"Content-Length: {len(body)}"]
    request = "POST /mcp HTTP/1.1\r\n" + "\r\n".join(lines) + f"\r\n\r\n{body}"
    with socket.create_connection(("127.0.0.1", site.port), timeout=120) as raw:
        raw.sendall(request.encode())

        assert raw.recv(64).startswith(b"HTTP/1.1 400")


def test_a_body_that_is_too_large_is_turned_away(site: Site) -> None:
    lines = [f"{name}: {value}" for name, value in site.good.items()]
    for length in ("Content-Length: 5000000", "Transfer-Encoding: chunked"):
        request = "POST /mcp HTTP/1.1\r\n" + "\r\n".join([*lines, length]) + "\r\n\r\n"
        with socket.create_connection(("127.0.0.1", site.port), timeout=120) as raw:
            raw.sendall(request.encode())
            if "chunked" in length:
                for _ in range(5):
                    raw.sendall(b"100000\r\n" + b"x" * 0x100000 + b"\r\n")

            assert raw.recv(64).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    "body", ["{", "null", "[" * 50_000, '"x"', "\\", '{"jsonrpc": "2.0", "id": [], "method": 1}']
)
def test_a_body_that_is_no_message_is_answered_and_survived(site: Site, body: str) -> None:
    assert 400 <= site.ask(site.good, body=body)[0] < 500
    assert site.ask(site.good)[0] == 200


@pytest.mark.parametrize("text", ["0.0.0.0:80", "192.168.0.1:80", "x", "127.0.0.1", ":99999", ""])
def test_only_addresses_of_this_machine_are_listened_at(text: str) -> None:
    with pytest.raises(Refused):
        address_of(text)


def test_an_address_without_a_host_is_loopback() -> None:
    assert address_of(":8080") == ("127.0.0.1", 8080)
    assert address_of("[::1]:0") == ("::1", 0)


def test_a_token_is_kept_and_one_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state" / "token"
    first = token_in(path)

    assert token_in(path) == first
    path.chmod(0o644)
    with pytest.raises(Refused, match="others than its owner"):
        token_in(path)
    path.chmod(0o600)
    path.write_text("short\n", encoding="ascii")
    with pytest.raises(Refused, match="no token"):
        token_in(path)
    path.unlink()
    path.symlink_to("/dev/null")
    with pytest.raises(Refused, match="cannot be read"):
        token_in(path)


def test_without_a_root_nothing_is_served(host: Host) -> None:
    done = subprocess.run(
        host.command("--http", ":0", root=False),
        capture_output=True,
        env=host.environment,
        check=False,
    )

    assert (done.returncode, done.stdout) == (1, b"")
    assert b"a root must be named" in done.stderr


@pytest.mark.parametrize(
    ("flags", "code"), [(["--root", "missing"], "no-file"), (["--tools", "none"], "bad-request")]
)
def test_what_is_refused_is_not_said_to_be_served(host: Host, flags: list[str], code: str) -> None:
    command = host.command("--http", "127.0.0.1:0", *flags)
    done = subprocess.run(
        command, env=host.environment, capture_output=True, encoding="utf-8", check=False
    )

    first, second, *_ = done.stderr.split("\n")
    assert (done.returncode, first) == (1, "refused: nothing was changed")
    assert second.startswith(f"{code}: ")


def test_a_question_comes_on_the_stream_of_the_call_that_asks(site: Site) -> None:
    """A client need not open a stream of its own for what the server asks."""
    site.host.write("long.txt", "".join(f"line {n}\n" for n in range(60)))
    hello: Data = json.loads(json.dumps(HELLO))
    hello["params"]["capabilities"] = {"elicitation": {}}
    _, found = site.ask(site.good, body=json.dumps(hello))
    session = {**site.good, "Mcp-Session-Id": found["mcp-session-id"]}
    site.ask(session, body='{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    cut = {"find": "line 3\n", "until": "line 58\n", "action": "delete"}
    edit = {"path": "long.txt", "edits": [cut]}
    params = {"name": "edit", "arguments": edit}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}

    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=120)
    connection.request("POST", "/mcp", json.dumps(call), session)
    stream = connection.getresponse()
    asked = next(line for line in stream if line.startswith(b"data: {"))
    connection.close()

    assert json.loads(asked[6:])["method"] == "elicitation/create"
