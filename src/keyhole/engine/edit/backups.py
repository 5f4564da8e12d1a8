"""Backups beside the file, as `.bak`; the journal does not need them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from keyhole.edits.model.operations import DeleteFile
from keyhole.edits.model.plan import FilePlan, LocatedEdit, Plan, Snapshot
from keyhole.fastclasses import dataclass
from keyhole.journal.model import FileChange, Query
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.workspace.tree import Tree

_REASON = "backup of "
_MOST = 1000


_BACKUP = re.compile(r"\.bak(?:\.\d+)?$")


def backups_for(tree: Tree, paths: Iterable[str], *, asked: bool = True) -> dict[str, str]:
    """Return the name of the backup of each existing file: a name that is not in use.

    A backup that nobody asked for is made of no file that is one itself.
    """
    kept = [path for path in paths if asked or not _BACKUP.search(path)]
    return {path: _free(tree, path) for path in kept if tree.exists(path)}


def _free(tree: Tree, path: str) -> str:
    now = tree.read(path).hash
    for number in range(_MOST):
        name = f"{path}.bak.{number}" if number else f"{path}.bak"
        if not tree.exists(name) or tree.read(name).hash == now:
            return name
    headline = say("{} has {} backups", FileName(path), _MOST)
    raise Refused(Refusal("busy", headline, help="run `keyhole backups --clean`", path=path))


def with_backups(plan: Plan, snapshot: Snapshot, names: Mapping[str, str]) -> Plan:
    """Return a plan that also keeps each file it changes under its backup's name."""
    made = [
        _backup(file, names[file.path], snapshot)
        for file in plan.files
        if file.path in names and not file.is_unchanged
    ]
    return Plan((*plan.files, *(file for file in made if file)))


def _backup(file: FilePlan, name: str, snapshot: Snapshot) -> FilePlan | None:
    there, before = snapshot.files[name], file.before
    assert before is not None, "BUG: a file that was not there has no backup"
    if there is not None and there.hash == before.hash:
        return None
    if there is not None:
        headline = f"{name} was made by somebody else just now"
        raise Refused(Refusal("busy", headline, help="send the call again", path=name))
    changes = ChangeSet(0, (Change(0, 0, before.text),) if before.text else ())
    placed = LocatedEdit(0, changes.changes, reason=f"{_REASON}{file.path}")
    return FilePlan(name, None, before, changes, (placed,))


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup that is still as it was written."""

    path: str
    of: str
    hash: str
    transaction: str

    def as_data(self) -> dict[str, object]:
        """Return the backup as a JSON object."""
        return {
            "path": self.path,
            "of": self.of,
            "hash": self.hash,
            "transaction": self.transaction,
        }


@dataclass(frozen=True, slots=True)
class Backups:
    """The backups of a workspace, in the order of their paths."""

    backups: tuple[Backup, ...]

    def as_data(self) -> dict[str, object]:
        """Return the backups in a list."""
        return {"backups": [backup.as_data() for backup in self.backups]}

    def as_text(self) -> str:
        """Return a line a backup."""
        rows = [f"{one.path}  of {one.of}, {one.transaction}" for one in self.backups]
        return "\n".join(rows) or "no backups"

    def removal(self) -> list[DeleteFile]:
        """Return the operations that take them all away."""
        return [DeleteFile(one.path, f"{_REASON}{one.of}, cleaned up") for one in self.backups]


def backups(tree: Tree) -> Backups:
    """Return the backups that we wrote and nobody has changed since; others are not ours."""
    return Backups(tuple(_ours(tree)))


def _ours(tree: Tree) -> Iterator[Backup]:
    for path in tree.walk(ignored=True):
        if ".bak" not in path.rpartition("/")[2]:
            continue
        now = tree.read(path).hash
        for entry in tree.journal.entries(Query(path=path, alone=True)):
            change = next(each for each in entry.files if each.path == path)
            if change.before is None and change.after == now and (of := _backed_up(change)):
                yield Backup(path, of, now, entry.id)
                break


def _backed_up(change: FileChange) -> str:
    reasons = [edit.reason for edit in change.edits if edit.reason.startswith(_REASON)]
    return reasons[0].removeprefix(_REASON) if reasons else ""
