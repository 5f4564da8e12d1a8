"""Lines that were counted in another version of a file than the caller was shown last."""

from __future__ import annotations

from collections.abc import Iterable

from keyhole.edits.operations import Edit, InOrder, LineRange, Operation
from keyhole.edits.plan import FilePlan, Plan, Snapshot
from keyhole.text.document import Document
from keyhole.values import replace
from keyhole.workspace.journal.base import Query
from keyhole.workspace.tree import Tree

# Edits of the caller's own since it looked, which moved no line behind its back.
_MOST_FOLLOWED = 20


def with_unseen(
    tree: Tree, operations: Iterable[Operation], snapshot: Snapshot, plan: Plan, actor: str
) -> Plan:
    """Return the plan with a warning for each file whose lines may be others than were meant.

    A number says nothing of the text it was counted in, so nothing else can tell.
    """
    counted = {each.path for each in operations if _counts_lines(each)}
    files = (snapshot.files.get(path) for path in counted)
    unseen = {
        path
        for path, current in zip(counted, files, strict=True)
        if current is not None and _is_unseen(tree, path, current, actor)
    }
    return Plan(tuple(_warned(file) if file.path in unseen else file for file in plan.files))


def _counts_lines(operation: Operation) -> bool:
    """Tell whether nothing but line numbers says where an edit is."""
    if isinstance(operation, InOrder):
        return any(map(_counts_lines, operation.edits))
    if not isinstance(operation, Edit) or operation.find or operation.segment:
        return False
    return isinstance(operation.lines, LineRange) and not operation.lines.is_edge


def _is_unseen(tree: Tree, path: str, current: Document, actor: str) -> bool:
    """Tell whether others changed a file since the caller was shown it; False if it never was."""
    shown = next(iter(tree.shown(path, actor)), None)
    if shown is None:
        return False
    version = current.hash
    entries = tree.journal.entries(Query(path, limit=_MOST_FOLLOWED))
    for entry in entries:
        if version == shown.hash:
            return False
        before = next((file.before for file in entry.files if file.after == version), None)
        if before is None or entry.call.actor != actor:
            return True
        version = before
    return version != shown.hash and len(entries) < _MOST_FOLLOWED


def _warned(file: FilePlan) -> FilePlan:
    warning = "others changed the file since you were shown it; the lines are those it has now"
    return replace(file, warnings=(*file.warnings, warning))
