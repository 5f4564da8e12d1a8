"""Serve the review page on this machine: sign-in, application, export into one file."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import sys
import time
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from http.cookies import CookieError, SimpleCookie
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from keyhole.answers.history import PastTransaction
from keyhole.answers.receipt import Receipt
from keyhole.engine import settings
from keyhole.engine.facade import Engine
from keyhole.engine.history.timeline import Filter, Page
from keyhole.fastclasses import replace
from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.http.guard import Denied, Guard, bears
from keyhole.surfaces.http.serving import hosts_at, listening_at, run, token_in
from keyhole.surfaces.web.assets import TYPES, asset
from keyhole.surfaces.web.html import Html, attribute, join, tag
from keyhole.surfaces.web.page_frame import document, empty, mark, moment
from keyhole.surfaces.web.page_frame import page as page_of
from keyhole.surfaces.web.pages.tasks import task_diff, task_head
from keyhole.surfaces.web.pages.timeline import days
from keyhole.surfaces.web.pages.transaction import transaction_body
from keyhole.surfaces.web.pages.undoing import refusal
from keyhole.surfaces.web.review import ReviewSite
from keyhole.surfaces.web.routes import ACTS, PAGES, Act, Show, task_diff_of

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
ENTER = "/enter/"


class SignIn:
    """The keys of one running page; they end with it."""

    policy = POLICY

    def __init__(self, port: int, token: str) -> None:
        # Cookies know no ports: two pages on one machine must not take each other's.
        self.cookie = f"keyhole-{port}"
        self.session = secrets.token_urlsafe(32)
        self.csrf = secrets.token_urlsafe(32)
        self._token = token
        self._code = secrets.token_urlsafe(32)

    @property
    def way_in(self) -> str:
        """Return the path that lets one browser in, once."""
        return f"{ENTER}{self._code}"

    def enter(self, code: str) -> bool:
        """Use up the code if it is right."""
        if not _same(code, self._code):
            return False
        self._code = secrets.token_urlsafe(32)
        return True

    def stranger(self, path: str, headers: Mapping[str, str]) -> Denied | None:
        """Refuse whoever has neither the cookie nor the token; the code is looked at inside."""
        if path.startswith(ENTER) and _same(path.removeprefix(ENTER), self._code):
            return None
        if bears(headers, self._token) or _same(self._given(headers), self.session):
            return None
        return Denied(401, "this page opens by the address that `keyhole review` prints, once")

    def forged(self, given: str) -> bool:
        """Tell whether a change was not asked for by a page of ours."""
        return not _same(given, self.csrf)

    def _given(self, headers: Mapping[str, str]) -> str:
        try:
            jar = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return ""
        return jar[self.cookie].value if self.cookie in jar else ""


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode("utf-8"))


_BEAT, _SILENCE = 0.25, 15.0


def app_of(site: ReviewSite, door: SignIn, told: Callable[[], None]) -> Starlette:
    """Return the application; `told` is called when a code was used up and there is a new one."""
    return Starlette(
        routes=[
            Route(f"{ENTER}{{code}}", _enter(door, told)),
            Route("/assets/{name}", _asset),
            Route("/events", _events(site)),
            *(Route(path, _shown(site, show)) for path, show in PAGES.items()),
            *(Route(path, _done(site, door, act), methods=["POST"]) for path, act in ACTS.items()),
        ]
    )


def _enter(door: SignIn, told: Callable[[], None]) -> Callable[[Request], Response]:
    def enter(request: Request) -> Response:
        if not door.enter(request.path_params["code"]):
            return Response("this code was used before\n", 401, media_type="text/plain")
        told()
        answer = RedirectResponse("/", 303)
        answer.set_cookie(door.cookie, door.session, httponly=True, samesite="strict", path="/")
        return answer

    return enter


def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in TYPES:
        return Response("there is no such file\n", 404, media_type="text/plain")
    return Response(asset(name), headers={"content-type": TYPES[name]})


def _shown(site: ReviewSite, show: Show) -> Callable[[Request], Response]:
    """Return the handler of a page; a refusal is a page too."""

    def handle(request: Request) -> Response:
        words = {**request.query_params, **request.path_params}
        try:
            return _html(show(site, words))
        except Refused as refused:
            frame = site.frame()
            told = [refusal(frame, each) for each in refused.refusals]
            return _html(page_of(frame, "Not found", tag("h1", "Not found"), *told), 404)

    return handle


def _html(body: Html, status: int = 200) -> Response:
    return Response(body.encode("utf-8", "replace"), status, media_type="text/html")


def _done(site: ReviewSite, door: SignIn, act: Act) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of a change: asked for by a page of ours, in JSON, answered in JSON."""

    async def handle(request: Request) -> Response:
        if door.forged(request.headers.get("x-keyhole-csrf", "")):
            return JSONResponse({"problem": "this request was not made by the page"}, 403)
        try:
            body = json.loads(await request.body())
        except (ValueError, RecursionError):
            return JSONResponse({"problem": "the body is not JSON"}, 400)
        if not isinstance(body, dict):
            return JSONResponse({"problem": "the body is not a JSON object"}, 400)
        return await run_in_threadpool(_acted, site, act, body)

    return handle


