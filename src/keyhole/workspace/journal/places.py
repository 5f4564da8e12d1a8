"""Where the edits of a shared journal were made, and what tasks did there."""

from __future__ import annotations

from collections.abc import Iterable

from keyhole.values import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an entry of a shared journal was made; `mine` says that it was in this checkout."""

    machine: str
    worktree: str
    branch: str = ""
    base: str = ""
    mine: bool = False
    # The number of the checkout among those of the project.
    checkout: int = 0

    def __str__(self) -> str:
        return f"{self.machine}:{self.worktree}" + (f" ({self.branch})" if self.branch else "")


@dataclass(frozen=True, slots=True)
class TaskSum:
    """How many transactions a task made, when the last was, whether it was ended, and where."""

    name: str
    transactions: int
    last: float
    ended: bool
    # Empty in a journal that belongs to one workspace.
    origins: tuple[Origin, ...] = ()


def summed(parts: Iterable[TaskSum]) -> tuple[TaskSum, ...]:
    """Return one sum for each task, of what it did in each place, in the order they come."""
    found: dict[str, list[TaskSum]] = {}
    for part in parts:
        found.setdefault(part.name, []).append(part)
    return tuple(_sum(own) for own in found.values())


def _sum(own: list[TaskSum]) -> TaskSum:
    return TaskSum(
        own[0].name,
        sum(part.transactions for part in own),
        max(part.last for part in own),
        all(part.ended for part in own),
        tuple(dict.fromkeys(origin for part in own for origin in part.origins)),
    )
