"""Conflicts of a plan with the edits of other tasks: refused, warned of, or left out."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from keyhole import deferred
from keyhole.answers.receipt import Receipt
from keyhole.edits.checks.validate import check_shrink, validate
from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.operations import Edit, InOrder, Operation
from keyhole.edits.model.plan import FilePlan, Plan, Snapshot, expected_of
from keyhole.engine.edit.requests import Request
from keyhole.engine.options import Options
from keyhole.fastclasses import dataclass, replace
from keyhole.history.conflicts import (
    Conflict,
    Party,
    check,
    diff_of,
    own_diff,
    refusal_of,
    without_conflicts,
)
from keyhole.journal.model import Call, Entry, Journal, server_of
from keyhole.refusals import Refused
from keyhole.storage.paths.access import check_access
from keyhole.workspace.held import Fetched
from keyhole.workspace.tree import Tree

if TYPE_CHECKING:
    from keyhole.engine.linting.lint import Linted
    from keyhole.engine.sharing.lease import LeaseCheck


@dataclass(frozen=True, slots=True)
class Cleared:
    """A plan that may be carried out, and the conflicts and warnings for its receipt."""

    plan: Plan
    conflicts: tuple[Mapping[str, object], ...] = ()
    warnings: tuple[str, ...] = ()
    # What is asked last before the commit, where a journal is shared.
    fence: LeaseCheck | None = None

    def on(self, receipt: Receipt) -> Receipt:
        """Return the receipt with the conflicts and warnings."""
        warnings = (*receipt.warnings, *self.warnings, *(self.fence.warnings if self.fence else ()))
        return replace(receipt, conflicts=self.conflicts, warnings=warnings)


def resolve_conflicts(
    plan: Plan, options: Options, tree: Tree, seen: Mapping[str, Collection[str]]
) -> Cleared:
    """Return the plan to carry out, or refuse; `seen` has the versions that the caller knows.

    An edit where another task edited is refused unless the caller has seen that version; then the
    receipt tells of it. `on_conflict` turns the refusal into a warning, leaves the edit out, or
    goes ahead. Sessions that are open at once are told of each other, and refuse nobody. Deleting
    most of a file is refused or left out if `options.shrink` says so.
    """
    spared = check_shrink(plan, options.shrink)
    plan, warnings = spared.plan, spared.warnings
    journal = tree.journal
    caller = Party(options.call, seen, tree.sessions.is_open, options.apart)
    met = check(plan, caller, journal, time.time())
    if not met:
        return Cleared(plan, warnings=warnings)
    unseen = [conflict for conflict in met if not conflict.seen]
    refuses = options.on_conflict == "refuse" and not server_of(options.task)
    if unseen and (refuses or options.on_conflict == "ask"):
        raise Refused(*(refusal_of(conflict, journal) for conflict in unseen))
    conflicts = tuple(_conflict_data(conflict, journal, options) for conflict in met)
    if options.on_conflict == "skip":
        return Cleared(without_conflicts(plan, unseen), conflicts, warnings)
    return Cleared(plan, conflicts, warnings)


def check_conflicts(
    tree: Tree, plan: Plan, options: Options, seen: Mapping[str, Collection[str]]
) -> Cleared:
    """Return the plan to carry out in this workspace, or refuse."""
    if options.session and options.writes and not tree.options.read_only:
        tree.sessions.keep(options.session)
    settled = resolve_conflicts(plan, options, tree, seen)
    if settled.plan is not plan:  # with an edit left out it is a text that nobody checked
        settled = replace(settled, plan=validate(settled.plan, options.mode, tree.exists))
    if tree.options.task_mode:
        check_access(settled.plan, tree.options.task_mode)
    files = tuple(_with_names(tree, file) for file in settled.plan.files)
    if all(one is other for one, other in zip(files, settled.plan.files, strict=True)):
        return settled
    return replace(settled, plan=Plan(files))


def _with_names(tree: Tree, file: FilePlan) -> FilePlan:
    """Return a file with a warning if it has other hard links, which keep the old text."""
    if file.before is None or file.after is None or file.is_unchanged:
        return file
    if (names := tree.root.names(file.path)) < 2:
        return file
    warning = f"the file has {names} names (hard links): the others keep the text it had"
    return replace(file, warnings=(*file.warnings, warning))


def _conflict_data(conflict: Conflict, journal: Journal, options: Options) -> dict[str, object]:
    region = conflict.region
    skipped = options.on_conflict == "skip" and not conflict.seen
    return {
        "path": conflict.path,
        "edit": conflict.edit,
        "task": region.task,
        "actor": region.actor,
        "transaction": region.entry,
        "reason": region.reason,
        "lines": list(conflict.lines),
        "seen": conflict.seen,
        "skipped": skipped,
        "diff": diff_of(conflict, journal),
        "own_diff": own_diff(conflict),
    }


def known_versions(tree: Tree, request: Request, options: Options) -> Mapping[str, tuple[str, ...]]:
    """Return the hashes of the versions of each file that the caller was shown, or expects."""
    if not options.task:
        return {}
    expected = expected_of(options.expected_hash, request.spelling, request.paths)

    def known(path: str) -> tuple[str, ...]:
        return (*tree.hashes_shown(path, options.actor), *filter(None, [expected.get(path)]))

    return Fetched(tuple(request.paths), known)


def with_lease_check(tree: Tree, settled: Cleared, options: Options) -> Cleared:
    """Return a cleared plan with the lease check that its commit needs, if any."""
    if tree.shared is None and not options.claim:
        return settled
    from keyhole.engine.sharing.lease import fence_of

    return replace(settled, fence=fence_of(tree, settled.plan, options))


def _mode_of(operation: Operation) -> str:
    """Return in which way an operation says its place, for statistics."""
    if isinstance(operation, InOrder):
        return _mode_of(operation.edits[0])
    if not isinstance(operation, Edit):
        return "patch" if isinstance(operation, Hunk) else "content"
    ways = ("accept", "find", "pattern", "segment", "lines")
    way = next((each for each in ways if getattr(operation, each)), "lines")
    return "search" if way == "find" else way


def with_details(
    call: Call, settled: Cleared, linted: Linted | None, operations: Iterable[Operation] = ()
) -> Call:
    """Return the call with its findings, notes, warnings and conflicts, for the history."""
    files = settled.plan.files
    findings = {file.path: [each.as_data() for each in file.diagnostics] for file in files}
    for path, found in linted.findings.items() if linted else ():
        findings[path] = [*findings.get(path, ()), *(each.as_data() for each in found)]
    notes = {str(edit.index): list(edit.notes) for file in files for edit in file.edits}
    details = {
        "diagnostics": {path: found for path, found in findings.items() if found},
        "notes": {index: texts for index, texts in notes.items() if texts},
        "warnings": [warning for file in files for warning in file.warnings],
        "conflicts": [dict(conflict) for conflict in settled.conflicts],
        "modes": list(dict.fromkeys(map(_mode_of, operations))),
    }
    worth = {name: each for name, each in details.items() if each}
    return replace(call, details={**call.details, **worth})


def receipt_of(tree: Tree, settled: Cleared, entry: Entry, spelling: Mapping[str, str]) -> Receipt:
    """Return the receipt of what was committed."""
    plan = settled.plan
    receipt = Receipt.done(plan, entry.outcome, transaction=entry.id, spelling=spelling)
    receipt = settled.on(replace(receipt, warnings=(*entry.warnings, *tree.undurable())))
    if tree.shared is None:
        return receipt
    from keyhole.engine.sharing.lease import with_late_claims
    from keyhole.engine.sharing.share import with_sync_status

    receipt = with_sync_status(tree.shared, receipt, plan, entry)
    if not settled.fence:
        receipt = with_late_claims(tree.shared, receipt, plan)
    # The thread that sends would take the interpreter from the call.
    deferred.leave(partial(tree.shared.note_commit, entry.order))
    return receipt


def kept(plan: Plan, snapshot: Snapshot, names: Mapping[str, str]) -> Plan:
    """Return the plan with backups of the old texts under these names."""
    from keyhole.engine.edit.backups import with_backups

    return with_backups(plan, snapshot, names)
