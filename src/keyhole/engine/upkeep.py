"""Upkeep of a workspace: its tasks, its figures, a check-up."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.answers.history import moment
from keyhole.engine.host_status import HostStatus, set_up
from keyhole.fastclasses import dataclass
from keyhole.journal.model import Health, Origin, Records, TaskSum
from keyhole.phrases import Row, render
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.held import read_only
from keyhole.workspace.tree import UNDURABLE, Tree

if TYPE_CHECKING:
    from keyhole.sharing.checkup import SharedCheckup
    from keyhole.sharing.sender import Sharer

_MOST_TASKS = 500


@dataclass(frozen=True, slots=True)
class Tasks:
    """The tasks of a workspace, the latest first."""

    tasks: tuple[TaskSum, ...]
    # What is missing from the list, if anything is.
    note: str = ""

    def as_data(self) -> dict[str, object]:
        """Return the tasks in a list."""
        note = {"note": self.note} if self.note else {}
        return {"tasks": [_data(task) for task in self.tasks], **note}

    def as_text(self) -> str:
        """Return a line a task."""
        note = [f"note: {self.note}"] if self.note else []
        return "\n".join([*note, *(map(_describe, self.tasks) if self.tasks else ["no tasks"])])


def _data(task: TaskSum) -> dict[str, object]:
    where = {"workspaces": [_workspace(each) for each in task.origins]} if task.origins else {}
    return {
        "task": task.name,
        "transactions": task.transactions,
        "last": moment(task.last),
        "ended": task.ended,
        **where,
    }


def _describe(task: TaskSum) -> str:
    state = "ended" if task.ended else "open"
    where = f"  on {', '.join(map(str, task.origins))}" if task.origins else ""
    count = f"{task.transactions} transactions, last {moment(task.last)}"
    return f"{task.name}  {state}  {count}{where}"


def _workspace(origin: Origin) -> dict[str, object]:
    return {"machine": origin.machine, "worktree": origin.worktree, "branch": origin.branch}


def tasks(journal: Records) -> Tasks:
    """Return the tasks, those that edited last first."""
    return Tasks(journal.tasks(_MOST_TASKS))


def end_task(tree: Tree, name: str) -> Tasks:
    """End a task, so that its edits no longer conflict with those of others."""
    if tree.options.read_only:
        raise Refused(read_only())
    journal = tree.journal
    if not journal.end_task(name, time.time()):
        headline = f"there is no task {name[:80]!a}"
        raise Refused(Refusal("bad-request", headline, help="look at `keyhole task` for the names"))
    if tree.shared is not None:
        _release(tree.shared, name)
    return Tasks(tuple(task for task in tasks(journal).tasks if task.name == name))


def _release(shared: Sharer, task: str) -> None:
    """Release the leases of a task, and tell other workspaces that it ended."""
    from keyhole.sharing.leases import release
    from keyhole.sharing.server import Unreachable

    with suppress(Unreachable):
        shared.ask(lambda journal: release(journal, task))


@dataclass(frozen=True, slots=True)
class Checkup:
    """What a check of the workspace found, and what it brought back into order."""

    root: str
    state: str
    versions: Mapping[str, str]
    recovered: tuple[str, ...]
    health: Health
    shared: SharedCheckup | None = None
    # What is in order and yet not as somebody may think.
    warnings: tuple[str, ...] = ()
    hosts: tuple[HostStatus, ...] = ()

    @property
    def ok(self) -> bool:
        """Tell whether everything is as it should be."""
        return not self.health.damage and (self.shared is None or self.shared.ok)

    def as_data(self) -> dict[str, object]:
        """Return the findings as a JSON object."""
        health = self.health
        return {
            "ok": self.ok,
            "root": self.root,
            "state": self.state,
            "versions": dict(self.versions),
            "recovered": list(self.recovered),
            "journal": {
                "store": health.store,
                "entries": health.entries,
                "pending": health.pending,
                "size": health.size,
                "damage": list(health.damage),
                "notes": list(health.notes),
            },
            "hosts": [host.as_data() for host in self.hosts],
            "warnings": list(self.warnings),
            **({"shared": self.shared.as_data()} if self.shared else {}),
        }

    def as_text(self) -> str:
        """Return a line a finding."""
        return "\n".join(self.as_rows())

    def as_rows(self) -> Iterator[str]:
        """Yield the text row by row, notes and warnings with their role."""
        health = self.health
        damaged = (
            "the journal is damaged" if health.damage else "the shared journal is not in order"
        )
        yield "everything is in order" if self.ok else damaged
        yield f"root: {self.root}"
        yield f"state: {self.state}"
        yield from (f"{name}: {version}" for name, version in self.versions.items())
        yield f"recovered: {', '.join(self.recovered) or 'nothing was left unfinished'}"
        yield f"journal: {health.store}, {health.entries} entries, {health.size} bytes"
        yield f"pending: {health.pending}"
        yield from (f"damage: {damage}" for damage in health.damage)
        yield from (f"host: {host.as_text()}" for host in self.hosts)
        yield from (Row("note", f"note: {render(note)}") for note in health.notes)
        for warning in self.warnings:
            yield Row("warning", f"warning: {render(warning)}")
        yield from self.shared.rows() if self.shared else ()


def doctor(tree: Tree, version: str, warnings: tuple[str, ...] = ()) -> Checkup:
    """Finish what a crash left unfinished, check the journal from end to end, and report.

    `warnings` are what the caller found in the settings; the answer repeats them.
    """
    recovered = () if tree.options.read_only else tree.recover()
    versions = {
        "keyhole": version,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}".strip() or sys.platform,
        "openat2": "yes" if tree.root.kernel.beneath else "no: paths are walked name by name",
        "durability": "full" if tree.root.kernel.durable else "process: no power cut is survived",
    }
    names = tuple(f"{entry.id} {entry.outcome}" for entry in recovered)
    health, shared = tree.journal.examine(), None
    if tree.shared is not None:
        from keyhole.sharing.checkup import examine

        shared = examine(tree.shared)
    root, state = tree.root.path, str(tree.state)
    warnings = (*warnings, *_undurable(tree))
    return Checkup(root, state, versions, names, health, shared, warnings, set_up(tree))


def _undurable(tree: Tree) -> Iterator[str]:
    """Yield a warning of running servers that were told otherwise than the user's settings say."""
    if tree.root.kernel.durable and (count := tree.sessions.undurable()):
        yield f"{count} running server{'s' * (count > 1)}: {UNDURABLE}"


def fence(trees: Sequence[Tree]) -> bool:
    """Confine this process to the trees and their state; git runs outside of the fence."""
    from keyhole.storage.paths.confining import confine

    for tree in trees:
        if tree.shared is not None:
            tree.shared.leave_git_outside()
        if not tree.options.read_only:
            tree.leave_git_outside()
    states = {tree.state.parent for tree in trees}
    roots = {Path(tree.root.path) for tree in trees if not tree.options.read_only}
    try:
        for state in states:
            state.mkdir(mode=0o700, parents=True, exist_ok=True)
        return confine(states | roots)
    except OSError:  # it is a second fence, and the calls say what is wrong
        return False
