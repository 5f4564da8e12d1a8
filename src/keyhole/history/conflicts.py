"""Conflicts between tasks: edits of a call in regions that another task wrote."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from keyhole.edits.model.plan import FilePlan, LocatedEdit, Plan
from keyhole.fastclasses import dataclass, replace
from keyhole.history.regions import in_offsets_of, live
from keyhole.history.steps_since import overlap, present_path
from keyhole.history.versions import changes_of, version
from keyhole.journal.model import Call, Entry, FileChange, Journal, Region, server_of
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal
from keyhole.text.changes import ChangeSet
from keyhole.text.diff import diff, unified, unified_deletion
from keyhole.text.document import Document


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
    first, last = conflict.lines
    why = f" ({region.reason})" if region.reason else ""
    place = f"lines {first}-{last}, transaction {region.entry} of {region.actor}{why}"
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
    after = file.before.with_text(changes.apply(file.before.text))
    return replace(file, edits=kept, changes=changes, after=after)
