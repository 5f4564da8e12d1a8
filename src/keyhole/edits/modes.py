"""Make a file a program or no longer one, beside whatever else a call does to it."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.edits.operations import SetMode
from keyhole.edits.plan import FilePlan, LocatedEdit, Snapshot
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document
from keyhole.values import replace


def untouched(path: str, document: Document) -> FilePlan:
    """Return the plan of a file whose text stays."""
    return FilePlan(path, document, document, ChangeSet(len(document.text)))


def with_modes(
    plan: FilePlan, modes: Sequence[tuple[int, SetMode]], snapshot: Snapshot
) -> FilePlan:
    """Return a file's plan with its mode, or refuse two that contradict each other."""
    if len({operation.executable for _, operation in modes}) > 1:
        headline = say("{} shall be a program and shall be none", FileName(plan.path))
        index = modes[1][0]
        help_line = "send one of the two"
        raise Refused(Refusal("bad-request", headline, help=help_line).at(edit=index))
    for index, operation in modes:
        is_so = (plan.path in snapshot.programs) == operation.executable
        said = "a program" if operation.executable else "no program"
        notes = (f"the file is {said} already",) if is_so else ()
        placed = LocatedEdit(
            index, (), reason=operation.reason, notes=notes, already_applied=is_so, is_mode=True
        )
        edits = sorted((*plan.edits, placed), key=lambda edit: edit.index)
        wanted = None if is_so else operation.executable
        plan = replace(plan, edits=tuple(edits), executable=wanted)
    return plan
