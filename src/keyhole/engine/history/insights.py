"""Statistics of calls, which the command line prints and the review page draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from keyhole.answers.history import moment
from keyhole.fastclasses import dataclass
from keyhole.journal.tallies import Counts, Tally

Name = TypeVar("Name", str, int)


@dataclass(frozen=True, slots=True)
class Stats:
    """How calls went: transactions by state and tool, refusals by code, and what came of them."""

    tally: Tally
    since: float = 0.0
    # What is missing from the figures, if anything is.
    note: str = ""

    @property
    def calls(self) -> Counts:
        """Return how many calls went through, and how many were refused."""
        counts = self.tally.by_tool.values()
        return Counts(sum(each.done for each in counts), sum(each.refused for each in counts))

    @property
    def success(self) -> float:
        """Return the share of calls that went through."""
        return share(self.calls.done, self.calls.done + self.calls.refused)

    @property
    def retry_rate(self) -> float:
        """Return the share of efforts that met a refusal before they went through or ended."""
        return share(self.tally.efforts.retried, self.tally.efforts.total)

    @property
    def catastrophic(self) -> float:
        """Return the share of efforts after which the whole file had to be written anew."""
        return share(self.tally.efforts.rewritten, self.tally.efforts.total)

    @property
    def self_recovery(self) -> float:
        """Return the share of refused efforts that the same actor brought to an edit alone."""
        return share(self.tally.efforts.recovered, self.tally.efforts.retried)

    def as_data(self) -> dict[str, object]:
        """Return the figures as a JSON object."""
        tally = self.tally
        return {
            "since": moment(self.since) if self.since else "",
            "transactions": dict(tally.entries),
            "undos": tally.undone,
            "tools": dict(tally.tools),
            "refusals": dict(tally.refusals),
            "retried": tally.retried,
            "rungs": dict(tally.rungs),
            "modes": dict(tally.modes),
            "by_tool": _pairs(tally.by_tool),
            "by_actor": _pairs(tally.by_actor),
            "efforts": tally.efforts.total,
            "refusals_until_done": {str(k): v for k, v in tally.efforts.after.items()},
            "abandoned": tally.efforts.abandoned,
            "success_rate": round(self.success, 4),
            "retry_rate": round(self.retry_rate, 4),
            "catastrophic_rate": round(self.catastrophic, 4),
            "self_recovery_rate": round(self.self_recovery, 4),
            **({"by_machine": _pairs(tally.by_machine)} if tally.by_machine else {}),
            **({"note": self.note} if self.note else {}),
        }

    def as_text(self) -> str:
        """Return a table a question."""
        return "\n".join(self._rows())

    def _rows(self) -> Iterator[str]:
        tally = self.tally
        yield f"since {moment(self.since)}" if self.since else "since the beginning"
        yield from [f"note: {self.note}"] if self.note else []
        yield from _table("transactions", tally.entries)
        yield from _table("tools", tally.tools)
        yield from _table("refusals", tally.refusals)
        yield f"refusals that the next call made good: {tally.retried}"
        yield from _table("places found by", tally.rungs)
        yield from _table("edits by", tally.modes)
        yield from _both("by actor", tally.by_actor)
        yield from _both("by machine", tally.by_machine) if tally.by_machine else ()
        waits = {_refusals(count): times for count, times in tally.efforts.after.items()}
        yield f"efforts: {tally.efforts.total}"
        yield from (f"  {times:>6}  done after {waited}" for waited, times in waits.items())
        yield f"  {tally.efforts.abandoned:>6}  given up"
        yield f"calls that went through: {self.success:.1%}"
        yield f"retry rate: {self.retry_rate:.1%}"
        yield f"catastrophic failures: {self.catastrophic:.1%}"
        yield f"self-recovery: {self.self_recovery:.1%}"


def pairs(counts: Mapping[Name, Counts]) -> dict[Name, tuple[int, int]]:
    """Return for each name how many calls went through, and how many were refused."""
    return {name: (each.done, each.refused) for name, each in counts.items()}


def share(part: int, whole: int) -> float:
    """Return a part of a whole, 0 of nothing."""
    return part / whole if whole else 0.0


def _pairs(counts: Mapping[str, Counts]) -> dict[str, object]:
    return {name: {"done": each.done, "refused": each.refused} for name, each in counts.items()}


def _table(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    yield f"{title}: {sum(counts.values())}"
    for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        yield f"  {count:>6}  {name or '(none)'}"


def _both(title: str, counts: Mapping[str, Counts]) -> Iterator[str]:
    yield f"{title}: {len(counts)}"
    for name, each in sorted(counts.items(), key=lambda pair: (-pair[1].done, pair[0])):
        yield f"  {each.done:>6}  {name or '(none)'}, {each.refused} refused"


def _refusals(count: int) -> str:
    return "no refusal" if not count else "1 refusal" if count == 1 else f"{count} refusals"
