"""Plans for tests: what some edits make of one file."""

from keyhole.edits.model.operations import Edit, Operation
from keyhole.edits.model.plan import FilePlan, Plan, Snapshot
from keyhole.edits.resolve import resolve
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document


def planned(before: str | None, *operations: Operation) -> Plan:
    """Return the plan of operations that all name one file."""
    document = None if before is None else Document.from_bytes(before.encode())
    return resolve(list(operations), Snapshot({operations[0].path: document}))


def replaced(path: str, before: str, *pairs: tuple[str, str]) -> FilePlan:
    """Return the plan that replaces quotes in a file, to the character."""
    edits = [Edit(path=path, find=old, content=new, match="exact") for old, new in pairs]
    return planned(before, *edits).files[0]


def created(path: str, text: str) -> FilePlan:
    """Return the plan of a new file."""
    changes = ChangeSet(0, (Change(0, 0, text),) if text else ())
    return FilePlan(path, None, Document("").with_text(text), changes)
