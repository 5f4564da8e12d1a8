"""Statistics of calls, from one pass over entries and refused calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeVar

from keyhole.fastclasses import dataclass, field

HOUR = 3600

K = TypeVar("K")


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
    ordered = sorted(deeds, key=lambda deed: deed.time)
    done = [deed for deed in ordered if not deed.codes]
    refused = [deed for deed in ordered if deed.codes]
    return Tally(
        Counter(deed.state for deed in done),
        Counter(deed.tool for deed in done),
        Counter(code for deed in refused for code in deed.codes),
        _count_recovered(ordered),
        sum(deed.undo for deed in done),
        Counter(rung for deed in done if not deed.undo for rung in deed.rungs),
        _counted((deed.tool, deed) for deed in ordered),
        _counted((deed.actor, deed) for deed in ordered),
        _counted((int(deed.time) // HOUR * HOUR, deed) for deed in ordered),
        _efforts(ordered),
        _counted((deed.machine, deed) for deed in ordered if deed.machine),
        Counter(mode for deed in done if not deed.undo for mode in deed.modes),
    )


def _counted(pairs: Iterable[tuple[K, CountedCall]]) -> dict[K, Counts]:
    done: Counter[K] = Counter()
    refused: Counter[K] = Counter()
    for key, deed in pairs:
        (refused if deed.codes else done)[key] += 1
    return {key: Counts(done[key], refused[key]) for key in {**done, **refused}}


def _count_recovered(ordered: Iterable[CountedCall]) -> int:
    """Count the refusals that the same actor's next call on the same file made good."""
    refused: set[tuple[str, str]] = set()
    count = 0
    for deed in ordered:
        for path in deed.paths:
            if deed.codes:
                refused.add((deed.actor, path))
            elif (deed.actor, path) in refused:
                refused.discard((deed.actor, path))
                count += 1
    return count


def _efforts(ordered: Iterable[CountedCall]) -> Efforts:
    """Count by how many refusals each effort took; a call on many files is one effort."""
    waiting: Counter[tuple[str, str]] = Counter()
    after: Counter[int] = Counter()
    rewritten = 0
    for deed in ordered:
        if deed.undo:
            continue
        keys = [(deed.actor, path) for path in deed.paths]
        if deed.codes:
            waiting.update(keys[:1])
            continue
        refusals = sum(waiting.pop(key, 0) for key in keys)
        after[refusals] += 1
        rewritten += bool(refusals and deed.rewrote)
    return Efforts(dict(sorted(after.items())), len(waiting), rewritten)
