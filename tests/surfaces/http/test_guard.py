"""The guard alone, between a request as the server hands it over and an application behind it."""

from collections.abc import MutableMapping
from typing import Any

import anyio
import pytest

from keyhole.surfaces.http.guard import MOST_BODY, Bearer, Guard, Message, Receive, Send

TOKEN = "t" * 43
Changed = dict[str, str | None]
HEADERS = {
    "host": "127.0.0.1:80",
    "authorization": f"Bearer {TOKEN}",
    "content-type": "application/json",
}


class Behind:
    """An application that remembers what reached it."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.scopes: list[str] = []

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        self.scopes.append(scope["type"])
        if scope["type"] == "lifespan":
            return
        self.bodies.append((await receive())["body"])
        headers = [(b"Cache-Control", b"public"), (b"x-own", b"1")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})


def asked(
    behind: Behind,
    *parts: Message,
    method: str = "POST",
    kind: str = "http",
    changed: Changed | None = None,
) -> list[Message]:
    """Send one request through the guard, and return what it sends back."""
    told = {**HEADERS, **(changed or {})}
    headers = {name: value for name, value in told.items() if value is not None}
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "method": method, "path": "/mcp", "headers": pairs}
    waiting = list(parts or ({"type": "http.request", "body": b"{}"},))
    sent: list[Message] = []

    async def receive() -> Message:
        if not waiting:
            await anyio.sleep_forever()
        return waiting.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    guard = Guard(behind, Bearer(TOKEN), frozenset({"127.0.0.1:80", "localhost:80"}))
    anyio.run(guard, scope, receive, send)
    return sent


def status(sent: list[Message]) -> int:
    return int(sent[0]["status"])


def test_a_sound_request_passes_whole_and_what_the_server_says_is_not_said_twice() -> None:
    behind = Behind()
    parts = [
        {"type": "http.request", "body": b"{", "more_body": True},
        {"type": "http.request", "body": b"}", "more_body": False},
    ]

    sent = asked(behind, *parts)

    assert (status(sent), behind.bodies) == (200, [b"{}"])
    assert sent[0]["headers"] == [(b"x-own", b"1")]


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({"authorization": None}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"host": "evil.example:80"}, 421),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:80"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-length": "99999999"}, 413),
        ({"content-length": "-1"}, 413),
        ({"content-length": "9" * 5000}, 413),
    ],
)
def test_what_is_wrong_with_a_request_ends_it(changed: Changed, wanted: int) -> None:
    behind = Behind()

    assert status(asked(behind, changed=changed)) == wanted
    assert behind.scopes == []


def test_our_own_origin_and_a_browser_without_a_site_pass() -> None:
    assert status(asked(Behind(), changed={"origin": "http://127.0.0.1:80"})) == 200
    assert status(asked(Behind(), changed={"sec-fetch-site": "none"})) == 200
    assert status(asked(Behind(), changed={"authorization": f"bearer {TOKEN}"})) == 200


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "HEAD", "TRACE", "PATCH", "get"])
def test_other_methods_are_not_served(method: str) -> None:
    assert status(asked(Behind(), method=method)) == 405


def test_a_body_that_grows_too_large_is_not_held() -> None:
    behind = Behind()
    piece = {"type": "http.request", "body": b"x" * (MOST_BODY // 2 + 1), "more_body": True}

    assert status(asked(behind, dict(piece), dict(piece))) == 413
    assert behind.scopes == []


def test_a_body_that_comes_too_slowly_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keyhole.surfaces.http.guard._BODY_SECONDS", 0.05)
    behind = Behind()

    sent = asked(behind, {"type": "http.request", "body": b"{", "more_body": True})

    assert status(sent) == 408
    assert behind.scopes == []


def test_a_client_that_goes_away_half_way_reaches_nobody() -> None:
    behind = Behind()
    half = {"type": "http.request", "body": b"{", "more_body": True}

    assert status(asked(behind, half, {"type": "http.disconnect"})) == 400
    assert behind.scopes == []


def test_a_web_socket_is_closed_and_the_start_goes_through() -> None:
    behind = Behind()

    assert asked(behind, kind="websocket") == [{"type": "websocket.close", "code": 1008}]
    assert asked(behind, kind="lifespan") == []
    assert behind.scopes == ["lifespan"]
