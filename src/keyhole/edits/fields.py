"""The fields of an operation, checked one by one and refused by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NoReturn, TypeGuard

from keyhole.phrases import ArgumentName, say
from keyhole.refusals import Refusal, Refused

# Numbers have at most twelve digits: no file has more lines, and none is too long to be said.
_LARGEST = 10**12
_SURROGATE = re.compile("[\ud800-\udfff]")
# In a path, half a pair from this range left out stands for a byte of a name that is no text.
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


def bad(name: str, what: str, help_line: str = "") -> NoReturn:
    """Refuse a field by its name."""
    headline = say("{} {}", ArgumentName(name), what)
    raise Refused(Refusal("bad-request", headline, help=help_line, data={"field": name}))


def unknown_field(name: str, known: Sequence[str]) -> Refusal:
    """Return the refusal of a field that no edit has, with the one it may be meant for."""
    from keyhole.text.align import most_alike

    close = [known[index] for index, _ in most_alike(name, known, 0.5, 1)]
    hint = f"did you mean `{close[0]}`? " if close else ""
    return Refusal(
        "bad-request",
        f"unknown field `{name}`",
        help=f"{hint}an edit has {', '.join(known)}",
        suggestions=tuple(close),
        data={"field": name},
    )


def check_text(name: str, value: object) -> None:
    """Refuse what is not text, or is none where some is needed, or cannot be written."""
    if value is None:
        return
    if not isinstance(value, str):
        bad(name, f"is {type(value).__name__}; it is text")
    if name in {"find", "until", "pattern", "segment", "accept"} and not value:
        bad(
            name,
            "is empty",
            _EMPTY_HELP.get(name) or say("leave {} out, or give it a value", ArgumentName(name)),
        )
    if value.isascii():
        return
    if found := (_NO_BYTE if name == "path" else _SURROGATE).search(value):
        at = f"U+{ord(found.group()):04X} at character {found.start()}"
        bad(name, f"holds half of a surrogate pair, {at}", "send the character as one code point")


_EMPTY_HELP = {
    "find": say(
        "quote the text to find; to add to the file, leave {find} out and append or prepend"
    ),
}


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is none of the choices."""
    if value not in choices:
        bad(name, f"is {said(value)}; it is one of {', '.join(choices)}")


def said(value: object) -> str:
    """Return a value as a headline can hold it."""
    if isinstance(value, int) and not -_LARGEST < value < _LARGEST:
        return "a number with too many digits"
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:80]}..."


def is_number(value: object) -> TypeGuard[int]:
    """Tell whether a value is a number that a file could have."""
    return type(value) is int and -_LARGEST < value < _LARGEST
