"""The arguments of a call, whether JSON or Python brings them: checked by type, refused by name."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Mapping
from os import PathLike
from typing import cast

from keyhole.edits.model.operations import Edit
from keyhole.fastclasses import dataclass
from keyhole.refusals import Refusal, Refused

DETAILS = ("brief", "full")

_LARGEST = 10**15  # far beyond any file, and what every database keeps as a number
_MOST_SAID = 80
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
# As many as a patch may have hunks.
MOST_EDITS = 10_000
_AGO = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)


@dataclass(frozen=True, slots=True)
class ArgumentKind:
    """What an argument is, in words, and whether a value is that."""

    what: str
    fits: Callable[[object], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_sound_text(value: object) -> bool:
    if not isinstance(value, str) or value.isascii():
        return isinstance(value, str)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def _is_path(value: object) -> bool:
    name = value.__fspath__() if isinstance(value, PathLike) else value
    return isinstance(name, str) and "\0" not in name


def _is_texts(value: object) -> bool:
    if isinstance(value, str) or not isinstance(value, Collection):
        return False
    return all(map(_is_text, value))


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, value))


def _is_integer(value: object) -> bool:
    return type(value) is int and -_LARGEST < value < _LARGEST


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value < _LARGEST


TEXT = ArgumentKind("text", _is_text)
FLAG = ArgumentKind("true or false", lambda value: isinstance(value, bool))
HASHES = ArgumentKind(
    "a hash, or an object of path: hash", lambda value: isinstance(value, str | Mapping)
)
SECONDS = ArgumentKind("a number of seconds", lambda value: isinstance(value, int | float))
_SOUND_TEXT = ArgumentKind("text", _is_sound_text)
_PATH = ArgumentKind("a path", _is_path)
_NUMBER = ArgumentKind("a whole number from 0", _is_number)
_INTEGER = ArgumentKind("a whole number", _is_integer)
_TEXTS = ArgumentKind("a collection of texts", _is_texts)
_LIST_OF_TEXTS = ArgumentKind("a list of texts", _is_list_of_texts)
_LIST_OF_OBJECTS = ArgumentKind("a list of objects", _is_list_of_objects)
_OBJECT = ArgumentKind("an object", _is_object)
_BODY = ArgumentKind("text or bytes", lambda value: isinstance(value, str | bytes))

# What an argument of a Python call is by its name; one that is not named here is text.
_OF_CALLS = {
    **dict.fromkeys(("root", "path", "move_to"), _PATH),
    **dict.fromkeys(("read_only", "delete", "allow_shrink", "numbered", "regex", "comments"), FLAG),
    **dict.fromkeys(("depth", "context", "limit", "edit"), _NUMBER),
    **dict.fromkeys(("kinds", "tool_sets"), _TEXTS),
    **dict.fromkeys(("variables", "arguments"), _OBJECT),
    "patch": _BODY,
}


def check_call(optional: str = "", /, **given: object) -> None:
    """Refuse every argument of a Python call that is not what its name stands for.

    The arguments that `optional` names may be None. Callers of a library may have no type checker.
    """
    absent = {name for name in optional.split() if given.get(name) is None}
    values = {name: value for name, value in given.items() if name not in absent}
    check_kinds(values, {name: _OF_CALLS.get(name, _SOUND_TEXT) for name in values})


def check_kinds(values: Mapping[str, object], kinds: Mapping[str, ArgumentKind]) -> None:
    """Refuse every value that is not of the kind that its name has."""
    wrong = [
        _misfit(name, values[name], kind)
        for name, kind in kinds.items()
        if not kind.fits(values[name])
    ]
    if wrong:
        raise Refused(*wrong)


def _misfit(name: str, value: object, kind: ArgumentKind) -> Refusal:
    return bad_argument(name, f"`{name}` is {_describe(value)}; it is {kind.what}")


def _given(data: Mapping[str, object], name: str, kind: ArgumentKind) -> object:
    """Return an argument of some kind, None where there is none."""
    value = data.get(name)
    if value is not None and not kind.fits(value):
        raise Refused(_misfit(name, value, kind))
    return value


def from_json(body: str) -> object:
    """Return the value of a JSON text; a ValueError says in words why it cannot be read."""
    import json

    try:
        return json.loads(body)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except ValueError:  # Python's own limit for the digits of a number
        raise ValueError("a number has too many digits") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def check_names(data: Collection[str], known: Collection[str], what: str) -> None:
    """Refuse every argument that the call does not have."""
    refusals: list[Refusal] = []
    for name in data:
        if name not in known:
            headline = f"unknown argument `{name[:_MOST_SAID]}`"
            has = f"{what} has {', '.join(known)}" if known else f"{what} has no arguments"
            # Listed once, however many names are wrong.
            refusals.append(bad_argument(name, headline, "" if refusals else has))
    if refusals:
        raise Refused(*refusals)


def text(data: Mapping[str, object], name: str) -> str:
    """Return an argument that is text, "" where there is none."""
    return cast("str | None", _given(data, name, TEXT)) or ""


def required(data: Mapping[str, object], name: str) -> str:
    """Return an argument that must be there and must be text."""
    if data.get(name) is None:
        raise Refused(bad_argument(name, f"`{name}` is missing"))
    return text(data, name)


def flag(data: Mapping[str, object], name: str, *, default: bool = False) -> bool:
    """Return an argument that is true or false."""
    value = cast("bool | None", _given(data, name, FLAG))
    return default if value is None else value


def number(data: Mapping[str, object], name: str, default: int) -> int:
    """Return an argument that is a whole number from 0."""
    value = cast("int | None", _given(data, name, _NUMBER))
    return default if value is None else value


def integer(data: Mapping[str, object], name: str, default: int) -> int:
    """Return an argument that is a whole number, also one below 0."""
    value = cast("int | None", _given(data, name, _INTEGER))
    return default if value is None else value


def objects(data: Mapping[str, object], name: str) -> tuple[Mapping[str, object], ...]:
    """Return an argument that is a list of objects, and not an empty one."""
    check_kinds({name: data.get(name)}, {name: _LIST_OF_OBJECTS})
    value = cast("list[dict[str, object]]", data[name])
    if not value:
        raise Refused(bad_argument(name, f"`{name}` is empty", "give at least one"))
    _check_count(name, len(value))
    return tuple(value)


def _check_count(name: str, count: int) -> None:
    if count > MOST_EDITS:
        headline = f"`{name}` has {count} edits; the most is {MOST_EDITS}"
        raise Refused(Refusal("too-large", headline, help="send them in several calls"))


def mapping(data: Mapping[str, object], name: str) -> dict[str, object]:
    """Return an argument that is an object, empty where there is none."""
    return dict(cast("Mapping[str, object] | None", _given(data, name, _OBJECT)) or {})


def texts(data: Mapping[str, object], name: str) -> tuple[str, ...]:
    """Return an argument that is a list of texts."""
    return tuple(cast("list[str] | None", _given(data, name, _LIST_OF_TEXTS)) or ())


def detail(data: Mapping[str, object]) -> str:
    """Return how detailed the receipt shall be, "" where the caller does not say."""
    value = text(data, "detail")
    if value and value not in DETAILS:
        choices = ", ".join(DETAILS)
        raise Refused(
            bad_argument("detail", f"`detail` is {_describe(value)}; it is one of {choices}")
        )
    return value


def expected_hash(data: Mapping[str, object]) -> str | dict[str, str]:
    """Return the version the caller expects: one hash, or one for each path."""
    value = data.get("expected_hash")
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
        return value
    headline = "`expected_hash` is neither a hash nor an object of path: hash"
    raise Refused(bad_argument("expected_hash", headline))


def edits(data: Mapping[str, object]) -> tuple[Edit, ...]:
    """Return the edits of a call, or refuse every one that is malformed."""
    value = data.get("edits")
    if not isinstance(value, list):
        what = "`edits` is missing" if value is None else "`edits` is not a list"
        raise Refused(bad_argument("edits", what))
    _check_count("edits", len(value))
    found, refusals = [], []
    for index, fields in enumerate(value):
        try:
            found.append(Edit.of(fields))
        except Refused as refused:
            refusals += [refusal.at(edit=index) for refusal in refused.refusals]
    if refusals:
        raise Refused(*refusals)
    return tuple(found)


def parse_moment(said: str) -> float | None:
    """Return the seconds since 1970 of a date, or of how long ago; None if it is neither."""
    if found := _AGO.fullmatch(said):
        return max(time.time() - int(found[1]) * _UNITS[found[2]], 0.0)
    from datetime import datetime

    try:
        return datetime.fromisoformat(said).timestamp()
    except (ValueError, OverflowError):
        return None


def duration(said: str) -> float | None:
    """Return a duration such as `2h` in seconds; None if the text is no duration."""
    found = _AGO.fullmatch(said)
    return float(int(found[1]) * _UNITS[found[2]]) if found else None


def claim(data: Mapping[str, object]) -> float:
    """Return for how many seconds a call claims what it edits; 0 where it does not."""
    said = text(data, "claim")
    found = duration(said) if said else 0.0
    if found is None:
        raise Refused(bad_argument("claim", f"`claim` is {_describe(said)}; it is 90s, 10m or 2h"))
    return found


def since(data: Mapping[str, object]) -> float:
    """Return the time from which on the caller asks; 0 where none is given."""
    if data.get("since") is None:
        return 0.0
    said = text(data, "since")
    found = parse_moment(said)
    if found is None:
        headline = f"`since` is {_describe(said)}; it is 90s, 30m, 2h, 3d, 1w or 2026-01-31T12:00"
        raise Refused(bad_argument("since", headline))
    return found


def bad_argument(field: str, headline: str, help_line: str = "") -> Refusal:
    """Return the refusal of an argument that makes no sense."""
    return Refusal("bad-request", headline, help=help_line, data={"field": field})


def _describe(value: object) -> str:
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return "a number with too many digits"
    said = repr(value)
    return said if len(said) <= _MOST_SAID else f"{said[:_MOST_SAID]}..."
