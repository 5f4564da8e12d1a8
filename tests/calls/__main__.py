"""Send calls in the shapes that models send them, and count: python -m tests.calls COUNT FILE."""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from keyhole.toolsets import tool_named
from keyhole.toolsets.argument_shapes import shape_of
from keyhole.toolsets.healing import heal
from tests.calls.cases import Call, Case, cases
from tests.calls.doors import Door, opened
from tests.calls.judge import (
    LANDED,
    REFUSED,
    SILENT,
    WRONG,
    Count,
    Seen,
    carried_out,
    recovered,
    verdict_of,
)
from tests.calls.mutations import MUTATIONS, UNNAMED, contradicted, mutated
from tests.calls.planted import unhealed

# Roots are made anew after so many calls, so that no history is long.
_A_ROOT = 1_000
_MOST_AT_ONCE = 3
_MOST_CASES = 1_500
# Every so many calls of the command line in a process of its own, and calls that contradict.
_ALONE, _CONTRADICTS = 200, 10
# What a disk takes to flush is not what is counted here.
_IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
LEAST_LANDED = 0.995
MOST_MILLISECONDS = 0.2


@dataclass(slots=True)
class Result:
    """What a campaign found."""

    calls: Count = field(default_factory=lambda: Count(LANDED))
    contradictions: Count = field(default_factory=lambda: Count(REFUSED))
    clean: Count = field(default_factory=lambda: Count(LANDED))
    by_mutation: Counter[str] = field(default_factory=Counter)
    by_tool: Counter[str] = field(default_factory=Counter)
    by_door: Counter[str] = field(default_factory=Counter)
    tries: int = 0
    seconds: float = 0.0

    @property
    def ran(self) -> int:
        """How many mutated calls were made."""
        return self.calls.verdicts.total()

    @property
    def milliseconds(self) -> float:
        """How long healing takes for a call."""
        return self.seconds * 1000 / max(self.ran, 1)

    def faults(self, wanted: int) -> list[str]:
        """Return what was promised and is not so."""
        verdicts, contradictions = self.calls.verdicts, self.contradictions.verdicts
        landed = verdicts[LANDED] / max(self.ran, 1)
        wrong = self.ran - verdicts[LANDED] - verdicts[REFUSED]
        checks = {
            f"{self.ran} calls ran, not {wanted}": self.ran == wanted,
            f"{landed:.2%} landed as the clean call": landed >= LEAST_LANDED,
            f"{wrong} calls went wrong": wrong == 0,
            f"{self.tries} of {verdicts[REFUSED]} tries landed": self.tries == verdicts[REFUSED],
            f"clean calls: {dict(self.clean.verdicts)}": set(self.clean.verdicts) == {LANDED},
            "no call contradicted itself": contradictions.total() > 0,
            f"contradictions: {dict(contradictions)}": set(contradictions) <= {REFUSED},
        }
        return [said for said, holds in checks.items() if not holds]


def campaign(
    count: int, known: list[Case], seed: int, doors: tuple[str, ...], every: int = _CONTRADICTS
) -> Result:
    """Make so many mutated calls through the doors, each beside its clean call.

    One of `every` few is followed by a call that contradicts itself.
    """
    chance, result = random.Random(seed), Result()
    clean = Clean(result)
    known = chance.sample(known, min(len(known), _MOST_CASES))
    while result.ran < count:
        with ExitStack() as stack:
            base = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=_IN_MEMORY))).resolve()
            stack.enter_context(patch.dict(os.environ, XDG_STATE_HOME=str(base / "state")))
            places = [stack.enter_context(opened(kind, base / kind)) for kind in doors]
            bare = stack.enter_context(opened("keyhole call", base / "bare"))
            for number in range(min(_A_ROOT, count - result.ran)):
                index = number % len(places)
                case = chance.choice(known)
                while not (first := clean.of(case, doors[index], places[index], bare)):
                    case = chance.choice(known)
                trial = case.below(f"t{result.ran}", str(places[index].root))
                _try_one(places[index], trial, first, chance, result)
                if result.ran % every == 0:
                    other = case.below(f"x{result.ran}", str(places[index].root))
                    _contradict(places[index], other, first, chance, result)
                result.by_door[doors[index]] += 1
    return result


