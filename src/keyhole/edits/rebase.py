"""Carry a plan made for an older version of a file over to the file as it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keyhole.edits.model.plan import FilePlan, LocatedEdit
from keyhole.fastclasses import replace
from keyhole.matching.follow import LostPlace, follow
from keyhole.matching.merge import MergeClash, carry, carry_if_certain
from keyhole.matching.revision import Revision
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import ChangeSet
from keyhole.text.diff import numbered, window
from keyhole.text.document import Document


def carried_over(plan: FilePlan, current: Document, since: Sequence[Revision]) -> FilePlan:
    """Return the plan for the file as it stands, or refuse what meets the revisions since."""
    assert plan.before is not None, "BUG: a new file has no older version"
    older = plan.before
    if refusals := tuple(_refusals(plan, older, current, since)):
        raise Refused(*refusals)
    changes = carry(plan.changes, since)
    if isinstance(changes, MergeClash):
        raise Refused(stale(plan.path, older.hash, current, changes))
    after = current.changed(changes)
    note = f"the file had changed since {older.hash}; the edit was carried over"
    edits = tuple(_moved(edit, len(older.text), since, note) for edit in plan.edits)
    return replace(plan, before=current, after=after, changes=changes, edits=edits)


def _refusals(
    plan: FilePlan, older: Document, current: Document, since: Sequence[Revision]
) -> Iterator[Refusal]:
    for edit in plan.edits:
        changes = ChangeSet(len(older.text), edit.changes)
        met = carry_if_certain(edit.span, changes, since) if edit.changes else changes
        if isinstance(met, MergeClash):
            yield stale(plan.path, older.hash, current, met, edit.index)


def _moved(edit: LocatedEdit, length: int, since: Sequence[Revision], note: str) -> LocatedEdit:
    changes = carry(ChangeSet(length, edit.changes), since)
    assert isinstance(changes, ChangeSet), "BUG: what cannot be carried over is refused"
    found = follow(edit.span, since)
    lies = (0, 0) if isinstance(found, LostPlace) else found
    return replace(edit, changes=changes.changes, span=lies, notes=(*edit.notes, note))


def stale(
    path: str,
    expected: str,
    current: Document,
    met: MergeClash | None = None,
    edit: int | None = None,
) -> Refusal:
    """Refuse a call made for another version: the current hash, and the region if it is known."""
    region = numbered(window(current, met.span, most=20)) if met and met.span else ""
    if met is None:
        known = "nothing carries the call over from that version"
    elif met.span:
        known = "the same place was changed since"
    else:
        known = "lines of the place repeat by now, and nothing tells which of them was meant"
    return Refusal(
        "stale",
        say("{} is not at {}: {}", FileName(path), expected, known),
        where=region,
        help=say(
            "look at the region and send the edit again with {expected_hash:bare} {}", current.hash
        ),
        edit=edit,
        path=path,
        hash_current=current.hash,
    )
