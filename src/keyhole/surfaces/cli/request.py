"""A request: the arguments of the `edit` tool, from flags or as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.edits.operations import Edit
from keyhole.refusals import Refusal, Refused
from keyhole.requests import Options
from keyhole.surfaces.cli.flags import DETAILS, Given
from keyhole.surfaces.cli.inputs import raw
from keyhole.surfaces.cli.session import options_of
from keyhole.values import dataclass, replace

NAMES = (
    "edits",
    "path",
    "expected_hash",
    "mode",
    "dry_run",
    "on_conflict",
    "task",
    "reason",
    "detail",
)


@dataclass(frozen=True, slots=True)
class Request:
    """Edits with the options of their call."""

    edits: tuple[Edit, ...]
    options: Options
    path: str = ""
    detail: str | None = None

    @staticmethod
    def of_flags(given: Given, fields: Mapping[str, object]) -> Request:
        """Return the one edit that flags describe."""
        return Request((Edit.of(fields),), options_of(given))

    @staticmethod
    def read(given: Given) -> Request:
        """Return the request that a file or standard input holds; flags beside it come first."""
        data = _parsed(raw(given.text("--request") or "-"))
        for name in data:
            if name not in NAMES:
                raise Refused(
                    _bad(name, f"unknown argument `{name}`", f"a request has {', '.join(NAMES)}")
                )
        return Request(
            _edits(data.get("edits")), _options(given, data), _text(data, "path"), _detail(data)
        )


def _parsed(body: bytes) -> Mapping[str, object]:
    import json

    try:
        data = json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Refused(_bad("request", f"the request is not UTF-8 at byte {error.start}")) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Refused(_bad("request", f"the request is not JSON: {error.msg} at {where}")) from None
    except RecursionError:
        raise Refused(_bad("request", "the request is nested too deeply")) from None
    if not isinstance(data, dict):
        raise Refused(_bad("request", "the request is not a JSON object"))
    return data


def _edits(value: object) -> tuple[Edit, ...]:
    """Return the edits of a request, or every reason why some are none."""
    if not isinstance(value, list):
        raise Refused(
            _bad("edits", "`edits` is missing" if value is None else "`edits` is not a list")
        )
    edits, refusals = [], []
    for index, fields in enumerate(value):
        try:
            edits.append(Edit.of(fields))
        except Refused as refused:
            refusals += [refusal.at(edit=index) for refusal in refused.refusals]
    if refusals:
        raise Refused(*refusals)
    return tuple(edits)


def _options(given: Given, data: Mapping[str, object]) -> Options:
    """Return the options of the request; a flag that is given wins over what the request says."""
    said = {
        "mode": _text(data, "mode"),
        "on_conflict": _text(data, "on_conflict"),
        "task": _text(data, "task"),
        "reason": _text(data, "reason"),
    }
    options = options_of(given)
    kept = {
        name: value
        for name, value in said.items()
        if value and not given.on(f"--{name.replace('_', '-')}")
    }
    options = replace(options, **kept, dry_run=options.dry_run or _flag(data, "dry_run"))
    if options.expected_hash:
        return options
    return replace(options, expected_hash=_expected(data.get("expected_hash")))


def _text(data: Mapping[str, object], name: str) -> str:
    value = data.get(name)
    if value is not None and not isinstance(value, str):
        raise Refused(_bad(name, f"`{name}` is {value!r}; it is text"))
    return value or ""


def _flag(data: Mapping[str, object], name: str) -> bool:
    value = data.get(name)
    if value is not None and not isinstance(value, bool):
        raise Refused(_bad(name, f"`{name}` is {value!r}; it is true or false"))
    return bool(value)


def _detail(data: Mapping[str, object]) -> str | None:
    value = _text(data, "detail")
    if value and value not in DETAILS:
        raise Refused(_bad("detail", f"`detail` is {value!r}; it is one of {', '.join(DETAILS)}"))
    return value or None


def _expected(value: object) -> str | dict[str, str]:
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
        return value
    raise Refused(
        _bad("expected_hash", "`expected_hash` is neither a hash nor an object of path: hash")
    )


def _bad(field: str, headline: str, help_line: str = "") -> Refusal:
    return Refusal("bad-request", headline, help=help_line, data={"field": field})
