"""The greeting: what a client asks before its first call, answered from a table.

`make bake` asks the protocol's library every question once and keeps its answers in `table.json`;
a test asks again and compares.
"""

from __future__ import annotations

import json
import os

from keyhole.surfaces.mcp.front.messages import (
    SUBSCRIPTION,
    agreed_version,
    envelope_client,
    greeting_client,
    has_apps,
    has_envelope,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from keyhole.surfaces.mcp.front.messages import Client, Message

TABLE = os.path.join(os.path.dirname(__file__), "table.json")  # noqa: PTH118, PTH120 - pathlib costs the start
_LISTS = {"tools/list", "prompts/list", "resources/list", "resources/templates/list"}
_NEWS = {"toolsListChanged", "promptsListChanged", "resourcesListChanged"}
_MOST_STREAMS = 256


def table() -> dict[str, Any]:
    """Return the baked answers."""
    with open(TABLE, encoding="utf-8") as file:  # noqa: PTH123 - pathlib costs the start
        found: dict[str, Any] = json.load(file)
    return found


def instructions(
    by_set: Mapping[str, str], sets: Container[str], roots: Sequence[str], *, writes: bool
) -> str:
    """Return what a model reads about these sets of tools, in those hosts that show it."""
    own = ["native" if writes else "reading"] if "native" in sets else []
    names = [*own, *(name for name in by_set if name in sets and name != "native")]
    where = "Relative paths are below the root that the client names."
    if roots:
        others = f"; name files below {', '.join(roots[1:])} by absolute paths" if roots[1:] else ""
        where = f"Relative paths are below {roots[0]}{others}."
    return " ".join([*(by_set[name] for name in names or [""]), where])


def offered_tools(
    baked: Mapping[str, Any], words: Iterable[str], *, read_only: bool
) -> list[str] | None:
    """Return the tools that these words offer, by their keys; None where there is a word to say."""
    found: dict[str, str] = {}
    for word in words:
        for key in baked["words"].get(word, ("",)):
            name = key.partition(" ")[2]
            if found.setdefault(name, key) != key or not key:
                return None
    writing = baked["writing"] if read_only else ()
    return [key for key in found.values() if key not in writing]


class Greeter:
    """What one client asked so far, and the answers of a server for these roots and tools."""

    def __init__(self, baked: Mapping[str, Any], roots: Sequence[str], tools: list[str]) -> None:
        self._baked, self.roots, self._tools = baked, roots, tools
        self._is_modern: bool | None = None
        self._client: Client | None = None
        self._greeted = False
        self.streams: set[int | str] = set()

    def answer(self, message: Message) -> Message | None:
        """Return the answer to a well-formed request; None leaves it to the engine."""
        method = message["method"]
        if self._is_modern is None:
            # The library goes by the first request too.
            self._is_modern = method != "initialize" and has_envelope(message)
        client = self._asking(message)
        if method == "ping" and not (self._is_modern or has_envelope(message)):
            return self._result(message, {})
        if client is None or not (self.roots or "roots" in client[1]):
            return None
        if method == "initialize":
            return self._result(message, self._welcome(message))
        params = message.get("params", {})
        if method == "subscriptions/listen":
            return self._acknowledged(message, params) if self._is_modern else None
        if params.keys() - {"_meta"}:
            return None
        if method == "server/discover" and self._is_modern:
            found = {**self._answers[method], "instructions": self._instructions}
            return self._result(message, found)
        if method == "tools/list" and has_apps(client):
            return None
        return self._result(message, self._listed(method)) if method in _LISTS else None

    def _asking(self, message: Message) -> Client | None:
        """Return who asks, if the library would listen to the request."""
        if self._is_modern:
            return envelope_client(message) if message["method"] != "initialize" else None
        if message["method"] == "initialize":
            # To greet again is to open another session, which is the library's then.
            self._client = None if self._greeted else greeting_client(message)
            self._greeted = self._greeted or self._client is not None
        return None if has_envelope(message) else self._client

    @property
    def _answers(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._baked["modern" if self._is_modern else "handshake"]
        return found

    def _result(self, message: Message, result: Mapping[str, Any]) -> Message:
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def _welcome(self, message: Message) -> Mapping[str, Any]:
        version = {"protocolVersion": agreed_version(message["params"])}
        return {**self._answers["initialize"], **version, "instructions": self._instructions}

    @property
    def _sets(self) -> list[str]:
        return [name for name in self._baked["prompts"] if any(self._of(name))]

    def _of(self, name: str) -> Iterator[str]:
        return (key for key in self._tools if key.startswith(f"{name} "))

    @property
    def _instructions(self) -> str:
        by_set, writing = self._baked["instructions"], self._baked["writing"]
        writes = any(key in writing for key in self._of("native"))
        return instructions(by_set, self._sets, self.roots, writes=writes)

    def _listed(self, method: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._answers[method]
        if method == "tools/list":
            return {**found, "tools": [self._baked["tools"][key] for key in self._tools]}
        if method == "prompts/list":
            prompts = [one for name in self._sets for one in self._baked["prompts"][name]]
            return {**found, "prompts": prompts}
        return found

    def _acknowledged(self, message: Message, params: Mapping[str, Any]) -> Message | None:
        """Return the word that a stream of news is open: our lists never change, so none come."""
        wanted = params.get("notifications")
        if params.keys() != {"_meta", "notifications"} or not isinstance(wanted, dict):
            return None
        if wanted.keys() - _NEWS or not all(isinstance(one, bool) for one in wanted.values()):
            return None  # resources do change
        if len(self.streams) >= _MOST_STREAMS or message["id"] in self.streams:
            return None
        self.streams.add(message["id"])
        accepted = {
            "_meta": {SUBSCRIPTION: message["id"]},
            "notifications": {name: True for name, value in wanted.items() if value},
        }
        method = "notifications/subscriptions/acknowledged"
        return {"jsonrpc": "2.0", "method": method, "params": accepted}
