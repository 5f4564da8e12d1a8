"""The walks of proposals: queue a plan, show how it stands now, carry out what was accepted."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from keyhole.edits.plan import Plan, Snapshot
from keyhole.edits.validate import validate
from keyhole.histories import ProposalSummary
from keyhole.phrases import say
from keyhole.receipts import Receipt
from keyhole.refusals import Refusal, Refused
from keyhole.values import dataclass, replace
from keyhole.walks.options import Options
from keyhole.walks.settling import (
    Cleared,
    receipt_of,
    resolve_conflicts,
    with_details,
    with_lease_check,
)
from keyhole.walks.standing import ProposalPreview, Unit, plan_of, standing
from keyhole.workspace.journal.base import Query
from keyhole.workspace.offers.queue import Proposal, Proposer, Queue, ReviewVerdict, is_proposal
from keyhole.workspace.tree import Tree

if TYPE_CHECKING:
    from keyhole.walks.linting import Linted, Linting

__all__ = [
    "Decision",
    "Proposal",
    "ProposalPreview",
    "ReviewVerdict",
    "Unit",
    "decide",
    "is_proposal",
    "offer",
    "offers",
    "proposal",
    "proposals",
    "propose",
    "queue_of",
    "standing",
]


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's word about what they were shown."""

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
    made = queue_of(tree).add(asked, settled.plan)
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
    with tree.hold(frozenset(file.path for file in found.plan.files), actor=decision.by) as held:
        stands = standing(found, held.snapshot.files, tree.journal)
        yes = _checked(decision, stands)
        no = tuple(unit.key for unit in stands.units if unit.key not in yes)
        verdict = ReviewVerdict(time.time(), decision.by, tuple(yes), no, decision.comment)
        if not yes:
            queue_of(tree).decide(found, verdict)
            return Receipt("rejected")
        options = _options(found)
        plan = _chosen(found, held.snapshot, stands, yes)
        plan = validate(plan, options.mode, tree.exists)
        settled = resolve_conflicts(plan, options, tree.journal, {})
        told = _linted(tree, linting, settled.plan, options)
        settled = with_lease_check(tree, settled, options)
        call = with_details(options.call, settled, told)
        details = {**call.details, "proposal": found.id, "accepted_by": decision.by}
        entry = held.commit(settled.plan, replace(call, details=details), fence=settled.fence)
    queue_of(tree).decide(found, replace(verdict, transaction=entry.id))
    receipt = receipt_of(tree, settled, entry, {})
    return told.on(receipt) if told else receipt


def _linted(tree: Tree, linting: Linting | None, plan: Plan, options: Options) -> Linted | None:
    if linting is None:
        return None
    from keyhole.walks.linting import linted

    told = linted(tree, plan, linting)
    told.judge(plan, options, {})
    return told


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
    """Return the accepted units, or refuse a word about anything else than what was shown."""
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
