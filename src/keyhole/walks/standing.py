"""How a proposal stands: what it would do to the files as they are by now, unit by unit."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping

from keyhole.edits.plan import FilePlan, Plan
from keyhole.matching.merge import carried, carried_from
from keyhole.matching.revision import Revision
from keyhole.receipts import Receipt
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from keyhole.values import dataclass, replace
from keyhole.walks.revisions import revisions_since
from keyhole.workspace.journal.base import Journal
from keyhole.workspace.offers.queue import Proposal


@dataclass(frozen=True, slots=True)
class Unit:
    """What one verdict is about: one edit, or a file whose edits cannot be told apart."""

    key: str
    path: str
    edit: int | None
    # What it changes now, and what it changed in the text it was proposed for.
    changes: tuple[Change, ...] = ()
    proposed: tuple[Change, ...] = ()
    since: tuple[Revision, ...] = ()
    # Why it can no longer be carried out; "" where it can.
    clash: str = ""
    now: str = ""
    wanted: str = ""


@dataclass(frozen=True, slots=True)
class ProposalPreview:
    """A proposal on the files as they stand: what it would do now, unit by unit."""

    proposed: Proposal
    units: tuple[Unit, ...]
    # What carrying out every unit that still fits would do.
    plan: Plan
    seal: str


def standing(
    proposed: Proposal, files: Mapping[str, Document | None], journal: Journal
) -> ProposalPreview:
    """Return what a proposal would do to files as they stand."""
    units = tuple(_units(proposed, files, journal))
    whole = plan_of(proposed, files, units)
    return ProposalPreview(proposed, units, whole, _seal(proposed, units, whole))


def _units(
    proposed: Proposal, files: Mapping[str, Document | None], journal: Journal
) -> Iterator[Unit]:
    for at, file in enumerate(proposed.plan.files):
        if file.moved_from:
            continue  # The other half of the move speaks for both.
        now = files.get(file.path)
        if file.bound:
            if at == _first_bound(proposed.plan):
                yield _exchange(str(at), proposed.plan, files)
            continue
        if file.before is None or file.after is None:
            yield _whole(str(at), file, files)
            continue
        if now is None:
            yield Unit(str(at), file.path, None, clash=f"{file.path} is gone")
            continue
        since = revisions_since(journal, file.path, file.before, now)
        for key, edit, changes in _parts(str(at), file):
            unit = Unit(key, file.path, edit, proposed=changes, since=since)
            yield _carried(unit, file, file.before, now)


def _first_bound(plan: Plan) -> int:
    """Return the file that speaks for all that exchange names."""
    return next((at for at, file in enumerate(plan.files) if file.bound), -1)


def _exchange(key: str, plan: Plan, files: Mapping[str, Document | None]) -> Unit:
    units = [_whole(key, file, files) for file in plan.files if file.bound]
    return next((unit for unit in units if unit.clash), units[0])


def _parts(at: str, file: FilePlan) -> Iterator[tuple[str, int | None, tuple[Change, ...]]]:
    """Yield the edits of a file that can be taken alone, or all of it as one."""
    known = set(file.changes.changes)
    own = [change for edit in file.edits for change in edit.changes]
    apart = len(own) == len(set(own)) == len(known) and set(own) == known
    if not apart or not file.edits:
        yield at, None, file.changes.changes
        return
    for edit in file.edits:
        if edit.changes or (edit.is_mode and file.executable is not None):
            yield f"{at}.{edit.index}", edit.index, edit.changes


def _whole(key: str, file: FilePlan, files: Mapping[str, Document | None]) -> Unit:
    now = files.get(file.path)
    had = file.before.hash if file.before else ""
    has = now.hash if now else ""
    clash = "" if had == has else f"{file.path} is not as it was when this was proposed"
    if not clash and file.moved_to and files.get(file.moved_to) is not None:
        clash = f"{file.moved_to} is there since this was proposed"
    return Unit(key, file.path, None, clash=clash)


def _carried(unit: Unit, file: FilePlan, older: Document, now: Document) -> Unit:
    ours = ChangeSet(len(older.text), unit.proposed)
    spans = (each.span for each in file.edits if each.index == unit.edit and each.changes)
    place = next(spans, None)
    met = carried_from(place, ours, unit.since) if place else carried(ours, unit.since)
    if isinstance(met, ChangeSet):
        return replace(unit, changes=met.changes)
    wanted = "".join(change.text for change in unit.proposed)
    clash = f"{unit.path} was changed at the same place since this was proposed"
    if met.span is None:
        clash = f"lines of the place repeat in {unit.path} by now, and nothing tells which is meant"
    stands = now.text[slice(*met.span)] if met.span else ""
    return replace(unit, clash=clash, now=stands, wanted=wanted)


def plan_of(
    proposed: Proposal, files: Mapping[str, Document | None], units: Collection[Unit]
) -> Plan:
    """Return what some units do to the files as they stand; those that clash do nothing."""
    plans: list[FilePlan] = []
    moving = {f.moved_to for f in proposed.plan.files if f.moved_to}
    sound = {unit.key: unit for unit in units if not unit.clash}
    for at, file in enumerate(proposed.plan.files):
        own = [unit for key, unit in sound.items() if key.partition(".")[0] == str(at)]
        if file.bound:
            if str(_first_bound(proposed.plan)) in sound:
                plans.append(file)
        elif file.path in moving and file.moved_from:
            if any(plan.moved_to == file.path for plan in plans):
                plans.append(file)
        elif own and (file.before is None or file.after is None):
            plans.append(file)
        elif own and (now := files.get(file.path)) is not None:
            plans.append(_part_of(file, now, own))
    return Plan(tuple(plans))


def _part_of(file: FilePlan, now: Document, own: list[Unit]) -> FilePlan:
    made = _together(file, own)
    after = now.with_text(made.apply(now.text))
    carried = {unit.edit: unit.changes for unit in own}
    whole = None in carried
    edits = tuple(
        replace(edit, changes=edit.changes if whole else carried[edit.index])
        for edit in file.edits
        if whole or edit.index in carried
    )
    has_mode = whole or any(edit.is_mode for edit in edits)
    mode = file.executable if has_mode else None
    plan = replace(file, before=now, after=after, changes=made, edits=edits, diagnostics=())
    return replace(plan, executable=mode)


def _together(file: FilePlan, own: list[Unit]) -> ChangeSet:
    """Return what some units of a file change, carried over as one: they may share its end."""
    assert file.before is not None, "BUG: a file that is new is one unit"
    changes = [change for unit in own for change in unit.proposed]
    made = ChangeSet.of(len(file.before.text), changes)
    assert isinstance(made, ChangeSet), "BUG: edits of one call do not clash"
    met = carried(made, own[0].since)
    assert isinstance(met, ChangeSet), "BUG: parts of a set that fits do not clash"
    return met


def _seal(proposed: Proposal, units: Collection[Unit], plan: Plan) -> str:
    """Return a hash of everything a page shows of a proposal."""
    receipt = Receipt.done(plan, "proposed", spelling={})
    words = [proposed.id, receipt.seal, *(f"{unit.key} {unit.clash}" for unit in units)]
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()
