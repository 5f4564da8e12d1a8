"""Who is let in, and who still is after a restart."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from keyhole.surfaces.http.kept import KNOWN_SECONDS
from keyhole.surfaces.web.sign_in import ENTER, SignIn, port_of
from tests.surfaces.web.stage import TOKEN, Served


def test_a_known_browser_is_let_in_with_an_old_link(served: Served) -> None:
    old = served.door.way_in
    host = {"Host": f"127.0.0.1:{served.port}"}
    assert served.ask(old, host)[0] == 303
    known = {**host, "Cookie": f"{served.door.cookie}={served.door.session}"}

    assert served.ask(old, host)[0] == 401
    status, headers, _ = served.ask(old, known)
    assert (status, headers["location"]) == (303, "/")
    assert f"Max-Age={KNOWN_SECONDS}" in headers["set-cookie"]


@pytest.mark.parametrize(
    ("site", "shown_in", "status"),
    [
        ("same-site", "document", 200),
        ("same-site", "iframe", 403),
        ("same-site", "empty", 403),
        ("cross-site", "document", 403),
    ],
)
def test_a_link_on_this_machine_leads_to_a_page_and_no_frame_does(
    served: Served, site: str, shown_in: str, status: int
) -> None:
    mode = "no-cors" if shown_in == "empty" else "navigate"
    sent = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": shown_in}
    headers = {name: value for name, value in served.good.items() if name != "Origin"}

    assert served.ask("/", {**headers, **sent})[0] == status


def test_a_browser_that_one_page_knows_is_known_at_the_others(served: Served) -> None:
    served.door.others = {"keyhole-1": "s" * 43}
    ours = served.good["Cookie"]

    assert served.ask("/")[1]["set-cookie"].startswith(f"keyhole-1={'s' * 43}; HttpOnly")
    both = {**served.good, "Cookie": f"{ours}; keyhole-1={'s' * 43}"}
    assert "set-cookie" not in served.ask("/", both)[1]
    token = {"Host": served.good["Host"], "Authorization": f"Bearer {TOKEN}"}
    assert served.ask("/", token)[0] == 200
    assert "set-cookie" not in served.ask("/", token)[1]


def test_cookies_of_other_programs_on_this_machine_lock_nobody_out(served: Served) -> None:
    cookies = f"path=/; a:b=1; {served.good['Cookie']}; [=]; alone"

    assert served.ask("/", {**served.good, "Cookie": cookies})[0] == 200


def test_a_stranger_sees_a_page_that_says_what_to_run(served: Served) -> None:
    host = {"Host": f"127.0.0.1:{served.port}"}
    status, headers, page = served.ask("/", {**host, "Accept": "text/html,*/*"})

    assert (status, headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert "keyhole review" in page
    assert served.ask("/assets/review.css", host)[0] == 200
    assert served.ask("/assets/review.js", host)[0] == 401
    assert "<" not in served.ask("/", host)[2]


def test_a_session_survives_a_restart_and_ends_after_its_time(tmp_path: Path) -> None:
    kept = tmp_path / "state" / "session.json"
    first = SignIn(1, TOKEN, kept)
    again = SignIn(1, TOKEN, kept)
    assert (again.session, again.csrf) == (first.session, first.csrf)
    assert again.way_in != first.way_in
    assert kept.stat().st_mode & 0o777 == 0o600

    data = json.loads(kept.read_text(encoding="ascii"))
    old = {**data, "made": time.time() - KNOWN_SECONDS - 1}
    kept.write_text(json.dumps(old), encoding="ascii")
    renewed = SignIn(1, TOKEN, kept)
    assert renewed.session != first.session
    kept.write_text("{", encoding="ascii")
    assert SignIn(1, TOKEN, kept).session != renewed.session


def test_a_session_that_others_can_read_is_not_taken(tmp_path: Path) -> None:
    kept = tmp_path / "session.json"
    first = SignIn(1, TOKEN, kept)
    kept.chmod(0o644)

    assert SignIn(1, TOKEN, kept).session != first.session


def test_the_port_of_a_root_is_always_the_same_and_below_those_of_the_system() -> None:
    roots = [f"/home/me/project{number}" for number in range(200)]
    ports = {port_of(root) for root in roots}

    assert [port_of(root) for root in roots] == [port_of(root) for root in roots]
    assert len(ports) > 190
    assert all(20_000 <= port < 32_000 for port in ports)
    assert not ENTER.endswith("//")
