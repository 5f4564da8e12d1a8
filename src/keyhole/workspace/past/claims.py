"""Who edited where: the stretches of a file that live tasks wrote, carried along by later edits."""

from __future__ import annotations

from collections.abc import Iterator

from keyhole.edits.plan import FilePlan, Plan
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document
from keyhole.values import altered
from keyhole.workspace.journal.base import Call, Claim, Claims, Journal
from keyhole.workspace.past.spans import carry

# A task that did nothing for this long is over, whether somebody ended it or not.
EXPIRES_SECONDS = 24 * 3600.0
_MOST_CLAIMS = 256


def claims_after(journal: Journal, plan: Plan, call: Call, now: float) -> dict[str, Claims]:
    """Return who edited where once the plan is carried out, for the files where that is known."""
    laid = {}
    for file in plan.files:
        if file.is_unchanged or file.moved_to:
            continue
        known = journal.claims(file.moved_from or file.path)
        if known is None and not call.task:
            continue
        laid[file.path] = _claims_after(journal, file, known, call, now)
    return laid


def _claims_after(
    journal: Journal, file: FilePlan, known: Claims | None, call: Call, now: float
) -> Claims:
    if file.after is None:
        return Claims("", ())
    before = file.before
    if before is None and file.moved_from:
        before = file.after
    old = live(journal, in_offsets_of(journal, known, before), now) if before and known else ()
    # The changes of a file that comes are its whole text: at its new name nothing moved in it.
    carried = list(old) if file.moved_from else [_moved(claim, file.changes) for claim in old]
    own = [
        Claim(start, end, call.task, call.actor, now, reason)
        for start, end, reason in _own(file, call)
    ]
    kept = [claim for claim in carried if not _absorbed(claim, own, call.task)]
    return Claims(file.after.hash, tuple([*kept, *own][-_MOST_CLAIMS:]))


def _own(file: FilePlan, call: Call) -> Iterator[tuple[int, int, str]]:
    """Yield where this call's text lies afterwards, and the reason for it."""
    if not call.task or file.moved_from:
        return
    if file.before is None and file.after is not None:
        yield 0, len(file.after.text), call.reason
        return
    reasons = {change: edit.reason for edit in file.edits for change in edit.changes}
    for change, (start, end) in zip(file.changes.changes, file.changes.spans_after(), strict=True):
        yield start, end, reasons.get(change) or call.reason


def _absorbed(claim: Claim, own: list[Claim], task: str) -> bool:
    """Tell whether a claim is nothing but an older one of the same task at the same place."""
    return claim.task == task and any(
        each.start <= claim.start and claim.end <= each.end for each in own
    )


def in_offsets_of(journal: Journal, known: Claims, document: Document) -> tuple[Claim, ...]:
    """Return claims in offsets of this version; an outsider's changes carry them along too."""
    if known.hash == document.hash or not known.claims:
        return known.claims
    image = journal.image(known.hash) if known.hash else None
    if image is None:
        return ()
    older = Document.from_bytes(image, document.encoding)
    from keyhole.text.diff import diff

    changes = diff(older.text, document.text)
    return tuple(_moved(claim, changes) for claim in known.claims)


def _moved(claim: Claim, changes: ChangeSet) -> Claim:
    span = claim.start, claim.end
    start, end = carry(span, changes.changes)
    return claim if (start, end) == span else altered(claim, start=start, end=end)


def live(journal: Journal, claims: tuple[Claim, ...], now: float) -> tuple[Claim, ...]:
    """Return the claims of tasks that are neither ended nor forgotten."""
    ended = {task: journal.task_ended(task) for task in {claim.task for claim in claims}}
    oldest = now - EXPIRES_SECONDS
    latest: dict[str, float] = {}
    for claim in claims:
        latest[claim.task] = max(claim.time, latest.get(claim.task, 0.0))
    return tuple(
        claim for claim in claims if claim.time > ended[claim.task] and latest[claim.task] >= oldest
    )
