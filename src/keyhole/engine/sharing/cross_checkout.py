"""Conflicts across workspaces: what others changed and nobody has merged yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.fastclasses import dataclass, replace
from keyhole.journal.model import Entry, Origin
from keyhole.phrases import shown
from keyhole.segments.registry import outline
from keyhole.sharing.meetings import Meeting, Merges, lines_of, meeting, pairs
from keyhole.sharing.postgres.journal import PostgresJournal
from keyhole.sharing.sender import Sharer
from keyhole.sharing.sides import (
    MOST_PATHS,
    CheckoutEdits,
    Side,
    SideEntry,
    Stretch,
    contested_files,
    settle,
    sides_at,
)
from keyhole.text.diff import diff, unified, unified_deletion
from keyhole.text.document import Document

# The shared order of an edit that has no number there yet: after everything.
_LATEST = 1 << 62


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """One workspace's edit at a place that another one changed too."""

    transaction: str
    task: str
    actor: str
    origin: Origin
    reason: str
    lines: tuple[int, int]
    diff: str

    def as_data(self) -> dict[str, object]:
        """Return the edit as a JSON object."""
        return {
            "transaction": self.transaction,
            "task": self.task,
            "actor": self.actor,
            "machine": self.origin.machine,
            "worktree": self.origin.worktree,
            "branch": self.origin.branch,
            "base": self.origin.base,
            "reason": self.reason,
            "lines": list(self.lines),
            "diff": self.diff,
        }


def _side_of(side: Side, stretch: Stretch) -> ConflictSide:
    entry = stretch.entry
    return ConflictSide(
        entry.id,
        entry.call.task,
        entry.call.actor,
        entry.origin or Origin("", ""),
        reason_of(entry, side.path),
        lines_of(side.text, stretch),
        diff_of(side, stretch),
    )


