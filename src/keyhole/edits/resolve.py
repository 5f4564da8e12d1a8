"""Resolve: operations and a snapshot to a plan, or every refusal at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from keyhole import progress
from keyhole.edits.combine import combined
from keyhole.edits.explain import Explained, not_found, one_of_many, written_earlier
from keyhole.edits.hunk import Hunk
from keyhole.edits.hunks import place_hunk
from keyhole.edits.locate import locate, numbered
from keyhole.edits.modes import untouched, with_modes
from keyhole.edits.operations import (
    CopyFile,
    DeleteFile,
    Edit,
    InOrder,
    MoveFile,
    Operation,
    SetMode,
    WriteFile,
)
from keyhole.edits.plan import FilePlan, Placed, Plan, Proposal, Snapshot
from keyhole.edits.quoted import Missing
from keyhole.edits.target import Target
from keyhole.edits.whole import copy_file, delete_file, move_file, write_file
from keyhole.refusals import Refusal, Refused
from keyhole.values import dataclass, field

_MOST_EXPLAINED = 50


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
    written: list[str] = field(default_factory=list)


def resolve(
    operations: Sequence[Operation],
    snapshot: Snapshot,
    proposals: Mapping[str, Proposal] | None = None,
) -> Plan:
    """Return the plan of all operations, each located on the text before the call, or refuse.

    A refusal is raised as `Unresolved`, with one for every operation that cannot be carried out.
    The path of every operation must be a key of the snapshot.
    """
    answers = _Answers()
    by_path: dict[str, list[tuple[int, Operation]]] = {}
    for index, operation in enumerate(operations):
        by_path.setdefault(operation.path, []).append((index, operation))
    files: list[FilePlan] = []
    progress.expect(len(operations), "locating edits")
    for path, group in by_path.items():
        files += _resolve_file(path, group, snapshot, proposals or {}, answers)
    for path, count in Counter(file.path for file in files).items():
        if count > 1:
            answers.refusals.append(_written_twice(path))
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
    edits = [(index, each) for index, each in group if isinstance(each, Edit | Hunk)]
    modes = [(index, each) for index, each in group if isinstance(each, SetMode)]
    if len(edits) + len(modes) < len(group):
        return _resolve_whole(path, group, snapshot, answers)
    if document is None and (made := _made_by(path, group)):
        return _resolve_whole(path, [(group[0][0], made)], snapshot, answers)
    if document is None:
        refusal = _no_file(path)
        answers.refusals += [refusal.at(edit=index, path=path) for index, _ in group]
        return []
    quotes = [each.find for _, each in edits if isinstance(each, Edit) and each.find]
    target = Target(path, document, lambda: snapshot.shown.get(path, ()), quotes, snapshot.detect)
    placed = [
        found
        for index, edit in edits
        if (found := _try_locate(index, edit, target, proposals, answers)) is not None
    ]
    if answers.refusals and len(placed) < len(edits):
        return []
    try:
        plan = combined(target, placed) if placed else untouched(path, document)
        return [with_modes(plan, modes, snapshot) if modes else plan]
    except Refused as refused:
        answers.refusals += [refusal.at(path=path) for refusal in refused.refusals]
        return []


def _made_by(path: str, group: Sequence[tuple[int, Operation]]) -> WriteFile | None:
    """Return the new file that a lone hunk makes which says that there is nothing before it."""
    (_, hunk), *more = group
    if more or not isinstance(hunk, Hunk) or not hunk.says_start or hunk.old:
        return None
    text = "".join(f"{line}\n" for line in hunk.new)
    text = text.removesuffix("\n") if hunk.open_after else text
    return WriteFile(path, text, reason=hunk.reason, holds_bytes=True)


def _try_locate(
    index: int,
    edit: Edit | Hunk,
    target: Target,
    proposals: Mapping[str, Proposal],
    answers: _Answers,
) -> Placed | None:
    try:
        if isinstance(edit, Hunk):
            return numbered(place_hunk(edit, target), index)
        return numbered(locate(edit, target, proposals), index)
    except Missing as missing:
        explained = _explained(missing, target, answers)
        refusals: tuple[Refusal, ...] = (explained.refusal,)
        answers.proposals += explained.proposals
    except Refused as refused:
        refusals = refused.refusals
    finally:
        progress.step()
        answers.written.append(
            "\n".join(edit.new) if isinstance(edit, Hunk) else edit.content or ""
        )
    at = {"path": target.path, "hash_current": target.document.hash}
    answers.refusals += [refusal.at(edit=index, **at) for refusal in refusals]
    return None


def _explained(missing: Missing, target: Target, answers: _Answers) -> Explained:
    """Say what is like a missing quote, for as many of them as a reader will look at."""
    if len(answers.refusals) >= _MOST_EXPLAINED:
        return one_of_many(missing.name, target.path)
    if any(missing.quote.old in text for text in answers.written):
        return written_earlier(missing.name, target.path)
    return not_found(missing.name, target.path, target.view, missing.quote, missing.scope)


def _no_file(path: str) -> Refusal:
    return Refusal(
        "no-file",
        f"there is no file {path}",
        help="check the path; `write` creates a file",
    )


def _written_twice(path: str) -> Refusal:
    return Refusal(
        "bad-request",
        f"two operations of the call write {path}",
        help="send them in calls of their own",
        path=path,
    )


def _resolve_whole(
    path: str, group: Sequence[tuple[int, Operation]], snapshot: Snapshot, answers: _Answers
) -> list[FilePlan]:
    """Resolve the operations on a file as a whole: one of them, alone."""
    if len(group) > 1:
        index = group[1][0]
        headline = f"{path} is written as a whole, and has other edits in the same call"
        help_line = "send them in calls of their own"
        answers.refusals.append(
            Refusal("bad-request", headline, help=help_line, edit=index, path=path)
        )
        return []
    index, operation = group[0]
    progress.step()
    try:
        if isinstance(operation, InOrder):
            from keyhole.edits.in_order import in_order

            return [in_order(operation, snapshot)]
        if isinstance(operation, WriteFile):
            return [write_file(operation, index, snapshot)]
        if isinstance(operation, DeleteFile):
            return [delete_file(operation, index, snapshot)]
        if isinstance(operation, CopyFile):
            return [copy_file(operation, index, snapshot)]
        assert isinstance(operation, MoveFile), "BUG: an operation of no known kind"
        return move_file(operation, index, snapshot)
    except Refused as refused:
        answers.refusals += [refusal.at(edit=index, path=path) for refusal in refused.refusals]
        return []
