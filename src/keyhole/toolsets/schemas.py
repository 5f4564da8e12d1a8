"""Schemas of arguments and answers, written by hand so that they cost an agent little to read."""

from __future__ import annotations

from collections.abc import Mapping

Schema = Mapping[str, object]


def string(about: str = "", **more: object) -> Schema:
    """Return the schema of a text."""
    return {"type": "string", **_about(about), **more}


def whole(about: str = "") -> Schema:
    """Return the schema of a whole number; the call itself refuses those below 0."""
    return {"type": "integer", **_about(about)}


def flag(about: str = "") -> Schema:
    """Return the schema of a switch."""
    return {"type": "boolean", **_about(about)}


def choice(values: tuple[str, ...], about: str = "") -> Schema:
    """Return the schema of one word out of a few."""
    return {"enum": list(values), **_about(about)}


def array(items: Schema, about: str = "") -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items, **_about(about)}


def taking(*required: str, **properties: Schema) -> Schema:
    """Return the schema of arguments: nothing but these, some of them required."""
    return {**giving(*required, **properties), "additionalProperties": False}


def giving(*required: str, **properties: Schema) -> Schema:
    """Return the schema of an answer, which may grow."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **needed}


def _about(about: str) -> Schema:
    return {"description": about} if about else {}
