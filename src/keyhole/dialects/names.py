"""File names as patches write them: quoted or not, with `a/` and `b/`, with a date behind them."""

from __future__ import annotations

import re

from keyhole.dialects.refusing import bad_patch

_ESCAPE = re.compile(r'\\([abfnrtv"\\]|[0-7]{3})')
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LETTERS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}


def path_of(written: str, *, prefixed: bool = True) -> str:
    """Return the path a header names; the workspace decides later whether it may be used."""
    name = written.rstrip("\r")
    name = _unquoted(name) if name.startswith('"') else name.split("\t", 1)[0].rstrip(" ")
    if _CONTROL.search(name):
        raise bad_patch(f"the file name {name!a} holds control characters", "name a file plainly")
    if name == "/dev/null":
        return name
    return name[2:] if prefixed and name[:2] in {"a/", "b/"} else name


def _unquoted(name: str) -> str:
    end = re.match(r'"((?:[^"\\]++|\\.)*+)"', name)
    if not end:
        raise bad_patch("a quoted file name has no end", "close the quotation mark")
    out = bytearray()
    at = 0
    body = end[1]
    for escape in _ESCAPE.finditer(body):
        out += body[at : escape.start()].encode()
        code = escape[1]
        out.append(int(code, 8) & 0xFF if len(code) == 3 else _LETTERS[code])
        at = escape.end()
    out += body[at:].encode()
    return out.decode("utf-8", "surrogateescape")
