"""HTML by construction: text is always escaped, and only what was built here goes out as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, urlencode

Child = object


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


_ESCAPES = {
    ord("&"): "&amp;",
    ord("<"): "&lt;",
    ord(">"): "&gt;",
    ord('"'): "&quot;",
    ord("'"): "&#39;",
}
# Characters that drive a reader or a screen instead of being read; a NUL cannot stand in HTML.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb]"
)
_LONE = re.compile("[\ud800-\udfff]")
_VOID = frozenset({"input", "link", "meta", "br"})


def text(words: str) -> Html:
    """Return text that reads as it is; bytes that are no characters become U+FFFD."""
    said = words.translate(_ESCAPES)
    if said.isascii() and said.isprintable():
        return Html(said)
    return Html(_HIDDEN.sub(_visible, _LONE.sub("\ufffd", said)))


def _visible(found: re.Match[str]) -> str:
    """Return a character that hides itself beside its number, so that nobody is deceived."""
    character = found.group()
    inner = "\ufffd" if character == "\x00" or "\x7f" <= character <= "\x9f" else character
    return f'<span class="ctl" data-code="U+{ord(character):04X}">{inner}</span>'


def attribute(value: str) -> str:
    """Return text as it stands between the quotes of an attribute."""
    return _LONE.sub("\ufffd", value.translate(_ESCAPES)).replace("\x00", "\ufffd")


def tag(name: str, /, *children: Child, **attributes: str | int | bool | None) -> Html:
    """Return an element; `class_` is class, `data_x` is data-x; None and False are left out."""
    words = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        spelling = key.rstrip("_").replace("_", "-")
        words.append(spelling if value is True else f'{spelling}="{attribute(str(value))}"')
    head = " ".join(words)
    return Html(f"<{head}>" if name in _VOID else f"<{head}>{join(children)}</{name}>")


def join(children: Iterable[Child]) -> Html:
    """Return children one after the other: HTML as it is, None as nothing, all else as text."""
    return Html("".join(_said(child) for child in children))


def _said(child: Child) -> str:
    if isinstance(child, Html):
        return child
    if child is None:
        return ""
    if isinstance(child, list | tuple):
        return join(child)
    return text(str(child))


def link(target: str, /, *children: Child, **attributes: str | int | bool | None) -> Html:
    """Return a link; without a target, the same words without one."""
    if not target:
        attributes = {key: each for key, each in attributes.items() if key in {"class_", "title"}}
        return tag("span", *children, **attributes)
    return tag("a", *children, href=target, **attributes)


def url(path: str, /, **parameters: object) -> str:
    """Return an address on this site; empty parameters are left out."""
    given = {key: str(each) for key, each in parameters.items() if each not in {"", None}}
    query = f"?{urlencode(given, errors='surrogatepass')}" if given else ""
    return f"{quote(path)}{query}"
