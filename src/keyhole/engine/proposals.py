"""Proposals: queue a plan, preview it on the present files, carry out what a person accepts."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from keyhole.answers.history import ProposalSummary
from keyhole.answers.receipt import Receipt
from keyhole.edits.checks.validate import validate
from keyhole.edits.model.plan import FilePlan, Plan, Snapshot
from keyhole.engine.edit.check_conflicts import (
    Cleared,
    receipt_of,
    resolve_conflicts,
    with_details,
    with_lease_check,
)
from keyhole.engine.edit.resending import revisions_since
from keyhole.engine.options import Options
from keyhole.fastclasses import dataclass, replace
from keyhole.history.steps_since import Moves
from keyhole.journal.model import Journal, Query
from keyhole.matching.merge import carry, carry_if_certain
from keyhole.matching.revision import Revision
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.review_queue import Proposal, Proposer, Queue, ReviewVerdict
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

if TYPE_CHECKING:
    from keyhole.engine.linting.lint import Linted, Linting


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


def preview_of(
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
            yield _carry(unit, file, file.before, now)


def _first_bound(plan: Plan) -> int:
    """Return the first of the files that exchange names: one verdict is for all of them."""
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


def _carry(unit: Unit, file: FilePlan, older: Document, now: Document) -> Unit:
    ours = ChangeSet(len(older.text), unit.proposed)
    spans = (each.span for each in file.edits if each.index == unit.edit and each.changes)
    place = next(spans, None)
    met = carry_if_certain(place, ours, unit.since) if place else carry(ours, unit.since)
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
    after = now.changed(made)
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
    """Return the changes of some units of a file, carried over as one."""
    assert file.before is not None, "BUG: a file that is new is one unit"
    changes = [change for unit in own for change in unit.proposed]
    made = ChangeSet.of(len(file.before.text), changes)
    assert isinstance(made, ChangeSet), "BUG: edits of one call do not clash"
    met = carry(made, own[0].since)
    assert isinstance(met, ChangeSet), "BUG: parts of a set that fits do not clash"
    return met


def _seal(proposed: Proposal, units: Collection[Unit], plan: Plan) -> str:
    """Return a hash of everything a page shows of a proposal."""
    receipt = Receipt.done(plan, "proposed", spelling={})
    words = [proposed.id, receipt.seal, *(f"{unit.key} {unit.clash}" for unit in units)]
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's verdict about a proposal as it was shown."""

    id: str
    accepted: Mapping[str, bool]
    shown: str
    by: str
    comment: str = ""


def queue_of(tree: Tree) -> Queue:
    """Return the proposals of a workspace."""
    return Queue(tree.state / "proposed")


def propose(tree: Tree, settled: Cleared, options: Options, spelling: Mapping[str, str]) -> Receipt:
    """Queue a plan for a person instead of carrying it out."""
    call = options.call
    asked = Proposer(time.time(), call.actor, call.task, call.tool, call.reason, options.mode)
    made = queue_of(tree).add(asked, settled.plan, options.ids.get("request", ""))
    done = Receipt.done(settled.plan, "proposed", transaction=made.id, spelling=spelling)
    note = say(
        "nothing is written yet: a person decides; ask {history:tool} with {id:bare} {}", made.id
    )
    return settled.on(replace(done, warnings=(note,)))


def proposals(tree: Tree) -> list[Proposal]:
    """Return every proposal, newest first."""
    return queue_of(tree).all()


def proposal(tree: Tree, name: str) -> Proposal:
    """Return one proposal, or refuse."""
    found = queue_of(tree).get(name)
    if found is None:
        headline = f"there is no proposal {name[:40]!a}"
        move = say("look at {history:tool} for the ids")
        raise Refused(Refusal("nothing-to-undo", headline, help=move))
    return found


def followed(tree: Tree, found: Proposal) -> Proposal:
    """Return a proposal for its files where they are now: an edit goes along when a file moves."""
    gone = [file.path for file in found.plan.files if _is_edit(file) and not tree.exists(file.path)]
    if found.verdict is not None or not gone:
        return found
    latest = tree.journal.entries(Query(until=found.asked.time, limit=1))
    moves = Moves(tree.journal, latest[0].order if latest else 0)
    places = {path: moves.present(path, moves.order) for path in gone}
    taken = {file.path for file in found.plan.files}
    places = {path: to for path, to in places.items() if to not in taken and tree.exists(to)}
    files = found.plan.files
    moved = tuple(replace(file, path=places.get(file.path, file.path)) for file in files)
    return replace(found, plan=Plan(moved))


