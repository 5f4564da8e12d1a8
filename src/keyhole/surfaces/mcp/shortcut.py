"""Plain calls of tools: from the line of a request to the line of its answer in one step.

Most messages of a session are such calls, and the protocol's library takes longer for one message
than an edit takes to reach the disk. The front's rules say which lines are plain; the library has
the say over everything else: other methods, logs, questions to the user, requests that are not
quite right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import TYPE_CHECKING

from keyhole.fastclasses import dataclass, replace
from keyhole.refusals import Refusal
from keyhole.surfaces.mcp.answers import SERVER_INFO, clean, warnings_of
from keyhole.surfaces.mcp.elicitation import question_of, waiting_of
from keyhole.surfaces.mcp.front.messages import (
    client_name,
    encoded,
    envelope_client,
    greeting_client,
    has_apps,
    has_envelope,
    is_name,
    is_request,
    line_of,
    message_of,
    meta_of,
)
from keyhole.surfaces.mcp.front.relay import AGAIN, LANDED, SESSION
from keyhole.surfaces.mcp.service import Service
from keyhole.toolsets.base import Caller, ToolAnswer, refusals_answer

if TYPE_CHECKING:
    from keyhole.surfaces.mcp.front.messages import Client, Message

_CALLS = {"tools/call", AGAIN, LANDED}
_PARAMS = {"name", "arguments", "_meta"}

# What a bug or a broken disk raises: the client is told that, and no more.
BROKEN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NameError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Plain:
    """One plain call, and the line it came in."""

    id: int | str
    tool: str
    arguments: dict[str, object]
    caller: Caller
    line: bytes
    # Where progress is told of, None where nobody asked.
    token: int | str | None = None
    is_modern: bool = False
    # The client can put a question to the user.
    may_ask: bool = False
    # How a call comes that an engine died over, and when it came first.
    method: str = "tools/call"
    since: float = 0.0


class Shortcut:
    """Which calls are plain, what became of them, and whether the session is open for them."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._client: Client | None = None
        self._is_greeted, self._is_logging, self._name = False, False, ""
        # How many calls run by an id: a client may use one twice.
        self._running: Counter[int | str] = Counter()
        self._lock = Lock()

    def plain(self, line: bytes) -> Plain | None:
        """Return the call that a line is, None where the library has the say."""
        if b'"tools/call"' in line or b'"keyhole/' in line:
            return self._known(message_of(line), line)
        if b'"initialize"' in line:
            self._greet(message_of(line))
        elif b'"logging/setLevel"' in line:
            self._is_logging = True  # the library logs each call
        elif b'"notifications/roots/list_changed"' in line:
            self._service.forget_roots()
        elif b'"notifications/cancelled"' in line:
            self._cancel(message_of(line))
        return None

    def answer(self, plain: Plain) -> bytes | None:
        """Carry out a call and return its answer, None where there is more to say than that.

        An answer that nobody waits for any more is empty.
        """
        try:
            outcome = self._carried_out(plain)
        except MemoryError:
            raise
        except BROKEN as error:
            self._service.made[plain.id] = error
            return None
        finally:
            with self._lock:
                wanted = self._running.pop(plain.id, 0)
                if wanted > 1:
                    self._running[plain.id] = wanted - 1
        if outcome is None:
            return None
        if not wanted:
            return b""
        asks = question_of(plain.tool, outcome.given, outcome) or waiting_of(outcome)
        if plain.may_ask and asks:
            self._service.made[plain.id] = outcome
            return None
        return b"".join([*_logged(plain, outcome), _line(plain, outcome)])

    def _carried_out(self, plain: Plain) -> ToolAnswer | None:
        """Carry out a call, unless an engine died over it and it had landed by then."""
        desk = self._service.desk
        if plain.method == "tools/call":
            return desk.call(plain.tool, plain.arguments, plain.caller) if desk else None
        if desk is None:
            return _stopped("the history says whether it was done")
        landed = desk.landed(plain.tool, plain.caller, plain.since)
        if landed or plain.method == LANDED:
            return landed or _stopped("it was not done")
        return desk.call(plain.tool, plain.arguments, plain.caller)

    def _known(self, message: Message, line: bytes) -> Plain | None:
        """Return a call of a client that is known, and remember that it runs."""
        if message.get("method") == SESSION:
            self._service.session = str(message["params"]["name"])
        if not is_request(message) or message["method"] not in _CALLS:
            return None
        client = self._calling(message)
        plain = client and _plain(message, self._caller(client, message), line)
        if plain and client and "elicitation" in client[1]:
            plain = replace(plain, may_ask=True)
        if plain:
            # Known before the next line is read, for that may cancel it.
            with self._lock:
                self._running[plain.id] += 1
        return plain or None

    def _calling(self, message: Message) -> Client | None:
        """Return who calls, None where the library wants to see the call."""
        client = self._client
        if has_envelope(message):
            client = None if self._is_greeted else envelope_client(message)
        if message["method"] != "tools/call":  # which the library does not know
            return client or (client_name(message) or self._name, {})
        # The library draws cards beside its answers, for hosts that show them.
        return None if self._is_logging or (client and has_apps(client)) else client

    def _caller(self, client: Client, message: Message) -> Caller:
        return self._service.caller(client[0], meta_of(message), message["id"])

    def _greet(self, message: Message) -> None:
        """Remember who greets; to greet again is to open another session."""
        if is_request(message) and message["method"] == "initialize":
            client, self._name = greeting_client(message), client_name(message)
            self._client = None if self._is_greeted else client
            self._is_greeted = self._is_greeted or client is not None

    def _cancel(self, message: Message) -> None:
        """Let a call run to its end, since a file is old or new, but leave it without an answer."""
        params = message.get("params")
        if isinstance(params, dict) and is_name(params.get("requestId")):
            with self._lock:
                self._running.pop(params["requestId"], None)


