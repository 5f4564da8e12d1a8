"""The guard of an HTTP door: it checks every request before the application sees it.

A web page in the user's browser can reach every port of this machine. So every request must show
that it is known, the Host must be ours by name, and nothing another site makes a browser send
passes.
"""

from __future__ import annotations

import asyncio
import hmac
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Protocol

from keyhole.fastclasses import dataclass, field

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

MOST_BODY = 4 * 1024 * 1024
# A stream stays open as long as its client listens; a call is at work.
MOST_SERVED = {"calls": 64, "streams": 192}
_BODY_SECONDS = 30.0
_METHODS = ("GET", "POST", "DELETE")
_ONCE = ("host", "origin", "authorization", "cookie", "content-type")
_ALWAYS = (
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
)


@dataclass(frozen=True, slots=True)
class Denied:
    """Why a request goes no further: a status, and a line for whoever reads the log."""

    status: int
    why: str
    # The same as a page, for a browser.
    page: str = ""


class DoorRules(Protocol):
    """What one door asks for beyond the host and the origin."""

    @property
    def policy(self) -> str:
        """Return the content security policy of its answers."""

    def stranger(self, path: str, headers: Mapping[str, str]) -> Denied | None:
        """Return why a request is not authorised, or nothing."""


@dataclass(frozen=True, slots=True)
class Bearer:
    """The door of programs: each request carries the token."""

    token: str
    policy: str = "default-src 'none'; frame-ancestors 'none'"

    def stranger(self, path: str, headers: Mapping[str, str]) -> Denied | None:  # noqa: ARG002 - every path alike
        """Refuse a request without the token."""
        if bears(headers, self.token):
            return None
        return Denied(401, "the bearer token is missing or wrong")


def bears(headers: Mapping[str, str], token: str) -> bool:
    """Tell whether a request carries this bearer token, in the same time for every wrong one."""
    scheme, _, given = headers.get("authorization", "").partition(" ")
    same = hmac.compare_digest(given.encode("latin-1"), token.encode("latin-1"))
    return scheme.lower() == "bearer" and same


@dataclass(frozen=True, slots=True)
class Guard:
    """Passes authorised requests that no other site makes on to `app`."""

    app: App
    door: DoorRules
    hosts: frozenset[str]
    # Names under which a proxy with TLS passes requests on.
    forwarded: frozenset[str] = frozenset()
    # How many requests are being served: those that are whole, so that nobody keeps others out with
    # half of one.
    serving: Counter[str] = field(default_factory=Counter, compare=False)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Check one request, and pass it on or answer it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        denied = self._denied(scope) or await self._held(scope, receive, send)
        if denied:
            await _answer(denied, self._plain(send), reads=_reads_pages(scope))

    async def _held(
        self, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> Denied | None:
        """Take the whole body in, within limits, and pass the request on."""
        body = await _body(receive)
        if isinstance(body, Denied):
            return body
        kind = "streams" if scope["method"] == "GET" else "calls"
        if self.serving[kind] >= MOST_SERVED[kind]:
            return Denied(503, f"{MOST_SERVED[kind]} {kind} are served at once; ask again")
        self.serving[kind] += 1
        try:
            await self.app(scope, _replay(body, receive), self._plain(send))
        finally:
            self.serving[kind] -= 1
        return None

    def _denied(self, scope: MutableMapping[str, Any]) -> Denied | None:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        doubled = [name for name in _ONCE if len(headers.get(name, ())) > 1]
        if doubled:
            return Denied(400, f"the header {doubled[0]} is given twice")
        one = {name: values[0] for name, values in headers.items()}
        return (
            self._foreign(one, scope["method"])
            or self.door.stranger(scope["path"], one)
            or _unfit(scope["method"], one)
        )

    def _foreign(self, headers: dict[str, str], method: str) -> Denied | None:
        """Refuse what was sent to another name, or by a page of another origin.

        A link on another page of this machine may lead here: that page sees nothing of the answer.
        """
        host = headers.get("host", "")
        if host not in self.hosts and host not in self.forwarded:
            return Denied(421, "this host is not served here")
        origin = headers.get("origin")
        known = {f"http://{host}", *([f"https://{host}"] if host in self.forwarded else [])}
        if origin is not None and origin not in known:
            return Denied(403, "this origin may not ask")
        site = headers.get("sec-fetch-site", "none")
        own = {"same-origin", "none", *(["same-site"] if _is_link(method, headers) else [])}
        if origin is None and site not in own:
            return Denied(403, "another site may not ask")
        return None

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """Return the headers of every answer, also of those that the server gives by itself."""
        return (*_ALWAYS, ("content-security-policy", self.door.policy))

    def _plain(self, send: Send) -> Send:
        """Return a `send` that drops the headers which the server adds by itself."""
        own = {name.encode("latin-1") for name, _ in self.headers}

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message.get("headers", ())
                message["headers"] = [pair for pair in given if pair[0].lower() not in own]
            await send(message)

        return tell


def _is_link(method: str, headers: dict[str, str]) -> bool:
    """Tell whether a browser shows the answer in a tab of its own."""
    how = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    return method == "GET" and how == ("navigate", "document")


def _unfit(method: str, headers: dict[str, str]) -> Denied | None:
    if method not in _METHODS:
        return Denied(405, f"{', '.join(_METHODS)} are served here")
    media = headers.get("content-type", "").partition(";")[0].strip().lower()
    if method == "POST" and media != "application/json":
        return Denied(415, "a call is application/json")
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length[:20]) > MOST_BODY:
        return Denied(413, f"a call has at most {MOST_BODY} bytes")
    return None


async def _body(receive: Receive) -> bytes | Denied:
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            return await _all_of(receive)
    except TimeoutError:
        return Denied(408, "the body took too long")


async def _all_of(receive: Receive) -> bytes | Denied:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return Denied(400, "the client went away")
        body += message.get("body", b"")
        if len(body) > MOST_BODY:
            return Denied(413, f"a call has at most {MOST_BODY} bytes")
        if not message.get("more_body"):
            return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once, then whatever else comes."""
    waiting = [body]

    async def again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again


def _reads_pages(scope: MutableMapping[str, Any]) -> bool:
    """Tell whether a request is that of a browser which shows its answer."""
    accepted = (value for name, value in scope["headers"] if name.lower() == b"accept")
    return any(b"text/html" in value for value in accepted)


async def _answer(denied: Denied, send: Send, *, reads: bool) -> None:
    is_page = bool(reads and denied.page)
    body = denied.page.encode() if is_page else f"{denied.why}\n".encode()
    media = b"text/html" if is_page else b"text/plain"
    headers = [(b"content-type", media + b"; charset=utf-8"), (b"connection", b"close")]
    headers.append((b"content-length", str(len(body)).encode()))
    if denied.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": denied.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
