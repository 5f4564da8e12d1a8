"""Statistics of calls, from one pass over entries and refused calls; a pass can be gone on with."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from keyhole.fastclasses import dataclass, field

HOUR = 3600

K = TypeVar("K", str, int)
_Key = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class CountedCall:
    """One call as statistics see it; `codes` of a call that was carried out are empty."""

    time: float
    actor: str
    tool: str
    paths: tuple[str, ...]
    codes: tuple[str, ...] = ()
    state: str = ""
    rungs: tuple[str, ...] = ()
    # In which ways the call says its places: content, search, lines, segment, ...
    modes: tuple[str, ...] = ()
    # An undo is somebody's second thought, not an effort of its own.
    undo: bool = False
    # A file that was there was given a whole new text instead of an edit.
    rewrote: bool = False
    # "" in a journal that belongs to one workspace.
    machine: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """Calls that went through, and calls that were refused."""

    done: int = 0
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Efforts:
    """Calls of one actor at one file, up to the one that went through or was the last."""

    # How many efforts went through after so many refusals.
    after: Mapping[int, int] = field(default_factory=dict)
    # Efforts that ended in a refusal.
    abandoned: int = 0
    # Efforts in which, after a refusal, the whole file was written anew.
    rewritten: int = 0

    @property
    def total(self) -> int:
        """Return how many efforts there were."""
        return sum(self.after.values()) + self.abandoned

    @property
    def retried(self) -> int:
        """Return how many of them met a refusal."""
        return self.total - self.after.get(0, 0)

    @property
    def recovered(self) -> int:
        """Return how many met a refusal and then went through as an edit."""
        return self.retried - self.abandoned - self.rewritten


@dataclass(frozen=True, slots=True)
class Tally:
    """How calls went since some time: entries by state and tool, refusals by code."""

    entries: Mapping[str, int]
    tools: Mapping[str, int]
    refusals: Mapping[str, int]
    # Calls refused at least once whose next call on the same file, by the same actor, went through.
    retried: int = 0
    undone: int = 0
    rungs: Mapping[str, int] = field(default_factory=dict)
    by_tool: Mapping[str, Counts] = field(default_factory=dict)
    by_actor: Mapping[str, Counts] = field(default_factory=dict)
    # By the hour, as seconds since 1970; hours without a call are left out.
    by_hour: Mapping[int, Counts] = field(default_factory=dict)
    efforts: Efforts = field(default_factory=Efforts)
    # Empty in a journal that belongs to one workspace.
    by_machine: Mapping[str, Counts] = field(default_factory=dict)
    modes: Mapping[str, int] = field(default_factory=dict)


def tally_of(deeds: Iterable[CountedCall]) -> Tally:
    """Count calls, given in any order."""
    totals = Totals()
    totals.add(deeds)
    return totals.tally()


class Totals:
    """Calls counted so far, as JSON too: later ones are added to what was kept."""

    def __init__(self, kept: str = "") -> None:
        found: dict[str, list[list[str | int]]] = json.loads(kept) if kept else {}
        counts: list[list[str | int]] = found.get("counts", [])
        # Each question with its answer's key, as ("tool", "edit", "done").
        self._counts: Counter[_Key] = Counter({tuple(key): count for *key, count in counts})
        # Where an actor was refused and did not come through since: for the next call there, and
        # by how many refusals its effort took so far.
        self._refused = {(actor, path) for actor, path in found.get("refused", [])}
        waiting = found.get("waiting", [])
        self._waiting = Counter({(actor, path): count for actor, path, count in waiting})

    def as_json(self) -> str:
        """Return what was counted."""
        counts = [[*key, count] for key, count in self._counts.items()]
        waiting = [[*key, count] for key, count in self._waiting.items()]
        found = {"counts": counts, "refused": sorted(self._refused), "waiting": waiting}
        return json.dumps(found, separators=(",", ":"))

    def add(self, deeds: Iterable[CountedCall]) -> None:
        """Count calls that are later than those before, given in any order."""
        for deed in sorted(deeds, key=lambda deed: deed.time):
            self._counts.update(_keys(deed))
            self._count_recovered(deed)
            self._count_effort(deed)

    def tally(self) -> Tally:
        """Return the answers."""
        after = sorted(self._single("after", int).items())
        refusals = self._single("refusal", str)
        return Tally(
            self._single("state", str),
            {tool: each.done for tool, each in self._pairs("tool", str).items() if each.done},
            refusals,
            self._counts["recovered",],
            self._counts["undone",],
            self._single("rung", str),
            self._pairs("tool", str),
            self._pairs("actor", str),
            self._pairs("hour", int),
            Efforts(dict(after), len(self._waiting), self._counts["rewritten",]),
            self._pairs("machine", str),
            self._single("mode", str),
        )

    def _single(self, question: str, kind: Callable[[str | int], K]) -> dict[K, int]:
        asked = ((key, count) for key, count in self._counts.items() if key[0] == question)
        return {kind(key[1]): count for key, count in asked}

    def _pairs(self, question: str, kind: Callable[[str | int], K]) -> dict[K, Counts]:
        asked = dict.fromkeys(key[1] for key in self._counts if key[0] == question)
        counts = self._counts
        return {
            kind(key): Counts(counts[question, key, "done"], counts[question, key, "refused"])
            for key in asked
        }

    def _count_recovered(self, deed: CountedCall) -> None:
        """Count the refusals that the same actor's next call on the same file makes good."""
        for path in deed.paths:
            if deed.codes:
                self._refused.add((deed.actor, path))
            elif (deed.actor, path) in self._refused:
                self._refused.discard((deed.actor, path))
                self._counts["recovered",] += 1

    def _count_effort(self, deed: CountedCall) -> None:
        """Count by how many refusals each effort takes; a call on many files is one effort."""
        keys = [(deed.actor, path) for path in deed.paths]
        if deed.codes:
            self._waiting.update(keys[:1])
        elif not deed.undo:
            refusals = sum(self._waiting.pop(key, 0) for key in keys)
            self._counts["after", refusals] += 1
            self._counts["rewritten",] += bool(refusals and deed.rewrote)


def _keys(deed: CountedCall) -> Iterator[_Key]:
    """Yield what a call counts for."""
    way = "refused" if deed.codes else "done"
    yield from (("tool", deed.tool, way), ("actor", deed.actor, way))
    yield "hour", int(deed.time) // HOUR * HOUR, way
    if deed.machine:
        yield "machine", deed.machine, way
    if deed.codes:
        yield from (("refusal", code) for code in deed.codes)
        return
    yield "state", deed.state
    if deed.undo:
        yield ("undone",)
        return
    yield from (("rung", rung) for rung in deed.rungs)
    yield from (("mode", mode) for mode in deed.modes)