@dataclass(slots=True)
class Clean:
    """What clean calls do, each tried once at a door; a refused one is None.

    At the first door it has to do what it does where nothing is healed at all.
    """

    result: Result
    found: dict[tuple[str, str], Seen | None] = field(default_factory=dict)
    bare: set[str] = field(default_factory=set)

    def of(self, case: Case, kind: str, door: Door, bare: Door) -> Seen | None:
        """Return what a clean call does at a door."""
        name = f"{case.name} {case.arguments}"
        if (kind, name) not in self.found:
            trial = case.below(f"c{len(self.found)}", str(door.root))
            seen = carried_out(door, trial, trial.arguments)
            self.found[kind, name] = None if seen.refused else seen
            if name not in self.bare:
                self.bare.add(name)
                self._compare(case, seen, door, bare)
        return self.found[kind, name]

    def _compare(self, case: Case, seen: Seen, door: Door, bare: Door) -> None:
        with unhealed():
            again = case.below(f"c{len(self.found)}", str(bare.root))
            expected = carried_out(bare, again, again.arguments)
        as_bare = _facts(seen, door, bare) == _facts(expected, door, bare)
        self.result.clean.add(LANDED if as_bare else WRONG, f"{case.tool} {case.arguments}"[:2_000])


def _facts(seen: Seen, door: Door, bare: Door) -> tuple[object, ...]:
    """Return what has to be the same at both doors: the answer too, if they are of one kind."""
    if seen.refused:  # ids of what is offered go by the path
        return seen.files, seen.refused
    said = seen.said if type(door) is type(bare) else ""
    return seen.files, seen.entry, seen.refused, said


def _try_one(door: Door, case: Case, clean: Seen, chance: random.Random, result: Result) -> None:
    call, used = _mutation(case, chance)
    shape = shape_of(tool_named(case.tool, (case.tools,)).shape(call))
    begin = time.thread_time()
    heal(call, shape, case.tool, lambda: (case.root,))
    result.seconds += time.thread_time() - begin
    seen = carried_out(door, case, call)
    is_named = not set(used) <= UNNAMED
    verdict = verdict_of(clean, seen, case.before, is_named=is_named)
    result.calls.add(verdict, f"{case.tool} {used} {call} -> {seen.answer.data}"[:2_000])
    result.by_mutation.update(used)
    result.by_tool[case.tool] += 1
    if verdict == REFUSED:
        result.tries += recovered(door, case, clean, seen)


def _contradict(door: Door, case: Case, clean: Seen, chance: random.Random, result: Result) -> None:
    call = contradicted(case, chance)
    seen = carried_out(door, case, call)
    verdict = verdict_of(clean, seen, case.before, is_named=False)
    if verdict == REFUSED and not recovered(door, case, clean, seen):
        verdict = SILENT
    result.contradictions.add(verdict, f"{case.tool} {call} -> {seen.answer.data}"[:2_000])


def _mutation(case: Case, chance: random.Random) -> tuple[Call, tuple[str, ...]]:
    """Return a call with one to three mutations."""
    while True:
        names = chance.sample(list(MUTATIONS), chance.randint(1, _MOST_AT_ONCE))
        call, used = mutated(case, names, chance)
        if used:
            return call, used


def report(result: Result) -> Iterator[str]:
    """Yield the counts, line by line."""
    verdicts = result.calls.verdicts
    yield f"{result.ran} calls ran: " + ", ".join(f"{n} {name}" for name, n in verdicts.items())
    yield f"{result.tries} of {verdicts[REFUSED]} refused ones landed by their try"
    for title, counts in (
        ("doors", result.by_door),
        ("tools", result.by_tool),
        ("mutations", result.by_mutation),
    ):
        yield f"{title}: " + ", ".join(f"{name} {n}" for name, n in counts.most_common())
    yield f"{result.clean.verdicts[LANDED]} clean calls did what they do unhealed"
    told = ", ".join(f"{n} {name}" for name, n in result.contradictions.verdicts.items())
    yield f"contradictions, each with a try that landed: {told}"
    yield f"healing takes {result.milliseconds:.3f} ms a call"
    yield from (*result.clean.examples, *result.calls.examples)
    yield from result.contradictions.examples


def main(count: int, recording: str) -> int:
    """Run the campaign and print what it found."""
    source = Path(recording) if recording else None
    if source and not source.is_file():
        sys.stderr.write(f"there is no {source}; name a recording: make calls REPLAY=FILE\n")
        return 2
    known = cases(source)
    result = campaign(count, known, 19, ("MCP", "keyhole call"))
    alone = campaign(count // _ALONE, known, 20, ("keyhole, alone",))
    faults = [*result.faults(count), *alone.faults(count // _ALONE)]
    contradicting = [fault for fault in faults if not fault.startswith("no call")]
    # Measured where the calls are many: a few of them are mostly the first of their tool.
    if result.milliseconds > MOST_MILLISECONDS:
        contradicting.append(f"healing takes more than {MOST_MILLISECONDS} ms a call")
    for line in [*report(result), *report(alone), *contradicting]:
        sys.stdout.write(f"{line}\n")
    return 1 if contradicting else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""))
