"""Schemas that every model's interface takes, and that let through what healing mends."""

import json
from collections.abc import Iterator, Mapping

import jsonschema  # type: ignore[import-untyped]
import pytest

from keyhole.toolsets import SETS, tools_of
from keyhole.toolsets.argument_shapes import shape_of
from keyhole.toolsets.base import Tool
from keyhole.toolsets.healing import heal
from keyhole.toolsets.schemas import Schema

TOOLS = [(owner, tool) for owner in ("native", *SETS) for tool in tools_of(owner)]
NAMED = pytest.mark.parametrize(
    "tool", [tool for _, tool in TOOLS], ids=[f"{owner}-{tool.name}" for owner, tool in TOOLS]
)
# What the Schema object of Gemini's function declarations has, of the keywords JSON Schema has too.
GEMINI = {
    *("type", "format", "title", "description", "enum", "properties", "required", "items"),
    *("minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength"),
    *("pattern", "example", "anyOf", "default", "minimum", "maximum"),
}
# What OpenAI's guide to structured outputs lists, and `default`, which only strict mode refuses.
OPENAI = {
    *("type", "description", "enum", "properties", "required", "items", "anyOf", "default"),
    *("additionalProperties", "$defs", "$ref", "pattern", "format", "minItems", "maxItems"),
    *("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "title"),
}
TYPES = {"string", "integer", "number", "boolean", "array", "object", "null"}


def schemas(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and all in it."""
    yield schema
    inside: list[object] = [*_listed(schema, "anyOf"), schema.get("items")]
    properties = schema.get("properties")
    inside += list(properties.values()) if isinstance(properties, Mapping) else []
    for each in inside:
        if isinstance(each, Mapping):
            yield from schemas(each)


def _listed(schema: Schema, name: str) -> list[object]:
    value = schema.get(name, [])
    assert isinstance(value, list)
    return value


def complaints(schema: Schema) -> Iterator[str]:
    """Yield what a model's interface would not take, or a host would not let through."""
    for each in schemas(schema):
        yield from (f"{name} is unknown" for name in each.keys() - (GEMINI & OPENAI))
        if "anyOf" in each:
            yield from ("something stands beside anyOf" for _ in each.keys() - {"anyOf"})
        elif str(each.get("type")) not in TYPES:
            yield f"the type is {each.get('type')}"
        if "enum" in each and each.get("type") != "string":
            yield "an enum that is no text"
        if each.get("type") == "array" and "items" not in each:
            yield "a list of who knows what"
        if "required" in each or "additionalProperties" in each:
            yield "a host would refuse what is healed"


@NAMED
def test_every_models_interface_takes_the_arguments(tool: Tool) -> None:
    assert list(complaints(tool.takes)) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "integer"]},
        {"enum": ["a"]},
        {"type": "integer", "enum": [1]},
        {"type": "array"},
        {"type": "object", "properties": {"a": {}}},
        {"type": "object", "additionalProperties": False},
        {"type": "object", "properties": {}, "required": ["a"]},
        {"anyOf": [{"type": "string"}], "description": "said beside"},
        {"oneOf": [{"type": "string"}]},
        {"type": "string", "const": "a"},
    ],
    ids=str,
)
def test_what_no_interface_takes_is_complained_of(schema: Schema) -> None:
    assert list(complaints(schema))


@NAMED
def test_every_switch_and_choice_with_a_usual_value_states_it(tool: Tool) -> None:
    ways = [each for each in schemas(tool.takes) if each.get("type") == "boolean"]

    assert all("default" in each for each in ways)
    assert all(each["default"] in _listed(each, "enum") for each in ways if "enum" in each)
    assert not any("default" in str(each.get("description")) for each in schemas(tool.takes))


@NAMED
def test_a_description_has_one_example(tool: Tool) -> None:
    assert tool.about.count("Example: {") == 1


EDIT = {"find": "a", "content": "b"}
HEALED: list[dict[str, object]] = [
    {"path": "a.py", **EDIT},
    {"file_path": "a.py", "old_string": "a", "new_string": "b"},
    {"path": "a.py", "edits": EDIT},
    {"path": "a.py", "edits": '[{"find": "a", "content": "b"}]'},
    {"path": "a.py", "edits": {"edits": [EDIT]}},
    {"arguments": {"path": "a.py", "edits": [EDIT]}},
    {"path": "a.py", "edits": [{**EDIT, "regex": "false", "lines": ["1", "2"]}], "dryRun": "true"},
    {"path": "a.py", "edits": [{"old_str": "a", "new_str": "b", "replace_all": True}]},
    {"path": "a.py", "edits": [{"lines": "L3-L7", "content": "b", "indent": "4"}]},
    {"path": "a.py", "edits": [{**EDIT, "until": "", "segment": "", "lines": ""}]},
    {"path": "a.py", "edits": [EDIT], "dry_run": "false", "propose": "false"},
    {"path": "a.py", "edits": [{**EDIT, "until": None, "action": "", "regex": None, "lines": []}]},
    {"path": "a.py", "edits": [EDIT], "mode": "", "on_conflict": None, "detail": ""},
    {"path": None, "edits": [{**EDIT, "path": "a.py"}], "expected_hash": None, "dry_run": None},
    {"path": "a.py", "edits": [[EDIT]]},
]


@pytest.mark.parametrize("call", HEALED, ids=str)
def test_a_host_lets_through_what_is_healed(call: dict[str, object]) -> None:
    edit = next(tool for _, tool in TOOLS if tool.name == "edit")

    jsonschema.validate(call, dict(edit.takes))


# Arguments of our own tools that hosts may get as an empty text only: null costs bytes that models
# read, and of these they are the least used.
_OPTIONS = {"mode", "on_conflict", "task", "claim", "reason", "detail"}
_NO_NULL: dict[str, set[str]] = {
    "outline": {"path", "query", "offset", "detail"},
    "search": {"symbol", "path", "glob", "offset", "detail"},
    "edit": {"glob", "except", "only", "without", "boundary", "offset"},
    "rename": {"detail"},
    "patch": _OPTIONS,
    "write": _OPTIONS,
    "history": {
        *("id", "path", "segment", "task", "session", "actor", "since", "offset", "detail")
    },
    "undo": {"id", "task", "session", "prompt", "to", "reason", "detail"},
    "scaffold": {"template", "path", "detail"},
}


@NAMED
def test_what_may_be_left_out_may_be_null_or_empty_before_a_host(tool: Tool) -> None:
    taken = tool.takes["properties"]
    assert isinstance(taken, Mapping)
    optional = {name: each for name, each in taken.items() if "required" not in str(each)}
    kept = _NO_NULL.get(tool.name, set())
    no_null = {name for name in optional if not _lets_through(optional[name], None)}
    no_empty = {name for name in optional if not _lets_through(optional[name], "")}

    assert no_null == kept
    assert no_empty == set()


def _lets_through(schema: Schema, value: object) -> bool:
    return bool(jsonschema.Draft202012Validator(dict(schema)).is_valid(value))


@NAMED
def test_nothing_is_required_because_a_wrapped_call_is_healed(tool: Tool) -> None:
    _, _, example = tool.about.partition("Example: ")
    given = json.loads(example)
    call = {"arguments": given}

    jsonschema.validate(call, dict(tool.takes))
    assert heal(call, shape_of(tool.takes), tool.name, lambda: ()).arguments == given
