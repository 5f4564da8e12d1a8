"""Serve the review page on this machine: sign-in, application, export into one file."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import socket
import sys
import time
import webbrowser
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import ExitStack, suppress
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
from keyhole.engine.preferences import forwarded_at
from keyhole.fastclasses import dataclass, replace
from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.http.announced import ADDRESS, announced
from keyhole.surfaces.http.guard import Guard
from keyhole.surfaces.http.kept import KNOWN_SECONDS
from keyhole.surfaces.http.serving import hosts_at, listening_at, run_all, token_in
from keyhole.surfaces.pages.frame import moment
from keyhole.surfaces.pages.html import Html, attribute, join, link, tag
from keyhole.surfaces.web.assets import TYPES, asset
from keyhole.surfaces.web.page_frame import document, empty, mark
from keyhole.surfaces.web.page_frame import page as page_of
from keyhole.surfaces.web.pages.tasks import task_diff, task_head
from keyhole.surfaces.web.pages.timeline import days
from keyhole.surfaces.web.pages.transaction import transaction_body
from keyhole.surfaces.web.pages.undoing import refusal
from keyhole.surfaces.web.review import ReviewSite
from keyhole.surfaces.web.routes import ACTS, PAGES, Act, Show, task_diff_of
from keyhole.surfaces.web.sign_in import ENTER, SignIn, port_of

_BEAT, _SILENCE = 0.25, 15.0


def app_of(site: ReviewSite, door: SignIn, told: Callable[[], None]) -> Starlette:
    """Return the application; `told` is called when a code was used up and there is a new one."""
    return Starlette(
        routes=[
            Route(f"{ENTER}{{code}}", _enter(door, told)),
            Route("/assets/{name}", _asset),
            Route("/events", _events(site)),
            *(Route(path, _shown(site, door, show)) for path, show in PAGES.items()),
            *(Route(path, _done(site, door, act), methods=["POST"]) for path, act in ACTS.items()),
        ],
        exception_handlers={404: _nowhere(site)},
    )


def _enter(door: SignIn, told: Callable[[], None]) -> Callable[[Request], Response]:
    def enter(request: Request) -> Response:
        if door.enter(request.path_params["code"]):
            told()
        elif not door.knows(request.headers):
            return Response("this code was used before\n", 401, media_type="text/plain")
        answer = RedirectResponse("/", 303)
        _known_at(answer, door.cookies.items())
        return answer

    return enter


def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in TYPES:
        return Response("there is no such file\n", 404, media_type="text/plain")
    return Response(asset(name), headers={"content-type": TYPES[name]})


def _shown(site: ReviewSite, door: SignIn, show: Show) -> Callable[[Request], Response]:
    """Return the handler of a page; a refusal is a page too."""

    def handle(request: Request) -> Response:
        words = {**request.query_params, **request.path_params}
        try:
            answer = _html(show(site, words))
        except Refused as refused:
            frame = site.frame()
            told = [refusal(frame, each) for each in refused.refusals]
            answer = _html(page_of(frame, "Not found", tag("h1", "Not found"), *told), 404)
        if door.knows(request.headers):
            others = door.others.items()
            _known_at(answer, [each for each in others if request.cookies.get(each[0]) != each[1]])
        return answer

    return handle


def _nowhere(site: ReviewSite) -> Callable[[Request, Exception], Response]:
    """Return the handler of addresses that are no page's."""

    def handle(request: Request, _: Exception) -> Response:
        said = f"There is no page at {request.url.path}."
        back = tag("p", link("/", "To the timeline"))
        return _html(
            page_of(site.frame(), "Not found", tag("h1", "Not found"), tag("p", said), back), 404
        )

    return handle


def _known_at(answer: Response, sessions: Iterable[tuple[str, str]]) -> None:
    """Let a browser be known at the pages of these sessions."""
    for name, session in sessions:
        answer.set_cookie(name, session, KNOWN_SECONDS, httponly=True, samesite="strict", path="/")


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
# So many ports behind that of a workspace are tried before any that is free.
_NEAR = 10


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


@dataclass(frozen=True, slots=True)
class Wanted:
    """How pages are served: the port, a name that requests may call us by, the editor of links."""

    actor: str
    port: int | None = None
    host_name: str = ""
    editor: str = ""
    browse: bool = True


@dataclass(frozen=True, slots=True)
class _Served:
    """One workspace that is being served."""

    site: ReviewSite
    door: SignIn
    listening: socket.socket
    address: str

    @property
    def name(self) -> str:
        return Path(self.site.engine.root).name or self.site.engine.root

    def told(self) -> None:
        """Say how the next browser gets in."""
        sys.stderr.write(f"for another browser: {self.address}{self.door.way_in}\n")
        sys.stderr.flush()


def serve(engines: Sequence[Engine], wanted: Wanted) -> int:
    """Serve the page of each workspace until the process is told to stop."""
    for engine in engines:
        engine.checkpoints.observe()
    pages = [_served(engine, wanted, first=not at) for at, engine in enumerate(engines)]
    for page in pages:
        others = [each for each in pages if each is not page]
        page.site.others = tuple((each.name, each.address) for each in others)
        page.door.others = {each.door.cookie: each.door.session for each in others}
    for page in pages:
        way = f"{page.address}{page.door.way_in}"
        sys.stderr.write(f"reviewing {page.site.engine.root} at {way}\n")
    sys.stderr.flush()
    if wanted.browse:
        webbrowser.open(f"{pages[0].address}{pages[0].door.way_in}")
    with ExitStack() as known:
        for page in pages:
            path = page.site.engine.review.private(ADDRESS)
            known.enter_context(announced(path, page.address))
        run_all([(_guarded(page, wanted), page.listening) for page in pages], patience=1)
    return 0


def _served(engine: Engine, wanted: Wanted, *, first: bool) -> _Served:
    home = settings.load(Path(engine.root)).state_home / "keyhole"
    listening = _listening(engine.root, wanted.port if first else None)
    port = listening.getsockname()[1]
    kept = engine.review.private("review-session.json")
    door = SignIn(port, token_in(home / "review-token"), kept, engine.root)
    site = ReviewSite(engine, wanted.actor, door.csrf, wanted.editor)
    name = wanted.host_name if first else ""
    named = f"https://{name}" if name else forwarded_at(port)
    return _Served(site, door, listening, named or f"http://{_HOST}:{port}")


def _listening(root: str, port: int | None) -> socket.socket:
    """Return a socket at the port that is named, else at that of the root, or near it."""
    if port is not None:
        return listening_at(_HOST, port)
    for near in range(_NEAR):
        with suppress(Refused):
            return listening_at(_HOST, port_of(root) + near)
    return listening_at(_HOST, 0)


def _guarded(page: _Served, wanted: Wanted) -> Guard:
    port = page.listening.getsockname()[1]
    names = {page.address.partition("://")[2], *filter(None, [wanted.host_name])}
    named = frozenset(names) - hosts_at(port)
    app = app_of(page.site, page.door, page.told)
    return Guard(app, page.door, hosts_at(port), named)


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
