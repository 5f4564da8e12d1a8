"""Requests that the protocol's library cannot read: it drops them, and whoever asked would wait."""

from __future__ import annotations

import json
import re

from mcp import types

from keyhole.arguments import from_json

# What JSON may hold and the library's reader does not take: half a character, a number too long.
_DOUBTFUL = re.compile(rb"\\u[dD]|\d{4000}")
_LONG = re.compile(r"\d{4000,}+")


def unread_answer(line: bytes) -> bytes | None:
    """Return the error that a request gets which would get none; None for every other line."""
    if not _DOUBTFUL.search(line):
        return None
    text = line.decode("utf-8", "replace")
    try:
        types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValueError as error:
        name = _asked(text)
        return None if name is None else _error(name, _why(error))
    return None


def _asked(text: str) -> int | str | None:
    """Return the id of a request, None where a line is none."""
    try:
        message = from_json(_LONG.sub("0", text))
    except ValueError:
        return None
    if not isinstance(message, dict) or "method" not in message:
        return None
    name = message.get("id")
    return name if isinstance(name, int | str) and not isinstance(name, bool) else None


def _why(error: ValueError) -> str:
    return str(error).split("[type=", 1)[0].partition("\n")[2].strip() or str(error)


def _error(name: int | str, why: str) -> bytes:
    said = {"code": types.PARSE_ERROR, "message": f"the request cannot be read: {why}"}
    return json.dumps({"jsonrpc": "2.0", "id": name, "error": said}).encode() + b"\n"
