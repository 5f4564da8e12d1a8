"""How often keyhole's tools are in the first request of a host, on a busy machine.

python -m tests.laboratory.presence STARTS CACHE [HOST ...] [--together]

Each host is set up by `keyhole install` alone and started so often beside busy loops, each of which
has a session of its own: the kernel shares the processor by sessions. Nothing that a start leaves
behind, such as a daemon of the host, helps the next one. With `--together` the hosts are started
beside each other, which is sooner done and busier. A host that npm does not have is counted as
missing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from keyhole.toolsets.native.tools import TOOLS
from tests.laboratory.hosts import LAB_HOSTS, LabHost
from tests.laboratory.model import ScriptedModel
from tests.laboratory.processes import end_all
from tests.laboratory.running import PROMPT, Desk, UnavailableError, desk, packages_of
from tests.laboratory.wires import ModelRequest

LOOPS = 8
# It ends with whoever started it, however that ended.
_LOOP = "import os\nmine = os.getppid()\nwhile os.getppid() == mine:\n    sum(range(10**6))"
MOST_SECONDS = 240.0
# What a host may take to end after it was answered.
_GRACE = 2.0
WANTED = ("edit", "read", "outline", "search")
# By these words a tool is known, whatever the host calls it.
_ABOUT: Mapping[str, str] = {tool.name: tool.about[:40] for tool in TOOLS}
# Hosts that show the model names, and schemas when it asks for them.
BY_NAME = {"qwen-code"}
# Codex without the entry that makes it wait: presence must not depend on it.
OPTIONAL = "codex-optional"


@dataclass(frozen=True, slots=True)
class Start:
    """One start: the tools of ours that the first request offers in full, and those it names."""

    full: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    seconds: float = 0.0
    asked: bool = False

    def is_present(self, host: str) -> bool:
        """Tell whether the four tools are there, in the way this host shows tools."""
        return {*WANTED} <= (self.full | self.named if host in BY_NAME else self.full)


def offered(request: ModelRequest) -> tuple[frozenset[str], frozenset[str]]:
    """Return the tools of ours that a request has with their schemas, and those it names."""
    full = {
        name
        for name, about in _ABOUT.items()
        for offer in request.tools
        if about in offer.description and offer.schema.get("properties")
    }
    texts = [request.system, request.prompt, *(offer.description for offer in request.tools)]
    named = {name for name in _ABOUT if any(f"keyhole__{name}" in text for text in texts)}
    return frozenset(full), frozenset(named)


@contextmanager
def busy(loops: int = LOOPS) -> Iterator[None]:
    """Keep the processor busy with endless loops, each in a session of its own."""
    command = [sys.executable, "-I", "-S", "-c", _LOOP]
    running = [subprocess.Popen(command, start_new_session=True) for _ in range(loops)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def start(table: Desk, model: ScriptedModel) -> Start:
    """Start the host once, until its first request is there, and end it."""
    model.requests.clear()
    model.first_at, begun = 0.0, time.monotonic()
    command = [*table.host.program(table.place), *table.host.run(table.place, PROMPT)]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            cwd=table.place.project,
            env=table.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            while process.poll() is None and time.monotonic() - begun < MOST_SECONDS:
                if model.first_at and time.monotonic() - model.first_at > _GRACE:
                    break
                time.sleep(0.05)
        finally:
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            end_all(table.place.home)
        request = model.first
        if request is None:
            output.seek(max(output.tell() - 400, 0))
            sys.stderr.write(f"{table.host.name}: {output.read().decode(errors='replace')}\n")
            return Start(seconds=time.monotonic() - begun)
    return Start(*offered(request), model.first_at - begun, asked=True)


def starts(name: str, host: LabHost, cache: Path, count: int) -> list[Start]:
    """Set a host up once, and start it so often."""
    model = ScriptedModel([])
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base,
        desk(host, cache, Path(base), model) as table,
    ):
        table.keyhole("install", host.name)
        if name == OPTIONAL:
            file = table.place.home / ".codex/config.toml"
            text = file.read_text(encoding="utf-8")
            assert "required = true\n" in text, text
            file.write_text(text.replace("required = true\n", ""), encoding="utf-8")
        return list(_told(name, table, model, count))


def _told(name: str, table: Desk, model: ScriptedModel, count: int) -> Iterator[Start]:
    """Yield starts, and tell of each."""
    for number in range(1, count + 1):
        found = start(table, model)
        there = "present" if found.is_present(name) else f"absent: only {sorted(found.full)}"
        sys.stderr.write(f"{name} {number}: {there}, {found.seconds:.1f} s\n")
        yield found


def row(name: str, found: Sequence[Start]) -> str:
    """Return the line of a host: starts with the tools of all starts, and how long they took."""
    there = sum(each.is_present(name) for each in found)
    named = sum({*WANTED} <= each.full | each.named for each in found)
    asked = sum(each.asked for each in found)
    times = sorted(each.seconds for each in found)
    middle, last = times[len(times) // 2], times[-1]
    counts = f"{there} of {len(found):<6}{named:>6}{asked:>9}"
    return f"{name:<16}{counts}{middle:>10.1f} s{last:>8.1f} s"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(count: int, cache: Path, words: Sequence[str]) -> int:
    """Print a line a host; fail if a start was without the tools."""
    hosts = {**LAB_HOSTS, OPTIONAL: LAB_HOSTS["codex"]}
    names = [word for word in words if not word.startswith("-")] or list(hosts)
    _say(f"{'first request':<16}with tools   named  asked    median      last")
    ready = []
    for name in names:
        try:
            packages_of(hosts[name], cache)
            ready.append(name)
        except UnavailableError as error:
            _say(f"{name:<16}missing: {error}")

    def absent(name: str) -> int:
        found = starts(name, hosts[name], cache, count)
        _say(row(name, found))
        return sum(not each.is_present(name) for each in found)

    with busy(), ThreadPoolExecutor(len(ready) if "--together" in words else 1) as pool:
        total = sum(pool.map(absent, ready))
    missing = len(names) - len(ready)
    _say(f"{total} starts without the tools, {missing} hosts missing, {LOOPS} busy loops")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), Path(sys.argv[2]).absolute(), sys.argv[3:]))
