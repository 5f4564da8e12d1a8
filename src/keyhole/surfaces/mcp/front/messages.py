"""Messages that need no library: which lines are well-formed requests, and who sends them.

The front answers by these rules, and the engine carries out plain calls by the same ones. What
does not keep to them to the letter goes to the protocol's library, which has the say.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

    Message = dict[str, Any]
    Client = tuple[str, Mapping[str, Any]]

# The versions that a client opens by a handshake, and the one whose requests stand alone.
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
_OWN = "io.modelcontextprotocol/"
VERSION = f"{_OWN}protocolVersion"
SUBSCRIPTION = f"{_OWN}subscriptionId"
_INFO, _CAPABILITIES = f"{_OWN}clientInfo", f"{_OWN}clientCapabilities"

# What clients say of themselves, as far as it has to have a form: the rest may be anything. Each
# part may be missing or null; the form below "*" is that of every part.
_OBJECTS: Mapping[str, Any] = {"*": {}}
_ABILITIES: Mapping[str, Any] = {
    "roots": {"listChanged": bool},
    "sampling": {"context": {}, "tools": {}},
    "elicitation": {"form": {}, "url": {}},
    "experimental": _OBJECTS,
    "extensions": _OBJECTS,
    "tasks": {"list": {}, "cancel": {}, "requests": {"sampling": {}, "elicitation": {}}},
}
_ICON = {"src": str, "mimeType": str, "sizes": [str]}
_INFORMATION = {"title": str, "description": str, "websiteUrl": str, "icons": [_ICON]}


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_decoded = json.JSONDecoder(parse_constant=_no_constant).decode
encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=dict).encode


def message_of(line: bytes) -> Message:
    """Return the message of a line; an empty one where the library may see it otherwise."""
    try:
        found = _decoded(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def line_of(message: Message) -> bytes:
    """Return a message as the line that carries it."""
    return encoded(message).encode("utf-8", "replace") + b"\n"


def is_name(value: object) -> bool:
    """Tell whether a value can be the id of a request, or a token of progress."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def is_request(message: Message) -> bool:
    """Tell whether a message is a request in every part that all requests share."""
    if message.keys() - {"params"} != {"jsonrpc", "id", "method"} or message["jsonrpc"] != "2.0":
        return False
    params = message.get("params", {})
    if not (is_name(message["id"]) and isinstance(message["method"], str)):
        return False
    meta = params.get("_meta", {}) if isinstance(params, dict) else None
    return isinstance(meta, dict) and is_name(meta.get("progressToken", 0))


def meta_of(message: Message) -> Mapping[str, Any]:
    """Return what a request says beside its own parameters."""
    meta: Mapping[str, Any] = message.get("params", {}).get("_meta", {})
    return meta


def has_envelope(message: Message) -> bool:
    """Tell whether a request stands alone: it says which version it speaks."""
    return VERSION in meta_of(message)


def greeting_client(message: Message) -> Client | None:
    """Return who opens a session, by name and abilities; None where the library must say."""
    params = message.get("params", {})
    if not isinstance(params.get("protocolVersion"), str) or has_envelope(message):
        return None
    return _client(params.get("clientInfo"), params.get("capabilities"))


def envelope_client(message: Message) -> Client | None:
    """Return who sends a request that stands alone; None where the library must say."""
    meta = meta_of(message)
    if meta.get(VERSION) != MODERN or any(name not in _MODERN for name in meta if _is_own(name)):
        return None
    return _client(meta.get(_INFO, {"name": "", "version": ""}), meta.get(_CAPABILITIES))


_MODERN = {VERSION, _INFO, _CAPABILITIES}


def _is_own(name: str) -> bool:
    return name.startswith(_OWN)


def _client(info: object, abilities: object) -> Client | None:
    if not (isinstance(info, dict) and isinstance(abilities, dict)):
        return None
    if not all(isinstance(info.get(name), str) for name in ("name", "version")):
        return None
    if not (_has_form(info, _INFORMATION) and _has_form(abilities, _ABILITIES)):
        return None
    return info["name"], {name: one for name, one in abilities.items() if one is not None}


def _has_form(value: object, form: Any) -> bool:
    """Tell whether a value has a form: a type, the parts of an object, or a list of one form."""
    if isinstance(form, type):
        return isinstance(value, form)
    if isinstance(form, list):
        return isinstance(value, list) and all(_has_form(one, form[0]) for one in value)
    if not isinstance(value, dict):
        return False
    if "*" in form:
        return all(_has_form(part, form["*"]) for part in value.values())
    parts = ((value.get(name), part) for name, part in form.items())
    return all(one is None or _has_form(one, part) for one, part in parts)


def has_apps(client: Client) -> bool:
    """Tell whether a client may show MCP Apps, so that the library says what it is told."""
    return "io.modelcontextprotocol/ui" in client[1].get("extensions", {})


def client_name(message: Message) -> str:
    """Return how a client names itself, whatever else it says; nothing where it does not."""
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    client = params.get("clientInfo") if message.get("method") == "initialize" else None
    client = client or (meta.get(_INFO) if isinstance(meta, dict) else None)
    name = client.get("name") if isinstance(client, dict) else None
    return name if isinstance(name, str) else ""


def agreed_version(params: Mapping[str, Any]) -> str:
    """Return the version of a session: the one asked for, else the latest there is."""
    asked: str = params["protocolVersion"]
    return asked if asked in HANDSHAKE else HANDSHAKE[-1]


_ANSWER = b'{"jsonrpc":"2.0","id":'


def answered(line: bytes) -> int | str | None:
    """Return the id of the request that a line answers, None if it answers none."""
    if line.startswith(_ANSWER):
        head = line[len(_ANSWER) : 512]
        ends = [end for mark in (b',"result":', b',"error":') if (end := head.find(mark)) > 0]
        if ends:
            line = b'{"id":' + head[: min(ends)] + b"}"
    message = message_of(line)
    return None if "method" in message else message.get("id")
