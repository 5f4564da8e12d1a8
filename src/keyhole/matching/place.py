"""What the ladder is asked and what it answers, as plain values."""

from __future__ import annotations

from typing import NamedTuple

from keyhole.text.changes import Change
from keyhole.values import dataclass


@dataclass(frozen=True, slots=True)
class Quote:
    r"""Text an agent quotes from a file (`old`) and what it wants there instead (`new`).

    `new` is None where the place alone is asked for. Both have plain `\n` line ends.
    """

    old: str
    new: str | None = None


class Pair(NamedTuple):
    """Lines of the quote and the lines of the file they stand for, 0-based, ends exclusive."""

    old_start: int
    old_end: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Site:
    """One place where a quote stands, as offsets of the view's flat text.

    `pairs` lines the quote up with the file where whole lines were compared; it is empty for an
    exact match.
    """

    start: int
    end: int
    rung: str
    quote: Quote
    pairs: tuple[Pair, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sites:
    """All the places one rung found, in file order: one is an answer, several are a question.

    `more` says that there are too many to count: then `found` holds the first of them.
    """

    rung: str
    found: tuple[Site, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Laid:
    """An edit laid onto its place: the document's span, the changes, the rung that proves it."""

    start: int
    end: int
    rung: str
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why an edit cannot be laid onto the place that was found, and the code to refuse with."""

    code: str
    reason: str
    start: int
    end: int
