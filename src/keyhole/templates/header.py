"""The header of a scaffolded file: written in one form, read in every known form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from keyhole.fastclasses import dataclass, field, replace
from keyhole.segments.markdown import opening_block
from keyhole.templates import may_have_header
from keyhole.text.document import split_lines
from keyhole.text.toml import LongKeyError, read_toml

_HASH = "py pyi pyw yaml yml sh bash zsh txt toml rb pl r cfg conf tf nix jl ex exs makefile mk"
_SLASH = "js ts jsx tsx mjs cjs java c h cpp cc hpp cs go rs kt swift scala php dart zig proto sol"
_HTML = "html htm xml md markdown mdx svg vue"
_STYLES = {
    **dict.fromkeys(_HASH.split(), ("#", "")),
    **dict.fromkeys(_SLASH.split(), ("//", "")),
    **dict.fromkeys(_HTML.split(), ("<!--", "-->")),
    **dict.fromkeys(("jinja2", "j2", "jinja"), ("{#", "#}")),
    **dict.fromkeys(("css", "scss", "less"), ("/*", "*/")),
    **dict.fromkeys(("sql", "lua", "hs", "elm"), ("--", "")),
    **dict.fromkeys(("ini", "lisp", "clj", "el"), (";", "")),
}
_COMMENT = re.compile(
    r"[ \t]*(?:<!--|\{#-?|/\*|//|#|--|;)(?P<said>.*?)(?:-->|-?#\}|\*/)?[ \t]*(?:\r?\n|\r)?"
)
_BEFORE = re.compile(
    r"#!|[ \t\f]*#.*?coding[:=]|<\?xml|<\?php|<!doctype|['\"]use strict|[ \t]*(?:\r?\n)?$",
    re.IGNORECASE,
)
_FIELD = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>\S*)")
_OLDEST = re.compile(r"\s*SCAFFOLD:\s*(?P<id>[\w-]+):v(?P<version>\S+)\s*\|(?P<rest>.*)")
_LEGACY = re.compile(r"\s*SCAFFOLD:\s*(?P<fields>.*)")
_ID = re.compile(r"[a-z0-9_-]+")
_VERSION = re.compile(r"[0-9a-fA-F]{8}|v?\d+(?:\.\d+)*|")
_MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?|"
)
_PATH = re.compile(r"[^\s<>|:*?\"]+(?: [^\s<>|:*?\"]+)*")
_MOST_LINES = 12


@dataclass(frozen=True, slots=True)
class TemplateHeader:
    """What the head of a file says of its template, and where it says so.

    `span` covers the lines of the header; `updated_span` is where the field's value stands, None
    where there is no such field. With a `problem` the header cannot be relied upon.
    """

    template: str = ""
    version: str = ""
    created: str = ""
    updated: str = ""
    path: str = ""
    span: tuple[int, int] = (0, 0)
    updated_span: tuple[int, int] | None = None
    problem: str = ""


def style_of(path: str) -> tuple[str, str] | None:
    """Return how a file's comments begin and end, or None where it has none."""
    name = re.split(r"[\\/]", path)[-1].lower()
    if name in {"makefile", "dockerfile", "gemfile"}:
        return "#", ""
    return _STYLES.get(name.rpartition(".")[2]) if "." in name else None


def lines_of(path: str, template: str, version: str, created: str) -> list[str]:
    """Return the lines of a new header; none for a file type without comments."""
    style = style_of(path)
    if style is None:
        return []
    begin, end = style
    fields = f"template={template} version={version} created={created} updated="
    comment = [path, fields] if _PATH.fullmatch(path) and "--" not in path else [fields]
    return [f"{begin} {line}{' ' if end else ''}{end}" for line in comment]


def place_of(text: str) -> int:
    """Return where a header goes: behind what must come first in a file."""
    at = 0
    for line in split_lines(text):
        if not line.strip() or not _BEFORE.match(line):
            break
        at += len(line)
    return _behind_front_matter(text) or at


def read(text: str) -> TemplateHeader | None:
    """Return the header of a text, None where there is none; a damaged one has a `problem`."""
    if not may_have_header(text):
        return None
    above: tuple[int, str] | None = None
    # It stands on the first two lines, those aside that have to stand before everything.
    places = 2
    for at, line in _top(text):
        if not places:
            return None
        places -= not line.strip() or not _BEFORE.match(line)
        comment = _COMMENT.fullmatch(line)
        header = _header(comment["said"], at + comment.start("said")) if comment else None
        if header:
            return _placed(header, above, at, at + len(line))
        if _BEFORE.match(line):
            continue
        # One line with a path may stand above the fields, and nothing else.
        if comment is None or above is not None:
            return None
        above = (at, comment["said"].strip())
    return None


