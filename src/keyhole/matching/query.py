"""The questions and answers of the ladder, as plain values."""

from __future__ import annotations

from typing import NamedTuple

from keyhole.fastclasses import dataclass
from keyhole.text.changes import Change


@dataclass(frozen=True, slots=True)
class Quote:
    r"""Text an agent quotes from a file (`old`) and what it wants there instead (`new`).

    `new` is None if only the place is wanted. Both have plain `\n` line ends.
    """

    old: str
    new: str | None = None


class LinePair(NamedTuple):
    """Lines of the quote and the lines of the file they stand for, 0-based, ends exclusive."""

    old_start: int
    old_end: int
    start: int
    end: int


class Part(NamedTuple):
    """The lines of a segment, 0-based and end exclusive; `level` is that of a heading."""

    first: int
    end: int
    level: int = 0
    is_function: bool = False


class Structure(NamedTuple):
    """What a file says of its blocks besides their indentation.

    `kind` is code, yaml, sections (Markdown) or text; `parts` are the segments in file order,
    `comments` the ways a line begins that is a comment, `literals` the lines that begin inside a
    literal.
    """

    kind: str = "text"
    parts: tuple[Part, ...] = ()
    comments: tuple[str, ...] = ()
    literals: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where a quote stands, as offsets of the view's flat text.

    `pairs` lines the quote up with the file where whole lines were compared; it is empty for an
    exact match.
    """

    start: int
    end: int
    rung: str
    quote: Quote
    pairs: tuple[LinePair, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrences:
    """All places of one rung, in file order.

    `more` says that there are too many to count: then `found` holds the first of them.
    """

    rung: str
    found: tuple[Occurrence, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Rewrite:
    """An edit at its place: the span in the document, the changes, and the rung that found it."""

    start: int
    end: int
    rung: str
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockCrossing:
    """A quote whose pieces stand in different blocks: the edit as it would be made, and lines.

    `head` is the first line of the piece before the stretch that is left out, `tail` that of the
    piece behind it, `outside` the first line of the stretch that is in another block; 0-based.
    """

    rewritten: Rewrite
    head: int
    tail: int
    outside: int


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why an edit cannot be made at the place that was found, and the code to refuse with."""

    code: str
    reason: str
    start: int
    end: int
    # What the edit may mean, as a candidate.
    offer: tuple[Change, ...] = ()
