"""The audit of articles: what became of each, the patch, and the reason of every edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from keyhole.histories import moment
from keyhole.recalling import diff_of
from keyhole.values import dataclass
from keyhole.workspace.journal.base import APPLIED, Entry, FileChange, Journal, Query

VERSION = 1


@dataclass(frozen=True, slots=True)
class Article:
    """One file of a record."""

    path: str
    status: str
    patch: str = ""
    reasons: tuple[str, ...] = ()
    reasoning: str = ""

    def as_data(self) -> dict[str, object]:
        """Return the article as an audit entry; what it does not have is left out."""
        data: dict[str, object] = {"path": self.path, "status": self.status}
        more = {
            "patch": self.patch,
            "editReasons": list(self.reasons),
            "reasoning": self.reasoning,
        }
        return {**data, **{name: value for name, value in more.items() if value}}


@dataclass(frozen=True, slots=True)
class Record:
    """One transaction, or the articles that nobody touched."""

    articles: tuple[Article, ...]
    entry: Entry | None = None

    def as_data(self) -> dict[str, object]:
        """Return the record as a JSON object."""
        articles = [article.as_data() for article in self.articles]
        if self.entry is None:
            return {"articles": articles}
        call = self.entry.call
        known: Mapping[str, object] = {
            "id": self.entry.id,
            "timestamp": moment(self.entry.time),
            "actor": call.actor,
            "task": call.task,
            "tool": call.tool,
        }
        return {**known, "articles": articles}


@dataclass(frozen=True, slots=True)
class Audit:
    """Records, newest first; the articles asked for that nobody touched come last."""

    records: tuple[Record, ...]

    def as_data(self) -> dict[str, object]:
        """Return the whole audit as JSON spells it."""
        return {"version": VERSION, "records": [record.as_data() for record in self.records]}


def audit(journal: Journal, query: Query, paths: Sequence[str] = ()) -> Audit:
    """Return what happened to the files of a workspace, or to those that are named."""
    queries = [_for_path(query, path) for path in paths] or [query]
    found = {entry.id: entry for each in queries for entry in journal.entries(each)}
    newest = sorted(found.values(), key=lambda entry: entry.order, reverse=True)[: query.limit]
    records = [_record(journal, entry, paths) for entry in newest]
    touched = {article.path for record in records for article in record.articles}
    rest = tuple(Article(path, "unchanged") for path in paths if path not in touched)
    return Audit((*records, *([Record(rest)] if rest else [])))


def _for_path(query: Query, path: str) -> Query:
    return Query(path, query.actor, query.task, query.since, query.before, query.limit)


def _record(journal: Journal, entry: Entry, paths: Sequence[str]) -> Record:
    return Record(tuple(_articles(journal, entry, paths)), entry)


def _articles(journal: Journal, entry: Entry, paths: Sequence[str]) -> Iterator[Article]:
    for change in entry.files:
        if paths and change.path not in paths:
            continue
        reasons = tuple(edit.reason for edit in change.edits if edit.reason)
        patch = diff_of(journal, change)
        yield Article(change.path, _status(entry, change), patch, reasons, entry.call.reason)


def _status(entry: Entry, change: FileChange) -> str:
    if entry.state != APPLIED:
        return "error"
    return "updated" if change.before != change.after else "unchanged"
