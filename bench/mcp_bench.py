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
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from bench.measure import Row

KEYHOLE = str(Path(sys.executable).with_name("keyhole"))
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


async def edits(bench: Bench, rival: list[str]) -> Row:
    """Edit files of 50 KB in turns; ours are durable and journalled, theirs are neither."""
    ours, theirs = bench.file("ours.txt"), bench.file("theirs.txt")
    times: tuple[list[float], list[float]] = ([], [])
    async with (
        bench.client(KEYHOLE, "mcp", "--root", str(bench.root)) as one,
        bench.client(*rival, str(bench.root)) as other,
    ):
        for n in range(ROUNDS):
            old, new = f"line {n:05d} ", f"edit {n:05d} "
            mine: dict[str, Any] = {
                "path": ours.name,
                "edits": [{"find": old, "content": new, "match": "exact"}],
            }
            other_edits = [{"oldText": old, "newText": new}]
            yours: dict[str, Any] = {"path": str(theirs), "edits": other_edits}
            times[0].append(await _timed(lambda mine=mine: one.call_tool("edit", mine)))  # type: ignore[misc]
            times[1].append(await _timed(lambda yours=yours: other.call_tool("edit_file", yours)))  # type: ignore[misc]
    for path in (ours, theirs):
        done = path.read_text(encoding="utf-8").count("edit ")
        assert done == ROUNDS, f"BUG: {path.name} has {done} edits of {ROUNDS}"
    label = "durable edit of 50 KB / edit_file of the filesystem server, p50"
    return Row(label, median(times[0]) / median(times[1]), 1.0)


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
        rows = [anyio.run(edits, bench, rival), anyio.run(starts, bench, Path(scratch))]
        said = anyio.run(sizes, bench, rival)
    for label, ratio, limit in rows:
        mark = "" if ratio <= limit else "   OVER"
        print(f"{label:<72} {ratio:>8.2f} x   at most {limit:g} x{mark}")
    print("\n".join(said))
    return 1 if any(row.ratio > row.limit for row in rows) else 0


if __name__ == "__main__":
    default = "npx --yes @modelcontextprotocol/server-filesystem"
    sys.exit(main(sys.argv[1:] or shlex.split(default)))
