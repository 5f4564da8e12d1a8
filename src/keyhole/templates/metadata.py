"""What a template says of itself: TOML in its leading comment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from keyhole.text.toml import LongKeyError, read_toml
from keyhole.values import dataclass, field

TYPES = ("text", "number", "flag", "list", "object", "any")
CONCRETE = 4
_LEADING = re.compile(r"\s*\{#[-+]?\s*template\b[^\n]*\n(?P<toml>.*?)[-+]?#\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Told:
    """What the metadata tells of one variable; `has_default` makes it optional."""

    type: str = ""
    description: str = ""
    default: object = None
    has_default: bool = False
    required: bool = False


@dataclass(frozen=True, slots=True)
class TemplateMetadata:
    """The leading comment of a template, or of a whole chain of them; `problem` says what it is."""

    id: str = ""
    version: str = ""
    purpose: str = ""
    tier: int = CONCRETE
    hints: tuple[str, ...] = ()
    variables: Mapping[str, Told] = field(default_factory=dict)
    # Whether lines that hold only a tag are left out; None leaves it to how the text is written.
    trim: bool | None = None
    problem: str = ""


def read_metadata(source: str) -> TemplateMetadata:
    """Return what the leading comment says; a damaged one says nothing but what is wrong."""
    found = _LEADING.match(source)
    if not found:
        return TemplateMetadata()
    import tomllib

    try:
        return _metadata(read_toml(found["toml"]))
    except (tomllib.TOMLDecodeError, LongKeyError, RecursionError, TypeError) as error:
        return TemplateMetadata(problem=" ".join(str(error).split()))


def _metadata(values: Mapping[str, object]) -> TemplateMetadata:
    tables = values.get("variables", {})
    variables = tables if isinstance(tables, dict) else {}
    hints = values.get("hints", [])
    tier = values.get("tier", CONCRETE)
    return TemplateMetadata(
        str(values.get("id", "")),
        str(values.get("version", "")),
        str(values.get("purpose", "")),
        tier if isinstance(tier, int) else CONCRETE,
        tuple(map(str, hints)) if isinstance(hints, list) else (str(hints),),
        {name: _told(table) for name, table in variables.items()},
        values["trim"] if isinstance(values.get("trim"), bool) else None,  # type: ignore[arg-type]
    )


def _told(table: object) -> Told:
    if not isinstance(table, dict):
        return Told(description=str(table))
    given = str(table.get("type", ""))
    return Told(
        given if given in TYPES else "",
        str(table.get("description", "")),
        table.get("default"),
        "default" in table,
        table.get("required") is True,
    )


def merged(chain: Sequence[TemplateMetadata]) -> TemplateMetadata:
    """Return what a chain says, given from the template itself to its outermost tier."""
    first = chain[0]
    variables: dict[str, Told] = {}
    hints: dict[str, None] = {}
    for each in reversed(chain):
        hints |= dict.fromkeys(each.hints)
        for name, told in each.variables.items():
            variables[name] = _over(variables.get(name), told)
    problem = next((each.problem for each in chain if each.problem), "")
    return TemplateMetadata(
        first.id,
        first.version,
        first.purpose,
        first.tier,
        tuple(hints),
        variables,
        first.trim,
        problem,
    )


def _over(outer: Told | None, own: Told) -> Told:
    if outer is None:
        return own
    return Told(
        own.type or outer.type,
        own.description or outer.description,
        own.default if own.has_default else outer.default,
        (own.has_default or outer.has_default) and not own.required,
        own.required or (outer.required and not own.has_default),
    )
