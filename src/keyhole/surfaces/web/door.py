"""The door of the review page: a one-time code becomes a cookie, and only that opens pages."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

from keyhole.surfaces.http.guard import Denied, bears

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