def _acted(site: ReviewSite, act: Act, body: Mapping[str, object]) -> Response:
    try:
        receipt, target = act(site, body)
    except Refused as refused:
        receipt, target = Receipt.refused(refused.refusals), ""
    if receipt.ok:
        return JSONResponse({"ok": True, "to": target})
    said = "; ".join(each.headline for each in receipt.refusals)
    codes = [each.code for each in receipt.refusals]
    return JSONResponse({"ok": False, "problem": said, "codes": codes}, 409)


def _events(site: ReviewSite) -> Callable[[Request], Awaitable[Response]]:
    async def events(request: Request) -> Response:
        return StreamingResponse(_changes(site, request), media_type="text/event-stream")

    return events


async def _changes(site: ReviewSite, request: Request) -> AsyncIterator[str]:
    """Yield an event whenever something was recorded, and now and then a sign of life."""
    known = await run_in_threadpool(site.mark)
    yield f"retry: 1000\nevent: hello\ndata: {known}\n\n"
    silent = 0.0
    while not await request.is_disconnected():
        await asyncio.sleep(_BEAT)
        silent += _BEAT
        mark = await run_in_threadpool(site.mark)
        if mark != known:
            known, silent = mark, 0.0
            yield f"event: change\ndata: {known}\n\n"
        elif silent >= _SILENCE:
            silent = 0.0
            yield ": still here\n\n"


_HOST = "127.0.0.1"


def export(engine: Engine, actor: str, target: str, task: str) -> int:
    """Write the review, or that of one task, into one file."""
    body = exported(ReviewSite(engine, actor), task).encode("utf-8", "replace")
    try:
        Path(target).write_bytes(body)
    except OSError as error:
        headline = f"{target} cannot be written: {error.strerror}"
        raise Refused(Refusal("bad-request", headline, help="name another file")) from None
    sys.stderr.write(f"wrote {target}, {len(body)} bytes\n")
    return 0


def serve(engine: Engine, actor: str, port: int, *, browse: bool) -> int:
    """Serve until the process is told to stop."""
    home = settings.load(Path(engine.root)).state_home / "keyhole"
    listening = listening_at(_HOST, port)
    port = listening.getsockname()[1]
    door = SignIn(port, token_in(home / "review-token"))
    address = f"http://{_HOST}:{port}"

    def told() -> None:
        """Say how the next browser gets in."""
        sys.stderr.write(f"for another browser: {address}{door.way_in}\n")
        sys.stderr.flush()

    sys.stderr.write(f"reviewing {engine.root} at {address}{door.way_in}\n")
    sys.stderr.flush()
    if browse:
        webbrowser.open(f"{address}{door.way_in}")
    app = app_of(ReviewSite(engine, actor, door.csrf), door, told)
    run(Guard(app, door, hosts_at(port)), listening, patience=1)
    return 0


MOST = 500


def exported(site: ReviewSite, task: str = "") -> Html:
    """Return what the page shows of a task, or of the latest transactions, as one document."""
    found = site.past.page(Filter(task=task), size=MOST, seconds=60)
    past = [item.past for item in found.items if item.past]
    held = frozenset(each.entry.id for each in past)
    site = ReviewSite(site.engine, site.actor)
    site.shown = replace(site.frame(), static=True, read_only=True, proposals=0, held=held)
    body = tag(
        "main",
        join(_task(site, task, found)) if task else tag("h1", f"Review of {site.shown.workspace}"),
        tag("div", join(days(site.shown, found.items, site.counter(seconds=60))), class_="items"),
        None if found.items else empty("Nothing has happened here yet."),
        tag("p", f"Only the latest {MOST} are in this file.", class_="hint")
        if found.next
        else None,
        *(_transaction(site, each) for each in past),
    )
    title = f"{task or 'Review'} · {site.shown.workspace}"
    return document(_head(title), tag("body", _bar(site.shown.workspace), body, class_="export"))


def _task(site: ReviewSite, task: str, found: Page) -> Iterator[Html]:
    whole = task_diff_of(site, task, found)
    yield task_head(task, whole.all_files)
    yield from (part for part in task_diff(site.frame(), task, whole) if part)


def _transaction(site: ReviewSite, past: PastTransaction) -> Html:
    inner = transaction_body(site.frame(), past, site.past.compared(past), "split")
    return tag("article", inner, class_="tx", id=f"tx-{past.entry.id}")


def _head(title: str) -> Html:
    style = asset("review.css").decode()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{attribute(policy)}">'),
        tag("title", title),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        Html(f"<style>{style}</style>"),
    )


def _bar(workspace: str) -> Html:
    when = tag("span", "exported ", moment(time.time()), class_="dim when")
    return tag(
        "header", tag("span", mark(), tag("b", workspace), class_="brand"), when, class_="bar"
    )
