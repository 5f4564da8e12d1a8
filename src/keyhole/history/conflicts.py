"""Conflicts between tasks: edits of a call in regions that another task wrote."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from keyhole.edits.model.plan import FilePlan, LocatedEdit, Plan
from keyhole.fastclasses import altered, dataclass, replace
from keyhole.history.steps_since import carry, overlap, present_path
from keyhole.history.versions import changes_of, version
from keyhole.journal.model import Call, Entry, FileChange, Journal, Region, Regions, server_of
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal
from keyhole.text.changes import ChangeSet
from keyhole.text.diff import diff, unified, unified_deletion
from keyhole.text.document import Document, split_lines
from keyhole.text.lines import range_shown

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
    kept = [region for region in carried if not _absorbed(region, own, call.task)]
    if call.undoes:
        kept = [region for region in kept if not _taken_back(region, file, call)]
    return Regions(file.after.hash, tuple(_latest([*kept, *own])))


def _latest(regions: list[Region]) -> list[Region]:
    """Return as many regions as are kept of a file: few of sessions, which every edit has."""
    session = [region for region in regions if server_of(region.task)]
    if len(session) > _MOST_OF_SESSIONS:
        dropped = {*map(id, session[:-_MOST_OF_SESSIONS])}
        regions = [region for region in regions if id(region) not in dropped]
    return regions[-_MOST_CLAIMS:]


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
    for each in own:
        if each.start <= region.start and region.end <= each.end:
            return region.task == task or bool(server_of(region.task) and server_of(task))
    return False


def in_offsets_of(journal: Journal, known: Regions, document: Document) -> tuple[Region, ...]:
    """Return regions in offsets of this version; an outsider's changes carry them along too."""
    if known.hash == document.hash or not known.regions:
        return known.regions
    image = journal.image(known.hash) if known.hash else None
    if image is None:
        return ()
    older = Document.from_bytes(image, document.encoding)

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
    if not changes.changes or region.end <= changes.changes[0].start:
        return region
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


@dataclass(frozen=True, slots=True)
class Conflict:
    """One edit of a call that lies where another task edited."""

    path: str
    edit: int
    region: Region
    # The lines of the other task's edit as the file stands.
    lines: tuple[int, int]
    # Whether the caller was shown a version with the other task's edit in it.
    seen: bool
    # What the call does to the file.
    file: FilePlan


@dataclass(frozen=True, slots=True)
class Party:
    """Who calls, and the hashes of the versions of each file that it was shown, or expects.

    `is_open` tells of sessions. Where tasks are `apart`, what the caller wrote for another of them
    counts as somebody else's.
    """

    call: Call
    seen: Mapping[str, Collection[str]]
    is_open: Callable[[str], bool] = lambda _: False
    apart: bool = False


def check(plan: Plan, caller: Party, journal: Journal, now: float) -> tuple[Conflict, ...]:
    """Return where a plan meets the edits of others.

    Named tasks meet each other, and so do sessions that are open at the same time.
    """
    if not caller.call.task:
        return ()
    arrived = {file.path: file.after for file in plan.files if file.moved_from}
    files = (_in_place(file, arrived.get(file.moved_to)) for file in plan.files)
    met = (
        conflict
        for file in files
        if not file.is_unchanged and file.before is not None
        for conflict in _check_file(file, caller, journal, now)
    )
    # Two places on one line are one conflict.
    told = {(each.path, each.edit, each.region.entry, each.lines): each for each in met}
    return tuple(told.values())


def _in_place(file: FilePlan, arrived: Document | None) -> FilePlan:
    """Return what a move changes in a file's text, as a plan of the old path."""
    if file.before is None or arrived is None:
        return file
    changes = diff(file.before.text, arrived.text)
    edits = tuple(replace(edit, changes=changes.changes) for edit in file.edits)
    return replace(file, after=arrived, changes=changes, edits=edits)


def without_conflicts(plan: Plan, conflicts: Iterable[Conflict]) -> Plan:
    """Return the plan without the edits that conflict; a file with inseparable edits goes whole."""
    skipped = {(conflict.path, conflict.edit) for conflict in conflicts}
    met = {path for path, _ in skipped}
    staying = {file.moved_to for file in plan.files if file.moved_to and file.path in met}
    plan = Plan(tuple(file for file in plan.files if file.path not in staying))
    if any(file.bound for file in plan.files if file.path in met):
        plan = Plan(tuple(file for file in plan.files if not file.bound))
    return Plan(
        tuple(
            _without(file, {edit for path, edit in skipped if path == file.path})
            for file in plan.files
        )
    )


