"""Rendering: a template and variables to the text of a new file, or a refusal."""

from __future__ import annotations

import re
from collections.abc import Mapping

from jinja2 import TemplateError, TemplateNotFound, UndefinedError
from jinja2.exceptions import SecurityError

from keyhole.fastclasses import dataclass
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.templates import header
from keyhole.templates.chain import UnreadableError
from keyhole.templates.environment import MOST_OUTPUT, MeteredEnvironment, OverspentError
from keyhole.templates.introspect import SYSTEM, schema_of
from keyhole.templates.library import Library, ListedTemplate
from keyhole.templates.schema import Schema, Variable

_QUOTED = re.compile(r"'([^']+)'")
_TYPES: Mapping[str, tuple[type, ...]] = {
    "text": (str, int, float),
    "number": (int, float),
    "flag": (bool,),
    "list": (list, tuple),
    "object": (dict,),
}


@dataclass(frozen=True, slots=True)
class RenderRequest:
    """A file to be made: from which template, where, with which variables, when."""

    template: str
    path: str
    variables: Mapping[str, object]
    moment: str


def scaffold(library: Library, order: RenderRequest) -> str:
    """Return the text of the new file, its header included, or refuse."""
    listed = library.find(order.template)
    schema = schema_or_refuse(library, listed)
    _check(schema, order)
    text = _rendered(library, listed, schema, order)
    return _with_header(text, schema, order)


def schema_or_refuse(library: Library, listed: ListedTemplate) -> Schema:
    """Return the schema of a template, or refuse one that Jinja cannot read."""
    try:
        return schema_of(library, listed)
    except UnreadableError as error:
        raise Refused(_unusable(listed.id, str(error))) from None


def _check(schema: Schema, order: RenderRequest) -> None:
    """Refuse missing, unknown and mistyped variables, all in one."""
    given = order.variables
    missing = [name for name in schema.required if name not in given]
    unknown = sorted(name for name in given if name not in schema.variables and name not in SYSTEM)
    wrong = {
        name: f"{_kind(value)}, not {schema.variables[name].type}"
        for name, value in sorted(given.items())
        if name in schema.variables and not _fits(schema.variables[name], value)
    }
    if missing or unknown or wrong:
        raise Refused(_variables(schema, order, missing, unknown, wrong))


def _fits(variable: Variable, value: object) -> bool:
    wanted = _TYPES.get(variable.type)
    if wanted is None or (value is None and not variable.required):
        return True
    if not variable.is_told and variable.type == "flag":
        return True  # a condition takes everything
    if isinstance(value, bool) and variable.type != "flag":
        return variable.type == "text"
    return isinstance(value, wanted)


def _kind(value: object) -> str:
    kinds = {bool: "flag", str: "text", int: "number", float: "number", dict: "object"}
    return kinds.get(type(value), "list" if isinstance(value, list | tuple) else "nothing")


def _rendered(
    library: Library, listed: ListedTemplate, schema: Schema, order: RenderRequest
) -> str:
    bench = MeteredEnvironment(library.source)
    defaults = {name: each.default for name, each in schema.variables.items() if each.has_default}
    context = {**_system(schema, order), **defaults, **order.variables}
    context["scaffold_header"] = "\n".join(_header_lines(schema, order))
    pieces: list[str] = []
    size = 0
    try:
        for piece in bench.get_template(listed.name).generate(context):
            pieces.append(piece)
            size += len(piece)
            if size > MOST_OUTPUT:
                raise OverspentError("the file would be too large")
    except UndefinedError as error:
        raise Refused(_left_open(schema, order, error)) from None
    except SecurityError as error:
        raise Refused(_denied(listed.id, error)) from None
    except TemplateNotFound as error:
        raise Refused(_unusable(listed.id, f"it needs {error}, which is not there")) from None
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise Refused(_unusable(listed.id, " ".join(str(error).split()))) from None
    except RecursionError:
        raise Refused(_unusable(listed.id, "it never ends")) from None
    except (SyntaxError, MemoryError):  # what Python says to code that it cannot nest so deep
        raise Refused(_unusable(listed.id, "it is nested too deep")) from None
    # Comments and blocks that stayed empty leave blank lines at the edges of a file.
    text = "".join(pieces).strip("\n")
    return f"{text}\n" if text else ""


def _system(schema: Schema, order: RenderRequest) -> dict[str, object]:
    """Return what keyhole fills in itself."""
    name = order.path.rpartition("/")[2]
    ending = name.rpartition(".")[2] if "." in name else schema.format
    return {
        **dict.fromkeys(("template_id", "artifact_type"), schema.id),
        **dict.fromkeys(("template_version", "version_hash"), schema.version),
        **dict.fromkeys(("created", "timestamp", "scaffold_created"), order.moment),
        **dict.fromkeys(("path", "output_path"), order.path),
        "updated": "",
        "format": ending,
    }


def _header_lines(schema: Schema, order: RenderRequest) -> list[str]:
    return header.lines_of(order.path, schema.id, schema.version, order.moment)


def _with_header(text: str, schema: Schema, order: RenderRequest) -> str:
    """Return the text with its header, if the template did not write it."""
    lines = _header_lines(schema, order)
    own = header.read(text)
    if not lines or (own and own.template == schema.id and not own.problem):
        return text
    at = header.place_of(text)
    return text[:at] + "".join(f"{line}\n" for line in lines) + text[at:]


def _variables(
    schema: Schema,
    order: RenderRequest,
    missing: list[str],
    unknown: list[str],
    wrong: dict[str, str],
) -> Refusal:
    problems = [f"missing {', '.join(missing)}"] if missing else []
    problems += [f"unknown {', '.join(unknown)}"] if unknown else []
    problems += [f"`{name}` is {what}" for name, what in wrong.items()]
    return Refusal(
        "template-variables",
        f"template `{schema.id}`: {'; '.join(problems)}",
        where=_asks_for(schema),
        help="give every required variable, and no other than these",
        path=order.path,
        data=schema.checked(order.variables, unknown=unknown, mistyped=wrong),
    )


def _asks_for(schema: Schema) -> str:
    required, optional = (
        ", ".join(names) or "none" for names in (schema.required, schema.optional)
    )
    return f"required: {required}\noptional: {optional}"


def _left_open(schema: Schema, order: RenderRequest, error: UndefinedError) -> Refusal:
    """Refuse when, with what was given, the template needs something more."""
    named = _QUOTED.findall(str(error))
    missing = named[-1:] if named else []
    return Refusal(
        "template-variables",
        f"template `{schema.id}`, with what is given, also needs: {error}",
        where=_asks_for(schema),
        help="give it, or leave out the variable that asks for it",
        path=order.path,
        data=schema.checked(order.variables, unknown=[], mistyped={}, needed=missing),
    )


def _unusable(template: str, why: str) -> Refusal:
    return Refusal(
        "template-unknown",
        f"template `{template}` cannot be used: {why}",
        help=say("mend the template, or name another one; {templates:tool} lists them"),
    )


def _denied(template: str, error: SecurityError) -> Refusal:
    return Refusal(
        "too-large" if isinstance(error, OverspentError) else "bad-request",
        f"template `{template}` does what templates may not: {' '.join(str(error).split())}",
        help="mend the template, or name another one",
    )
