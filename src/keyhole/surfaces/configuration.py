"""A configuration file: what it says, each setting checked by its name and its type."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.refusals import Refusal, Refused

if TYPE_CHECKING:
    from keyhole.workspace.linters.base import Linter

_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("read_only", "refresh_updated"), bool),
    **dict.fromkeys(("task_mode", "article", "encoding", "templates"), str),
    **dict.fromkeys(("extensions", "allow_protected"), list),
    **dict.fromkeys(("max_bytes", "keep_days", "keep_bytes", "keep_shared_days"), int),
    **dict.fromkeys(("journal", "project", "machine"), str),
    "validators": dict,
}
_SAID = {
    bool: "true or false",
    str: "text",
    list: "a list",
    int: "a number from 0",
    dict: "a table",
}


def values_of(path: Path, *, within: str = "") -> dict[str, object]:
    """Return what a configuration file says, checked; nothing where there is none.

    `within` is the root of the workspace that brings the file along.
    """
    from keyhole.workspace.disk.bounded import SETTINGS, Unfit, read_bounded

    try:
        body = read_bounded(str(path), SETTINGS, within=within)
    except Unfit as unfit:
        raise bad_file(path, str(unfit)) from None
    if body is None:
        return {}
    import tomllib

    from keyhole.text.toml import LongKeyError, read_toml

    try:
        values = read_toml(body.decode("utf-8"))
    except LongKeyError as error:
        raise bad_file(path, f"cannot be read: {error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise bad_file(path, f"is not TOML: {' '.join(str(error).split())}") from None
    checked = {name: _checked(path, name, value) for name, value in values.items()}
    if isinstance(tables := checked.get("validators"), dict):
        checked["validators"] = _linters(path, tables, body)
    return checked


def _linters(path: Path, tables: Mapping[str, object], body: bytes) -> tuple[Linter, ...]:
    """Return the linters of a configuration file, each with the hash of that file."""
    import hashlib

    from keyhole.workspace.linters.configured import linters_of

    try:
        return linters_of(tables, hashlib.sha256(body).hexdigest())
    except ValueError as error:
        raise bad_file(path, str(error)) from None


def _checked(path: Path, name: str, value: object) -> object:
    wanted = _TYPES.get(name)
    if wanted is None:
        raise bad_file(path, f"has the unknown setting `{name}`; settings are {', '.join(_TYPES)}")
    # Of a number below 0 some would say that it means no limit, and the history would be gone.
    if type(value) is not wanted or (isinstance(value, int) and value < 0):
        raise bad_file(path, f"sets `{name}` to {value!r}, which is not {_SAID[wanted]}")
    if isinstance(value, list):
        if not all(isinstance(item, str) for item in value):
            raise bad_file(path, f"sets `{name}` to a list that holds more than text")
        return tuple(value)
    if name == "task_mode":
        check_task_mode(str(value), f"{path} sets `task_mode`")
    if name == "encoding" and not _is_encoding(str(value)):
        raise bad_file(path, f"sets `encoding` to {value!r}, which is no encoding")
    return value


def _is_encoding(name: str) -> bool:
    import codecs

    try:
        codecs.lookup(name or "utf-8")
    except (LookupError, ValueError):
        return False
    return True


def check_task_mode(mode: str, who: str) -> None:
    """Refuse a task mode that there is not; `who` says that it is set."""
    from keyhole.workspace.paths.access import check_mode

    check_mode(mode, who)


def bad_file(path: Path, what: str) -> Refused:
    """Return the refusal of a configuration file."""
    headline = f"{path} {what}".replace("\n", " ")
    return Refused(Refusal("bad-request", headline, help="mend the configuration file"))


def bad_environment(headline: str, move: str) -> Refused:
    """Return the refusal of what the environment says."""
    return Refused(Refusal("bad-request", headline, help=move))
