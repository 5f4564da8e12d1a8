"""Who is let in: a code that works once, and a session that the browser keeps."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import shlex
from collections.abc import Mapping
from pathlib import Path

from keyhole.surfaces.http.guard import Denied, bears
from keyhole.surfaces.http.kept import kept_secret
from keyhole.surfaces.web.page_frame import stranger_page

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
ENTER = "/enter/"
# The first of the ports that workspaces have, and how many there are: below those of the system.
_FIRST_PORT, _PORTS = 20_000, 12_000
_WHY = "this page opens by the address that `keyhole review` prints, once"


def port_of(root: str) -> int:
    """Return the port of a workspace, the same at every start."""
    digest = hashlib.sha256(os.fsencode(root)).digest()
    return _FIRST_PORT + int.from_bytes(digest[:4], "big") % _PORTS


class SignIn:
    """The keys of one page; `kept` is the file in which its session survives a restart."""

    policy = POLICY

    def __init__(self, port: int, token: str, kept: Path | None = None, root: str = "") -> None:
        # Cookies know no ports: two pages on one machine must not take each other's.
        self.cookie = f"keyhole-{port}"
        self.session = kept_secret(kept) if kept else secrets.token_urlsafe(32)
        # Known again after a restart too, so that a page that stayed open goes on.
        self.csrf = _digest(self.session, "csrf")
        self._token = token
        self._root = root
        self._code = secrets.token_urlsafe(32)
        # The sessions of the other workspaces that the same command serves, by their cookies.
        self.others: dict[str, str] = {}

    @property
    def cookies(self) -> dict[str, str]:
        """Return the cookies that a browser gets when it is let in."""
        return {**self.others, self.cookie: self.session}

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

    def knows(self, headers: Mapping[str, str]) -> bool:
        """Tell whether a request comes from a browser that was let in before."""
        return _same(self._given(headers), self.session)

    def stranger(self, path: str, headers: Mapping[str, str]) -> Denied | None:
        """Refuse whoever has neither the cookie nor the token; the code is looked at inside."""
        if path.startswith(ENTER) and _same(path.removeprefix(ENTER), self._code):
            return None
        if path == "/assets/review.css":  # for the page that says how to get in
            return None
        if bears(headers, self._token) or self.knows(headers):
            return None
        command = f"keyhole review --root {shlex.quote(self._root)}" if self._root else ""
        page = stranger_page(Path(self._root).name or self._root, command or "keyhole review")
        return Denied(401, _WHY, page.encode("utf-8", "replace").decode())

    def forged(self, given: str) -> bool:
        """Tell whether a change was not asked for by a page of ours."""
        return not _same(given, self.csrf)

    def _given(self, headers: Mapping[str, str]) -> str:
        # Other programs on this machine set cookies here, too: what those hold does not matter.
        pairs = (each.partition("=") for each in headers.get("cookie", "").split(";"))
        return {name.strip(): value.strip() for name, _, value in pairs}.get(self.cookie, "")


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode("utf-8"))


def _digest(secret: str, word: str) -> str:
    return hmac.new(secret.encode(), word.encode(), hashlib.sha256).hexdigest()
