"""Values of a configuration as text, in the format of a file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from keyhole.hosts.model import Host, ServerEntry, nested

_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_/.-]*")
# What a reader of YAML takes for something else than text.
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def format_of(path: str) -> str:
    """Return the format of a configuration file by its name."""
    ending = path.rpartition(".")[2]
    return {"toml": "toml", "yaml": "yaml", "yml": "yaml"}.get(ending, "json")


def configuration(host: Host, form: str, server: ServerEntry) -> str:
    """Return a whole configuration with one server, ready to paste."""
    value = host.entry_of(server)
    if form == "toml":
        return toml_table((*host.keys, server.name), value)
    if form == "yaml":
        below: object = [value] if host.is_list else {server.name: value}
        return "\n".join(yaml_lines(nested(host.keys, below)))
    return as_json(nested((*host.keys, server.name), value))


def as_json(value: object) -> str:
    """Return JSON with a line for each member of an object, and a list within a line."""
    if not isinstance(value, Mapping) or not value:
        return json.dumps(value, ensure_ascii=False)
    rows = (f"{json.dumps(key)}: {as_json(each)}" for key, each in value.items())
    inner = ",\n".join(rows).replace("\n", "\n  ")
    return f"{{\n  {inner}\n}}"


def toml_table(keys: Sequence[str], value: Mapping[str, object]) -> str:
    """Return a table of TOML below its header."""
    rows = (f"{key} = {toml_value(each)}" for key, each in value.items())
    return "\n".join([f"[{'.'.join(keys)}]", *rows])


def toml_value(value: object) -> str:
    """Return a value of TOML within one line; a text, number or list of JSON is one of TOML too."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key} = {toml_value(each)}" for key, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def yaml_lines(value: object) -> list[str]:
    """Return a value of YAML in block form, line by line."""
    if isinstance(value, Mapping):
        return [line for key, each in value.items() for line in _pair(key, each)]
    assert isinstance(value, list), "BUG: only collections stand on lines of their own"
    return [line for each in value for line in _item(each)]


def yaml_flow(value: object) -> str:
    """Return a value of YAML within one line: JSON is YAML."""
    return json.dumps(value, ensure_ascii=False)


def _pair(key: str, value: object) -> list[str]:
    if isinstance(value, Mapping | list) and value:
        return [f"{key}:", *(f"  {line}" for line in yaml_lines(value))]
    return [f"{key}: {_scalar(value)}"]


def _item(value: object) -> list[str]:
    if isinstance(value, Mapping):
        first, *rest = yaml_lines(value)
        return [f"- {first}", *(f"  {line}" for line in rest)]
    return [f"- {_scalar(value)}"]


def _scalar(value: object) -> str:
    is_plain = isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS
    return value if is_plain and isinstance(value, str) else yaml_flow(value)
