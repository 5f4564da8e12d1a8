"""How the work of a call grows with its input: GROWTH TARGET EVERY [--plant FAULT] [CASE...].

Each case is made at growing sizes until a call takes TARGET processor milliseconds. Time and memory
of the last two doublings are compared: work that grows in proportion to its input, or a little
faster, doubles twice; work that grows with its square doubles four times. What a call always costs
is left out, and a suspicion is looked into again before it becomes a verdict, so that a busy
machine finds nobody guilty.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
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
from keyhole.edits.checks.syntax import table
from keyhole.edits.checks.syntax.problem import ProblemCache
from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.tools import chosen
from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from keyhole.toolsets.base import Caller, ToolAnswer
from keyhole.workspace.state import DocumentCache
from tests.scene import put
from tests.torture import growing, growing_calls, growing_others, growing_patches
from tests.torture.growing import Call, Case, World
from tests.torture.planted.growth import PLANTED

# What two doublings may make of time and memory: 4 is linear, 16 quadratic, n log n 4.4 or so.
FACTOR = 7.0
# Times and amounts below these say nothing about growth.
LEAST_SECONDS, LEAST_BYTES = 0.002, 1 << 20
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
    resident: dict[int, int] = field(default_factory=dict)
    outcome: str = ""


class Ground:
    """A workspace in which every call finds its own directory, and no other."""

    def __init__(self, base: Path) -> None:
        self.root = base / "root"
        put(self.root, "keyhole.toml", 'templates = "templates"\n')
        self._workspaces = Workspaces.open([self.root], Allowed())
        sets = {"native", *toolsets.SETS}
        self._desks = {name: Desk(self._workspaces, chosen((name,))) for name in sets}
        self._turns = count()
        self._at = "turn"

    def close(self) -> None:
        """Let the workspace go."""
        self._workspaces.close()

    def lay_out(self, world: World) -> str:
        """Put the files of a world into a directory of its own, and make the calls before."""
        # A quote that is missing is looked for in every file: those of other worlds are no input.
        shutil.rmtree(self.root / self._at, ignore_errors=True)
        self._at = at = f"turn{next(self._turns)}"
        (self.root / at).mkdir()
        for path, text in world.files.items():
            below = path if path.startswith("templates/") else f"{at}/{path}"
            put(self.root, below, text.encode("utf-8", "surrogateescape"))
        for call in world.before:
            said = self.call(call, at)
            assert not said.refused, (call.given, said.text[:500])
        return at

    def forget(self) -> None:
        """Empty every cache: what was read once is read again."""
        for name, module in list(sys.modules.items()):
            if name.startswith("keyhole."):
                for each in list(vars(module).values()):
                    getattr(each, "cache_clear", lambda: None)()
                    if isinstance(each, ProblemCache):
                        each._answers.clear()
        table._answers.clear()
        for place in self._workspaces.places:
            place._tree._recent = DocumentCache(place._tree.options.encoding)

    def call(self, call: Call, at: str) -> ToolAnswer:
        """Make a call with its paths below a directory."""
        given = json.loads(json.dumps(call.given).replace("\\u00a7", f"{at}/"))
        return self._desks[call.tools].call(call.tool, given, Caller("growth"))


def cases() -> Iterator[Case]:
    """Yield every case there is."""
    for made in (
        growing.shapes,
        growing.searches,
        growing.symbols,
        growing.quotes,
        growing.expressions,
        growing_calls.many,
        growing_calls.segments,
        growing_patches.patches,
        growing_calls.wholes,
        growing_others.templates,
        growing_others.others,
    ):
        yield from made()


def seconds(ground: Ground, world: World) -> tuple[float, str]:
    """Return the processor time of a call, and how it ended."""
    at = ground.lay_out(world)
    ground.forget()
    gc.disable()  # what others left behind is not this call's
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


def _outcome(said: ToolAnswer) -> str:
    if not said.refused:
        return "done"
    refusals = cast("list[dict[str, object]]", said.data.get("refusals") or [{}])
    return str(refusals[0].get("code", "refused"))


def memory(ground: Ground, world: World) -> int:
    """Return the most bytes that a call held at once."""
    at = ground.lay_out(world)
    ground.forget()
    tracemalloc.start()
    try:
        ground.call(world.call, at)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


class Pristine:
    """A process from before any call, from which each call that is weighed gets one of its own.

    Native parsers take memory that Python does not see, and memory that a call before it has let
    go would hide what a call takes.
    """

    def __init__(self) -> None:
        self._asked, asking = os.pipe()
        telling, self._telling = os.pipe()
        self._child = os.fork()
        if not self._child:
            os.close(asking)
            self._serve()
        os.close(self._asked)
        os.close(self._telling)
        self._questions, self._answers = os.fdopen(asking, "w"), os.fdopen(telling)

    def close(self) -> None:
        """Let the process end."""
        self._questions.close()
        self._answers.close()
        os.waitpid(self._child, 0)

    def resident(self, case: Case, size: int) -> int:
        """Return the most bytes that a call had of the machine."""
        self._questions.write(f"{size} {case.name}\n")
        self._questions.flush()
        return int(self._answers.readline())

    def _serve(self) -> None:
        there = {case.name: case for case in cases()}
        with os.fdopen(self._asked) as questions:
            for line in questions:
                size, name = line.rstrip("\n").split(" ", 1)
                child = os.fork()
                if not child:
                    self._weigh(there[name].made(int(size)))
                if os.waitpid(child, 0)[1]:
                    os.write(self._telling, b"it died\n")
        os._exit(0)

    def _weigh(self, world: World) -> None:
        """Weigh a call and end the process, whatever happens: it is a copy of its parent."""
        try:
            with tempfile.TemporaryDirectory() as base:
                ground = Ground(Path(base))
                at = ground.lay_out(world)
                ground.forget()
                before = _held_now()
                ground.call(world.call, at)
                most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
            os.write(self._telling, f"{most - before}\n".encode())
            os._exit(0)
        finally:
            os._exit(1)


def _held_now() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


def measured(ground: Ground, pristine: Pristine, case: Case, target: float) -> Measured:
    """Grow a case until it takes `target` seconds, or is as large as it gets."""
    found = Measured()
    seconds(ground, case.made(case.first))  # what is loaded when it is first needed
    size = case.first
    while True:
        took, found.outcome = seconds(ground, case.made(size))
        if took >= target:  # once more: a cold cache is no growth
            took = min(took, seconds(ground, case.made(size))[0])
        found.seconds[size] = took
        if _is_plain(found.seconds, size, target) or 2 * size > case.most:
            break
        size *= 2
    for each in (size // 8, size // 2):
        if each >= case.first:
            found.memory[each] = memory(ground, case.made(each))
            found.resident[each] = pristine.resident(case, each)
    return found


def _is_plain(took: dict[int, float], size: int, target: float) -> bool:
    """Tell whether a call took long enough, and one of a quarter more than what all cost."""
    if took[size] < target:
        return False
    quarter = took.get(size // 4, 0.0) - min(took.values())
    return quarter >= LEAST_SECONDS or took[size] > 20 * target


def verdict(ground: Ground, case: Case, found: Measured) -> str:
    """Return what is wrong with the growth of a case, "" for nothing."""
    size = max(found.seconds)
    if found.seconds[size] > MOST_SECONDS:
        return f"took {found.seconds[size]:.1f} s at {size}"
    for held in (found.memory, found.resident):
        if max(held.values(), default=0) > MOST_BYTES:
            return f"held {max(held.values()) >> 20} MiB at {max(held)}"
    faster = _growth(found.seconds, size)
    if faster > FACTOR and _grows_on(ground, case, size) and not _is_bounded(ground, case, size):
        return f"{faster:.1f} times the time for 4 times the input, at {size}"
    swells = _swelling(found.memory) or _swelling(found.resident)
    return swells if swells and not _is_bounded(ground, case, size) else ""


def _swelling(held: dict[int, int]) -> str:
    """Say that memory grows faster than the input, "" if it does not."""
    if len(held) < 2:
        return ""
    (_, small), (size, large) = held.items()
    if large <= 8 * LEAST_BYTES or large <= FACTOR * max(small, LEAST_BYTES):
        return ""
    return f"{large >> 20} MiB, {small >> 20} MiB for a quarter of the input, at {size}"


def _is_bounded(ground: Ground, case: Case, size: int) -> bool:
    """Tell whether what grows fast is refused by a budget before it takes too long, or too much."""
    while size < case.most:
        took, outcome = seconds(ground, case.made(2 * size))
        if outcome == "too-large":
            return memory(ground, case.made(size)) <= MOST_BYTES
        if took > MOST_SECONDS:
            return False
        size *= 2
    return False


def _growth(took: dict[int, float], size: int) -> float:
    """Return how much longer a call took than one of a quarter, without what all of them cost."""
    if size // 4 not in took:
        return 0.0
    base = min(took.values())
    small, large = took[size // 4] - base, took[size] - base
    return large / max(small, LEAST_SECONDS) if large > 4 * LEAST_SECONDS else 0.0


def _grows_on(ground: Ground, case: Case, size: int) -> bool:
    """Look again at what looked guilty, and at larger sizes, where it must be plainer."""
    for _ in range(_LOOKS):
        took = {
            each: min(seconds(ground, case.made(each))[0] for _ in range(2))
            for each in (case.first, size // 4, size)
        }
        if max(took.values()) >= MOST_SECONDS:
            return True  # it was stopped: how long it would have taken is not known
        if _growth(took, size) <= FACTOR:
            return False
        size = min(2 * size, case.most)
    return True


def run(target: float, every: int, names: list[str]) -> dict[str, dict[str, str]]:
    """Look at every so many cases, or those of these names; tell how each ended, what is wrong."""
    signal.signal(signal.SIGVTALRM, _stop)
    ended: dict[str, str] = {}
    faults: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as base:
        pristine, ground = Pristine(), Ground(Path(base))
        for number, case in enumerate(cases()):
            if number % every if not names else case.name not in names:
                continue
            found = measured(ground, pristine, case, target)
            size = max(found.seconds)
            ended[case.name] = f"{found.outcome} at {size}, {found.seconds[size] * 1000:.0f} ms"
            if told := verdict(ground, case, found):
                faults[case.name] = told
                sys.stderr.write(f"{case.name}: {told}, {found.seconds}\n")
        ground.close()
        pristine.close()
    return {"cases": ended, "faults": faults}


def main(words: list[str]) -> None:
    """Plant what is to be planted, measure, and print what was found."""
    target, every, *names = words
    if names[:1] == ["--plant"]:
        PLANTED[names[1]]()
        names = names[2:]
    sys.stdout.write(json.dumps(run(float(target) / 1000, int(every), names)))


if __name__ == "__main__":
    main(sys.argv[1:])
