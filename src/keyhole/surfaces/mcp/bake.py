"""The table of the front, made by asking the protocol's library every question: `make bake`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import types
from mcp.shared.message import SessionMessage

from keyhole import toolsets
from keyhole.surfaces.mcp.front.greeting import TABLE
from keyhole.surfaces.mcp.front.messages import HANDSHAKE, MODERN, VERSION
from keyhole.surfaces.mcp.protocol import server_of
from keyhole.surfaces.mcp.server import Serving
from keyhole.surfaces.mcp.service import Service
from keyhole.surfaces.mcp.setup import Setup
from keyhole.surfaces.mcp.workspaces import Allowed
from keyhole.toolsets.base import Tool
from keyhole.toolsets.guides import GUIDES, INSTRUCTIONS
from keyhole.toolsets.native.tools import TOOLS as NATIVE

Data = dict[str, Any]
ROOTED: Data = {"roots": {}}
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")


def asked(method: str, params: Data, *, modern: bool) -> Data:
    """Return a request as a client with roots sends it."""
    own = VERSION.rpartition("/")[0]
    envelope = {VERSION: MODERN, f"{own}/clientCapabilities": ROOTED}
    params = {**params, "_meta": envelope} if modern else params
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def hello(version: str) -> Data:
    """Return the handshake of a client with roots."""
    info = {"name": "baker", "version": "1"}
    params = {"protocolVersion": version, "capabilities": ROOTED, "clientInfo": info}
    return asked("initialize", params, modern=False)


async def answers(setup: Setup, messages: Sequence[Data]) -> list[Data]:
    """Return what the library answers to each message of a session."""
    server = server_of(Serving(Service(setup)))
    sent, reading = anyio.create_memory_object_stream[SessionMessage | Exception](1)
    writing, received = anyio.create_memory_object_stream[SessionMessage](1)
    found = []
    async with anyio.create_task_group() as tasks, sent, received:
        tasks.start_soon(server.run, reading, writing, server.create_initialization_options())
        for message in messages:
            line = json.dumps(message)
            await sent.send(
                SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
            )
            answer = (await received.receive()).message
            found.append(answer.model_dump(by_alias=True, mode="json", exclude_unset=True))
        tasks.cancel_scope.cancel()
    return found


def baked(flags: Data) -> Data:
    """Return the table: the answers of both kinds of versions, the tools, the flags."""
    sets: dict[str, Sequence[Tool]] = {"native": NATIVE}
    sets |= {name: toolsets.tools_of(name) for name in toolsets.SETS}
    keys = {name: [f"{name} {tool.name}" for tool in tools] for name, tools in sets.items()}
    writing = [
        f"{name} {tool.name}"
        for name, tools in sets.items()
        for tool in tools
        if tool.writes and not tool.looks
    ]
    return {
        "flags": flags,
        "handshake": _table(modern=False),
        "modern": _table(modern=True),
        "instructions": dict(INSTRUCTIONS),
        "prompts": {name: _prompts(name) for name in ("native", *GUIDES)},
        "tools": {key: tool for name in sets for key, tool in _listed(name)},
        "words": _words(keys),
        "writing": writing,
    }


def _table(*, modern: bool) -> Data:
    """Return the results of one kind of versions, without what depends on roots and tools."""
    first = asked("server/discover", {}, modern=True) if modern else hello(HANDSHAKE[-1])
    methods = [first, *(asked(method, {}, modern=modern) for method in LISTS)]
    found = anyio.run(answers, Setup(), methods)
    table = {one["method"]: answer["result"] for one, answer in zip(methods, found, strict=True)}
    for name in ("instructions", "protocolVersion"):
        table[first["method"]].pop(name, None)
    table["tools/list"]["tools"] = []
    table["prompts/list"]["prompts"] = []
    return table


def _prompts(name: str) -> list[Data]:
    """Return the guides to a set of tools, as every version lists them."""
    asks = [hello(HANDSHAKE[-1]), asked("prompts/list", {}, modern=False)]
    found: list[Data] = anyio.run(answers, Setup(tools=(name,)), asks)[-1]["result"]["prompts"]
    return found


def _listed(name: str) -> list[tuple[str, Data]]:
    """Return the tools of a set as every version lists them, by their keys."""
    old, new = (
        [*messages, asked("tools/list", {}, modern=bool(not messages))]
        for messages in ([hello(HANDSHAKE[-1])], [])
    )
    setup = Setup(tools=(name,), allowed=Allowed())
    listed = [anyio.run(answers, setup, each)[-1]["result"]["tools"] for each in (old, new)]
    assert listed[0] == listed[1], "BUG: the table has one list for all versions"
    return [(f"{name} {tool['name']}", tool) for tool in listed[0]]


def _words(keys: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the tools behind every word of `--tools` that needs no other word to be clear."""
    words = dict(keys)
    native = {key.partition(" ")[2] for key in keys["native"]}
    known = [key for of in keys.values() for key in of]
    for key in known:
        name = key.partition(" ")[2]
        alike = [one for one in known if one.partition(" ")[2] == name]
        if name in native:
            words.setdefault(name, [f"native {name}"])
        elif len(alike) == 1:
            words.setdefault(name, alike)
    return words


def text_of(table: Data) -> str:
    """Return the table as the file holds it: one value a line, for those who read changes."""
    return json.dumps(table, ensure_ascii=False, indent=0) + "\n"


def write(flags: Data) -> None:
    """Write the table; the command line says which flags there are."""
    Path(TABLE).write_text(text_of(baked(flags)), encoding="utf-8")
