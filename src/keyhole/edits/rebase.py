"""Carry a plan made for an older version of a file over to the file as it stands."""

from __future__ import annotations

from keyhole.edits.plan import FilePlan, Placed
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.diff import numbered, window
from keyhole.text.document import Document
from keyhole.values import replace


def carried_over(plan: FilePlan, current: Document, since: ChangeSet) -> FilePlan:
    """Return the plan for the file as it stands, or refuse what overlaps the changes since."""
    assert plan.before is not None, "BUG: a new file has no older version"
    rebased = plan.changes.rebase(since)
    if isinstance(rebased, Clash):
        raise Refused(_overlaps(plan, current, since, rebased))
    after = current.with_text(rebased.apply(current.text))
    note = f"the file had changed since {plan.before.hash}; the edit was carried over"
    edits = tuple(_moved(edit, since, note) for edit in plan.edits)
    return replace(plan, before=current, after=after, changes=rebased, edits=edits)


def _moved(edit: Placed, since: ChangeSet, note: str) -> Placed:
    changes = ChangeSet(since.length, edit.changes).rebase(since)
    assert isinstance(changes, ChangeSet), "BUG: the whole was carried over, so is each part"
    span = ChangeSet(since.length, (Change(*edit.span, ""),)).rebase(since)
    lies = (span.changes[0].start, span.changes[0].end) if isinstance(span, ChangeSet) else (0, 0)
    return replace(edit, changes=changes.changes, span=lies, notes=(*edit.notes, note))


def _overlaps(plan: FilePlan, current: Document, since: ChangeSet, clash: Clash) -> Refusal:
    index = next(edit.index for edit in plan.edits if clash.ours in edit.changes)
    theirs = dict(zip(since.changes, since.spans_after(), strict=True))[clash.theirs]
    return stale(plan.path, plan.before.hash if plan.before else "", current, theirs, index)


def stale(
    path: str,
    expected: str,
    current: Document,
    span: tuple[int, int] | None = None,
    edit: int | None = None,
) -> Refusal:
    """Refuse a call made for another version: the current hash, and the region if it is known."""
    region = numbered(window(current, span, most=20)) if span else ""
    since = "the same place was changed since"
    known = since if span else "nothing carries the call over from that version"
    return Refusal(
        "stale",
        f"{path} is not at {expected}: {known}",
        where=region,
        help=f"look at the region and send the edit again with expected_hash {current.hash}",
        edit=edit,
        path=path,
        hash_current=current.hash,
    )
