"""Calls on all workspaces that share a journal."""

from __future__ import annotations

from collections.abc import Collection

from keyhole.answers.history import History, PastTransaction
from keyhole.answers.receipt import Receipt
from keyhole.edits.model.plan import Plan
from keyhole.engine import upkeep
from keyhole.engine.history import recall
from keyhole.engine.history.insights import Stats
from keyhole.engine.sharing.cross_checkout import Conflicts, conflicts_of, current_conflicts
from keyhole.fastclasses import dataclass, replace
from keyhole.history.targets import is_undone
from keyhole.journal.model import Entries, Entry, Query, Records, Undone
from keyhole.refusals import Refusal, Refused
from keyhole.sharing.sender import RECEIPT_SECONDS, Sharer, SyncStatus
from keyhole.sharing.server import Unreachable
from keyhole.sharing.siblings import Unheard
from keyhole.workspace.tree import Tree

_MOST_OF_TASK = 500


def history(shared: Sharer, here: Records, query: Query, segment: str = "") -> History:
    """Return transactions of every workspace that shares, newest first."""
    try:
        return shared.ask(lambda journal: recall.history(journal, query, segment))
    except Unreachable as unreachable:
        own = replace(query, machine=None, worktree=None)
        found = recall.history(here, own, segment)
        return History(found.transactions, _only_here(str(unreachable)))


def show(shared: Sharer, here: Records, name: str) -> PastTransaction:
    """Return one transaction with its reasons and diffs, whichever workspace made it."""
    if here.entry(name) is not None:
        return recall.show(here, name)
    try:
        return shared.ask(lambda journal: recall.show(journal, name))
    except Unreachable as unreachable:
        headline = f"there is no transaction {name[:40]!a} here, and {_away(str(unreachable))}"
        help_line = "try again when it is back"
        raise Refused(Refusal("nothing-to-undo", headline, help=help_line)) from None


def stats(shared: Sharer, here: Records, since: float, query: Query) -> Stats:
    """Count how calls went, on all machines or on those that the query names."""
    try:
        return Stats(shared.ask(lambda journal: journal.tally(since, query)), since)
    except Unreachable as unreachable:
        return Stats(here.tally(since), since, _only_here(str(unreachable)))


def tasks(tree: Tree) -> upkeep.Tasks:
    """Return the tasks of every workspace that shares, the latest first; else of this one."""
    if tree.shared is None:
        return upkeep.tasks(tree.journal)
    try:
        return tree.shared.ask(upkeep.tasks)
    except Unreachable as unreachable:
        return replace(upkeep.tasks(tree.journal), note=_only_here(str(unreachable)))


def targets_of(
    shared: Sharer, here: Entries, wish: recall.UndoRequest, actor: str
) -> tuple[Undone, ...]:
    """Return the transactions that an undo request means; those of other workspaces are refused."""
    try:
        return recall.targets_of(here, wish, actor)
    except Refused:
        name = wish.id or wish.to
        if name and here.entry(name) is not None:
            raise
        if not (name or wish.task):
            raise
        found = _find(shared, wish)
        if not found:
            raise
        raise Refused(_elsewhere(found, wish.task)) from None


def _find(shared: Sharer, wish: recall.UndoRequest) -> tuple[Entry, ...]:
    """Return the latest transaction of each other workspace that an undo request means."""

    def asked(journal: Records) -> tuple[Entry, ...]:
        if wish.task:
            entries = journal.entries(Query(task=wish.task, limit=_MOST_OF_TASK))
            own = (entry for entry in entries if not entry.call.undoes)
            return tuple(entry for entry in own if not is_undone(journal, entry))
        entry = journal.entry(wish.id or wish.to)
        return (entry,) if entry else ()

    try:
        entries = shared.ask(asked)
    except Unreachable:
        return ()
    latest = {str(entry.origin): entry for entry in reversed(entries) if entry.is_elsewhere}
    return tuple(latest.values())


def _elsewhere(found: tuple[Entry, ...], task: str) -> Refusal:
    origins = [entry.origin for entry in found if entry.origin]
    places = ", ".join(f"{origin.machine}:{origin.worktree}" for origin in origins)
    what = f"task {task[:80]!a}" if task else f"transaction {found[0].id}"
    command = f"keyhole undo --task {task}" if task else f"keyhole undo {found[0].id}"
    return Refusal(
        "nothing-to-undo",
        f"{what} was made on {places}, and its files live there",
        help=f"run `{command}` there, or merge its branch and edit here",
        data={"machine": origins[0].machine, "worktree": origins[0].worktree},
    )


def with_rest(shared: Sharer, wish: recall.UndoRequest, receipt: Receipt) -> Receipt:
    """Return the receipt of a task's undo with the other workspaces where the task edited."""
    if not wish.task or shared.is_failing:
        return receipt
    places = ", ".join(str(entry.origin) for entry in _find(shared, wish))
    if not places:
        return receipt
    warning = f"task {wish.task[:80]!a} also edited on {places}: undo that there"
    return replace(receipt, warnings=(*receipt.warnings, warning))


