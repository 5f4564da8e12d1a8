"""keyhole scaffold: make a new file from a template."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keyhole.answers.receipt import Receipt
from keyhole.arguments import from_json
from keyhole.engine.scaffold import Scaffold
from keyhole.refusals import Refused
from keyhole.surfaces.cli.grammar import (
    DETAIL,
    OUTPUT,
    WORKSPACE,
    WRITING,
    Argument,
    Command,
    Flag,
    Given,
    Usage,
)
from keyhole.surfaces.cli.output import tell
from keyhole.surfaces.cli.session import decoded, opened, options_of, path_in, raw

if TYPE_CHECKING:
    from keyhole.engine.facade import Engine


def run(given: Given) -> int:
    """Make a file from a template and variables, as one transaction."""
    template = given.text("TEMPLATE") or ""
    filed = _filed(given)
    with opened(given) as engine:
        path = path_in(given, engine.root, given.text("PATH") or "")
        try:
            variables = {**filed, **_typed(engine, template, given.all("--var"))}
        except Refused as refused:
            return tell(Receipt.refused(refused.refusals), given)
        receipt = engine.scaffold(Scaffold(template, path, variables), options_of(given))
    return tell(receipt, given)


def _filed(given: Given) -> dict[str, object]:
    """Return the variables of a file of JSON."""
    file = given.text("--vars")
    if file is None:
        return {}
    try:
        found = from_json(decoded(given, "vars", raw(file)))
    except ValueError as error:
        raise Usage(f"--vars {file} is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise Usage(f"--vars {file} is no JSON object of variables")
    return found


def _typed(engine: Engine, template: str, pairs: tuple[str, ...]) -> dict[str, object]:
    """Return the variables of the command line, each as the type that the template asks for."""
    if not pairs:
        return {}
    [schema] = engine.templates(template).templates
    given: dict[str, list[str]] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise Usage(f"--var {pair!r} is no NAME=VALUE")
        given.setdefault(name, []).append(value)
    kinds = {name: each.type for name, each in schema.variables.items()}
    return {name: _value(name, values, kinds.get(name, "any")) for name, values in given.items()}


def _value(name: str, values: list[str], kind: str) -> object:
    if kind == "list":
        parsed = _json(values[0]) if len(values) == 1 and values[0].startswith("[") else None
        return parsed if isinstance(parsed, list) else [_item(value) for value in values]
    if len(values) > 1:
        raise Usage(f"--var {name} is given {len(values)} times, and is no list")
    value = values[0]
    if kind == "flag":
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        return words.get(value.lower(), value)
    if kind == "number":
        parsed = _json(value)
        return parsed if isinstance(parsed, int | float) else value
    return _item(value) if kind in {"object", "any"} else value


def _item(value: str) -> object:
    """Return an object or a list that is spelt as JSON, or the text itself."""
    parsed = _json(value) if value.startswith(("{", "[")) else None
    return value if parsed is None else parsed


def _json(value: str) -> object:
    try:
        return from_json(value)
    except ValueError:
        return None


COMMAND = Command(
    "scaffold",
    "make a new file from a template",
    run,
    about="""\
`keyhole templates` lists what there is and what each asks for. A variable that is a list is given
with --var once for each item, or as JSON. --vars reads all of them from a file of JSON; --var comes
before it. The file is a transaction like any other: `undo` takes it away again.""",
    example="""\
$ keyhole scaffold worker src/mailer.py --var name=Mailer --var layer=outer
$ keyhole scaffold dataclass src/point.py --vars point.json""",
    arguments=(
        Argument("TEMPLATE", "the id of a template", kind="text"),
        Argument("PATH", "the new file"),
    ),
    groups={
        "what": (
            Flag("--var", "a variable, repeated for each", "NAME=VALUE", many=True),
            Flag("--vars", "variables as a JSON object; - is standard input", "FILE", kind="file"),
        ),
        "how": WRITING,
        "workspace": WORKSPACE,
        "output": (*OUTPUT, DETAIL),
    },
)
