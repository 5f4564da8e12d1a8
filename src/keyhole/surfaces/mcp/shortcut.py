"""Plain calls of tools: from the line of a request to the line of its answer in one step.

Most messages of a session are such calls, and the protocol's library takes longer for one message
than an edit takes to reach the disk. So it opens the session and has the say over everything that
is not plain: other methods, progress, logs, questions to the user, requests that are not quite
right.
"""

from __future__ import annotations

import json
from threading import Lock
from typing import Any, NoReturn

from keyhole.fastclasses import dataclass
from keyhole.surfaces.mcp.answers import clean
from keyhole.surfaces.mcp.elicitation import question_of
from keyhole.surfaces.mcp.server import BROKEN, Serving
from keyhole.toolsets.base import Caller, Said

# The versions whose answers have the form that is made here.
VERSIONS = frozenset({"2025-06-18", "2025-11-25"})
_LONGEST = 1 << 20
_ASKED = {"jsonrpc", "id", "method", "params"}
_PARAMS = {"name", "arguments", "_meta"}
# What makes a call more than plain: progress is told of, or another version is spoken.
_SPECIAL = ("progressToken", "io.modelcontextprotocol/")

_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=dict).encode


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_decoded = json.JSONDecoder(parse_constant=_no_constant).decode


@dataclass(frozen=True, slots=True)
class Plain:
    """One plain call, and the line it came in."""

    id: int | str
    tool: str
    arguments: dict[str, object]
    caller: Caller
    line: bytes


class Shortcut:
    """Which calls are plain, what became of them, and whether the session is open for them."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._caller: Caller | None = None
        self._greeting: tuple[object, Caller] | None = None
        self._running: set[object] = set()
        self._lock = Lock()

    def plain(self, line: bytes) -> Plain | None:
        """Return the call that a line is, None where the library has the say."""
        if b'"initialize"' in line:
            self._greet(_message(line))
            return None
        if b'"logging/setLevel"' in line:
            self._caller = None  # the library logs each call
            return None
        if b'"notifications/roots/list_changed"' in line:
            self._serving.forget_roots()
            return None
        if b'"notifications/cancelled"' in line:
            self._cancel(_message(line))
            return None
        if self._caller is None or b'"tools/call"' not in line or len(line) > _LONGEST:
            return None
        plain = _plain(_message(line), self._caller, line)
        if plain is not None:
            # Known before the next line is read, for that may cancel it.
            with self._lock:
                self._running.add(plain.id)
        return plain

    def told(self, text: str) -> None:
        """Look at what the library says: its answer to the greeting opens the session."""
        if self._greeting is None:
            return
        message = _decoded(text)
        if message.get("id") != self._greeting[0] or "method" in message:
            return
        if message.get("result", {}).get("protocolVersion") in VERSIONS:
            self._caller = self._greeting[1]
        self._greeting = None

    def answer(self, plain: Plain) -> bytes | None:
        """Carry out a call and return its answer, None where there is more to say than that.

        An answer that nobody waits for any more is empty.
        """
        try:
            desk = self._serving.desk
            said = desk.call(plain.tool, plain.arguments, plain.caller) if desk else None
        except BROKEN as error:
            self._serving.made[plain.id] = error
            return None
        finally:
            with self._lock:
                wanted = plain.id in self._running
                self._running.discard(plain.id)
        if said is None:
            return None
        if not wanted:
            return b""
        if _says_more(plain, said):
            self._serving.made[plain.id] = said
            return None
        return _line(plain.id, said)

    def _greet(self, message: dict[str, Any]) -> None:
        """Remember who greets; to greet again is to open another session."""
        self._caller, params = None, message.get("params")
        if message.get("method") != "initialize" or not isinstance(params, dict):
            return
        info = params.get("clientInfo")
        name = info.get("name") if isinstance(info, dict) else None
        self._greeting = (
            message.get("id"),
            self._serving.caller(name if isinstance(name, str) else ""),
        )

    def _cancel(self, message: dict[str, Any]) -> None:
        """Let a call run to its end, since a file is old or new, but leave it without an answer."""
        params = message.get("params")
        if isinstance(params, dict) and isinstance(params.get("requestId"), int | str):
            with self._lock:
                self._running.discard(params["requestId"])


def _says_more(plain: Plain, said: Said) -> bool:
    """Tell whether the user is to be asked, or there is something to log."""
    noted = said.data.get("warnings") or said.data.get("conflicts")
    return bool(noted) or question_of(plain.tool, plain.arguments, said) is not None


def _message(line: bytes) -> dict[str, Any]:
    """Return the message of a line; an empty one where the library may see it otherwise."""
    try:
        found = _decoded(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _plain(message: dict[str, Any], caller: Caller, line: bytes) -> Plain | None:
    name, params = message.get("id"), message.get("params")
    if message.keys() != _ASKED or not isinstance(params, dict) or params.keys() - _PARAMS:
        return None
    if message["jsonrpc"] != "2.0" or message["method"] != "tools/call":
        return None
    meta, tool, given = params.get("_meta", {}), params.get("name"), params.get("arguments", {})
    if not (isinstance(meta, dict) and isinstance(tool, str) and isinstance(given, dict)):
        return None
    if not isinstance(name, int | str) or isinstance(name, bool):
        return None
    if any(key.startswith(_SPECIAL) for key in meta):
        return None
    return Plain(name, tool, given, caller, line)


def _line(name: int | str, said: Said) -> bytes:
    result = {
        "content": [{"type": "text", "text": said.text}],
        "structuredContent": said.data,
        "isError": said.refused,
    }
    text: str = clean(_encoded({"jsonrpc": "2.0", "id": name, "result": result}))
    return text.encode("utf-8") + b"\n"
