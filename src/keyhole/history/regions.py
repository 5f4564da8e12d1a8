"""Regions: the stretches of a file that live tasks wrote, carried along by later edits."""

from __future__ import annotations

from collections.abc import Iterator

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.fastclasses import altered
from keyhole.history.steps_since import carry, overlap
from keyhole.journal.model import Call, Journal, Region, Regions, server_of
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document, split_lines

# A task that did nothing for this long is over, whether somebody ended it or not.
EXPIRES_SECONDS = 24 * 3600.0
_MOST_CLAIMS = 256
_MOST_OF_SESSIONS = 32


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
    kept = [
        region
        for region in carried
        if not _absorbed(region, own, call.task) and not _taken_back(region, file, call)
    ]
    return Regions(file.after.hash, tuple(_latest([*kept, *own])))


def _latest(regions: list[Region]) -> list[Region]:
    """Return as many regions as are kept of a file: few of sessions, which every edit has."""
    session = [region for region in regions if server_of(region.task)]
    dropped = {*map(id, session[:-_MOST_OF_SESSIONS])}
    return [region for region in regions if id(region) not in dropped][-_MOST_CLAIMS:]


def _own(file: FilePlan, call: Call) -> Iterator[tuple[int, int, str]]:
    """Yield the regions that this call writes."""
    # An undo writes nothing of its own, a redo does.
    if not call.task or file.moved_from or (call.undoes and not call.details.get("redo")):
        return
    if file.before is None and file.after is not None:
        yield 0, len(file.after.text), call.reason
        return
    reasons = {change: edit.reason for edit in file.edits for change in edit.changes}
    for change, (start, end) in zip(file.changes.changes, file.changes.spans_after(), strict=True):
        yield start, end, reasons.get(change) or call.reason


def _taken_back(region: Region, file: FilePlan, call: Call) -> bool:
    """Tell whether an undo took back what a region stands for: all of its entry, or its text."""
    undone = [each for each in call.undoes if each.entry == region.entry]
    if any(each.edit is None and each.path in {"", file.path} for each in undone):
        return True
    span = region.start, region.end
    return bool(undone) and any(overlap(each, span) for each in file.changes.spans_after())


def _absorbed(region: Region, own: list[Region], task: str) -> bool:
    """Tell whether a region is nothing but an older one at the same place, of the same task.

    What one session wrote over another's text is its own too: it was told so, once.
    """
    is_own = region.task == task or bool(server_of(region.task) and server_of(task))
    return is_own and any(each.start <= region.start and region.end <= each.end for each in own)


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
    moved = ((region, _moved(region, changes)) for region in known.regions)
    return tuple(
        now
        for then, now in moved
        if _stands(older.text[then.start : then.end], document.text[now.start : now.end])
        and not (then.start == then.end and _is_filled(then.start, changes))
    )


def _stands(old: str, new: str) -> bool:
    """Tell whether any line of a region is left after an outsider wrote."""
    lines = [line.strip() for line in split_lines(old)]
    return old == new or any(line and line in new for line in lines)


def _is_filled(gap: int, changes: ChangeSet) -> bool:
    """Tell whether an outsider put text where a task had taken some away."""
    return any(each.start <= gap <= each.end and each.text.strip() for each in changes.changes)


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