def _is_edit(file: FilePlan) -> bool:
    return file.before is not None and file.after is not None and not file.bound


def offers(tree: Tree, query: Query) -> tuple[ProposalSummary, ...]:
    """Return the proposals that fit a question to the history, newest first."""
    fits = (
        each
        for each in proposals(tree)
        if query.actor in {None, each.asked.actor}
        and query.task in {None, each.asked.task}
        and each.asked.time >= query.since
        and (not query.path or any(_lies_at(file.path, query.path) for file in each.plan.files))
    )
    return tuple(ProposalSummary(each) for each in islice(fits, query.limit))


def _lies_at(path: str, wanted: str) -> bool:
    return path == wanted or path.startswith(f"{wanted}/")


def offer(tree: Tree, name: str) -> ProposalSummary:
    """Return one proposal with its diffs, as they were when it was made."""
    found = proposal(tree, name)
    receipt = Receipt.done(found.plan, "proposed", spelling={})
    return ProposalSummary(found, {file.path: file.diff for file in receipt.files})


def decide(tree: Tree, linting: Linting | None, decision: Decision) -> Receipt:
    """Carry out what was accepted as one transaction, and keep the verdict; or say why not."""
    try:
        return _decide(tree, linting, decision)
    except Refused as refused:
        return Receipt.refused(refused.refusals)


def _decide(tree: Tree, linting: Linting | None, decision: Decision) -> Receipt:
    found = proposal(tree, decision.id)
    if found.verdict is not None:
        headline = f"proposal {found.id} was decided already, by {found.verdict.by}"
        raise Refused(Refusal("stale", headline, help="look at the page again"))
    there = followed(tree, found)
    with tree.hold(frozenset(file.path for file in there.plan.files), actor=decision.by) as held:
        stands = preview_of(there, held.snapshot.files, tree.journal)
        yes = _checked(decision, stands)
        no = tuple(unit.key for unit in stands.units if unit.key not in yes)
        verdict = ReviewVerdict(time.time(), decision.by, tuple(yes), no, decision.comment)
        if not yes:
            queue_of(tree).decide(found, verdict)
            return Receipt("rejected")
        options = _options(found)
        plan = _chosen(there, held.snapshot, stands, yes)
        plan = validate(plan, options.mode, tree.exists)
        settled = resolve_conflicts(plan, options, tree, {})
        findings = _linted(tree, linting, settled.plan, options)
        settled = with_lease_check(tree, settled, options)
        call = with_details(options.call, settled, findings)
        details = {**call.details, "proposal": found.id, "accepted_by": decision.by}
        entry = held.commit(settled.plan, replace(call, details=details), fence=settled.fence)
    queue_of(tree).decide(found, replace(verdict, transaction=entry.id))
    receipt = receipt_of(tree, settled, entry, {})
    return findings.on(receipt) if findings else receipt


def _linted(tree: Tree, linting: Linting | None, plan: Plan, options: Options) -> Linted | None:
    if linting is None:
        return None
    from keyhole.engine.linting.lint import linted

    findings = linted(tree, plan, linting)
    findings.judge(plan, options, {})
    return findings


def _options(found: Proposal) -> Options:
    asked = found.asked
    return Options(
        mode="interactive" if asked.mode == "interactive" else "strict",
        on_conflict="warn",
        task=asked.task,
        reason=asked.reason,
        actor=asked.actor,
        tool=asked.tool,
    )


def _checked(decision: Decision, stands: ProposalPreview) -> list[str]:
    """Return the accepted units, or refuse a verdict if the proposal is not as it was shown."""
    if decision.shown != stands.seal:
        headline = "the files moved on since this was shown, or it was not shown"
        raise Refused(Refusal("stale", headline, help="look at the proposal again"))
    known = {unit.key: unit for unit in stands.units}
    if set(decision.accepted) != set(known):
        headline = "each edit needs a word: accepted or rejected"
        raise Refused(Refusal("bad-request", headline, data={"field": "decisions"}))
    yes = [key for key, accepted in decision.accepted.items() if accepted]
    clashes = [known[key].clash for key in yes if known[key].clash]
    if clashes:
        raise Refused(Refusal("stale", clashes[0], help="reject it; the agent can send it again"))
    return yes


def _chosen(
    found: Proposal, snapshot: Snapshot, stands: ProposalPreview, yes: Collection[str]
) -> Plan:
    units = tuple(unit for unit in stands.units if unit.key in yes)
    return plan_of(found, snapshot.files, units)
