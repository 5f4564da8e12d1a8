"""Messages as no client should send them: sound ones, damaged in their JSON or in their bytes."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

# What JSON holds, sound or not.
Data = Any

_INFO = {"name": "fuzz", "version": "1"}
_CALLS: tuple[tuple[str, Data], ...] = (
    ("outline", {"path": "a.py", "depth": 1, "kinds": ["function"], "query": "load"}),
    ("read", {"path": "a.py", "segment": "load", "part": "body", "lines": "1-2"}),
    ("search", {"query": "return", "path": ".", "regex": True, "glob": "*.py", "limit": 3}),
    ("edit", {"path": "a.py", "edits": [{"find": "return 1", "content": "return 2"}]}),
    ("edit", {"path": "n.txt", "edits": [{"lines": [1, 2], "content": "x", "occurrence": 1}]}),
    ("edit", {"edits": [{"path": "a.py", "segment": "load", "action": "append", "content": "#"}]}),
    ("patch", {"patch": "--- a/n.txt\n+++ b/n.txt\n@@ -1 +1 @@\n-one\n+two\n", "dry_run": True}),
    ("write", {"path": "new.txt", "content": "x\n", "expected_hash": "0" * 16}),
    ("write", {"path": "n.txt", "move_to": "m.txt", "mode": "verify_only"}),
    ("history", {"path": "a.py", "since": "2h", "limit": 5}),
    ("undo", {"id": "1", "dry_run": True, "reason": "why"}),
    ("apply_patch", {"input": "*** Begin Patch\n*** Add File: z\n+z\n*** End Patch"}),
)
_REQUESTS: tuple[tuple[str, Data], ...] = (
    ("ping", {}),
    ("tools/list", {"cursor": "x"}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "keyhole://outline/a.py"}),
    ("resources/subscribe", {"uri": "keyhole://history"}),
    ("resources/unsubscribe", {"uri": "keyhole://history"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "editing-guide", "arguments": {"a": "b"}}),
    ("logging/setLevel", {"level": "debug"}),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": "keyhole://outline/{+path}"},
            "argument": {"name": "path", "value": "a"},
        },
    ),
    ("notifications/cancelled", {"requestId": 7, "reason": "x"}),
    ("notifications/roots/list_changed", {}),
    ("notifications/progress", {"progressToken": 1, "progress": 1}),
    ("server/discover", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}),
    ("no/such/method", {"x": 1}),
)
_ODD: tuple[Data, ...] = (
    None,
    True,
    0,
    -1,
    10**400,
    1e308,
    "",
    "\0",
    "\ud800",
    "é" * 500,
    "../" * 40,
    "x" * 20_000,
    [],
    {},
    [[[[[[[[[[]]]]]]]]]],
    {"": {"": {"": []}}},
    "keyhole://",
    "2026-07-28",
    [None] * 50,
)


def sound(rng: Random, number: int) -> Data:
    """Return a message that a client could send."""
    if rng.random() < 0.6:
        name, given = rng.choice(_CALLS)
        method, params = "tools/call", {"name": name, "arguments": given}
    else:
        method, params = rng.choice(_REQUESTS)
    params = json.loads(json.dumps(params))
    if rng.random() < 0.2:
        params.setdefault("_meta", {})["progressToken"] = number
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    if method.startswith("notifications/"):
        del message["id"]
    return message


def damaged(rng: Random, message: Data) -> bytes:
    """Return the message as a line of bytes with one to three things wrong."""
    if rng.random() < 0.1:
        message = [message] * rng.randrange(4)
    for _ in range(rng.randrange(1, 4)):
        message = _mutated(rng, message)
    body = json.dumps(message).encode()
    return _bitten(rng, body) if rng.random() < 0.3 else body


def _mutated(rng: Random, value: Data) -> Data:
    """Return a value with something odd somewhere in it."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        name = rng.choice(list(value))
        if rng.random() < 0.15:
            return {key: one for key, one in value.items() if key != name}
        if rng.random() < 0.1:
            return {**value, rng.choice(["x", "_meta", "params", "id", "path"]): rng.choice(_ODD)}
        return {**value, name: _mutated(rng, value[name])}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], _mutated(rng, value[at]), *value[at + 1 :]]
    return rng.choice(_ODD)


def _bitten(rng: Random, body: bytes) -> bytes:
    """Return bytes cut, changed or repeated, still on one line."""
    at = rng.randrange(len(body) + 1)
    junk = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))
    bitten = rng.choice(
        [body[:at], body[:at] + junk + body[at:], body[:at] + junk + body[at + 3 :], body + body]
    )
    return bitten.replace(b"\n", b"").replace(b"\r", b"")


def messages(seed: int, count: int) -> Iterator[bytes]:
    """Yield so many messages, most of them damaged, always the same ones for a seed."""
    rng = Random(seed)
    for number in range(1000, 1000 + count):
        message = sound(rng, number)
        yield json.dumps(message).encode() if rng.random() < 0.1 else damaged(rng, message)
