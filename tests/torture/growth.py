"""How the work of a call grows with its input: GROWTH TARGET [MUTANT] [NAME...].

Each case is made at growing sizes until a call takes TARGET processor milliseconds. Time and memory
of the last two doublings are compared: work that grows in proportion to its input, or a little
faster, doubles twice; work that grows with its square doubles four times. What a call always costs
is left out, and a suspicion is looked into again before it becomes a verdict, so that a busy machine
finds nobody guilty.
"""

from __future__ import annotations

import gc
import json
import signal
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import cast

from keyhole import toolsets
from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.tools import chosen
from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from keyhole.toolsets.base import Caller, Said
from tests.scene import put
from tests.torture import growing, growing_calls
from tests.torture.growing import Call, Case, World

# What two doublings may make of time and memory: 4 is linear, 16 quadratic, n log n 4.4 or so.
FACTOR = 7.0
# Times and amounts below these say nothing about growth.
LEAST_SECONDS, LEAST_BYTES = 0.004, 1 << 20
# Whatever its growth, no call of these sizes needs more.
MOST_SECONDS, MOST_BYTES = 5.0, 256 << 20
_LOOKS = 3


class EndlessError(BaseException):
    """A call takes longer than anything may: no handler of the code takes it for its own."""


def _stop(_: int, __: object) -> None:
    raise EndlessError


@dataclass(slots=True)
class Measured:
    """What calls of growing size took: seconds and bytes by size."""

    seconds: dict[int, float] = field(default_factory=dict)
    memory: dict[int, int] = field(default_factory=dict)
    outcome: str = ""


class Ground:
    """A workspace in which every call finds its own directory."""

    def __init__(self, base: Path) -> None:
        self.root = base / "root"
        put(self.root, "keyhole.toml", 'templates = "templates"\n')
        self._workspaces = Workspaces.open([self.root], Allowed())
        sets = {"native", *toolsets.SETS}
        self._desks = {name: Desk(self._workspaces, chosen((name,))) for name in sets}
        self._turns = count()

    def close(self) -> None:
        """Let the workspace go."""
        self._workspaces.close()

    def lay_out(self, world: World) -> str:
        """Put the files of a world into a directory of its own, and make the calls before."""
        at = f"turn{next(self._turns)}"
        (self.root / at).mkdir()
        for path, text in world.files.items():
            below = path if path.startswith("templates/") else f"{at}/{path}"
            put(self.root, below, text.encode("utf-8", "surrogateescape"))
        for call in world.before:
            said = self.call(call, at)
            assert not said.refused, (call.given, said.text[:500])
        return at

    def call(self, call: Call, at: str) -> Said:
        """Make a call with its paths below a directory."""
        given = json.loads(json.dumps(call.given).replace("@", f"{at}/"))
        return self._desks[call.tools].call(call.tool, given, Caller("growth"))


def cases() -> Iterator[Case]:
    """Yield every case there is."""
    for made in (
        growing.shapes,
        growing.searches,
        growing.quotes,
        growing.expressions,
        growing_calls.many,
        growing_calls.segments,
        growing_calls.patches,
        growing_calls.wholes,
        growing_calls.templates,
        growing_calls.others,
    ):
        yield from made()


def seconds(ground: Ground, world: World) -> tuple[float, str]:
    """Return the processor time of a call, and how it ended."""
    at = ground.lay_out(world)
    gc.collect()
    gc.disable()
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    began = time.process_time()
    try:
        outcome = _outcome(ground.call(world.call, at))
    except EndlessError:
        outcome = "endless"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        took = time.process_time() - began
        gc.enable()
    return took, outcome


def _outcome(said: Said) -> str:
    if not said.refused:
        return "done"
    refusals = cast("list[dict[str, object]]", said.data.get("refusals") or [{}])
    return str(refusals[0].get("code", "refused"))


def memory(ground: Ground, world: World) -> int:
    """Return the most bytes that a call held at once."""
    at = ground.lay_out(world)
    tracemalloc.start()
    try:
        ground.call(world.call, at)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def measured(ground: Ground, case: Case, target: float) -> Measured:
    """Grow a case until it takes `target` seconds, or is as large as it gets."""
    found = Measured()
    seconds(ground, case.made(case.first))  # what is loaded when it is first needed
    size = case.first
    while True:
        took, found.outcome = seconds(ground, case.made(size))
        if took >= target:  # once more: a cold cache is no growth
            took = min(took, seconds(ground, case.made(size))[0])
        found.seconds[size] = took
        if took >= target or 2 * size > case.most:
            break
        size *= 2
    for each in (size // 8, size // 2):
        if each >= case.first:
            found.memory[each] = memory(ground, case.made(each))
    return found


def verdict(ground: Ground, case: Case, found: Measured) -> str:
    """Return what is wrong with the growth of a case, "" for nothing."""
    size = max(found.seconds)
    if found.seconds[size] > MOST_SECONDS:
        return f"took {found.seconds[size]:.1f} s at {size}"
    if max(found.memory.values(), default=0) > MOST_BYTES:
        return f"held {max(found.memory.values()) >> 20} MiB at {max(found.memory)}"
    if (faster := _growth(found.seconds, LEAST_SECONDS, size)) > FACTOR:
        faster = min(faster, *(_again(ground, case, size, found) for _ in range(_LOOKS)))
        if faster > FACTOR:
            return f"{faster:.1f} times the time for 4 times the input, at {size}"
    if len(found.memory) > 1:
        small, large = found.memory.values()
        base = min(small, LEAST_BYTES)
        if large > 4 * LEAST_BYTES and (large - base) > FACTOR * max(small - base, LEAST_BYTES):
            return f"{large / small:.1f} times the memory for 4 times the input, at {size // 2}"
    return ""


def _growth(took: dict[int, float], least: float, size: int) -> float:
    """Return how much longer a call took than one of a quarter of its size, without what all cost."""
    if size // 4 not in took:
        return 0.0
    base = min(took.values())
    small, large = took[size // 4] - base, took[size] - base
    return large / max(small, least) if large > 4 * least else 0.0


def _again(ground: Ground, case: Case, size: int, found: Measured) -> float:
    """Measure once more what looked guilty; the least that a size ever took counts."""
    for each in (size // 4, size):
        took, _ = seconds(ground, case.made(each))
        found.seconds[each] = min(found.seconds[each], took)
    return _growth(found.seconds, LEAST_SECONDS, size)


def run(target: float, names: list[str]) -> dict[str, object]:
    """Look at every case, or those whose name holds one of these words."""
    faults: dict[str, str] = {}
    counted = 0
    outcomes: dict[str, str] = {}
    signal.signal(signal.SIGVTALRM, _stop)
    with tempfile.TemporaryDirectory() as base:
        ground = Ground(Path(base))
        for case in cases():
            if names and not any(name in case.name for name in names):
                continue
            counted += 1
            found = measured(ground, case, target)
            outcomes[case.name] = (
                f"{found.outcome} {max(found.seconds)} {found.seconds[max(found.seconds)] * 1000:.0f}ms {max(found.memory.values(), default=0) >> 20}MiB"
            )
            if told := verdict(ground, case, found):
                faults[case.name] = told
                sys.stderr.write(f"FAULT {case.name}: {told} {found.seconds}\n")
            elif "-v" in sys.argv:
                sys.stderr.write(f"{case.name}: {outcomes[case.name]}\n")
        ground.close()
    return {"cases": counted, "faults": faults}


if __name__ == "__main__":
    print(json.dumps(run(float(sys.argv[1]) / 1000, [w for w in sys.argv[2:] if w != "-v"])))
