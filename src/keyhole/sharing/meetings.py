"""Where unmerged edits of two checkouts meet, and whether git has merged them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import combinations

from keyhole.fastclasses import dataclass
from keyhole.git.repository import Commits, checkouts
from keyhole.history.steps_since import carry
from keyhole.journal.model import Origin
from keyhole.sharing.identity import Checkout
from keyhole.sharing.sides import Side, SideEntry, Stretch
from keyhole.text.diff import diff
from keyhole.text.document import Document


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two sides of a file: `hot` where they changed the same lines, else in the same file."""

    path: str
    one: Side
    other: Side
    # The latest of each side that meets; without an overlap the latest of all.
    here: Stretch
    there: Stretch
    hot: bool


def pairs(sides: Iterable[Side]) -> Iterator[tuple[Side, Side]]:
    """Yield the sides of different checkouts, two at a time."""
    yield from combinations(sides, 2)


def meeting(one: Side, other: Side) -> Meeting | None:
    """Return where two sides meet; edits of one and the same task never do."""
    ours = _whole_lines(one)
    theirs = _whole_lines(other)
    found = [(a, b) for a in ours for b in theirs if not a.task or a.task != b.task]
    if not found or one.text == other.text or one.place == other.place:
        return None
    changes = diff(one.text, other.text).changes
    hot = [(a, b) for a, b in found if _touch(carry((a.start, a.end), changes), b)]
    here, there = max(hot or found, key=lambda pair: [each.entry.order for each in pair])
    return Meeting(one.path, one, other, here, there, bool(hot))


def _touch(span: tuple[int, int], stretch: Stretch) -> bool:
    """Tell whether lines meet or lie side by side: git merges neither."""
    return span[0] <= stretch.end and stretch.start <= span[1]


def _whole_lines(side: Side) -> list[Stretch]:
    """Return a side's stretches from the start of their first line to the end of their last."""
    text = side.text
    return [Stretch(*_widened(text, each.start, each.end), each.entry) for each in side.stretches()]


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    if start == end:
        return start, end
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end - 1)
    return first, len(text) if last < 0 else last + 1


def lines_of(text: str, stretch: Stretch) -> tuple[int, int]:
    """Return the lines of a stretch, counted from 1."""
    return Document(text).lines_of((stretch.start, stretch.end))


class Merges:
    """What git knows of versions: asked once, and only if checkouts meet."""

    def __init__(self, checkout: Checkout, sides: Iterable[Side]) -> None:
        self._repository, self._prefix = checkout.repository, checkout.prefix
        self._machine = checkout.machine
        self._sides = tuple(sides)
        self._known: dict[tuple[str, str], frozenset[str]] = {}

    def left(self, one: Side, other: Side) -> tuple[Side, Side] | None:
        """Return two sides without what was merged.

        A side is merged up to the version that a commit of the other's checkout, or of any branch,
        holds.
        """
        if self._repository is None:
            return one, other
        taken_one = self._merged(one, other)
        taken_other = self._merged(other, one)
        rest, others = one.after(taken_one), other.after(taken_other)
        if taken_one or taken_other:
            # Merged in one place, it is no conflict in the other either.
            return (rest, others) if rest and others else None
        return one, other

    @cached_property
    def _commits(self) -> Commits:
        assert self._repository is not None, "BUG: nobody asks without a repository"
        paths = {self._prefix + side.path for side in self._sides}
        bases = {made.version.base for side in self._sides for made in side.made}
        return Commits(self._repository, paths, bases - {""})

    @cached_property
    def _worktrees(self) -> frozenset[str]:
        return frozenset(checkouts(self._repository) if self._repository is not None else ())

    def _merged(self, side: Side, into: Side) -> int:
        """Return the number of the last entry of a side that the other side has come to hold."""
        for made in reversed(side.made):
            where = self._holders(side.path, made)
            if where & self._places(into) or where & self._holders(into.path, into.made[-1]):
                return made.entry.order
        return 0

    def _places(self, side: Side) -> frozenset[str]:
        origin = side.made[-1].entry.origin or Origin("", "")
        return frozenset([origin.worktree]) if origin.mine or self._is_ours(origin) else frozenset()

    def _is_ours(self, origin: Origin) -> bool:
        return origin.machine == self._machine and origin.worktree in self._worktrees

    def _holders(self, path: str, made: SideEntry) -> frozenset[str]:
        """Return the branches and checkouts that hold a version since it was made.

        Commits before the version was made do not count: restoring an old text is a change too.
        """
        key = (path, made.entry.id)
        if key not in self._known:
            blobs, version = self._commits.blobs.get(self._prefix + path, {}), made.version
            named = {commit for blob in version.blobs for commit in blobs.get(blob, ())}
            held = [self._commits.holders(commit) for commit in named]
            newer = [each for each in held if version.base not in each]
            self._known[key] = frozenset[str]().union(*newer) - {version.base}
        return self._known[key]
