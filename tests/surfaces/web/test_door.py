"""Who gets in: forged requests of every kind, and the headers of every answer."""

import asyncio
import gc
import secrets
import socket
import sys
from collections import Counter
from collections.abc import Mapping

import pytest

from keyhole.surfaces.http.guard import Denied, Guard, Message
from keyhole.surfaces.http.serving import hosts_at
from keyhole.surfaces.web.review import ReviewSite
from keyhole.surfaces.web.serving import app_of
from keyhole.surfaces.web.sign_in import POLICY, SignIn
from tests.surfaces.web.stage import TOKEN, Served, Stage

SECURE = {
    "cache-control": "no-store",
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
ROUTES = ["/", "/tx/1", "/undo?id=1", "/events", "/assets/review.js", "/nowhere"]
UNDO = "/api/undo"


def without(headers: dict[str, str], *names: str, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in headers.items() if name not in names}
    return {**kept, **{name.replace("_", "-"): value for name, value in more.items()}}


@pytest.mark.parametrize("path", ROUTES)
def test_no_route_opens_without_the_cookie(served: Served, path: str) -> None:
    status, headers, _ = served.ask(path, {"Host": f"127.0.0.1:{served.port}"})

    assert status == 401
    assert {name: headers.get(name) for name in SECURE} == SECURE


@pytest.mark.parametrize("path", ["/", "/tx/1", "/assets/review.css", "/nowhere", "/tx/%00"])
def test_every_answer_carries_the_headers(served: Served, path: str) -> None:
    _, headers, _ = served.ask(path)

    assert {name: headers.get(name) for name in SECURE} == SECURE
    assert "access-control-allow-origin" not in headers


FORGERIES: dict[str, tuple[dict[str, str], tuple[str, ...], int]] = {
    "another host": ({"Host": "evil.example"}, (), 421),
    "a rebound name with our port": ({"Host": "evil.example:{port}"}, (), 421),
    "no port": ({"Host": "127.0.0.1"}, (), 421),
    "another port": ({"Host": "127.0.0.1:1"}, (), 421),
    "a host with a path": ({"Host": "127.0.0.1:{port}/"}, (), 421),
    "an empty host": ({"Host": ""}, (), 421),
    "another origin": ({"Origin": "http://evil.example"}, (), 403),
    "the null origin": ({"Origin": "null"}, (), 403),
    "an empty origin": ({"Origin": ""}, (), 403),
    "https of us": ({"Origin": "https://127.0.0.1:{port}"}, (), 403),
    "our other name as origin": ({"Origin": "http://localhost:{port}"}, (), 403),
    "a neighbouring port": ({"Origin": "http://127.0.0.1:{port}0"}, (), 403),
    "another site without origin": ({"Sec-Fetch-Site": "cross-site"}, ("Origin",), 403),
    "the same site on another port": ({"Sec-Fetch-Site": "same-site"}, ("Origin",), 403),
    "a form on another port": (
        {
            "Sec-Fetch-Site": "same-site",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "document",
        },
        ("Origin",),
        403,
    ),
    "no cookie": ({}, ("Cookie",), 401),
    "an empty cookie": ({"Cookie": "{cookie}="}, (), 401),
    "a short cookie": ({"Cookie": "{cookie}=abc"}, (), 401),
    "the cookie of another port": ({"Cookie": "keyhole-1={session}"}, (), 401),
    "the session under no name": ({"Cookie": "{session}"}, (), 401),
    "a wrong token": ({"Authorization": "Bearer x"}, ("Cookie",), 401),
    "a short token": ({"Authorization": "Bearer ttt"}, ("Cookie",), 401),
    "the session as token": ({"Authorization": "Bearer {session}"}, ("Cookie",), 401),
    "the token as another scheme": ({"Authorization": "Basic {token}"}, ("Cookie",), 401),
    "no csrf token": ({}, ("X-Keyhole-Csrf",), 403),
    "an empty csrf token": ({"X-Keyhole-Csrf": ""}, (), 403),
    "a wrong csrf token": ({"X-Keyhole-Csrf": "abc"}, (), 403),
    "the session as csrf token": ({"X-Keyhole-Csrf": "{session}"}, (), 403),
    "a form": ({"Content-Type": "application/x-www-form-urlencoded"}, (), 415),
    "an upload": ({"Content-Type": "multipart/form-data; boundary=x"}, (), 415),
    "plain text": ({"Content-Type": "text/plain"}, (), 415),
    "no content type": ({}, ("Content-Type",), 415),
    "a type that begins like JSON": ({"Content-Type": "application/jsonx"}, (), 415),
    "a type that ends like JSON": ({"Content-Type": "text/application/json"}, (), 415),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_undo_is_turned_away(stage: Stage, name: str, served: Served) -> None:
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("one", "two"))
    changes, dropped, wanted = FORGERIES[name]
    door = served.door
    known = {"port": served.port, "cookie": door.cookie, "session": door.session, "token": TOKEN}
    spelt = {key: value.format(**known) for key, value in changes.items()}
    headers = {**without(served.good, *dropped), **spelt}

    status, found, _ = served.ask(UNDO, headers, "POST", {"id": "1", "shown": "x"})

    assert status == wanted
    assert {name: found.get(name) for name in SECURE} == SECURE
    assert stage.read("a.txt") == "two\n"


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_but_a_post_changes_anything(served: Served, method: str) -> None:
    status, headers, _ = served.ask(UNDO, method=method, body={"id": "1"})

    assert status == 405
    assert {name: headers.get(name) for name in SECURE} == SECURE


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("", 400),
        ("{", 400),
        ("[]", 400),
        ({}, 409),
        ({"id": "1"}, 409),
        ({"id": "1", "shown": ""}, 409),
        ({"id": "1", "shown": "0" * 64}, 409),
        ({"id": 1, "shown": "x"}, 409),
        ({"id": "1", "edit": "x", "shown": "x"}, 409),
        ("[" * 100_000, 400),
    ],
)
def test_a_body_that_says_nothing_sound_changes_nothing(
    stage: Stage, served: Served, body: object, status: int
) -> None:
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("one", "two"))

    assert served.ask(UNDO, method="POST", body=body)[0] == status
    assert stage.read("a.txt") == "two\n"


