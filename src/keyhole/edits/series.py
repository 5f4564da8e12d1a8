r"""A series: operations in stages, and files that take each other's names.

The first mail of a patch swaps `a` and `b`, the second edits `a`, which is `b` by then:

>>> from keyhole.edits.model.hunk import ADD, REMOVE, Hunk
>>> from keyhole.edits.resolve import resolve
>>> before = Snapshot({"a": Document("one\n"), "b": Document("two\n")})
>>> second = Hunk("a", ((REMOVE, "two"), (ADD, "2")), stage=1)
>>> for plan in resolve([MoveFile("a", "b"), MoveFile("b", "a"), second], before).files:
...     print(plan.path, plan.before.text.strip(), "->", plan.after.text.strip())
a one -> 2
b two -> one
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from keyhole.edits.in_order import in_original_offsets, owners_after, without_ids
from keyhole.edits.model.operations import (
    CopyFile,
    MoveFile,
    Numbered,
    Operation,
    leaving,
    stage_of,
)
from keyhole.edits.model.plan import FilePlan, LocatedEdit, Snapshot
from keyhole.fastclasses import dataclass, field, replace
from keyhole.refusals import Refusal
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import diff
from keyhole.text.document import Document


def paths_of(operation: Operation) -> set[str]:
    """Return the files that an operation reads or writes."""
    if isinstance(operation, MoveFile):
        return {operation.path, operation.to}
    return {operation.path, operation.source if isinstance(operation, CopyFile) else operation.path}


EditsByPath = Mapping[str, Sequence[LocatedEdit]]


@dataclass(frozen=True, slots=True)
class FileState:
    """A file between two stages: its text, and which file of the tree it was (`origin`).

    `changes` lead there from the text in the tree; None if the file had another name meanwhile.
    """

    document: Document
    origin: str = ""
    program: bool = False
    changes: ChangeSet | None = None
    # Which edits made a change.
    owners: Mapping[Change, tuple[int, ...]] = field(default_factory=dict)

    @staticmethod
    def of(path: str, snapshot: Snapshot) -> FileState | None:
        """Return a file as it is in the tree, None where there is none."""
        document = snapshot.files[path]
        if document is None:
            return None
        is_program, unchanged = path in snapshot.programs, ChangeSet(len(document.text))
        return FileState(document, path, is_program, unchanged)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The files after all stages, and what their plans need."""

    state: Mapping[str, FileState | None]
    snapshot: Snapshot
    located: EditsByPath
    # Who carries on the text of each file of the tree.
    heirs: Mapping[str, Sequence[str]]
    bound: frozenset[str]


def plans_of(
    state: Mapping[str, FileState | None], snapshot: Snapshot, located: EditsByPath
) -> Iterator[FilePlan]:
    """Yield the plan of every file: from what the tree has to what the last stage left."""
    heirs: dict[str, list[str]] = {}
    for path, file in state.items():
        if file and file.origin:
            heirs.setdefault(file.origin, []).append(path)
    outcome = _Outcome(state, snapshot, located, heirs, _exchanging(state, snapshot, heirs))
    for path, file in state.items():
        before = snapshot.files[path]
        if before is None and file is None:
            continue
        if path in located or (file and file.origin != path):
            yield _plan(outcome, path, before, file)


def _exchanging(
    state: Mapping[str, FileState | None], snapshot: Snapshot, heirs: Mapping[str, Sequence[str]]
) -> frozenset[str]:
    """Return the files that exchange names, with the files that their texts come from or go to."""
    taken = {
        path: file.origin
        for path, file in state.items()
        if file and snapshot.files[path] is not None and file.origin != path
    }
    kin = {heir for path in taken for heir in heirs.get(path, ())}
    return frozenset({*taken, *kin, *taken.values()} - {""})


def _plan(
    outcome: _Outcome, path: str, before: Document | None, file: FileState | None
) -> FilePlan:
    if file is None:
        assert before is not None, "BUG: what never was is not planned"
        return _gone(outcome, path, before)
    if before is None:
        return _new(outcome, path, file)
    if file.origin == path:
        return _edited(outcome, path, before, file)
    changes = _instead(before.text, file.document.text)
    plan = FilePlan(path, before, file.document, changes, _edits(outcome, path, before.text))
    mode = _mode(file, path in outcome.snapshot.programs)
    return replace(plan, executable=mode, like=file.origin, bound=True)


