"""What the arguments of a Python call must be: a library is called without a type checker, too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from os import PathLike

from keyhole.refusals import Refusal, Refused

_LARGEST = 10**15
_Fits = Callable[[object], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and (value.isascii() or _is_whole(value))


def _is_whole(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def _is_path(value: object) -> bool:
    name = value.__fspath__() if isinstance(value, PathLike) else value
    return isinstance(name, str) and "\0" not in name


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value < _LARGEST


def _is_texts(value: object) -> bool:
    if isinstance(value, str) or not isinstance(value, Collection):
        return False
    return all(isinstance(one, str) for one in value)


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)


def _is_body(value: object) -> bool:
    return isinstance(value, str | bytes)


_KINDS: tuple[tuple[str, _Fits, str], ...] = (
    ("a path", _is_path, "root path move_to"),
    ("true or false", _is_flag, "read_only delete allow_shrink numbered regex"),
    ("a whole number from 0", _is_number, "depth context limit edit"),
    ("a collection of texts", _is_texts, "kinds tool_sets"),
    ("an object", _is_object, "variables arguments"),
    ("text or bytes", _is_body, "patch"),
)
_BY_NAME = {name: (what, fits) for what, fits, names in _KINDS for name in names.split()}


def check(optional: str = "", /, **given: object) -> None:
    """Refuse every argument that is not what its name stands for: text, unless the table says more.

    Those that `optional` names may also be None.
    """
    refusals = []
    for name, value in given.items():
        what, fits = _BY_NAME.get(name, ("text", _is_text))
        if not fits(value) and not (value is None and name in optional.split()):
            headline = f"`{name}` is {ascii(value)[:80]}; it is {what}"
            refusals.append(Refusal("bad-request", headline, data={"field": name}))
    if refusals:
        raise Refused(*refusals)
