"""Schemas of arguments and answers, written by hand so that they cost an agent little to read.

Hosts hold calls to the schema of the arguments before we see them, so it lets through what we heal:
nothing is required or closed, a number may come as text, and what may be left out may be null or
empty. Models' interfaces take no list of types, no empty word in an `enum` and nothing beside
`anyOf`: what is said of an argument stands in its first way.
"""

from __future__ import annotations

from collections.abc import Mapping

Schema = Mapping[str, object]

_TEXT: Schema = {"type": "string"}
# Null says nothing, unless it has a description.
NULL: Schema = {"type": "null"}


def string(about: str = "", **more: object) -> Schema:
    """Return the schema of a text."""
    return {"type": "string", **_about(about), **more}


def whole(about: str = "", **more: object) -> Schema:
    """Return the schema of a whole number; the call itself refuses those below 0."""
    return {"type": "integer", **_about(about), **more}


def flag(about: str = "", **more: object) -> Schema:
    """Return the schema of a switch."""
    return {"type": "boolean", **_about(about), **more}


def choice(values: tuple[str, ...], about: str = "", **more: object) -> Schema:
    """Return the schema of one word out of a few."""
    return {"type": "string", "enum": list(values), **_about(about), **more}


def array(items: Schema, about: str = "") -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items, **_about(about)}


def either(*ways: Schema) -> Schema:
    """Return the schema of what is said in one of several ways, the usual one first."""
    return {"anyOf": list(ways)}


def anything_like(schema: Schema) -> Schema:
    """Return the schema of objects that are described, and may come in any shape or in a list."""
    return either(schema, {"type": "object"}, array({"type": "object"}))


def taking(*needed: str, **properties: Schema) -> Schema:
    """Return the schema of arguments, some of them needed, each as loosely as it may come."""
    loose = taking_briefly(*needed, **properties)["properties"]
    assert isinstance(loose, Mapping), "BUG: a tool takes an object"
    optional = {name: _or_null(each) for name, each in loose.items() if name not in needed}
    return giving(**{**loose, **optional})


def taking_briefly(*needed: str, **properties: Schema) -> Schema:
    """Return the same in fewer bytes: a text that says nothing is empty there, and not null."""
    return giving(**{name: _loose(each, name in needed) for name, each in properties.items()})


def with_more(schema: Schema, more: Schema) -> Schema:
    """Return the schema of arguments with those of another behind them."""
    properties = (schema["properties"], more["properties"])
    found = {
        name: each for one in properties if isinstance(one, Mapping) for name, each in one.items()
    }
    return {**schema, "properties": found}


def giving(*required: str, **properties: Schema) -> Schema:
    """Return the schema of an answer, which may grow."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **needed}


def _loose(schema: Schema, needed: bool) -> Schema:  # noqa: FBT001 - named above
    """Return the schema with the other ways in which a host has to let the argument through."""
    first, *others = _ways(schema)
    if needed:
        about = str(first.get("description", ""))
        first = {**first, **_about(f"required: {about}" if about else "required")}
    if first.get("type") == "boolean":
        first = {"type": "boolean", "default": False, **first}
    others += [{"type": "object"}] if _holds_objects(first) else []
    others += [_TEXT] if first.get("type") != "string" or "enum" in first else []
    others += [NULL] if others and not needed else []
    kinds = [str(way["type"]) for way in others]
    ways = [way for index, way in enumerate(others) if way["type"] not in kinds[:index]]
    return either(first, *ways) if ways else first


def _or_null(schema: Schema) -> Schema:
    ways = _ways(schema)
    return schema if any(way["type"] == "null" for way in ways) else either(*ways, NULL)


def _ways(schema: Schema) -> list[Schema]:
    ways = schema.get("anyOf", [schema])
    assert isinstance(ways, list), "BUG: anyOf is a list"
    return ways


def _holds_objects(schema: Schema) -> bool:
    items = schema.get("items")
    return isinstance(items, Mapping) and any("properties" in way for way in _ways(items))


def _about(about: str) -> Schema:
    return {"description": about} if about else {}