def test_the_seal_of_another_transaction_opens_nothing(stage: Stage, served: Served) -> None:
    stage.write("a.txt", "one\n")
    stage.write("b.txt", "one\n")
    stage.edit("a.txt", ("one", "two"))
    stage.edit("b.txt", ("one", "two"))
    page = served.ask("/undo?id=1")[2]
    seal = page.partition("&quot;shown&quot;: &quot;")[2][:64]

    status, said = served.post(UNDO, {"id": "2", "shown": seal})

    assert (status, said["codes"]) == (409, ["stale"])
    assert served.post(UNDO, {"id": "1", "shown": seal})[0] == 200
    assert (stage.read("a.txt"), stage.read("b.txt")) == ("one\n", "two\n")


def test_a_code_lets_one_browser_in_once(served: Served) -> None:
    way_in, host = served.door.way_in, {"Host": f"127.0.0.1:{served.port}"}

    status, headers, _ = served.ask(way_in, host)
    again = served.ask(way_in, host)[0]

    assert (status, headers["location"], again) == (303, "/", 401)
    cookie = headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert served.told == [served.door.way_in] != [way_in]


def test_a_program_with_the_token_may_read(served: Served) -> None:
    headers = {"Host": f"localhost:{served.port}", "Authorization": f"Bearer {TOKEN}"}

    assert served.ask("/", headers)[0] == 200
    assert served.ask(f"/?token={TOKEN}", without(headers, "Authorization"))[0] == 401
    used = served.ask("/enter/used", headers)
    assert (used[0], used[2], "set-cookie" in used[1]) == (
        401,
        "this code was used before\n",
        False,
    )


def test_a_websocket_is_not_taken(served: Served) -> None:
    headers = without(served.good, "Content-Type", Upgrade="websocket", Connection="Upgrade")
    headers |= {"Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==", "Sec-WebSocket-Version": "13"}

    status, found, _ = served.ask("/events2", headers)

    assert status == 404
    assert {name: found.get(name) for name in SECURE} == SECURE


def test_a_body_over_the_limit_is_not_read(served: Served) -> None:
    headers = {**served.good, "Content-Length": str(4 * 1024 * 1024 + 1)}

    assert served.ask(UNDO, headers, "POST")[0] == 413


