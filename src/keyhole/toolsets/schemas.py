"""Schemas of arguments and answers, written by hand so that they cost an agent little to read.

Hosts hold calls to the schema of the arguments before we see them, so it lets through what we heal:
nothing is required or closed, and a number may come as text. Models' interfaces take no list of
types and nothing beside `anyOf`: what is said of an argument stands in its first way.
"""

from __future__ import annotations

from collections.abc import Mapping

Schema = Mapping[str, object]

_TEXT: Schema = {"type": "string"}
# These may come as text too.
_SAID_AS_TEXT = {"boolean", "integer", "object", "array"}


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


def taking(*needed: str, **properties: Schema) -> Schema:
    """Return the schema of arguments, some of them needed, each as loosely as it may come."""
    return giving(**{name: _loose(each, name in needed) for name, each in properties.items()})


def giving(*required: str, **properties: Schema) -> Schema:
    """Return the schema of an answer, which may grow."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **needed}


def _loose(schema: Schema, needed: bool) -> Schema:  # noqa: FBT001 - said once, above
    if needed:
        about = str(schema.get("description", ""))
        schema = {**schema, **_about(f"required: {about}" if about else "required")}
    if schema.get("type") == "boolean":
        schema = {"type": "boolean", "default": False, **schema}
    also = [_TEXT] if schema.get("type") in _SAID_AS_TEXT else []
    if schema.get("type") == "array" and _holds_objects(schema):
        also = [{"type": "object"}, *also]
    return either(schema, *also) if also else schema


def _holds_objects(schema: Schema) -> bool:
    items = schema.get("items")
    return isinstance(items, Mapping) and "properties" in items


def _about(about: str) -> Schema:
    return {"description": about} if about else {}
