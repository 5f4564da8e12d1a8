"""Who gets in: forged requests of every kind, and the headers of every answer."""

import pytest

from keyhole.surfaces.web.door import POLICY
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


def test_a_websocket_is_not_taken(served: Served) -> None:
    headers = without(served.good, "Content-Type", Upgrade="websocket", Connection="Upgrade")
    headers |= {"Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==", "Sec-WebSocket-Version": "13"}

    status, found, _ = served.ask("/events2", headers)

    assert status == 404
    assert {name: found.get(name) for name in SECURE} == SECURE


def test_a_body_over_the_limit_is_not_read(served: Served) -> None:
    headers = {**served.good, "Content-Length": str(4 * 1024 * 1024 + 1)}

    assert served.ask(UNDO, headers, "POST")[0] == 413
