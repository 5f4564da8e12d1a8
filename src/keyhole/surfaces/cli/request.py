"""A request: the arguments of the `edit` tool, from flags or as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole import arguments
from keyhole.arguments import bad_argument
from keyhole.edits.operations import Edit
from keyhole.refusals import Refused
from keyhole.surfaces.cli.flags import Given
from keyhole.surfaces.cli.inputs import raw
from keyhole.surfaces.cli.session import options_of
from keyhole.values import dataclass, replace
from keyhole.walks.options import Options

NAMES = (
    "edits",
    "path",
    "expected_hash",
    "mode",
    "dry_run",
    "on_conflict",
    "task",
    "claim",
    "reason",
    "detail",
    "propose",
)


@dataclass(frozen=True, slots=True)
class EditCall:
    """Edits with the options of their call."""

    edits: tuple[Edit, ...]
    options: Options
    path: str = ""
    detail: str | None = None

    @staticmethod
    def of_flags(given: Given, fields: Mapping[str, object]) -> EditCall:
        """Return the one edit that flags describe."""
        return EditCall((Edit.of(fields),), options_of(given))

    @staticmethod
    def read(given: Given) -> EditCall:
        """Return the request that a file or standard input holds; flags beside it come first."""
        data = parsed(raw(given.text("--request") or "-"))
        arguments.check_names(data, NAMES, "a request")
        return EditCall(
            arguments.edits(data),
            _options(given, data),
            arguments.text(data, "path"),
            arguments.detail(data) or None,
        )


def parsed(body: bytes) -> Mapping[str, object]:
    """Return the arguments that JSON holds, or refuse what is no object."""
    try:
        data = arguments.from_json(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Refused(
            bad_argument("request", f"the request is not UTF-8 at byte {error.start}")
        ) from None
    except ValueError as error:
        raise Refused(bad_argument("request", f"the request is not JSON: {error}")) from None
    if not isinstance(data, dict):
        raise Refused(bad_argument("request", "the request is not a JSON object"))
    return data


def _options(given: Given, data: Mapping[str, object]) -> Options:
    """Return the options of the request; a flag that is given wins over what the request says."""
    said = {
        "mode": arguments.text(data, "mode"),
        "on_conflict": arguments.text(data, "on_conflict"),
        "task": arguments.text(data, "task"),
        "reason": arguments.text(data, "reason"),
    }
    options = options_of(given)
    kept: dict[str, object] = {
        name: value
        for name, value in said.items()
        if value and not given.on(f"--{name.replace('_', '-')}")
    }
    kept["dry_run"] = options.dry_run or arguments.flag(data, "dry_run")
    kept["propose"] = options.propose or arguments.flag(data, "propose")
    kept["claim"] = options.claim or arguments.claim(data)
    options = replace(options, **kept)  # type: ignore[arg-type] # each was checked by its name
    if options.expected_hash:
        return options
    return replace(options, expected_hash=arguments.expected_hash(data))
