"""A series: operations made stage by stage, and files that take each other's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from keyhole.edits.in_order import owned, unoffered
from keyhole.edits.lineage import FileState, final
from keyhole.edits.plan import FilePlan, LocatedEdit, Snapshot
from keyhole.edits.stages import Numbered, leaving, paths_of, stage_of
from keyhole.refusals import Refusal
from keyhole.values import replace

Stage = Callable[[Sequence[Numbered], Snapshot], list[FilePlan]]


def in_series(
    operations: Sequence[Numbered], snapshot: Snapshot, stage: Stage, refusals: list[Refusal]
) -> list[FilePlan]:
    """Return what all stages come to, each on the files as those before left them.

    `stage` resolves the operations of one and adds to `refusals`. A file that one of them fails on
    is not looked at by later ones: they were written for a text that never came to be.
    """
    state = {path: FileState.of(path, snapshot) for path in snapshot.files}
    told: dict[str, list[LocatedEdit]] = {}
    for number, group in groupby(operations, lambda each: stage_of(each[1])):
        failed = {refusal.path for refusal in refusals}
        sound = [each for each in group if not failed & paths_of(each[1])]
        had = len(refusals)
        plans = stage(sound, _as_it_stands(snapshot, state, sound))
        if number:
            # An offer would be for a text that is not on the disk.
            later = refusals[had:]
            refusals[had:] = [unoffered(each) if each.candidates else each for each in later]
        state = _after(state, plans, told)
    return [] if refusals else list(final(state, snapshot, told))


def _as_it_stands(
    snapshot: Snapshot, state: Mapping[str, FileState | None], operations: Sequence[Numbered]
) -> Snapshot:
    files = {path: file.document if file else None for path, file in state.items()}
    programs = frozenset(path for path, file in state.items() if file and file.program)
    going = leaving([operation for _, operation in operations])
    return replace(snapshot, files=files, programs=programs, leaving=going)


def _after(
    state: Mapping[str, FileState | None],
    plans: Sequence[FilePlan],
    told: dict[str, list[LocatedEdit]],
) -> dict[str, FileState | None]:
    """Return the files as a stage leaves them; all its operations saw them as they stood before."""
    then = dict(state)
    for plan in plans:
        told.setdefault(plan.path, []).extend(plan.edits)
    for plan in (plan for plan in plans if plan.after is None):
        then[plan.path] = None
    for plan in (plan for plan in plans if plan.after is not None):
        then[plan.path] = _made(state, plan)
    return then


def _made(state: Mapping[str, FileState | None], plan: FilePlan) -> FileState:
    """Return what a plan of one stage leaves at its path."""
    assert plan.after is not None, "BUG: a file that goes leaves none"
    source = state[plan.moved_from or plan.path] if plan.moved_from or plan.before else None
    if source is None:
        return FileState(plan.after, program=bool(plan.executable))
    program = source.program if plan.executable is None else plan.executable
    file = replace(source, document=plan.after, program=program)
    if plan.moved_from or source.changes is None:
        return replace(file, changes=None)
    total = source.changes.then(plan.changes)
    return replace(file, changes=total, owners=owned(source.owners, total, plan))
