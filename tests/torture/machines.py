"""Two machines as two network namespaces: each its own address, its own clone, its own state."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.postgres import running
from tests.team import Team, team
from tests.torture.arena import memory_directory, report


def why_not() -> str:
    """Say why this machine cannot have namespaces of the network, or nothing."""
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    name = f"kh-probe-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode:
        return "the kernel gives no network namespaces here"
    _ip("netns", "del", name)
    return ""


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


@dataclass(frozen=True, slots=True)
class Machine:
    """A namespace with a cable to the host, where the server is."""

    name: str
    number: int
    root: Path
    state: Path

    @property
    def host(self) -> str:
        return f"10.203.{self.number}.1"

    def plug(self) -> None:
        _ip("netns", "add", self.name)
        _ip("link", "add", f"v{self.name}", "type", "veth", "peer", "e0", "netns", self.name)
        _ip("addr", "add", f"{self.host}/30", "dev", f"v{self.name}")
        _ip("link", "set", f"v{self.name}", "up")
        _ip("-n", self.name, "addr", "add", f"10.203.{self.number}.2/30", "dev", "e0")
        _ip("-n", self.name, "link", "set", "e0", "up")

    def unplug(self) -> None:
        _ip("netns", "del", self.name)

    def cable(self, state: str) -> None:
        """Pull the cable, or put it back in."""
        _ip("-n", self.name, "link", "set", "e0", state)

    def run(self, url: str, *words: str) -> dict[str, object]:
        """Run one command on the machine and return what it answers."""
        environment = {
            **os.environ,
            "KEYHOLE_JOURNAL": url.format(host=self.host),
            "KEYHOLE_MACHINE": self.name,
            "XDG_STATE_HOME": str(self.state),
            "XDG_CONFIG_HOME": str(self.state / "none"),
        }
        command = [sys.executable, "-m", "keyhole", *words, "--json"]
        done = subprocess.run(
            ["ip", "netns", "exec", self.name, *command],
            cwd=self.root,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        answer: dict[str, object] = json.loads(done.stdout or "{}")
        return answer


@contextmanager
def plugged(made: Team, name: str, number: int) -> Iterator[Machine]:
    own = f"kh{os.getpid() % 10000}{name}"
    machine = Machine(own, number, made.clone(name), made.home / f"state-{name}")
    machine.plug()
    try:
        yield machine
    finally:
        machine.unplug()


def run() -> Counter[str]:
    """Edit on both, pull a cable, edit on, put it back, and look at one history from both."""
    found: Counter[str] = Counter()
    with ExitStack() as stack:
        home = stack.enter_context(memory_directory())
        server = stack.enter_context(running("*"))
        server.database("machines")
        url = f"postgresql://keyhole@{{host}}:{server.port}/machines?sslmode=disable"
        made = stack.enter_context(team(home, url))
        base = 10 + os.getpid() % 200
        one = stack.enter_context(plugged(made, "a", base))
        other = stack.enter_context(plugged(made, "b", base + 1))
        _edit(one, url, "line 3", "three", "A", found)
        second = _edit(other, url, "line 3", "III", "B", found)
        found["warned"] = len(list(second.get("conflicts", ())))  # type: ignore[call-overload]
        other.cable("down")
        for number in range(4, 7):
            third = _edit(other, url, f"line {number}", f"{number}", "B", found)
            found["pending"] += _state(third) == "pending"
        other.cable("up")
        found["drained"] = other.run(url, "share").get("ok") is True
        histories = [_ids(machine.run(url, "history")) for machine in (one, other)]
        found["in one history"] = len(histories[0])
        found["same order"] = histories[0] == histories[1]
        found["conflicts"] = len(one.run(url, "conflicts")["conflicts"])  # type: ignore[arg-type]
    return found


def _edit(  # noqa: PLR0917 - a sentence of its own
    machine: Machine, url: str, find: str, content: str, task: str, found: Counter[str]
) -> dict[str, object]:
    started = time.monotonic()
    words = ("edit", "f.txt", "--find", f"{find}\n", "--content", f"{content}\n", "--task", task)
    answer = machine.run(url, *words)
    found["edits"] += answer.get("ok") is True
    found["too slow"] += time.monotonic() - started > 10
    return answer


def _state(answer: dict[str, object]) -> object:
    sharing = answer.get("sharing")
    return sharing.get("state") if isinstance(sharing, dict) else None


def _ids(answer: dict[str, object]) -> list[str]:
    listed = answer["transactions"]
    assert isinstance(listed, list)
    return [each["id"] for each in listed]


if __name__ == "__main__":
    report(run())