def _stopped(what: str) -> ToolAnswer:
    """Return the answer to a call that an engine died over and that is not carried out again."""
    headline = f"the engine stopped while it carried out this call; {what}"
    return refusals_answer([Refusal("busy", headline, help="send less in one call")])


def _logged(plain: Plain, outcome: ToolAnswer) -> Iterator[bytes]:
    """Yield what the call warns of; a request that stands alone says if it wants to hear of it."""
    for warning in () if plain.is_modern else warnings_of(plain.tool, outcome):
        params = {"level": "warning", "logger": "keyhole", "data": clean(warning)}
        yield line_of({"jsonrpc": "2.0", "method": "notifications/message", "params": params})


def _plain(message: Message, caller: Caller, line: bytes) -> Plain | None:
    params, method = dict(message.get("params", {})), message["method"]
    since = 0.0 if method == "tools/call" else params.pop("since")
    tool, given = params.get("name"), params.get("arguments", {})
    if params.keys() - _PARAMS or not (isinstance(tool, str) and isinstance(given, dict)):
        if not since:
            return None
        method = LANDED  # what is not plain is not carried out again
    if since:
        line = line_of({**message, "method": "tools/call", "params": params})
    token, is_modern = meta_of(message).get("progressToken"), has_envelope(message)
    own = (message["id"], str(tool), given, caller, line, token, is_modern)
    return Plain(*own, method=method, since=since)


_STAMP = {
    "resultType": "complete",
    "_meta": {"io.modelcontextprotocol/serverInfo": SERVER_INFO},
}


def _line(plain: Plain, outcome: ToolAnswer) -> bytes:
    result: Mapping[str, object] = {
        "content": [{"type": "text", "text": outcome.text}],
        "structuredContent": outcome.data,
        "isError": outcome.refused,
        **(_STAMP if plain.is_modern else {}),
    }
    text: str = clean(encoded({"jsonrpc": "2.0", "id": plain.id, "result": result}))
    return text.encode("utf-8") + b"\n"
