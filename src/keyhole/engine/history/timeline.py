"""The timeline: what happened, newest first, filtered and searched, a page at a time."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator

from keyhole.answers.history import PastTransaction
from keyhole.engine.history.recall import past_of
from keyhole.engine.history.segment_edits import edited_in
from keyhole.fastclasses import dataclass, replace
from keyhole.history.versions import changes_of, version
from keyhole.journal.model import (
    APPLIED,
    ROLLED_BACK,
    Attempt,
    Entry,
    FileChange,
    Query,
    Records,
)
from keyhole.refusals import Refused

OUTCOMES = ("applied", "undone", "undo", "refused", "not_applied", "committed_pending")

_CHUNK = 100


@dataclass(frozen=True, slots=True)
class Filter:
    """Which moments to show; an empty field lets everything through."""

    path: str = ""
    segment: str = ""
    task: str = ""
    actor: str = ""
    outcome: str = ""
    since: float = 0.0
    until: float | None = None
    # Looked for in reasons, names and the changed lines.
    text: str = ""
    refusals: bool = True
    # Only a shared journal knows more than one of these.
    machine: str = ""
    worktree: str = ""

    @property
    def reads_entries(self) -> bool:
        """Tell whether entries must be looked at one by one: no index answers this."""
        return bool(self.segment or self.text or self.outcome)


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page ends: the last entry shown, and the time of the last moment."""

    order: int | None = None
    time: float | None = None

    @staticmethod
    def of(said: str) -> Cursor:
        """Return the cursor that `str` spelt; anything else is the beginning."""
        order, _, seconds = said.partition("_")
        try:
            return Cursor(int(order) if order else None, float(seconds))
        except ValueError:
            return Cursor()

    def __str__(self) -> str:
        return "" if self.time is None else f"{self.order or ''}_{self.time!r}"


@dataclass(frozen=True, slots=True)
class Item:
    """One moment: a transaction, or a call that was refused."""

    time: float
    past: PastTransaction | None = None
    attempt: Attempt | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Some moments, and where the next page begins; "" says that there are no more."""

    items: tuple[Item, ...]
    next: str = ""
    # The search stopped here because its time was up; older moments were not looked at.
    stopped: float = 0.0


@dataclass(frozen=True, slots=True)
class _Looked:
    """Entries that fit, where to go on, and whether time ran out."""

    items: list[Item]
    at: Cursor
    more: bool
    late: bool = False


def page(
    journal: Records, wanted: Filter, cursor: Cursor, *, size: int = 50, seconds: float = 0.8
) -> Page:
    """Return one page; a search that takes longer than `seconds` says how far it came."""
    until = clock.monotonic() + seconds
    looked = _entries(journal, wanted, cursor, size, until)
    refused = _attempts(journal, wanted, cursor, size + 1)
    if looked.late:
        refused = [item for item in refused if item.time > (looked.at.time or 0.0)]
    merged = sorted([*looked.items, *refused], key=lambda item: -item.time)
    shown = merged[:size]
    if len(merged) > size:
        return Page(tuple(shown), str(_after(shown, cursor)))
    if looked.late:
        return Page(tuple(shown), str(looked.at), looked.at.time or 0.0)
    return Page(tuple(shown), str(_after(shown, looked.at)) if looked.more else "")


def _after(shown: list[Item], cursor: Cursor) -> Cursor:
    orders = [item.past.entry.order for item in shown if item.past]
    return Cursor(min(orders) if orders else cursor.order, shown[-1].time)


def _entries(journal: Records, wanted: Filter, cursor: Cursor, size: int, until: float) -> _Looked:
    if wanted.outcome == "refused":
        return _Looked([], cursor, more=False)
    query = replace(_query(wanted), before=cursor.order)
    query = replace(query, limit=_CHUNK if wanted.reads_entries else size + 1)
    found: list[Item] = []
    while True:
        entries = journal.entries(query)
        for entry in entries:
            past = past_of(journal, entry)
            if _fits(journal, past, wanted):
                found.append(Item(entry.time, past))
            if len(found) > size:
                return _Looked(found, cursor, more=True)
            if clock.monotonic() > until and wanted.reads_entries:
                return _Looked(found, Cursor(entry.order, entry.time), more=True, late=True)
        if len(entries) < query.limit:
            return _Looked(found, cursor, more=False)
        query = replace(query, before=entries[-1].order)


def _attempts(journal: Records, wanted: Filter, cursor: Cursor, size: int) -> list[Item]:
    if wanted.segment or wanted.outcome not in {"", "refused"}:
        return []
    if not wanted.refusals and wanted.outcome != "refused":
        return []
    query = replace(_query(wanted), limit=size if not wanted.text else 10 * size)
    if cursor.time is not None:
        query = replace(query, until=cursor.time)
    needle = wanted.text.casefold()
    return [
        Item(attempt.time, attempt=attempt)
        for attempt in journal.attempts(query)
        if not needle or needle in " ".join((*attempt.codes, attempt.path, attempt.said)).casefold()
    ][:size]


def _query(wanted: Filter) -> Query:
    return Query(
        wanted.path,
        wanted.actor or None,
        wanted.task or None,
        wanted.since,
        until=wanted.until,
        machine=wanted.machine or None,
        worktree=wanted.worktree or None,
    )


def outcome_of(past: PastTransaction) -> str:
    """Return what became of a transaction, in one word."""
    if past.entry.state == ROLLED_BACK:
        return "not_applied"
    if past.entry.state != APPLIED:
        return "committed_pending"
    if any(undoing.is_whole for undoing in past.undoings):
        return "undone"
    return "undo" if past.entry.call.undoes else "applied"


def _fits(journal: Records, past: PastTransaction, wanted: Filter) -> bool:
    if wanted.outcome and outcome_of(past) != wanted.outcome:
        return False
    entry = past.entry
    if wanted.segment and not any(edited_in(journal, file, wanted.segment) for file in entry.files):
        return False
    needle = wanted.text.casefold()
    if not needle or any(needle in words.casefold() for words in _words(entry)):
        return True
    return any(_changed_lines_hold(journal, file, needle) for file in entry.files)


def _words(entry: Entry) -> Iterator[str]:
    call = entry.call
    yield from (call.reason, call.task, call.actor, call.tool, entry.id)
    for file in entry.files:
        yield file.path
        for edit in file.edits:
            yield from (edit.reason, edit.segment)


def _changed_lines_hold(journal: Records, file: FileChange, needle: str) -> bool:
    """Tell whether a line that came or went holds some text."""
    try:
        if file.before is None or file.after is None:
            whole = version(journal, file.before or file.after or "", file.encoding).text
            return needle in whole.casefold()
        before = version(journal, file.before, file.encoding).text
        after = version(journal, file.after, file.encoding).text
        made = changes_of(journal, file)
    except Refused:  # the journal no longer keeps it
        return False
    spans = zip(made.changes, made.spans_after(), strict=True)
    return any(
        needle in _whole_lines(before, change.start, change.end).casefold()
        or needle in _whole_lines(after, start, end).casefold()
        for change, (start, end) in spans
    )


def _whole_lines(text: str, start: int, end: int) -> str:
    last = text.find("\n", end)
    return text[text.rfind("\n", 0, start) + 1 : last if last >= 0 else len(text)]
