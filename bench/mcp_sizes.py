"""What servers cost a model to read: answers in tokens, lists of tools and an edit in bytes.

python -m bench.mcp_sizes HOME [others]

HOME is where the other servers are installed, once: the official filesystem server, and with
`others` also Serena and Desktop Commander.
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
from bench.mcp_tokens import answers, rows
from keyhole.fastclasses import dataclass

OLD, NEW = "line 00500 ", "edit 00500 "
FILESYSTEM = "@modelcontextprotocol/server-filesystem"
NPM = (f"{FILESYSTEM}@2026.8.31", "gpt-tokenizer@4.0.0")
OTHERS = ("@wonderwhy-er/desktop-commander@0.2.52",)
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
    files = str(modules / FILESYSTEM / "dist" / "index.js")
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


def install(home: Path, *, others: bool) -> None:
    """Install the other servers where they are not yet."""
    home.mkdir(parents=True, exist_ok=True)
    package = home / "package.json"
    if not package.exists():
        # One of the dependencies asks for a version that not every registry has.
        versions = {"overrides": {"typedarray.prototype.slice": "1.0.5"}}
        package.write_text(json.dumps(versions), encoding="utf-8")
    for name in (*NPM, *(OTHERS if others else ())):
        if not (home / "node_modules" / name.rpartition("@")[0]).exists():
            flags = ["--no-fund", "--no-audit", "--silent", "--ignore-scripts"]
            subprocess.run(["npm", "install", "--prefix", str(home), *flags, name], check=True)
    if others and not (home / "serena").exists():
        subprocess.run([sys.executable, "-m", "venv", str(home / "serena")], check=True)
        pip = [str(home / "serena" / "bin" / "pip"), "install", "--quiet"]
        subprocess.run([*pip, "--disable-pip-version-check", PIP], check=True)


def main(home: Path, *, others: bool) -> int:
    """Print the tokens of answers, then a line for each server, in bytes; fail over a limit."""
    install(home, others=others)
    with tempfile.TemporaryDirectory() as scratch:
        files = ["node", str(home / "node_modules" / FILESYSTEM / "dist" / "index.js")]
        lines, fits = rows(home, anyio.run(answers, Bench(Path(scratch)), files))
    print("\n".join([*lines, ""]))
    heads = ("tools/list", "read first", "request", "answer text", "answer data")
    print(f"{'bytes':<20}" + "".join(f"{head:>12}" for head in heads))
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(Path(scratch))
        # Serena serves projects in a language it knows.
        (bench.root / "main.py").write_text("print()\n", encoding="utf-8")
        for server in servers(home)[: None if others else 2]:
            print(anyio.run(measured, bench, server))
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute(), others="others" in sys.argv[2:]))