def slow_post(served: Served, headers: dict[str, str]) -> socket.socket:
    """Begin to post a body and say no more than its first byte."""
    lines = [f"{name}: {value}" for name, value in {**headers, "Content-Length": "100"}.items()]
    connection = socket.create_connection(("127.0.0.1", served.port), timeout=120)
    connection.sendall("\r\n".join([f"POST {UNDO} HTTP/1.1", *lines, "", "{"]).encode())
    return connection


def heard(connection: socket.socket) -> tuple[int, list[str]]:
    """Return the status and the headers of what is said before the connection ends."""
    with connection:
        said = b""
        while got := connection.recv(65536):
            said += got
    first, *lines = said.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    names = [line.partition(":")[0].lower() for line in lines]
    return int(first.split(" ")[1]), [name for name in SECURE if names.count(name) != 1]


def test_bodies_that_drip_are_cut_off_while_others_are_served(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.surfaces.http.guard._BODY_SECONDS", 1.0)
    slow = [slow_post(served, served.good) for _ in range(40)]

    others = [served.ask("/tasks")[0] for _ in range(10)]

    assert others == [200] * 10
    assert [heard(connection) for connection in slow] == [(408, [])] * 40


def test_the_body_of_a_stranger_is_not_waited_for(served: Served) -> None:
    strangers = [slow_post(served, without(served.good, "Cookie")) for _ in range(50)]

    assert [heard(connection) for connection in strangers] == [(401, [])] * 50


class Knocking:
    """Requests to the guarded application without a socket between, as many as one likes."""

    def __init__(self, stage: Stage, door: SignIn) -> None:
        app = app_of(ReviewSite(stage.engine, "tester", door.csrf), door, lambda: None)
        self.guard = Guard(app, door, hosts_at(80))
        self.counts: Counter[int] = Counter()

    async def at(self, path: str, **headers: str) -> None:
        pairs = {"host": "127.0.0.1:80", **headers}
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "root_path": "",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in pairs.items()],
        }
        await self.guard(scope, self._nothing, self._answer)

    async def all(self, door: SignIn, times: int) -> None:
        """Try as many codes, cookies and tokens, all of the right length and all wrong."""
        for _ in range(times // 4):
            wrong = secrets.token_urlsafe(32)
            await self.at(f"/enter/{wrong}")
            await self.at("/", cookie=f"{door.cookie}={wrong}")
            await self.at("/", cookie=f"{door.cookie}={door.session[:-1]}; {wrong}={wrong}")
            await self.at("/", authorization=f"Bearer {wrong}")

    async def _nothing(self) -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def _answer(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.counts[message["status"]] += 1


def knocked(stage: Stage, door: SignIn, times: int) -> tuple[Counter[int], int]:
    """Return what strangers were told, and how many more objects are kept than before."""
    knocking = Knocking(stage, door)
    asyncio.run(knocking.all(door, 400))
    gc.collect()
    before = sys.getallocatedblocks()
    asyncio.run(knocking.all(door, times))
    gc.collect()
    return knocking.counts, sys.getallocatedblocks() - before


STRANGERS = 100_000


def test_a_hundred_thousand_strangers_are_turned_away_and_forgotten(stage: Stage) -> None:
    counts, grown = knocked(stage, SignIn(80, TOKEN), STRANGERS)

    assert counts == {401: STRANGERS + 400}
    assert grown < 1_000


class Hoarder(SignIn):
    """A door that remembers every stranger."""

    def __init__(self) -> None:
        super().__init__(80, TOKEN)
        self.seen: list[Mapping[str, str]] = []

    def stranger(self, path: str, headers: Mapping[str, str]) -> Denied | None:
        self.seen.append(headers)
        return super().stranger(path, headers)


def test_a_door_that_remembers_strangers_is_found_out(stage: Stage) -> None:
    _, grown = knocked(stage, Hoarder(), 4_000)

    assert grown > 8_000


def test_a_thousand_strangers_at_the_real_door_get_nowhere(served: Served) -> None:
    host = {"Host": f"127.0.0.1:{served.port}"}
    tried = [
        {**host, "Cookie": f"{served.door.cookie}={secrets.token_urlsafe(32)}"} for _ in range(500)
    ]
    answers = Counter(served.ask("/", headers)[0] for headers in tried)
    codes = [f"/enter/{secrets.token_urlsafe(32)}" for _ in range(500)]
    answers += Counter(served.ask(code, host)[0] for code in codes)

    assert answers == {401: 1000}
    assert served.ask(served.door.way_in, host)[0] == 303