def _top(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first lines of a text that may hold its header, each with where it begins."""
    at = _behind_front_matter(text)
    for line in split_lines(text[at : at + 8192])[:_MOST_LINES]:
        yield at, line
        at += len(line)


def _behind_front_matter(text: str) -> int:
    found = opening_block(text[:65536])
    return max(found.behind, 0) if found else 0


def _header(comment: str, at: int) -> TemplateHeader | None:
    """Read one comment, whose text begins at `at`, as the fields of a header."""
    if oldest := _OLDEST.fullmatch(comment):
        date, _, path = oldest["rest"].partition("|")
        return _checked(
            TemplateHeader(oldest["id"], oldest["version"], date.strip(), path=path.strip())
        )
    legacy = _LEGACY.fullmatch(comment)
    if legacy is None and not re.match(r"\s*(?:\w+=\S*\s+)*template=", comment):
        return None
    fields = {found["name"]: found for found in _FIELD.finditer(comment)}
    known = {name: found["value"] for name, found in fields.items()}
    updated = fields.get("updated")
    header = TemplateHeader(
        known.get("template", ""),
        known.get("version", ""),
        known.get("created", ""),
        known.get("updated", ""),
        known.get("path", ""),
        updated_span=(at + updated.start("value"), at + updated.end("value")) if updated else None,
    )
    return _checked(header)


def _checked(header: TemplateHeader) -> TemplateHeader:
    """Return the header with what is wrong with it."""
    problem = ""
    if not _ID.fullmatch(header.template):
        problem = f"template={header.template[:40]!r} is no name of a template"
    elif not _VERSION.fullmatch(header.version):
        problem = f"version={header.version[:40]!r} is no version"
    else:
        for name, value in (("created", header.created), ("updated", header.updated)):
            if not _MOMENT.fullmatch(value):
                problem = f"{name}={value[:40]!r} is no date"
    return replace(header, problem=problem)


def _placed(
    header: TemplateHeader, above: tuple[int, str] | None, start: int, end: int
) -> TemplateHeader:
    """Return the header with its place, and with the path that stands in the line above."""
    if above and not header.path and _is_path(above[1]):
        return replace(header, path=above[1], span=(above[0], end))
    return replace(header, span=(start, end))


def _is_path(comment: str) -> bool:
    is_word = " " not in comment
    return bool(_PATH.fullmatch(comment)) and (
        is_word or "/" in comment or "." in comment.strip(".")
    )


TYPES = ("text", "number", "flag", "list", "object", "any")
CONCRETE = 4
_LEADING = re.compile(r"\s*\{#[-+]?\s*template\b[^\n]*\n(?P<toml>.*?)[-+]?#\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class VariableMetadata:
    """The metadata of one variable; `has_default` makes it optional."""

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
    variables: Mapping[str, VariableMetadata] = field(default_factory=dict)
    # Whether lines that hold only a tag are left out; None leaves it to how the text is written.
    trim: bool | None = None
    problem: str = ""


def read_metadata(source: str) -> TemplateMetadata:
    """Return the metadata in the leading comment; a damaged one has only a `problem`."""
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
        {name: _variable_metadata(table) for name, table in variables.items()},
        values["trim"] if isinstance(values.get("trim"), bool) else None,  # type: ignore[arg-type]
    )


def _variable_metadata(table: object) -> VariableMetadata:
    if not isinstance(table, dict):
        return VariableMetadata(description=str(table))
    given = str(table.get("type", ""))
    return VariableMetadata(
        given if given in TYPES else "",
        str(table.get("description", "")),
        table.get("default"),
        "default" in table,
        table.get("required") is True,
    )


def merged(chain: Sequence[TemplateMetadata]) -> TemplateMetadata:
    """Return the metadata of a chain, from the template to its outermost tier."""
    first = chain[0]
    variables: dict[str, VariableMetadata] = {}
    hints: dict[str, None] = {}
    for each in reversed(chain):
        hints |= dict.fromkeys(each.hints)
        for name, variable in each.variables.items():
            variables[name] = _over(variables.get(name), variable)
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


def _over(outer: VariableMetadata | None, own: VariableMetadata) -> VariableMetadata:
    if outer is None:
        return own
    return VariableMetadata(
        own.type or outer.type,
        own.description or outer.description,
        own.default if own.has_default else outer.default,
        (own.has_default or outer.has_default) and not own.required,
        own.required or (outer.required and not own.has_default),
    )
