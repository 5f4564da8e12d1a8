"""The protocol's own conformance suite and inspector against our server: `make conformance`.

Both come from npm, in fixed versions, and need Node 22. The suite cannot send a token, so a small
proxy on this machine adds it; host and origin go through as they are, since they are tested.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import anyio

from tests.surfaces.mcp.host import Host

PACKAGES = ("@modelcontextprotocol/conformance@0.1.16", "@modelcontextprotocol/inspector@2.12.0")
NODE = f"node-{sys.platform}-{'arm64' if os.uname().machine in {'arm64', 'aarch64'} else 'x64'}@22"

# The suite drives a server made for it: these ask for tools, resources and prompts of that server.
OTHERS = {
    "tools-call-image": "calls `test_image_content`; our answers are text and data",
    "tools-call-audio": "calls `test_audio_content`; our answers are text and data",
    "tools-call-embedded-resource": "calls `test_embedded_resource`; our answers are text and data",
    "tools-call-mixed-content": "calls `test_multiple_content_types`; ours are text and data",
    "tools-call-with-logging": "calls `test_tool_with_logging`; ours: test_logs.py",
    "tools-call-with-progress": "calls `test_tool_with_progress`; ours: test_working.py",
    "tools-call-sampling": "calls `test_sampling`; we ask no model for anything",
    "tools-call-elicitation": "calls `test_elicitation`; ours: test_elicitation.py",
    "elicitation-sep1034-defaults": "calls `test_elicitation_sep1034_defaults`; ours has none",
    "elicitation-sep1330-enums": "calls `test_elicitation_sep1330_enums`; see test_elicitation.py",
    "json-schema-2020-12": "lists `json_schema_2020_12_tool`; our schemas: test_tools.py",
    "server-sse-polling": "calls `test_reconnection`, which closes its stream half-way",
    "resources-read-text": "reads `test://static-text`; ours: test_server.py",
    "resources-read-binary": "reads `test://static-binary`; our resources are text",
    "resources-templates-read": "reads `test://template/...`; ours: test_server.py",
    "prompts-get-simple": "gets `test_simple_prompt`; ours: test_server.py",
    "prompts-get-with-args": "gets `test_prompt_with_arguments`; ours: test_server.py",
    "prompts-get-embedded-resource": "gets `test_prompt_with_embedded_resource`; ours is text",
    "prompts-get-with-image": "gets `test_prompt_with_image`; ours is text",
}
APPLY = (
    "server-initialize",
    "logging-set-level",
    "ping",
    "completion-complete",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "server-sse-multiple-streams",
    "resources-list",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "dns-rebinding-protection",
)


class Proxy:
    """Passes requests on, each with the token and on a connection of its own."""

    def __init__(self, port: int, token: str) -> None:
        self.target, self.token = port, token
        self.port = 0

    async def serve(self) -> asyncio.Server:
        """Listen at any free port."""
        server = await asyncio.start_server(self._handle, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            head = await reader.readuntil(b"\r\n\r\n")
            there, away = await asyncio.open_connection("127.0.0.1", self.target)
            away.write(self.rewritten(head))
            await asyncio.gather(_pipe(reader, away), _pipe(there, writer))

    def rewritten(self, head: bytes) -> bytes:
        """Return the head of a request for our server: its own port, the token, one answer."""
        ours, theirs = f"127.0.0.1:{self.port}".encode(), f"127.0.0.1:{self.target}".encode()
        lines = [line for line in head.replace(ours, theirs).split(b"\r\n") if line]
        kept = [line for line in lines if not line.lower().startswith(b"connection:")]
        kept += [b"Authorization: Bearer " + self.token.encode(), b"Connection: close"]
        return b"\r\n".join(kept) + b"\r\n\r\n"


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


def installed(home: Path) -> dict[str, str]:
    """Install the packages once, and return an environment that finds them."""
    if not (home / "node_modules" / ".bin" / "conformance").exists():
        home.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", str(home), "--no-fund", "--no-audit", "--silent"]
        subprocess.run([*command, NODE, *PACKAGES], check=True)
    node = home / "node_modules" / NODE.partition("@")[0] / "bin"
    path = os.pathsep.join([str(node), str(home / "node_modules" / ".bin"), os.environ["PATH"]])
    return {**os.environ, "PATH": path}


def verdicts(report: str) -> dict[str, int]:
    """Return the failures of each scenario, as the suite's summary counts them."""
    found = re.findall(r"^[^\w\n]+ ([\w-]+): \d+ passed, (\d+) failed", report, re.MULTILINE)
    return {name: int(failed) for name, failed in found}


async def judged(host: Host, environment: dict[str, str]) -> list[str]:
    """Run the suite, and return what went wrong."""
    async with await anyio.open_process(
        host.command("--http", "127.0.0.1:0"), env=host.environment
    ) as server:
        assert server.stderr
        said = (await server.stderr.receive()).decode()
        port = int(re.findall(r"127\.0\.0\.1:(\d+)", said)[0])
        token = await anyio.Path(said.split(" is in ")[1].strip()).read_text(encoding="ascii")
        proxy = Proxy(port, token.strip())
        async with await proxy.serve():
            url = f"http://127.0.0.1:{proxy.port}/mcp"
            report = await _suite(url, environment)
            found = await _inspected(host, url, environment)
        server.terminate()
    failed = verdicts(report)
    for name in APPLY:
        print(f"{'FAILED' if failed.get(name, 1) else 'passed':<8}{name}")
    for name, reason in OTHERS.items():
        print(f"{'other':<8}{name}: {reason}")
    wrong = [name for name in APPLY if failed.get(name, 1)]
    unknown = sorted(set(failed) - set(APPLY) - set(OTHERS))
    return [*wrong, *(f"{name} is in neither list" for name in unknown), *found]


async def _suite(url: str, environment: dict[str, str]) -> str:
    words = ["conformance", "server", "--suite", "all", "--url", url]
    done = await anyio.run_process(words, env=environment, check=False)
    return done.stdout.decode()


async def _inspected(host: Host, url: str, environment: dict[str, str]) -> list[str]:
    """List and call through the inspector's command line, over both transports."""
    command, *words = host.command()
    servers = {
        "stdio": {"type": "stdio", "command": command, "args": words},
        "http": {"type": "streamable-http", "url": url},
    }
    config = host.base / "inspector.json"
    config.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    wrong = []
    for name in servers:
        ask = ["mcp-inspector", "--cli", "--config", str(config), "--server", name, "--method"]
        call = ["tools/call", "--tool-name", "read", "--tool-arg", "path=a.txt"]
        for method, wanted in ((["tools/list"], '"name": "edit"'), (call, '"total_lines": 1')):
            env = {**environment, **host.environment, "PATH": environment["PATH"]}
            done = await anyio.run_process([*ask, *method], env=env, check=False)
            fine = done.returncode == 0 and wanted in done.stdout.decode()
            print(f"{'passed' if fine else 'FAILED':<8}inspector --cli {method[0]} over {name}")
            wrong += [] if fine else [f"inspector {method[0]} over {name}: {done.stderr.decode()}"]
    return wrong


def main(home: str) -> int:
    """Print a line for each scenario; fail if one that applies does."""
    environment = installed(Path(home))
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("root", "home"):
            (Path(scratch) / name).mkdir()
        host = Host(Path(scratch))
        host.write("a.txt", "one\n")
        wrong = anyio.run(judged, host, environment)
    print("\n".join(wrong) or f"{len(APPLY)} scenarios apply, and all pass")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
