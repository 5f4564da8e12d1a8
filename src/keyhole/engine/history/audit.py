"""The audit of articles: what became of each, the patch, and the reason of every edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keyhole.answers.history import moment
from keyhole.engine.history.recall import by_name, diff_of
from keyhole.fastclasses import dataclass, replace
from keyhole.journal.model import APPLIED, Attempt, Entry, FileChange, Query, Records

VERSION = 1


@dataclass(frozen=True, slots=True)
class AuditedFile:
    """One file of a record."""

    path: str
    status: str
    patch: str = ""
    reasons: tuple[str, ...] = ()
    reasoning: str = ""
    error: str = ""

    def as_data(self) -> dict[str, object]:
        """Return the article as an audit entry; what it does not have is left out."""
        data: dict[str, object] = {"path": self.path, "status": self.status}
        more = {
            "patch": self.patch,
            "editReasons": list(self.reasons),
            "reasoning": self.reasoning,
            "error": self.error,
        }
        return {**data, **{name: value for name, value in more.items() if value}}


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One transaction or refused call, or the articles that nobody touched."""

    articles: tuple[AuditedFile, ...]
    entry: Entry | None = None
    attempt: Attempt | None = None

    def as_data(self) -> dict[str, object]:
        """Return the record as a JSON object."""
        return {**self._head(), "articles": [article.as_data() for article in self.articles]}

    def _head(self) -> dict[str, object]:
        call = self.entry.call if self.entry else self.attempt
        if call is None:
            return {}
        name = {"id": self.entry.id} if self.entry else {}
        caller = {"actor": call.actor, "task": call.task, "tool": call.tool}
        known = self.entry or self.attempt
        origin = known.origin if known else None
        place = {"machine": origin.machine, "worktree": origin.worktree} if origin else {}
        return {**name, "timestamp": moment(self.time), **caller, **place}

    @property
    def time(self) -> float:
        """Return when it happened; 0 where nothing did."""
        known = self.entry or self.attempt
        return known.time if known else 0.0


@dataclass(frozen=True, slots=True)
class Audit:
    """Records, newest first; the articles asked for that nobody touched come last."""

    records: tuple[AuditRecord, ...]

    def as_data(self) -> dict[str, object]:
        """Return the whole audit as JSON spells it."""
        return {"version": VERSION, "records": [record.as_data() for record in self.records]}


def audit(journal: Records, query: Query, paths: Sequence[str] = ()) -> Audit:
    """Return what happened to the files of a workspace, or to those that are named."""
    query = by_name(query)
    queries = [replace(query, path=path) for path in paths] or [query]
    found = {entry.id: entry for each in queries for entry in journal.entries(each)}
    made = [_record(journal, entry, paths) for entry in found.values()]
    tried = {attempt for each in queries for attempt in journal.attempts(each) if attempt.path}
    newest = sorted([*made, *map(_refused, tried)], key=lambda record: record.time, reverse=True)
    records = newest[: query.limit]
    touched = {article.path for record in records for article in record.articles}
    rest = tuple(AuditedFile(path, "unchanged") for path in paths if path not in touched)
    return Audit((*records, *([AuditRecord(rest)] if rest else [])))


def _refused(attempt: Attempt) -> AuditRecord:
    """Return the record of a refused call; one that gave way to another task is `skipped`."""
    status = "skipped" if set(attempt.codes) == {"conflict"} else "error"
    article = AuditedFile(attempt.path, status, error=", ".join(dict.fromkeys(attempt.codes)))
    return AuditRecord((article,), attempt=attempt)


def _record(journal: Records, entry: Entry, paths: Sequence[str]) -> AuditRecord:
    return AuditRecord(tuple(_articles(journal, entry, paths)), entry)


def _articles(journal: Records, entry: Entry, paths: Sequence[str]) -> Iterator[AuditedFile]:
    for change in entry.files:
        if paths and change.path not in paths:
            continue
        reasons = tuple(edit.reason for edit in change.edits if edit.reason)
        patch = diff_of(journal, change)
        yield AuditedFile(change.path, _status(entry, change), patch, reasons, entry.call.reason)


def _status(entry: Entry, change: FileChange) -> str:
    if entry.state != APPLIED:
        return "error"
    return "updated" if change.before != change.after else "unchanged"
