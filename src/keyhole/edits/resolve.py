"""Resolve: operations and a snapshot to a plan, or every refusal at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from keyhole.edits.explain import Explained
from keyhole.edits.guards import echoes
from keyhole.edits.locate import locate, numbered
from keyhole.edits.operations import DeleteFile, Edit, MoveFile, Operation, WriteFile
from keyhole.edits.plan import FilePlan, Placed, Plan, Proposal, Snapshot
from keyhole.edits.quoted import Missing
from keyhole.edits.target import Target
from keyhole.edits.whole import delete_file, move_file, write_file
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.document import Document


class Unresolved(Refused):
    """The refusals of a call, and the edits they offer instead."""

    def __init__(self, refusals: Sequence[Refusal], proposals: Sequence[Proposal]) -> None:
        super().__init__(*refusals)
        self.proposals = tuple(proposals)


@dataclass
class _Answers:
    """What locating the edits of a call has come to so far."""

    refusals: list[Refusal] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)


def resolve(
    operations: Sequence[Operation],
    snapshot: Snapshot,
    proposals: Mapping[str, Proposal] | None = None,
) -> Plan:
    """Return the plan of all operations, each located on the text before the call; else raise `Unresolved`.

    The path of every operation must be a key of the snapshot.
    """
    answers = _Answers()
    by_path: dict[str, list[tuple[int, Operation]]] = {}
    for index, operation in enumerate(operations):
        by_path.setdefault(operation.path, []).append((index, operation))
    files: list[FilePlan] = []
    for path, group in by_path.items():
        files += _resolve_file(path, group, snapshot, proposals or {}, answers)
    if answers.refusals:
        answers.refusals.sort(key=lambda refusal: (refusal.edit is None, refusal.edit or 0))
        raise Unresolved(answers.refusals, answers.proposals)
    return Plan(tuple(files))


def _resolve_file(
    path: str,
    group: Sequence[tuple[int, Operation]],
    snapshot: Snapshot,
    proposals: Mapping[str, Proposal],
    answers: _Answers,
) -> list[FilePlan]:
    document = snapshot.files[path]
    edits = [(index, operation) for index, operation in group if isinstance(operation, Edit)]
    whole = [(index, operation) for index, operation in group if not isinstance(operation, Edit)]
    if whole:
        return _resolve_whole(path, group, snapshot, answers)
    if document is None:
        refusal = _no_file(path)
        answers.refusals += [refusal.at(edit=index, path=path) for index, _ in edits]
        return []
    target = Target(path, document, lambda: snapshot.shown.get(path, ()))
    placed = [
        found
        for index, edit in edits
        if (found := _try_locate(index, edit, target, proposals, answers)) is not None
    ]
    if answers.refusals and len(placed) < len(edits):
        return []
    plan = _combined(target, placed, answers)
    return [plan] if plan else []


def _try_locate(
    index: int, edit: Edit, target: Target, proposals: Mapping[str, Proposal], answers: _Answers
) -> Placed | None:
    place = {"edit": index, "path": target.path, "hash_current": target.document.hash}
    try:
        return numbered(locate(edit, target, proposals), index)
    except Missing as missing:
        explained: Explained = missing.explained
        answers.refusals.append(explained.refusal.at(**place))
        answers.proposals += explained.proposals
    except Refused as refused:
        answers.refusals += [refusal.at(**place) for refusal in refused.refusals]
    return None


def _combined(target: Target, placed: Sequence[Placed], answers: _Answers) -> FilePlan | None:
    """Put the changes of a file's edits together; overlapping ones are refused, naming both."""
    document = target.document
    owners: dict[int, int] = {}
    changes: list[Change] = []
    seen: set[tuple[Change, ...]] = set()
    for edit in placed:
        if edit.changes in seen:
            continue  # the same edit twice is one edit
        if any(change.end > change.start for change in edit.changes):
            seen.add(edit.changes)
        owners.update((id(change), edit.index) for change in edit.changes)
        changes += edit.changes
    combined = ChangeSet.of(len(document.text), changes)
    if isinstance(combined, Clash):
        answers.refusals.append(_overlap(target, combined, owners))
        return None
    try:
        after = document.with_text(combined.apply(document.text)) if changes else document
    except Refused as refused:
        answers.refusals += [refusal.at(path=target.path) for refusal in refused.refusals]
        return None
    return FilePlan(target.path, document, after, combined, tuple(map(_with_echoes(document), placed)))


def _with_echoes(document: Document) -> Callable[[Placed], Placed]:
    def noted(edit: Placed) -> Placed:
        notes = tuple(echoes(document, edit.changes))
        return replace(edit, notes=(*edit.notes, *notes)) if notes else edit

    return noted


def _overlap(target: Target, clash: Clash, owners: dict[int, int]) -> Refusal:
    first, second = sorted((owners[id(clash.ours)], owners[id(clash.theirs)]))
    line = target.document.line_at
    lines = [f"{line(c.start)}-{line(max(c.end - 1, c.start))}" for c in (clash.ours, clash.theirs)]
    return Refusal(
        "overlapping-edits",
        f"edits {first} and {second} touch the same text of {target.path}",
        where=f"lines {lines[0]} and lines {lines[1]}",
        help="make one edit of the two; edits of one call are located on the text before the call",
        edit=second,
        path=target.path,
        hash_current=target.document.hash,
        data={"edits": [first, second]},
    )


def _no_file(path: str) -> Refusal:
    return Refusal(
        "no-file",
        f"there is no file {path}",
        help="check the path; `write` creates a file",
    )


def _resolve_whole(
    path: str, group: Sequence[tuple[int, Operation]], snapshot: Snapshot, answers: _Answers
) -> list[FilePlan]:
    """Resolve the operations on a file as a whole: one of them, alone."""
    if len(group) > 1:
        index = group[1][0]
        headline = f"{path} is written, deleted or moved as a whole, and has other edits in the same call"
        help_line = "send them in calls of their own"
        answers.refusals.append(Refusal("bad-request", headline, help=help_line, edit=index, path=path))
        return []
    index, operation = group[0]
    try:
        if isinstance(operation, WriteFile):
            return [write_file(operation, index, snapshot)]
        if isinstance(operation, DeleteFile):
            return [delete_file(operation, index, snapshot)]
        assert isinstance(operation, MoveFile), "BUG: an operation of no known kind"
        return move_file(operation, index, snapshot)
    except Refused as refused:
        answers.refusals += [refusal.at(edit=index, path=path) for refusal in refused.refusals]
        return []
