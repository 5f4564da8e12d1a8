"""The application of the review page: who is let in, pages, changes, and the stream of news."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from keyhole.receipts import Receipt
from keyhole.refusals import Refused
from keyhole.surfaces.web.assets import TYPES, asset
from keyhole.surfaces.web.door import ENTER, SignIn
from keyhole.surfaces.web.frame import page as page_of
from keyhole.surfaces.web.html import Html, tag
from keyhole.surfaces.web.pages.undoing import refusal
from keyhole.surfaces.web.routes import ACTS, PAGES, Act, Show
from keyhole.surfaces.web.site import ReviewSite

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
