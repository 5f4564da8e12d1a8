"""Regions: the stretches of a file that live tasks wrote, carried along by later edits."""

from __future__ import annotations

from collections.abc import Iterator

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.fastclasses import altered
from keyhole.history.steps_since import carry
from keyhole.journal.model import Call, Journal, Region, Regions
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document

# A task that did nothing for this long is over, whether somebody ended it or not.
EXPIRES_SECONDS = 24 * 3600.0
_MOST_CLAIMS = 256


def regions_after(journal: Journal, plan: Plan, call: Call, now: float) -> dict[str, Regions]:
    """Return the regions of each file after the plan, where they are known."""
    found = {}
    for file in plan.files:
        if file.is_unchanged or file.moved_to:
            continue
        known = journal.regions(file.moved_from or file.path)
        if known is None and not call.task:
            continue
        found[file.path] = _regions_after(journal, file, known, call, now)
    return found


def _regions_after(
    journal: Journal, file: FilePlan, known: Regions | None, call: Call, now: float
) -> Regions:
    if file.after is None:
        return Regions("", ())
    before = file.before
    if before is None and file.moved_from:
        before = file.after
    old = live(journal, in_offsets_of(journal, known, before), now) if before and known else ()
    # The changes of a file that comes are its whole text: at its new name nothing moved in it.
    carried = list(old) if file.moved_from else [_moved(region, file.changes) for region in old]
    own = [
        Region(start, end, call.task, call.actor, now, reason)
        for start, end, reason in _own(file, call)
    ]
    kept = [region for region in carried if not _absorbed(region, own, call.task)]
    return Regions(file.after.hash, tuple([*kept, *own][-_MOST_CLAIMS:]))


def _own(file: FilePlan, call: Call) -> Iterator[tuple[int, int, str]]:
    """Yield the regions that this call writes."""
    if not call.task or file.moved_from:
        return
    if file.before is None and file.after is not None:
        yield 0, len(file.after.text), call.reason
        return
    reasons = {change: edit.reason for edit in file.edits for change in edit.changes}
    for change, (start, end) in zip(file.changes.changes, file.changes.spans_after(), strict=True):
        yield start, end, reasons.get(change) or call.reason


def _absorbed(region: Region, own: list[Region], task: str) -> bool:
    """Tell whether a region repeats an older region of the same task at the same place."""
    return region.task == task and any(
        each.start <= region.start and region.end <= each.end for each in own
    )


def in_offsets_of(journal: Journal, known: Regions, document: Document) -> tuple[Region, ...]:
    """Return regions in offsets of this version; an outsider's changes carry them along too."""
    if known.hash == document.hash or not known.regions:
        return known.regions
    image = journal.image(known.hash) if known.hash else None
    if image is None:
        return ()
    older = Document.from_bytes(image, document.encoding)
    from keyhole.text.diff import diff

    changes = diff(older.text, document.text)
    return tuple(_moved(region, changes) for region in known.regions)


def _moved(region: Region, changes: ChangeSet) -> Region:
    span = region.start, region.end
    start, end = carry(span, changes.changes)
    return region if (start, end) == span else altered(region, start=start, end=end)


def live(journal: Journal, regions: tuple[Region, ...], now: float) -> tuple[Region, ...]:
    """Return the regions of tasks that are neither ended nor forgotten."""
    ended = journal.tasks_ended({region.task for region in regions})
    oldest = now - EXPIRES_SECONDS
    latest: dict[str, float] = {}
    for region in regions:
        latest[region.task] = max(region.time, latest.get(region.task, 0.0))
    return tuple(
        region
        for region in regions
        if region.time > ended[region.task] and latest[region.task] >= oldest
    )
