"""What servers cost a model to read: their lists of tools, and one edit of a file of 50 KB.

python -m bench.mcp_sizes HOME    HOME is where the other servers are installed, once
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from bench.mcp_bench import KEYHOLE, Bench
from keyhole.fastclasses import dataclass

OLD, NEW = "line 00500 ", "edit 00500 "
NPM = (
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@wonderwhy-er/desktop-commander@0.2.52",
)
PIP = "serena-agent"


@dataclass(frozen=True, slots=True)
class Server:
    """A server to start, what it says must be read first, and the call that edits a file."""

    name: str
    command: Callable[[Path], Sequence[str]]
    tool: str
    call: Callable[[Path, str], dict[str, Any]]
    first: str = ""


def servers(home: Path) -> list[Server]:
    """Return ours, then the others as they are installed below `home`."""
    modules, serena = home / "node_modules", str(home / "serena" / "bin" / "serena")
    files = str(modules / "@modelcontextprotocol" / "server-filesystem" / "dist" / "index.js")
    desktop = str(modules / "@wonderwhy-er" / "desktop-commander" / "dist" / "index.js")
    quiet = ["--enable-web-dashboard", "false"]
    return [
        Server(
            "keyhole",
            lambda root: [KEYHOLE, "mcp", "--root", str(root)],
            "edit",
            lambda path, _: {"path": path.name, "edits": [{"find": OLD, "content": NEW}]},
        ),
        Server(
            "server-filesystem",
            lambda root: ["node", files, str(root)],
            "edit_file",
            lambda path, _: {"path": str(path), "edits": [{"oldText": OLD, "newText": NEW}]},
        ),
        Server(
            "serena",
            lambda root: [serena, "start-mcp-server", "--project", str(root), *quiet],
            "serena_repl",
            _in_serena,
            first="initial_instructions",
        ),
        Server(
            "desktop-commander",
            lambda _: ["node", desktop],
            "edit_block",
            lambda path, _: {"file_path": str(path), "old_string": OLD, "new_string": NEW},
        ),
    ]


def _in_serena(path: Path, said: str) -> dict[str, Any]:
    """Return the edit as code: Serena offers one tool that runs it, and names a session first."""
    [session] = re.findall(r"session id is `(\w+)`", said)
    code = f's.edit.replace_content("{path.name}", "{OLD}", "{NEW}", mode="literal")'
    return {"session": session, "code": code}


async def measured(bench: Bench, server: Server) -> str:
    """Return the line of one server; where its edit did not happen, nothing is said of it."""
    path = bench.file(f"{server.name}.txt")
    async with bench.client(*server.command(bench.root)) as client:
        listed = (await client.list_tools()).model_dump_json(by_alias=True, exclude_none=True)
        said = (await _answer(client, server.first, {}))[0] if server.first else ""
        given = server.call(path, said)
        text, data = await _answer(client, server.tool, given)
    known = [len(listed), len(said)]
    edited = NEW in path.read_text(encoding="utf-8")
    sizes = [*known, *map(len, (_wire(given), text, data))] if edited else [*known, "no edit"]
    return f"{server.name:<20}" + "".join(f"{size:>12}" for size in sizes)


async def _answer(client: Client, tool: str, given: dict[str, Any]) -> tuple[str, str]:
    answer = await client.call_tool(tool, given)
    text = "".join(getattr(part, "text", "") for part in answer.content)
    return text, _wire(answer.structured_content) if answer.structured_content else ""


def _wire(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def install(home: Path) -> None:
    """Install the other servers where they are not yet."""
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "node_modules" / "@wonderwhy-er").exists():
        # One of its dependencies asks for a version that not every registry has.
        package = {"overrides": {"typedarray.prototype.slice": "1.0.5"}}
        (home / "package.json").write_text(json.dumps(package), encoding="utf-8")
        flags = ["--no-fund", "--no-audit", "--silent", "--ignore-scripts"]
        subprocess.run(["npm", "install", "--prefix", str(home), *flags, *NPM], check=True)
    if not (home / "serena").exists():
        subprocess.run([sys.executable, "-m", "venv", str(home / "serena")], check=True)
        pip = [str(home / "serena" / "bin" / "pip"), "install", "--quiet"]
        subprocess.run([*pip, "--disable-pip-version-check", PIP], check=True)


def main(home: Path) -> int:
    """Print a line for each server, in bytes."""
    install(home)
    heads = ("tools/list", "read first", "request", "answer text", "answer data")
    print(f"{'bytes':<20}" + "".join(f"{head:>12}" for head in heads))
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(Path(scratch))
        # Serena serves projects in a language it knows.
        (bench.root / "main.py").write_text("print()\n", encoding="utf-8")
        for server in servers(home):
            print(anyio.run(measured, bench, server))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