def _gone(outcome: _Outcome, path: str, before: Document) -> FilePlan:
    changes = _instead(before.text, "")
    heirs = outcome.heirs.get(path, ())
    is_bound = path in outcome.bound
    located = _edits(outcome, path, before.text)
    to = "" if is_bound or len(heirs) != 1 else heirs[0]
    if to:
        whole = changes.changes
        located += tuple(
            replace(edit, changes=whole, span=(0, len(before.text)))
            for edit in outcome.located.get(to, ())
        )
    return FilePlan(path, before, None, changes, located, moved_to=to, bound=is_bound)


def _new(outcome: _Outcome, path: str, file: FileState) -> FilePlan:
    text, origin = file.document.text, file.origin
    plan = FilePlan(path, None, file.document, _instead("", text))
    if origin and not outcome.bound & {path, origin} and outcome.heirs[origin] == [path]:
        mode = _mode(file, origin in outcome.snapshot.programs)
        return replace(plan, moved_from=origin, executable=mode)
    located = tuple(
        replace(edit, changes=plan.changes.changes, span=(0, 0)) for edit in _own(outcome, path)
    )
    program = file.program or None
    bound = path in outcome.bound
    return replace(plan, edits=located, executable=program, like=origin, bound=bound)


def _edited(outcome: _Outcome, path: str, before: Document, file: FileState) -> FilePlan:
    mode = _mode(file, path in outcome.snapshot.programs)
    if file.changes is None:
        changes = diff(before.text, file.document.text)
        located = _edits(outcome, path, before.text)
    else:
        changes = file.changes
        located = tuple(
            in_original_offsets(edit, file.owners) for edit in outcome.located.get(path, ())
        )
    return FilePlan(path, before, file.document, changes, located, executable=mode)


def _mode(file: FileState, was_program: bool) -> bool | None:  # noqa: FBT001 - a value, no switch
    return None if file.program == was_program else file.program


def _instead(old: str, new: str) -> ChangeSet:
    """Return the change that replaces a whole text, without a comparison."""
    return ChangeSet(len(old), (Change(0, len(old), new),) if old != new else ())


def _edits(outcome: _Outcome, path: str, text: str) -> tuple[LocatedEdit, ...]:
    """Return the edits of a file as changes of the whole text: none can be undone alone."""
    whole = (Change(0, len(text), ""),) if text else ()
    return tuple(replace(edit, changes=whole, span=(0, len(text))) for edit in _own(outcome, path))


def _own(outcome: _Outcome, path: str) -> list[LocatedEdit]:
    """Return the edits of a file; if it exchanges names, also another edit of the exchange.

    An edit beside another in a file that comes or goes is never undone alone.
    """
    own = list(outcome.located.get(path, ()))
    if path not in outcome.bound or len(own) > 1:
        return own
    known = {edit.index for edit in own}
    others = (edit for each in sorted(outcome.bound) for edit in outcome.located.get(each, ()))
    return own + [edit for edit in others if edit.index not in known][: 2 - len(own)]


Stage = Callable[[Sequence[Numbered], Snapshot], list[FilePlan]]


def in_series(
    operations: Sequence[Numbered], snapshot: Snapshot, stage: Stage, refusals: list[Refusal]
) -> list[FilePlan]:
    """Return the plans of all stages together; each stage sees the files as the last one left them.

    `stage` resolves the operations of one stage and adds to `refusals`. Later stages skip a file
    with a refusal: they were written for a text that never existed.
    """
    state = {path: FileState.of(path, snapshot) for path in snapshot.files}
    located: dict[str, list[LocatedEdit]] = {}
    for number, group in groupby(operations, lambda each: stage_of(each[1])):
        failed = {refusal.path for refusal in refusals}
        sound = [each for each in group if not failed & paths_of(each[1])]
        had = len(refusals)
        plans = stage(sound, _as_it_stands(snapshot, state, sound))
        if number:
            # An offer would be for a text that is not on the disk.
            later = refusals[had:]
            refusals[had:] = [without_ids(each) if each.candidates else each for each in later]
        state = _after(state, plans, located)
    return [] if refusals else list(plans_of(state, snapshot, located))


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
    located: dict[str, list[LocatedEdit]],
) -> dict[str, FileState | None]:
    """Return the files as a stage leaves them; its operations did not see each other."""
    then = dict(state)
    for plan in plans:
        located.setdefault(plan.path, []).extend(plan.edits)
    for plan in (plan for plan in plans if plan.after is None):
        then[plan.path] = None
    for plan in (plan for plan in plans if plan.after is not None):
        then[plan.path] = _state_after(state, plan)
    return then


def _state_after(state: Mapping[str, FileState | None], plan: FilePlan) -> FileState:
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
    return replace(file, changes=total, owners=owners_after(source.owners, total, plan))