def refusal_of(conflict: Conflict, journal: Journal) -> Refusal:
    """Return the refusal of an edit, with the other task's edit, its reason and its diff."""
    region = conflict.region
    before = conflict.file.before
    assert before is not None, "BUG: another task edited what is there"
    why = f" ({region.reason})" if region.reason else ""
    lines = range_shown(before, conflict.lines)
    place = f"lines {lines}, transaction {region.entry} of {region.actor}{why}"
    edited = "task {} edited {} here, and you have not seen it"
    headline = say(edited, ascii(region.task), FileName(conflict.path))
    return Refusal(
        "conflict",
        headline,
        where=f"{place}\ntheirs:\n{diff_of(conflict, journal)}yours:\n{own_diff(conflict)}",
        help="read the lines as they stand, then send the edit again",
        edit=conflict.edit,
        path=conflict.path,
        data={"task": region.task, "actor": region.actor, "transaction": region.entry},
    )


def own_diff(conflict: Conflict) -> str:
    """Return what the caller's own edit would do to the file, as a unified diff."""
    file = conflict.file
    before = file.before.text if file.before else ""
    if file.after is None:
        return unified_deletion(conflict.path, before)
    own = [edit.changes for edit in file.edits if edit.index == conflict.edit]
    known = {*file.changes.changes}
    if own and known.issuperset(own[0]):
        return unified(conflict.path, before, ChangeSet(len(before), own[0]))
    return unified(conflict.path, before, file.changes)


def diff_of(conflict: Conflict, journal: Journal) -> str:
    """Return what the other task's transaction did to the file, as a unified diff."""
    entry = journal.entry(conflict.region.entry)
    if entry is None:
        return ""
    change = next((file for file in entry.files if _is_at(journal, entry, file, conflict)), None)
    if change is None or change.after is None:
        return ""
    if change.before is None:
        text = version(journal, change.after, change.encoding).text
        return unified(change.path, None, diff("", text))
    before = version(journal, change.before, change.encoding)
    return unified(change.path, before.text, changes_of(journal, change))


def _is_at(journal: Journal, entry: Entry, change: FileChange, conflict: Conflict) -> bool:
    """Tell whether a file of an entry is the one in question, which may have moved since."""
    here = conflict.path
    return change.path == here or present_path(journal, change.path, entry.order) == here


def _check_file(file: FilePlan, caller: Party, journal: Journal, now: float) -> Iterator[Conflict]:
    known, before = journal.regions(file.path), file.before
    own, in_session = caller.call.task, bool(server_of(caller.call.task))
    if known is None or before is None or all(each.task == own for each in known.regions):
        return
    placed = in_offsets_of(journal, known, before)
    others = tuple(
        region
        for region in placed
        if region.task != own and bool(server_of(region.task)) == in_session
    )
    for region in live(journal, others, now):
        span = region.start, region.end
        edits = _edits_at(file, span)
        if edits and in_session and not caller.is_open(region.task):
            continue
        for edit in edits:
            was_seen = _was_seen(journal, file.path, region, before.hash, caller)
            if was_seen and in_session:
                continue
            yield Conflict(file.path, edit, region, before.lines_of(span), was_seen, file)


def _edits_at(file: FilePlan, span: tuple[int, int]) -> list[int]:
    """Return the edits that touch a stretch of the old text; a deleted file touches all of it."""
    if file.after is None:
        return [edit.index for edit in file.edits] or [0]
    touching = [edit.index for edit in file.edits if _touches(edit, span)]
    if touching or file.edits:
        return touching
    spans = [(change.start, change.end) for change in file.changes.changes]
    return [0] if any(overlap(each, span) for each in spans) else []


def _touches(edit: LocatedEdit, span: tuple[int, int]) -> bool:
    return any(overlap((change.start, change.end), span) for change in edit.changes)


def _was_seen(journal: Journal, path: str, region: Region, current: str, caller: Party) -> bool:
    """Tell whether the caller wrote the region, or was shown a version with its edit in it."""
    seen = caller.seen.get(path, ())
    if current in seen:
        return True
    entry = journal.entry(region.entry)
    if entry is None or (not caller.apart and entry.call.is_by(caller.call)):
        return True
    left = (journal.reached(path, hash_) for hash_ in seen)
    return any(each is not None and each >= (entry.order, True) for each in left)


def _without(file: FilePlan, skipped: set[int]) -> FilePlan:
    if not skipped or file.before is None:
        return file
    kept = tuple(edit for edit in file.edits if edit.index not in skipped)
    known = set(file.changes.changes)
    told_apart = all(change in known for edit in file.edits for change in edit.changes)
    if not kept or not told_apart or file.after is None:
        as_it_is = ChangeSet(len(file.before.text))
        return replace(file, edits=(), changes=as_it_is, after=file.before, moved_to="")
    changes = ChangeSet.of(file.changes.length, [c for edit in kept for c in edit.changes])
    assert isinstance(changes, ChangeSet), "BUG: a part of a set that fits does not clash"
    after = file.before.changed(changes)
    return replace(file, edits=kept, changes=changes, after=after)
