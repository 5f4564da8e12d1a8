"""The server against the official filesystem server and a bare server, by one real client.

python -m bench.mcp_bench COMMAND...    the command that starts the filesystem server
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from bench.measure import Row

KEYHOLE = str(Path(sys.executable).with_name("keyhole"))
# The engine without its front.
ENGINE = "from keyhole.surfaces.cli.main import run; run()"
ROUNDS, STARTS = 200, 20
LINES = 1000  # of 50 bytes

BARE = """
import anyio
from mcp import types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

async def tools(ctx, params):
    tool = types.Tool(name="one", input_schema={"type": "object"})
    return types.ListToolsResult(tools=[tool])

async def call(ctx, params):
    return types.CallToolResult(content=[])

async def main():
    server = Server("bare", on_list_tools=tools, on_call_tool=call)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())

anyio.run(main)
"""


class Bench:
    """A scratch tree and the environment that servers run in."""

    def __init__(self, scratch: Path) -> None:
        self.root = scratch / "root"
        self.root.mkdir()
        # An installed package has its bytecode; compiling it anew every time is not start-up.
        kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        self.environment = {**kept, "XDG_STATE_HOME": str(scratch / "state")}

    def file(self, name: str) -> Path:
        """Make a file of 50 KB whose lines can be told apart."""
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            "".join(f"line {n:05d} {'x' * 38}\n" for n in range(LINES)), encoding="utf-8"
        )
        return path

    @asynccontextmanager
    async def client(self, *command: str) -> AsyncIterator[Client]:
        """Start a server and speak to it as old hosts do, which every server understands."""
        server = StdioServerParameters(
            command=command[0], args=list(command[1:]), env=self.environment
        )
        async with Client(server, mode="legacy") as client:
            yield client


async def _timed(work: Callable[[], Awaitable[object]]) -> float:
    start = time.perf_counter()
    await work()
    return time.perf_counter() - start


async def edits(bench: Bench, rival: list[str]) -> list[Row]:
    """Edit files of 50 KB in turns: by us in three ways, and by the filesystem server."""
    # A root for each, and so a journal: none waits for what another does after its answer.
    files = {
        name: bench.file(f"{name}/a.txt") for name in ("durable", "process", "engine", "rival")
    }
    roots = {name: str(file.parent) for name, file in files.items()}
    servers = {
        "durable": (KEYHOLE, "mcp", "--root", roots["durable"]),
        "process": (KEYHOLE, "mcp", "--root", roots["process"], "--durability", "process"),
        "engine": (sys.executable, "-c", ENGINE, "mcp", "--root", roots["engine"]),
        "rival": (*rival, roots["rival"]),
    }
    times: dict[str, list[float]] = {name: [] for name in servers}
    async with AsyncExitStack() as stack:
        clients = {
            name: await stack.enter_async_context(bench.client(*command))
            for name, command in servers.items()
        }
        for n in range(ROUNDS):
            # In any order: to flush takes along what others wrote just before.
            for name in Random(n).sample(sorted(clients), len(clients)):
                call = _edit(files[name], n, ours=name != "rival")
                times[name].append(await _timed(partial(clients[name].call_tool, *call)))
    for path in files.values():
        done = path.read_text(encoding="utf-8").count("edit ")
        assert done == ROUNDS, f"BUG: {path.name} has {done} edits of {ROUNDS}"
    took = {name: median(each) for name, each in times.items()}
    print("  ".join(f"{name} {each * 1000:.2f} ms" for name, each in took.items()))
    rival_label = "edit_file of the filesystem server, p50"
    return [
        Row(f"durable edit of 50 KB / {rival_label}", took["durable"] / took["rival"], 1.1),
        Row(f"edit that survives a kill / {rival_label}", took["process"] / took["rival"], 0.9),
        Row("durable edit / by the engine alone, p50", took["durable"] / took["engine"], 1.03),
    ]


def _edit(file: Path, number: int, *, ours: bool) -> tuple[str, dict[str, Any]]:
    """Return the call that edits one line of a file."""
    old, new = f"line {number:05d} ", f"edit {number:05d} "
    if ours:
        edit = {"find": old, "content": new, "match": "exact"}
        return "edit", {"path": file.name, "edits": [edit]}
    return "edit_file", {"path": str(file), "edits": [{"oldText": old, "newText": new}]}


async def starts(bench: Bench, scratch: Path) -> Row:
    """Start servers in turns, each until its first list of tools."""
    script = scratch / "bare.py"
    script.write_text(BARE, encoding="utf-8")
    times: tuple[list[float], list[float]] = ([], [])
    commands = [[KEYHOLE, "mcp", "--root", str(bench.root)], [sys.executable, str(script)]]
    for n in range(STARTS + 1):
        for kept, command in zip(times, commands, strict=True):
            start = time.perf_counter()
            async with bench.client(*command) as client:
                await client.list_tools()
                if n:  # the first of each warms the disk
                    kept.append(time.perf_counter() - start)
    label = "start to the first tools/list / a bare server with one tool, p50"
    return Row(label, median(times[0]) / median(times[1]), 1.15)


async def sizes(bench: Bench, rival: list[str]) -> list[str]:
    """Return what the lists of tools and one edit cost a model to read, in bytes."""
    ours, theirs = bench.file("a.txt"), bench.file("b.txt")
    old, new = "line 00500 ", "edit 00500 "
    calls: list[tuple[list[str], str, Mapping[str, Any]]] = [
        (
            [KEYHOLE, "mcp", "--root", str(bench.root)],
            "edit",
            {"path": ours.name, "edits": [{"find": old, "content": new}]},
        ),
        (
            [*rival, str(bench.root)],
            "edit_file",
            {"path": str(theirs), "edits": [{"oldText": old, "newText": new}]},
        ),
    ]
    lines = []
    for command, tool, arguments in calls:
        async with bench.client(*command) as client:
            listed = (await client.list_tools()).model_dump_json(by_alias=True, exclude_none=True)
            answer = await client.call_tool(tool, dict(arguments))
            text = "".join(getattr(part, "text", "") for part in answer.content)
            data = answer.structured_content
            lines.append(
                f"{Path(command[0]).name:<24} tools/list {len(listed):>6}   request "
                f"{len(json.dumps(arguments)):>4}   answer {len(text):>4} as text, "
                f"{len(json.dumps(data)) if data else 0:>4} as data"
            )
    return lines


def main(rival: list[str]) -> int:
    """Print every ratio beside its limit, then the sizes; fail if a ratio is over."""
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(Path(scratch))
        rows = [*anyio.run(edits, bench, rival), anyio.run(starts, bench, Path(scratch))]
        said = anyio.run(sizes, bench, rival)
    for label, ratio, limit in rows:
        mark = "" if ratio <= limit else "   OVER"
        print(f"{label:<72} {ratio:>8.2f} x   at most {limit:g} x{mark}")
    print("\n".join(said))
    return 1 if any(row.ratio > row.limit for row in rows) else 0


if __name__ == "__main__":
    default = "npx --yes @modelcontextprotocol/server-filesystem"
    sys.exit(main(sys.argv[1:] or shlex.split(default)))
