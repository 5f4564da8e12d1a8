"""Answers about the past: transactions listed and shown, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from keyhole.answers.form import more_text
from keyhole.edits.model.plan import FilePlan
from keyhole.fastclasses import dataclass, field
from keyhole.history.targets import Undoing
from keyhole.journal.model import Entry, FileChange
from keyhole.phrases import Row, shown
from keyhole.review_queue import Proposal
from keyhole.storage.paths.own import worth_review


@dataclass(frozen=True, slots=True)
class PastTransaction:
    """One transaction: the entry, what took it back, and its diffs where they were asked for."""

    entry: Entry
    undone_by: tuple[str, ...] = ()
    diffs: Mapping[str, str] | None = None
    undoings: tuple[Undoing, ...] = ()
    # Files of the transaction that a list leaves out.
    more_files: int = 0

    @property
    def worth_review(self) -> tuple[str, ...]:
        """The files that run code when somebody builds, tests or logs in: worth a person's look."""
        return tuple(change.path for change in self.entry.files if worth_review(change.path))

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
            **({"more_files": self.more_files} if self.more_files else {}),
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

    def as_text(self, detail: str = "brief") -> str:
        """Return one line a transaction; with diffs, reasons and diffs below it."""
        return "\n".join(self.as_rows(detail))

    def as_rows(self, detail: str = "brief") -> Iterator[str]:
        """Yield the text row by row, diffs with their role; a model is told of tools and moves."""
        entry, call, is_lean = self.entry, self.entry.call, detail == "lean"
        files = ", ".join(_named(each) if is_lean else each.path for each in entry.files)
        files += f" and {self.more_files} more" if self.more_files else ""
        who = " ".join(filter(None, (call.actor, f"task {call.task}" if call.task else "")))
        who += _place(entry)
        notes = [f"undoes {target.entry}" for target in call.undoes]
        notes += [f"undone by {name}" for name in self.undone_by]
        tail = f" ({'; '.join(notes)})" if notes else ""
        reason = f": {' '.join(call.reason.split())}" if call.reason else ""
        what = f"{entry.outcome} by {call.tool}" if call.tool and is_lean else entry.outcome
        yield f"{entry.id}  {moment(entry.time)}  {who}  {what}  {files}{tail}{reason}"
        if self.diffs is None:
            return
        for change in entry.files:
            for edit in change.edits:
                place = f" `{edit.segment}`" if edit.segment else ""
                why = f": {edit.reason}" if edit.reason else ""
                usual = is_lean and edit.matched == "exact"
                matched = "" if usual else f", matched {edit.matched}"
                yield f"  edit {edit.index} in {change.path}{place}{matched}{why}"
            yield Row("diff", shown(self.diffs.get(change.path, "").rstrip("\n")))


def _named(change: FileChange) -> str:
    moved = f" (moved from {change.moved_from})" if change.moved_from else ""
    return f"{change.path}{moved}"


def _place(entry: Entry) -> str:
    return f"  on {entry.origin}" if entry.origin else ""


@dataclass(frozen=True, slots=True)
class ProposalSummary:
    """A proposal: what was asked for, and what a person said; with diffs where they are wanted."""

    proposed: Proposal
    diffs: Mapping[str, str] | None = None
    # The number of the first file here, and how many behind the last are left out.
    first: int = 0
    more_files: int = 0

    def as_data(self) -> dict[str, object]:
        """Return the same fields as a transaction has, and the verdict."""
        asked, verdict = self.proposed.asked, self.proposed.verdict
        return {
            "id": self.proposed.id,
            "time": moment(asked.time),
            "actor": asked.actor,
            "task": asked.task,
            "tool": asked.tool,
            "reason": asked.reason,
            "outcome": self.proposed.outcome,
            "files": [self._file(at, file) for at, file in self._numbered()],
            "transaction": verdict.transaction if verdict else "",
            "decided_by": verdict.by if verdict else "",
            "comment": verdict.comment if verdict else "",
            **({"more_files": self.more_files} if self.more_files else {}),
        }

    def _numbered(self) -> Iterator[tuple[int, FilePlan]]:
        return enumerate(self.proposed.plan.files, self.first)

    def _file(self, at: int, file: FilePlan) -> dict[str, object]:
        edits = [
            {
                "index": edit.index,
                "reason": edit.reason,
                "segment": edit.segment,
                "matched": edit.matched,
                "verdict": self._verdict(at, edit.index),
            }
            for edit in file.edits
        ]
        data: dict[str, object] = {"path": file.path, "edits": edits}
        if self.diffs is not None:
            data["diff"] = self.diffs.get(file.path, "")
        return data

    def _verdict(self, at: int, edit: int) -> str:
        verdict = self.proposed.verdict
        if verdict is None:
            return ""
        keys = {str(at), f"{at}.{edit}"}
        return "accepted" if keys & set(verdict.accepted) else "rejected"

    def as_text(self, detail: str = "brief") -> str:
        """Return one line, a line an edit, and the diffs where they were asked for."""
        return "\n".join(self.as_rows(detail))

    def as_rows(self, detail: str = "brief") -> list[str]:
        """Return the text row by row, diffs with their role; a model is told of tools."""
        data = self.proposed
        asked, verdict = data.asked, data.verdict
        files = ", ".join(file.path for file in data.plan.files)
        files += f" and {self.more_files} more" if self.more_files else ""
        who = " ".join(filter(None, (asked.actor, f"task {asked.task}" if asked.task else "")))
        reason = f": {' '.join(asked.reason.split())}" if asked.reason else ""
        by = f" by {asked.tool}" if asked.tool and detail == "lean" else ""
        rows = [f"{data.id}  {moment(asked.time)}  {who}  {data.outcome}{by}  {files}{reason}"]
        if verdict:
            how = f" as {verdict.transaction}" if verdict.transaction else ""
            comment = f": {' '.join(verdict.comment.split())}" if verdict.comment else ""
            rows.append(f"  decided by {verdict.by}{how}{comment}")
            rows += [
                f"  edit {edit.index} in {file.path}: {self._verdict(at, edit.index)}"
                for at, file in self._numbered()
                for edit in file.edits
            ]
        rows += [Row("diff", shown(each.rstrip("\n"))) for each in (self.diffs or {}).values()]
        return rows


@dataclass(frozen=True, slots=True)
class History:
    """Transactions, newest first; the note says what is missing from the list, if anything is."""

    transactions: tuple[PastTransaction, ...]
    note: str = ""
    # Edits that wait for a person's word, or got it.
    proposals: tuple[ProposalSummary, ...] = ()
    # The call that goes on behind these.
    next: Mapping[str, object] = field(default_factory=dict)

    def as_data(self) -> dict[str, object]:
        """Return the JSON object of the contract."""
        data: dict[str, object] = {"transactions": [past.as_data() for past in self.transactions]}
        if self.proposals:
            data["proposals"] = [offer.as_data() for offer in self.proposals]
        more = {"next": self.next} if self.next else {}
        return {**data, **({"note": self.note} if self.note else {}), **more}

    def as_text(self, detail: str = "brief") -> str:
        """Return one line a transaction."""
        offers = [f"proposal {offer.as_text(detail)}" for offer in self.proposals]
        past = [past.as_text(detail) for past in self.transactions]
        listed = "\n".join([*offers, *past]) or "no transactions"
        listed += more_text("history", self.next)
        return f"note: {self.note}\n{listed}" if self.note else listed


def moment(seconds: float) -> str:
    """Return a time as ISO 8601 in UTC."""
    stamp = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    return stamp.replace("+00:00", "Z")
