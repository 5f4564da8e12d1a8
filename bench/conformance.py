"""The protocol's own conformance suites and inspector against our server: `make conformance`.

They come from npm, in fixed versions, and need Node 22. The suites drive tools of their own, which
`tests.surfaces.mcp.everything` puts beside ours. They cannot send a token, so a small proxy on this
machine adds it; host and origin go through as they are, since they are tested.
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

ROOT = Path(__file__).parents[1]
STABLE, NEWEST = "0.1.16", "0.2.0-alpha.12"
SUITE = "@modelcontextprotocol/conformance"
PACKAGES = (
    *(f"conformance-{version}@npm:{SUITE}@{version}" for version in (STABLE, NEWEST)),
    "@modelcontextprotocol/inspector@2.12.0",
)
NODE = f"node-{sys.platform}-{'arm64' if os.uname().machine in {'arm64', 'aarch64'} else 'x64'}@22"
# Which suite, what of it, and the version that one of its scenarios alone is run for.
RUNS = (
    (STABLE, ("--suite", "all"), ()),
    (NEWEST, ("--requirements", "2025-11-25"), ("--spec-version", "2025-11-25")),
    (NEWEST, ("--requirements", "2026-07-28"), ("--spec-version", "2026-07-28")),
)
# What the stable suite asks for and no version of the protocol requires.
OTHERS = {"server-sse-polling": "a server that closes its stream half-way; pending in the suite"}
# The suite waits half a second for some answers, which a busy machine may take longer for.
_TRIES = 3


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
    if not (home / "node_modules" / f"conformance-{NEWEST}").exists():
        home.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", str(home), "--no-fund", "--no-audit", "--silent"]
        subprocess.run([*command, NODE, *PACKAGES], check=True)
    node = home / "node_modules" / NODE.partition("@")[0] / "bin"
    path = os.pathsep.join([str(node), str(home / "node_modules" / ".bin"), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "CONFORMANCE": str(home / "node_modules")}


def verdicts(report: str) -> dict[str, int]:
    """Return the failures of each scenario that counts, as the suite's summary has them."""
    report, _, rest = report.partition("Not scored for ")
    unscored = set(re.findall(r"^ +\S ([\w-]+) \(", rest, re.MULTILINE)) | {*OTHERS}
    found = re.findall(r"^[^\w\n]+ ([\w-]+): \d+ passed, (\d+) failed", report, re.MULTILINE)
    return {name: int(failed) for name, failed in found if name not in unscored}


async def judged(host: Host, environment: dict[str, str]) -> list[str]:
    """Run the suites, and return what went wrong."""
    command = [sys.executable, "-m", "tests.surfaces.mcp.everything", str(host.root)]
    async with await anyio.open_process(command, env=host.environment, cwd=ROOT) as server:
        assert server.stderr
        said = (await server.stderr.receive()).decode()
        port = int(re.findall(r"127\.0\.0\.1:(\d+)", said)[0])
        token = await anyio.Path(said.split(" is in ")[1].strip()).read_text(encoding="ascii")
        proxy = Proxy(port, token.strip())
        async with await proxy.serve():
            url = f"http://127.0.0.1:{proxy.port}/mcp"
            wrong = [name for run in RUNS for name in await _failing(run, url, environment)]
            wrong += await _inspected(host, url, environment)
        server.terminate()
    return wrong


Run = tuple[str, tuple[str, ...], tuple[str, ...]]


async def _failing(run: Run, url: str, environment: dict[str, str]) -> list[str]:
    """Run one suite, print its verdicts, and return what fails however often it is tried."""
    version, words, alone = run
    failed = verdicts(await _suite(version, words, url, environment))
    about = f"{version} {' '.join(words)}"
    wrong = [] if failed else [f"{about} said nothing"]
    for name, count in failed.items():
        fails, tries = count > 0, 1
        while fails and tries < _TRIES:
            report = await _suite(version, ("--scenario", name, *alone), url, environment)
            fails, tries = not passed(report), tries + 1
        again = f" at try {tries}" if tries > 1 and not fails else ""
        print(f"{'FAILED' if fails else 'passed':<8}{about} {name}{again}")
        wrong += [f"{about} {name}"] if fails else []
    return wrong


def passed(report: str) -> bool:
    """Tell whether a scenario that was run alone passed."""
    return re.findall(r"^Passed: \d+/\d+, (\d+) failed", report, re.MULTILINE) == ["0"]


async def _suite(
    version: str, words: tuple[str, ...], url: str, environment: dict[str, str]
) -> str:
    script = Path(environment["CONFORMANCE"]) / f"conformance-{version}" / "dist" / "index.js"
    command = ["node", str(script), "server", *words, "--url", url]
    done = await anyio.run_process(command, env=environment, check=False)
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
    print("\n".join(wrong) or "all required scenarios pass")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
