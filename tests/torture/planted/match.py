"""Faults of matching as they were: runs rewritten, additions made again, twins taken for edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from keyhole.edits import combine, locate
from keyhole.edits.by_text import hunks as hunk_edits
from keyhole.edits.by_text import quoted
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.plan import LocatedEdit
from keyhole.matching import already_applied, ladder, rewrite
from keyhole.matching.query import Rewrite
from keyhole.text.changes import ChangeSet


def blank_runs_are_rewritten() -> None:
    """Carry an edit out beside a run of blank lines whatever reading of the run it takes."""
    vars(rewrite)["is_same_for_every_reading"] = lambda *_: True


def an_insertion_is_made_again() -> None:
    """Make an addition once more, unless it is long and stands there to the character."""

    def as_it_was(
        _: Target, placed: Sequence[LocatedEdit], __: Callable[[], bool]
    ) -> Sequence[LocatedEdit]:
        return placed

    vars(combine)["without_repeated"] = as_it_was
    for module in (quoted, locate, hunk_edits):
        vars(module)["around"] = lambda *_: None


def already_applied_by_a_twin() -> None:
    """Take the lines next to a change for the change, whatever became of the others quoted."""

    def only_changed(_: Rewrite, edit: ChangeSet) -> tuple[int, int]:
        spans = tuple(edit.spans_after())
        return spans[0][0], spans[-1][1]

    vars(already_applied)["_span_to_match"] = only_changed
    vars(ladder)["is_doubtful"] = ladder._may_be_meant_elsewhere


PLANTED: dict[str, Callable[[], None]] = {
    "blank runs are rewritten": blank_runs_are_rewritten,
    "an insertion is made again": an_insertion_is_made_again,
    "already applied by a twin": already_applied_by_a_twin,
}
