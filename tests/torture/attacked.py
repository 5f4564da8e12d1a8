"""Every attack in a process of its own, where nobody traces what it does: ATTACKED [ROOT].

It prints the processor seconds that each took, which were neither done nor typed, and how much
slower this machine is than the one on which two seconds were measured to be enough.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.tools import chosen
from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from keyhole.toolsets.base import Caller
from tests.torture.attacks import Attack, attacks

# What the work of `slower` takes on the machine of the figures, in processor seconds.
_USUAL = 0.15


def run(root: Path) -> dict[str, object]:
    """Make every attack on the files below `root`."""
    took: dict[str, float] = {}
    untyped: list[str] = []
    workspaces = Workspaces.open([root], Allowed())
    desk = Desk(workspaces, chosen(("native",)))
    for attack in attacks():
        seconds, typed = _timed(desk, attack)
        if seconds > 1:  # once more: a cold cache is no attack
            seconds = min(seconds, _timed(desk, attack)[0])
        took[attack.name] = seconds
        untyped += [] if typed else [attack.name]
    workspaces.close()
    return {"took": took, "untyped": untyped, "slower": slower()}


def _timed(desk: Desk, attack: Attack) -> tuple[float, bool]:
    began = time.process_time()
    said = desk.call(attack.tool, attack.given, Caller("attacker"))
    return time.process_time() - began, not said.refused or "refusals" in said.data


def slower() -> float:
    """Return how much slower this machine is at work of a fixed size, and never less than 1."""
    began = time.process_time()
    for turn in range(3):
        sorted({f"line {number} of {turn}": number for number in range(150_000)})
    return max(1.0, (time.process_time() - began) / _USUAL)


if __name__ == "__main__":
    roots = [Path(word) for word in sys.argv[1:]]
    sys.stdout.write(json.dumps(run(*roots) if roots else {"slower": slower()}))
