"""Blame: which edit of a call a problem comes from."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.edits.checks.syntax.delta import delta
from keyhole.edits.checks.syntax.names import syntax_of
from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.plan import FilePlan, LocatedEdit
from keyhole.text.changes import Change, ChangeSet

_MOST_TRIED = 8


def edit_to_blame(file: FilePlan, problem: Problem, point: int) -> int | None:
    """Return the index of the edit that brought a problem.

    A bracket left open is often noticed far away. So of several edits each is tried alone, and the
    first that breaks the file by itself is it; where none does, the nearest one.
    """
    changed = [edit for edit in file.edits if edit.changes]
    if len(changed) <= 1:
        return changed[0].index if changed else None
    if problem.code == "syntax-broken" and len(changed) <= _MOST_TRIED:
        guilty = next((edit for edit in changed if _breaks_alone(file, edit)), None)
        if guilty:
            return guilty.index
    lies = dict(zip(file.changes.changes, file.changes.spans_after(), strict=True))
    return min(changed, key=lambda edit: _distance(edit, lies, point)).index


def _breaks_alone(file: FilePlan, edit: LocatedEdit) -> bool:
    assert file.before is not None, "BUG: a new file has one edit"
    assert file.after is not None, "BUG: a file that goes has no problems"
    before = file.before.text
    alone = ChangeSet.of(len(before), edit.changes)
    assert isinstance(alone, ChangeSet), "BUG: the changes of one edit do not overlap"
    found = delta(syntax_of(file.path, file.after), before, alone.apply(before), alone)
    return any(not problem.doubtful for problem in found.new)


def _distance(edit: LocatedEdit, lies: Mapping[Change, tuple[int, int]], point: int) -> int:
    spans = [lies[change] for change in edit.changes if change in lies]
    return min((max(start - point, point - end, 0) for start, end in spans), default=point)
