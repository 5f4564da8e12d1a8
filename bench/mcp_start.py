"""What a start of the server costs, beside Python itself and the official filesystem server.

python -m bench.mcp_start COMMAND...    the command that starts the filesystem server
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from bench.measure import Row
from tests.laboratory.processes import BUSY_LOOPS, busy_machine

KEYHOLE = [str(Path(sys.executable).with_name("keyhole")), "mcp"]
# The engine alone, which loads the protocol's library to greet a client.
ENGINE = [sys.executable, "-c", "from keyhole.surfaces.cli.main import run; run()", "mcp"]
PYTHON = [sys.executable, "-I", "-c", "pass"]
STARTS = 15
INFO = {"name": "bench", "version": "1"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": INFO}


class Server:
    """A server in a session of its own, as a host starts it."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its answer."""
        assert self.process.stdin
        assert self.process.stdout
        message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer: dict[str, Any] = json.loads(self.process.stdout.readline())
            if answer.get("id") == method:
                return answer

    def greet(self) -> None:
        """Ask for what hosts ask for before they show tools to a model."""
        self.ask("initialize", HELLO)
        assert self.process.stdin
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        assert self.ask("tools/list", {})["result"]["tools"]

    @property
    def tree(self) -> list[int]:
        """The process and all it started."""
        found = [self.process.pid]
        for pid in found:
            for task in Path(f"/proc/{pid}/task").iterdir():
                children = (task / "children").read_text(encoding="ascii").split()
                found += map(int, children)
        return found

    def cpu(self) -> float:
        """Return the seconds of processor that it took so far, with all it started."""
        tasks = [task for pid in self.tree for task in Path(f"/proc/{pid}/task").iterdir()]
        spent = [(task / "schedstat").read_text(encoding="ascii").split()[0] for task in tasks]
        return sum(map(int, spent)) / 1e9

    def memory(self) -> tuple[float, float]:
        """Return the megabytes of the first process, and of all with what they share split up."""
        rss, pss = [], []
        for pid in self.tree:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").split("\n")
            rss += [int(line.split()[1]) / 1024 for line in lines if line.startswith("Rss:")]
            pss += [int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")]
        return rss[0], sum(pss)

    def end(self) -> None:
        """Stop it."""
        for pid in self.tree:
            os.kill(pid, signal.SIGKILL)
        self.process.communicate()


class Starts:
    """A scratch tree, and servers that are started on it."""

    def __init__(self, scratch: Path, rival: list[str]) -> None:
        self.root = scratch / "root"
        self.root.mkdir()
        (self.root / "a.txt").write_text("one\n", encoding="utf-8")
        self.rival = rival
        kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        self.environment = {**kept, "XDG_STATE_HOME": str(scratch / "state")}

    def listed(self, command: list[str]) -> float:
        """Return the processor time of a start, to the list of tools."""
        server = Server(command, self.environment)
        server.greet()
        spent = server.cpu()
        server.end()
        return spent

    def floor(self) -> float:
        """Return the processor time of a Python that does nothing."""
        process = subprocess.Popen(PYTHON, env=self.environment, start_new_session=True)
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
        return used.ru_utime + used.ru_stime

    def edited(self, command: list[str]) -> tuple[float, tuple[float, float]]:
        """Return the seconds from a start to the first edit's answer, and the memory then."""
        server = Server([*command, "--root", str(self.root)], self.environment)
        server.greet()
        edits = [{"find": "o", "content": "oo"}]
        call = {"name": "edit", "arguments": {"path": "a.txt", "edits": edits}}
        said = server.ask("tools/call", call)
        taken = time.perf_counter() - server.began
        (self.root / "a.txt").write_text("one\n", encoding="utf-8")
        assert not said["result"].get("isError"), said
        memory = server.memory()
        server.end()
        return taken, memory


def rows(starts: Starts, label: str) -> Iterator[Row]:
    """Measure starts in turns."""
    ours = [*KEYHOLE, "--root", str(starts.root)]
    lists: tuple[list[float], list[float], list[float]] = ([], [], [])
    edits: tuple[list[float], list[float]] = ([], [])
    front, both, before = [], [], []
    for _ in range(STARTS):
        lists[0].append(starts.listed(ours))
        lists[1].append(starts.floor())
        lists[2].append(starts.listed([*starts.rival, str(starts.root)]))
        for kept, command in zip(edits, (KEYHOLE, ENGINE), strict=True):
            taken, memory = starts.edited(command)
            kept.append(taken)
            if command is KEYHOLE:
                front.append(memory[0])
                both.append(memory[1])
            else:
                before.append(memory[1])
    mine, python, theirs = map(median, lists)
    print(
        f"{label}: CPU to tools/list {mine * 1000:.1f} ms, python {python * 1000:.1f} ms, "
        f"filesystem server {theirs * 1000:.1f} ms; first edit {median(edits[0]):.2f} s, by the "
        f"engine alone {median(edits[1]):.2f} s; memory of the front {median(front):.1f} MB, "
        f"of both {median(both):.1f} MB, of the engine alone {median(before):.1f} MB"
    )
    yield Row(f"CPU to tools/list / python -I -c pass, {label}", mine / python, 4.0)
    yield Row(f"CPU to tools/list / the filesystem server, {label}", mine / theirs, 0.3)
    first = median(edits[0]) / median(edits[1])
    yield Row(f"start to the first edit / by the engine alone, {label}", first, 1.1)
    yield Row(f"memory of the front / 20 MB, {label}", median(front) / 20, 1.0)
    yield Row(f"memory of both / the engine alone, {label}", median(both) / median(before), 1.2)


def main(rival: list[str]) -> int:
    """Print every ratio beside its limit; fail if one is over."""
    with tempfile.TemporaryDirectory() as scratch:
        starts = Starts(Path(scratch), rival)
        starts.edited(KEYHOLE), starts.edited(ENGINE)  # the first of each warms the disk
        found = list(rows(starts, "idle"))
        with busy_machine():
            found += rows(starts, f"{BUSY_LOOPS} busy loops")
    for label, ratio, limit in found:
        mark = "" if ratio <= limit else "   OVER"
        print(f"{label:<72} {ratio:>8.2f} x   at most {limit:g} x{mark}")
    return 1 if any(row.ratio > row.limit for row in found) else 0


if __name__ == "__main__":
    default = "npx --yes @modelcontextprotocol/server-filesystem"
    sys.exit(main(sys.argv[1:] or shlex.split(default)))
