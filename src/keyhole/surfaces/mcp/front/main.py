"""Where `keyhole mcp` begins: the flags that the greeting depends on, and the two processes."""

from __future__ import annotations

import os
import sys

from keyhole.surfaces.mcp.front.greeting import Greeter, offered_tools, table
from keyhole.surfaces.mcp.front.messages import line_of
from keyhole.surfaces.mcp.front.relay import SAID, Forked, Relay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TextIO

    Flags = Mapping[str, Mapping[str, Any]]

INTERRUPTED = 130
# What does not serve over standard input, or only says something.
_OTHER = {"--http", "--print-config", "--project", "--from", "--trust", "--help"}
_READING = {"research", "analyze"}


def serve(words: list[str]) -> int | None:
    """Serve a client and return the exit code; None where the command line has to go on.

    It does so in the engine's process, and where there is something to say before anything is
    served.
    """
    greeter = _greeter(words) if os.name == "posix" else None
    if greeter is None:
        return None
    tell_terminal()
    try:
        return Relay(greeter).run()
    except Forked:
        sys.stderr = Told(sys.stderr, os.dup(1))
        return None
    except KeyboardInterrupt:
        return INTERRUPTED


def tell_terminal() -> None:
    """Say to a person at a terminal what the server waits for."""
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write(
            "keyhole mcp: waiting for an agent host on standard input; "
            "`keyhole install` sets a host up, Ctrl-C ends\n"
        )


def _greeter(words: list[str]) -> Greeter | None:
    """Return who greets clients as these flags say; None where they make no sense to us."""
    baked = table()
    given = _flags(words, baked["flags"])
    if given is None or given.keys() & _OTHER:
        return None
    named = list(given.get("--root", ()))
    roots = list(dict.fromkeys(os.path.realpath(root) for root in named))
    if not all(os.path.isdir(root) and root.isprintable() for root in roots):  # noqa: PTH112
        return None
    read_only = "--read-only" in given or bool(_READING.intersection(given.get("--task-mode", ())))
    names = ",".join(given.get("--tools", ()))
    sets = [word for word in map(str.strip, names.split(",")) if word]
    if "--tools" in given and not sets:
        return None
    tools = offered_tools(baked, sets or ("native",), read_only=read_only)
    return None if tools is None else Greeter(baked, roots, tools)


def _flags(words: list[str], known: Flags) -> dict[str, list[str]] | None:
    """Return the values of each flag; None where the command line's own parser has the say."""
    given: dict[str, list[str]] = {}
    named: list[str] = []
    todo = iter(words)
    for word in todo:
        if word and not word.startswith("-"):
            named.append(word)
            continue
        name, equals, value = word.partition("=")
        flag = known.get(name)
        if flag is None or (name in given and not flag["many"]) or (equals and not flag["value"]):
            return None
        values = given.setdefault(name, [])
        if flag["value"]:
            value = value if equals else next(todo, "")
            if not value or (flag["choices"] and value not in flag["choices"]):
                return None
            values.append(value)
    return {**given, "--root": [*given.get("--root", []), *named]} if named else given


class Told:
    """Standard error of the engine's process, which the front hears of too: a client may ask."""

    def __init__(self, stream: TextIO, front: int) -> None:
        self._stream, self._front = stream, front

    def write(self, text: str) -> int:
        """Write a text, and let the front know it."""
        self._tell({"text": text[:2000]})
        return self._stream.write(text)

    def ready(self) -> None:
        """Let the front know that the engine reads from now on."""
        self._tell({"ready": True})

    def refuse(self, refusals: object) -> None:
        """Let the front know why the engine does not serve: as data, which clients branch on."""
        self._tell({"refusals": refusals})

    def _tell(self, params: Mapping[str, object]) -> None:
        os.write(self._front, line_of({"jsonrpc": "2.0", "method": SAID, "params": params}))

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)