def with_sync_status(shared: Sharer, receipt: Receipt, plan: Plan, entry: Entry) -> Receipt:
    """Return the receipt with the state of sharing.

    The edit is durable and its locks are free. The receipt waits for the server only if the news of
    others are old or name one of its files, and not for long.
    """
    paths = [file.path for file in plan.files if not file.is_unchanged]
    may_meet = shared.may_meet(paths)
    checked = may_meet or shared.is_current
    why = shared.sync_status(entry.order).why if shared.is_failing else ""
    if may_meet:
        unsent = [each for each in shared.unheard(paths) if not each.is_sent]
        try:
            met_there, cut = conflicts_of(shared, plan, entry, RECEIPT_SECONDS)
        except Unreachable as unreachable:
            why = str(unreachable)
        else:
            receipt = replace(receipt, conflicts=(*receipt.conflicts, *met_there))
            why = _left_out(cut, unsent)
    if why:
        checked = False
        warning = f"other checkouts could not all be checked for conflicts: {why}"
        receipt = replace(receipt, warnings=(*receipt.warnings, warning))
    return _with_sync(receipt, shared.sync_status(entry.order), checked=checked)


def _left_out(cut: Collection[str], unsent: Collection[Unheard]) -> str:
    """Return why a comparison was not with everything that others did; "" if it was."""
    reasons = [f"not every edit of {', '.join(sorted(cut))} could be compared"] if cut else []
    closed = sorted({(each.top, each.why) for each in unsent if each.why})
    reasons += [f"the journal of {top} cannot be read ({why})" for top, why in closed]
    places = sorted({f"{each.path} in {each.top}" for each in unsent if not each.why})
    if places:
        reasons.append(f"an edit of {', '.join(places)} is on its way")
    return "; ".join(reasons)


def _with_sync(receipt: Receipt, standing: SyncStatus, *, checked: bool) -> Receipt:
    """Return the receipt with the state of sharing; news that come late leave it unchecked."""
    data: dict[str, object] = {
        "state": standing.state,
        "waiting": standing.waiting,
        "why": standing.why,
        **({} if checked else {"checked": False}),
    }
    receipt = replace(receipt, extra={**receipt.extra, "sharing": data})
    if standing.state != "pending":
        return receipt
    count = f"{standing.waiting} transaction{'s' if standing.waiting != 1 else ''}"
    warning = f"sharing is pending: {count} not in the shared journal yet ({standing.why})"
    return replace(receipt, warnings=(*receipt.warnings, warning))


def _only_here(why: str) -> str:
    return f"only this workspace is listed, for {_away(why)}"


def _away(why: str) -> str:
    return f"the shared journal is out of reach: {why}"


@dataclass(frozen=True, slots=True)
class ShareAnswer:
    """How sharing stands after an attempt to send everything."""

    server: str
    project: str
    waiting: int
    why: str = ""

    @property
    def ok(self) -> bool:
        """Tell whether the shared journal has everything."""
        return not self.why and not self.waiting

    def as_data(self) -> dict[str, object]:
        """Return the facts as a JSON object."""
        return {
            "ok": self.ok,
            "journal": self.server,
            "project": self.project,
            "waiting": self.waiting,
            "why": self.why,
        }

    def as_text(self) -> str:
        """Return one line."""
        if self.ok:
            return f"everything is shared: project {self.project} at {self.server}"
        return f"{self.waiting} transactions wait for {self.server}: {self.why}"


def share(tree: Tree) -> ShareAnswer:
    """Send what waits to the shared journal, and say how it went."""
    if tree.shared is None:
        raise Refused(no_shared_journal())
    last = tree.journal.entries(Query(limit=1))
    order = last[0].order if last else 0
    waiting = tree.shared.sync_status(order).waiting
    while True:
        try:
            project = tree.shared.ask(lambda journal: journal.checkout.project)
        except Unreachable as unreachable:
            left = tree.shared.sync_status(order).waiting
            if left < waiting:  # much had to be sent, and it goes on
                waiting = left
                continue
            return ShareAnswer(tree.shared.server, "", left, str(unreachable))
        return ShareAnswer(tree.shared.server, project, tree.shared.sync_status(order).waiting)


def no_shared_journal() -> Refusal:
    """Return the refusal of a walk that means nothing for a workspace alone."""
    return Refusal(
        "bad-request",
        "this workspace shares no journal",
        help="name one with --journal, KEYHOLE_JOURNAL or `journal` in the user's config.toml",
        data={"field": "journal"},
    )


def conflicts(tree: Tree) -> Conflicts:
    """Return where workspaces of the project changed the same and nobody has merged it yet."""
    if tree.shared is None:
        raise Refused(no_shared_journal())
    try:
        return current_conflicts(tree.shared)
    except Unreachable as unreachable:
        help_line = "try again when it is back"
        raise Refused(Refusal("journal", _away(str(unreachable)), help=help_line)) from None
