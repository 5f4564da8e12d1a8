"""Answers about the past: transactions listed and shown, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from keyhole.text.document import shown
from keyhole.values import dataclass
from keyhole.workspace.journal.base import Entry, FileChange
from keyhole.workspace.undo_targets import Undoing


@dataclass(frozen=True, slots=True)
class Past:
    """One transaction: the entry, what took it back, and its diffs where they were asked for."""

    entry: Entry
    undone_by: tuple[str, ...] = ()
    diffs: Mapping[str, str] | None = None
    undoings: tuple[Undoing, ...] = ()

    def as_data(self) -> dict[str, object]:
        """Return the JSON object of the contract; with diffs also the edits and their reasons."""
        entry, call = self.entry, self.entry.call
        data: dict[str, object] = {
            "id": entry.id,
            "time": moment(entry.time),
            "actor": call.actor,
            "task": call.task,
            "tool": call.tool,
            "reason": call.reason,
            "outcome": entry.outcome,
            "files": [self._file(change) for change in entry.files],
            "undoes": [target.entry for target in call.undoes],
            "undone_by": list(self.undone_by),
        }
        if entry.origin is not None:
            data |= {
                "machine": entry.origin.machine,
                "worktree": entry.origin.worktree,
                "branch": entry.origin.branch,
                "base": entry.origin.base,
            }
        return data

    def _file(self, change: FileChange) -> dict[str, object]:
        data: dict[str, object] = {
            "path": change.path,
            "hash_before": change.before or "",
            "hash_after": change.after or "",
        }
        if change.moved_from or change.moved_to:
            data |= {"moved_from": change.moved_from, "moved_to": change.moved_to}
        if self.diffs is not None:
            data["edits"] = [
                {
                    "index": edit.index,
                    "reason": edit.reason,
                    "segment": edit.segment,
                    "matched": edit.matched,
                }
                for edit in change.edits
            ]
            data["diff"] = self.diffs.get(change.path, "")
        return data

    def as_text(self) -> str:
        """Return one line a transaction; with diffs, reasons and diffs below it."""
        return "\n".join(self._rows())

    def _rows(self) -> Iterator[str]:
        entry, call = self.entry, self.entry.call
        files = ", ".join(change.path for change in entry.files)
        who = " ".join(filter(None, (call.actor, f"task {call.task}" if call.task else "")))
        who += _place(entry)
        notes = [f"undoes {target.entry}" for target in call.undoes]
        notes += [f"undone by {name}" for name in self.undone_by]
        tail = f" ({'; '.join(notes)})" if notes else ""
        reason = f": {' '.join(call.reason.split())}" if call.reason else ""
        yield f"{entry.id}  {moment(entry.time)}  {who}  {entry.outcome}  {files}{tail}{reason}"
        if self.diffs is None:
            return
        for change in entry.files:
            for edit in change.edits:
                place = f" `{edit.segment}`" if edit.segment else ""
                why = f": {edit.reason}" if edit.reason else ""
                yield f"  edit {edit.index} in {change.path}{place}, matched {edit.matched}{why}"
            yield shown(self.diffs.get(change.path, "").rstrip("\n"))


def _place(entry: Entry) -> str:
    origin = entry.origin
    if origin is None:
        return ""
    branch = f" ({origin.branch})" if origin.branch else ""
    return f"  on {origin.machine}:{origin.worktree}{branch}"


@dataclass(frozen=True, slots=True)
class History:
    """Transactions, newest first; the note says what is missing from the list, if anything is."""

    transactions: tuple[Past, ...]
    note: str = ""

    def as_data(self) -> dict[str, object]:
        """Return the JSON object of the contract."""
        listed = [past.as_data() for past in self.transactions]
        return {"transactions": listed, **({"note": self.note} if self.note else {})}

    def as_text(self) -> str:
        """Return one line a transaction."""
        listed = "\n".join(past.as_text() for past in self.transactions) or "no transactions"
        return f"note: {self.note}\n{listed}" if self.note else listed


def moment(seconds: float) -> str:
    """Return a time as ISO 8601 in UTC."""
    stamp = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    return stamp.replace("+00:00", "Z")