@dataclass(frozen=True, slots=True)
class CheckoutConflict:
    """Two workspaces' edits that will meet when their branches do."""

    meeting: Meeting
    # The segment that both changed, if it has a name.
    segment: str = ""

    @property
    def kind(self) -> str:
        """Return hot for the same lines, soft for the same segment or file."""
        return "hot" if self.meeting.hot else "soft"

    @property
    def sides(self) -> tuple[ConflictSide, ConflictSide]:
        """Return what each workspace did there."""
        met = self.meeting
        return _side_of(met.one, met.here), _side_of(met.other, met.there)

    def as_data(self) -> dict[str, object]:
        """Return both sides as a JSON object."""
        return {
            "kind": self.kind,
            "path": self.meeting.path,
            "segment": self.segment,
            "sides": [side.as_data() for side in self.sides],
        }

    def as_text(self) -> str:
        """Return a line for the place, and for each side a line and its diff."""
        place = f" `{self.segment}`" if self.segment else ""
        rows = [f"{self.kind}  {self.meeting.path}{place}"]
        for side in self.sides:
            rows += [f"  {_describe(side)}", *_indented(side.diff)]
        return "\n".join(rows)


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The current conflicts of a project, hot ones first."""

    conflicts: tuple[CheckoutConflict, ...]
    # The files of which not every edit could be compared, and whether there are more files.
    unchecked: tuple[str, ...] = ()
    more: bool = False

    def as_data(self) -> dict[str, object]:
        """Return them in a list."""
        return {
            "conflicts": [conflict.as_data() for conflict in self.conflicts],
            "unchecked": list(self.unchecked),
            "more": self.more,
        }

    def as_text(self) -> str:
        """Return each with both sides, and what could not be compared."""
        rows = [each.as_text() for each in self.conflicts]
        rows = rows or ["no conflicts" if self.is_complete else "no conflicts were found"]
        rows += [f"not every edit of {shown(path)} could be compared" for path in self.unchecked]
        rows += ["more files were changed by several checkouts: these are not compared"] * self.more
        return "\n".join(rows)

    @property
    def is_complete(self) -> bool:
        """Tell whether everything could be compared."""
        return not self.unchecked and not self.more


def current_conflicts(shared: Sharer) -> Conflicts:
    """Return every conflict between workspaces of the project, and publish what is settled."""

    def asked(journal: PostgresJournal) -> tuple[CheckoutEdits, bool]:
        paths = contested_files(journal)
        return sides_at(journal, paths[:MOST_PATHS]), len(paths) > MOST_PATHS

    sides, more = shared.ask(asked)
    merges = Merges(shared.checkout, (side for each in sides.by_path.values() for side in each))
    found: list[CheckoutConflict] = []
    for path, at_path in sides.by_path.items():
        for one, other in pairs(at_path):
            met = _met(shared, merges, sides, one, other)
            if met is not None:
                found.append(CheckoutConflict(met, _segment(path, met)))
    ordered = tuple(sorted(found, key=lambda each: (each.kind, each.meeting.path)))
    return Conflicts(ordered, tuple(sorted(sides.cut)), more)


def _met(
    shared: Sharer, merges: Merges, sides: CheckoutEdits, one: Side, other: Side
) -> Meeting | None:
    for first, second in sides.settled.get(one.path, ()):
        one_through, other_through = _through(one, other, first, second)
        rest, others = one.after(one_through), other.after(other_through)
        if rest is None or others is None:
            return None
        one, other = (rest, others) if one_through else (one, other)
    if meeting(one, other) is None:
        return None
    left = merges.left(one, other)
    if left is None:
        numbers = one.made[-1].entry.order, other.made[-1].entry.order
        if max(numbers) < _LATEST:
            shared.ask(partial(settle, path=one.path, one=numbers[0], other=numbers[1]))
        return None
    return meeting(*left)


def _through(one: Side, other: Side, first: int, second: int) -> tuple[int, int]:
    """Return the numbers of a merged pair in the order of the sides, or zeros for other sides."""
    for a, b in ((first, second), (second, first)):
        if a in _numbers(one) and b in _numbers(other):
            return a, b
    return 0, 0


def _numbers(side: Side) -> set[int]:
    return {made.entry.order for made in side.made}


def conflicts_of(
    shared: Sharer, plan: Plan, entry: Entry, seconds: float
) -> tuple[tuple[Mapping[str, object], ...], frozenset[str]]:
    """Return the conflicts of a plan with other workspaces, as a receipt shows them.

    Beside them come the files of which not every edit of the others could be compared.
    """
    files = [file for file in plan.files if not file.is_unchanged]
    paths = [shared.checkout.outward(file.path) for file in files]
    sides, mine = shared.ask(
        lambda journal: (sides_at(journal, paths), journal.me.workspace), seconds
    )
    owns = [_own_side(shared, file, entry, mine) for file in files]
    others = (side for each in sides.by_path.values() for side in each)
    merges = Merges(shared.checkout, (*owns, *others))
    found = []
    for file, own in zip(files, owns, strict=True):
        for other in sides.by_path.get(file.path, ()):
            if other.checkout == mine or not _is_near(file.path, meeting(own, other)):
                continue
            meets = _met(shared, merges, sides, own, other)
            if meets and _is_near(file.path, meets):
                found.append(_receipt_data(meets, _segment(file.path, meets), file))
    return tuple(found), sides.cut


def _is_near(path: str, met: Meeting | None) -> bool:
    """Tell whether a receipt shows a conflict: the same lines or segment, not only the file."""
    return met is not None and (met.hot or bool(_segment(path, met)))


def _own_side(shared: Sharer, file: FilePlan, entry: Entry, mine: int) -> Side:
    branch, base = shared.place()
    checkout = shared.checkout
    origin = Origin(checkout.machine, checkout.worktree, branch, base, mine=True, checkout=mine)
    own = replace(entry, order=_LATEST, origin=origin)
    return Side(file.path, (SideEntry(own, file.before, file.after),))


def _receipt_data(met: Meeting, segment: str, file: FilePlan) -> dict[str, object]:
    entry, origin = met.there.entry, met.there.entry.origin
    assert origin is not None, "BUG: an entry of a shared journal was made somewhere"
    start, end = lines_of(met.one.text, met.here)
    return {
        "path": met.path,
        "edit": file.edits[0].index if file.edits else 0,
        "kind": "hot" if met.hot else "soft",
        "segment": segment,
        "task": entry.call.task,
        "actor": entry.call.actor,
        "machine": origin.machine,
        "worktree": origin.worktree,
        "branch": origin.branch,
        "transaction": entry.id,
        "reason": reason_of(entry, met.path),
        "lines": [start, end],
        "seen": False,
        "skipped": False,
        "diff": diff_of(met.other, met.there),
        "own_diff": diff_of(met.one, met.here),
    }


def _segment(path: str, met: Meeting) -> str:
    """Return the segment that both sides changed, if there is one with a name."""
    here = _enclosing(path, met.one.text, met.here)
    there = _enclosing(path, met.other.text, met.there)
    return here if here and here == there else ""


def _enclosing(path: str, text: str, stretch: Stretch) -> str:
    words = text[stretch.start : stretch.end].lstrip()
    start = stretch.end - len(words)
    found = outline(path, Document(text)).enclosing(min(start, max(0, len(text) - 1)))
    return found.address if found else ""


def diff_of(side: Side, stretch: Stretch) -> str:
    """Return the diff of the entry that changed a stretch of a file."""
    made = next(each for each in side.made if each.entry is stretch.entry)
    before = made.before.text if made.before else None
    if made.after is None:
        return unified_deletion(side.path, before or "")
    return unified(side.path, before, diff(before or "", made.after.text))


def _describe(side: ConflictSide) -> str:
    start, end = side.lines
    who = f"task {side.task}" if side.task else side.actor
    why = f": {side.reason}" if side.reason else ""
    return f"{who} on {side.origin}, {side.transaction}, lines {start}-{end}{why}"


def reason_of(entry: Entry, path: str) -> str:
    """Return why an entry changed a file: what its edits there say, or the call as a whole."""
    own = [edit.reason for file in entry.files if file.path == path for edit in file.edits]
    return "; ".join(dict.fromkeys(filter(None, own))) or entry.call.reason


def _indented(text: str) -> Iterator[str]:
    yield from (f"    {line}" for line in shown(text.rstrip("\n")).split("\n"))
