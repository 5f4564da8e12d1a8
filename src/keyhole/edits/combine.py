"""The edits of one file put together: what repeats is done once, what overlaps is refused."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.edits.guards import echoes
from keyhole.edits.plan import FilePlan, Placed
from keyhole.edits.target import Target
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import ChangeSet, Clash
from keyhole.text.document import Document
from keyhole.values import replace


def combined(target: Target, placed: Sequence[Placed]) -> FilePlan:
    """Return the plan of a file's edits, or refuse the two that touch the same text."""
    document, first = target.document, _firsts(placed)
    once = [edit for edit in placed if first[edit.index] == edit.index]
    changes = [change for edit in once for change in edit.changes]
    together = ChangeSet.of(len(document.text), changes)
    if isinstance(together, Clash):
        owners = {id(change): edit.index for edit in once for change in edit.changes}
        raise Refused(_overlap(target, together, owners))
    _must_be_spelled(document, once)
    after = document.with_text(together.apply(document.text)) if changes else document
    noted = tuple(_noted(document, edit, first[edit.index]) for edit in placed)
    return FilePlan(target.path, document, after, together, noted)


def _firsts(placed: Sequence[Placed]) -> dict[int, int]:
    """Return for each edit the first one that does the same: an edit sent twice is made once.

    Two that insert the same text count as one only if they name the same place.
    """
    first: dict[int, int] = {}
    seen: dict[object, int] = {}
    for edit in placed:
        replaces = any(change.end > change.start for change in edit.changes)
        key = edit.changes, () if replaces else edit.span
        first[edit.index] = seen.setdefault(key, edit.index) if edit.changes else edit.index
    return first


def _noted(document: Document, edit: Placed, first: int) -> Placed:
    notes = [f"the same as edit {first}, and made once"] if first != edit.index else []
    notes += [] if notes else echoes(document, edit.changes)
    return replace(edit, notes=(*edit.notes, *notes)) if notes else edit


def _must_be_spelled(document: Document, edits: Sequence[Placed]) -> None:
    """Refuse new text that the file's encoding cannot spell, edit by edit."""
    refusals: list[Refusal] = []
    for edit in edits:
        try:
            document.with_text("".join(change.text for change in edit.changes))
        except Refused as refused:
            refusals += [refusal.at(edit=edit.index) for refusal in refused.refusals]
    if refusals:
        raise Refused(*refusals)


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
        hash_current=target.document.hash,
        data={"edits": [first, second]},
    )
