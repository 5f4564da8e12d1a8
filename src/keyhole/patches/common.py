"""What patch formats share: file names as patches write them, lines, refusals by line."""

from __future__ import annotations

import re

from keyhole.refusals import Refusal, Refused


def lines_of(text: str, own: re.Pattern[str]) -> list[str]:
    r"""Return the lines of a patch; `own` matches lines of the format itself.

    If these end with `\r` too, the patch was converted as a whole, and no `\r` is a file's.
    """
    lines = text.split("\n")
    if "\r" not in text:
        return lines
    marks = [line for line in lines if own.match(line)]
    if all(line.endswith("\r") for line in marks):
        return [line.removesuffix("\r") for line in lines]
    return lines


MOST_OPERATIONS = 10_000


def bad_patch(headline: str, help_line: str) -> Refused:
    """Return the refusal, to be raised."""
    return Refused(Refusal("bad-patch", headline, help=help_line))


def check_count(count: int) -> None:
    """Refuse a patch with too many hunks as soon as that is known; the rest is not read."""
    if count > MOST_OPERATIONS:
        headline = f"the patch has more than {MOST_OPERATIONS} hunks"
        raise Refused(Refusal("too-large", headline, help="send it in parts"))


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
