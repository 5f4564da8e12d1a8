"""Pages: as much of an answer as every host shows its model, and the call that goes on behind it.

Half of the hosts cut an answer above eight kilobytes, some to its first lines. Both forms of a page
stay below that:

    big.py a1b2c3 lines 1-172 of 900
      1| import os
    …
    172| def load():
    more: read {"path": "big.py", "lines": "173-"}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from keyhole.answers.history import History, PastTransaction, ProposalSummary
from keyhole.answers.lean import lean, lean_text
from keyhole.answers.reading import Hit, Hits, Outlined, OutlinedTree, Reading, SegmentRow
from keyhole.answers.receipt import Answer
from keyhole.edits.model.plan import FilePlan
from keyhole.fastclasses import dataclass, replace
from keyhole.journal.model import FileChange
from keyhole.phrases import shown

R = TypeVar("R")
A = TypeVar("A", bound=Answer)
FileRow = tuple[Outlined, SegmentRow]
ListedRow = PastTransaction | ProposalSummary
FileOfRow = tuple[FileChange | FilePlan, str]

# Bytes of a page in either form: hosts add a little of their own to the eight kilobytes.
MOST_BYTES = 7_500
MOST_ROWS = 10**8
# What one row may take of a page before it is shortened.
_MOST_ROW = MOST_BYTES // 3
_MOST_NAME = 400
_MOST_FILES = 20
_MOST_STRETCHES = 20
_MORE_LINES = "… more lines\n"
_CUT = "long diffs are cut: the full answer has all of them"


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which rows of an answer a call asks for, and whether it wants them in full."""

    call: Mapping[str, object]
    offset: int = 0
    limit: int = MOST_ROWS
    is_full: bool = False

    def after(self, count: int) -> dict[str, object]:
        """Return the call that goes on behind the rows shown."""
        return {**self.call, "offset": str(self.offset + count)}

    @property
    def longest(self) -> dict[str, object]:
        """Return a call that is as long as any that goes on."""
        return self.after(MOST_ROWS)


def paged(answer: Answer, page: PageRequest) -> Answer:
    """Return a page of an answer; answers without rows are as they are."""
    match answer:
        case Reading():
            return _reading(answer, page)
        case Outlined():
            return _outline(answer, page)
        case OutlinedTree():
            return _tree(answer, page)
        case Hits():
            return _hits(answer, page)
        case History():
            return (_with_diffs if _has_diffs(answer) else _history)(answer, page)
    return answer


def _size(answer: Answer) -> int:
    """Return the bytes of the longer form."""
    data = json.dumps(lean(answer), ensure_ascii=False, separators=(",", ":"))
    return max(_bytes(data), _bytes(lean_text(answer)))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _fitting(
    rows: Sequence[R], cost: Callable[[R, R | None], int], spent: int, shorten: Callable[[R], R]
) -> list[R]:
    """Return the first rows that fit, at least one; a long row comes in its short form."""
    kept: list[R] = []
    for row in rows:
        last = kept[-1] if kept else None
        short = shorten(row) if cost(row, last) > _MOST_ROW else row
        spent += cost(short, last) + 2
        if spent > MOST_BYTES and kept:
            break
        kept.append(short)
    return kept


def _outline(answer: Outlined, page: PageRequest) -> Outlined:
    rows = answer.rows[page.offset :]
    if page.is_full:
        return replace(answer, rows=rows)
    empty = replace(answer, rows=(), kinds=(), unreadable=answer.unreadable[:_MOST_STRETCHES])
    base = _size(empty)

    def cost(row: SegmentRow, _: object) -> int:
        return _size(replace(empty, rows=(row,))) - base

    kept = _fitting(rows, cost, _size(replace(empty, next=page.longest)), _short_segment)

    def made(count: int) -> Outlined:
        more = page.after(count) if count < len(rows) else {}
        return replace(empty, rows=tuple(kept[:count]), kinds=answer.kinds, next=more)

    return _short_enough(made, len(kept))


def _short_segment(row: SegmentRow) -> SegmentRow:
    return replace(row, address=_cut(row.address), parent=_cut(row.parent))


def _tree(answer: OutlinedTree, page: PageRequest) -> OutlinedTree:
    rows = [(file, row) for file in answer.files for row in file.rows][page.offset :]
    if page.is_full:
        return replace(answer, files=_grouped(rows), offset=page.offset)

    def cost(row: FileRow, last: FileRow | None) -> int:
        file = replace(row[0], rows=(row[1],), unreadable=())
        is_first = last is None or last[0] is not row[0]
        return _size(file) - (0 if is_first else _size(replace(file, rows=())))

    spent = _size(replace(answer, files=(), offset=page.offset, next=page.longest))
    kept = _fitting(rows, cost, spent, lambda row: (row[0], _short_segment(row[1])))

    def made(count: int) -> OutlinedTree:
        more = page.after(count) if count < len(rows) else {}
        files = tuple(replace(file, unreadable=()) for file in _grouped(kept[:count]))
        return replace(answer, files=files, offset=page.offset, next=more)

    return _short_enough(made, len(kept))


def _short_enough(made: Callable[[int], A], count: int) -> A:
    """Return a page of so many rows or fewer: below its parents a row is longer than alone."""
    while count > 1 and _size(made(count)) > MOST_BYTES:
        count -= 1
    return made(count)


def _grouped(rows: Iterable[FileRow]) -> tuple[Outlined, ...]:
    files: dict[str, Outlined] = {}
    for file, row in rows:
        known = files.get(file.path, replace(file, rows=()))
        files[file.path] = replace(known, rows=(*known.rows, row))
    return tuple(files.values())


def _hits(answer: Hits, page: PageRequest) -> Hits:
    rows = answer.hits[page.offset :]
    if page.is_full:
        return _with_hits(answer, rows, page)

    def cost(row: Hit, _: object) -> int:
        return _size(Hits((row,), 1))

    spent = _size(replace(answer, hits=(), next=page.longest))
    return _with_hits(answer, _fitting(rows, cost, spent, _short_hit), page)


def _with_hits(answer: Hits, rows: Sequence[Hit], page: PageRequest) -> Hits:
    """Return the answer with these hits, and the call that goes on behind them."""
    is_last = page.offset + len(rows) >= answer.total
    more = {} if is_last else page.after(len(rows))
    return replace(answer, hits=tuple(rows), offset=page.offset, next=more)


def _short_hit(hit: Hit) -> Hit:
    """Return a hit with the lines nearest to it, as many as a row may take."""
    hit = replace(hit, segment=_cut(hit.segment))
    while (hit.before or hit.after) and _size(Hits((hit,), 1)) > _MOST_ROW:
        far = len(hit.before) - len(hit.before) // 2
        hit = replace(hit, before=hit.before[far:], after=hit.after[: len(hit.after) // 2])
    return hit


def _history(answer: History, page: PageRequest) -> History:
    rows: list[ListedRow] = [*answer.proposals, *answer.transactions]
    is_last = len(rows) <= page.offset + page.limit
    rows = rows[page.offset :][: page.limit]
    empty = replace(answer, transactions=(), proposals=())
    if page.is_full:
        more = {} if is_last else page.after(len(rows))
        return replace(_listed(empty, rows), next=more)
    base = _size(empty)

    def cost(row: ListedRow, _: object) -> int:
        return _size(_listed(empty, [row])) - base

    kept = _fitting(rows, cost, _size(replace(empty, next=page.longest)), _short_listed)
    more = {} if is_last and len(kept) == len(rows) else page.after(len(kept))
    return replace(_listed(empty, kept), next=more)


def _has_diffs(answer: History) -> bool:
    """Tell whether an answer is one transaction or proposal, asked for by its id."""
    rows: list[ListedRow] = [*answer.proposals, *answer.transactions]
    return len(rows) == 1 and rows[0].diffs is not None


def _with_diffs(answer: History, page: PageRequest) -> History:
    """Return one transaction or proposal with the files that fit, each with its diff."""
    rows: list[ListedRow] = [*answer.proposals, *answer.transactions]
    row = rows[0]
    files = _files_of(row)[page.offset :]
    if not page.offset and (page.is_full or _size(answer) <= MOST_BYTES):
        return answer
    if page.is_full:
        return _listed(answer, [_of_files(row, files, page.offset)])
    empty = replace(answer, note=_CUT)

    def made(count: int) -> History:
        more = page.after(count) if count < len(files) else {}
        return replace(_listed(empty, [_of_files(row, files[:count], page.offset)]), next=more)

    base = _size(made(0))

    def cost(file: FileOfRow, _: object) -> int:
        return _size(_listed(empty, [_of_files(row, [file], page.offset)])) - base

    kept = _fitting(files, cost, _size(replace(made(0), next=page.longest)), _short_diff)
    files = [*kept, *files[len(kept) :]]
    found = _short_enough(made, len(kept))
    is_cut = any(each[1].endswith(_MORE_LINES) for each in kept)
    return found if is_cut else replace(found, note=answer.note)


def _files_of(row: ListedRow) -> list[FileOfRow]:
    diffs = row.diffs or {}
    if isinstance(row, ProposalSummary):
        return [(each, diffs.get(each.path, "")) for each in row.proposed.plan.files]
    return [(each, diffs.get(each.path, "")) for each in row.entry.files]


def _of_files(row: ListedRow, files: Sequence[FileOfRow], first: int) -> ListedRow:
    """Return a transaction or a proposal with these of its files alone, from `first` on."""
    diffs = {file.path: diff for file, diff in files}
    left = len(_files_of(row)) - len(files) - first
    if isinstance(row, ProposalSummary):
        kept = tuple(file for file, _ in files if isinstance(file, FilePlan))
        plan = replace(row.proposed.plan, files=kept)
        proposed = replace(row.proposed, plan=plan)
        return replace(row, proposed=proposed, diffs=diffs, first=first, more_files=left)
    draft, call = row.entry.draft, row.entry.call
    call = replace(call, reason=_cut(call.reason), undoes=call.undoes[:_MOST_FILES])
    changes = tuple(file for file, _ in files if isinstance(file, FileChange))
    draft = replace(draft, files=changes, call=call)
    return replace(row, entry=replace(row.entry, draft=draft), diffs=diffs, more_files=left)


def _short_diff(file: FileOfRow) -> FileOfRow:
    """Return a file with the first lines of its diff, as many as a row may take."""
    kept, spent = [], 0
    for line in file[1].split("\n"):
        spent += len(json.dumps(shown(line))) + 1
        if spent > _MOST_ROW:
            break
        kept.append(f"{line}\n")
    return (file[0], f"{''.join(kept)}{_MORE_LINES}")


def _listed(answer: History, rows: Sequence[ListedRow]) -> History:
    past = tuple(row for row in rows if isinstance(row, PastTransaction))
    waiting = tuple(row for row in rows if isinstance(row, ProposalSummary))
    return replace(answer, transactions=past, proposals=waiting)


def _short_listed(row: ListedRow) -> ListedRow:
    """Return a transaction with its first files; who asks for it by its id gets all."""
    if isinstance(row, ProposalSummary):
        return row
    draft, call = row.entry.draft, row.entry.call
    files = draft.files[:_MOST_FILES]
    while len(files) > 1 and sum(_bytes(file.path) for file in files) > _MOST_ROW // 2:
        files = files[:-1]
    call = replace(call, reason=_cut(call.reason), undoes=call.undoes[:_MOST_FILES])
    entry = replace(row.entry, draft=replace(draft, files=files, call=call))
    left_out = len(draft.files) - len(files)
    return replace(row, entry=entry, more_files=left_out, undone_by=row.undone_by[:_MOST_FILES])


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_NAME else f"{text[:_MOST_NAME]}…"


def _reading(answer: Reading, page: PageRequest) -> Reading:
    if page.is_full or (not answer.truncated and _size(answer) <= MOST_BYTES):
        return answer
    empty = replace(answer, rows=(), exact=None, truncated=True)
    width = len(str(answer.end)) + 2 if answer.numbered else 2
    spent = _size(replace(empty, next=_from(answer.end, answer, page)))
    kept = 0
    for row in answer.rows:
        spent += _row_bytes(row) + width
        if spent > MOST_BYTES:
            break
        kept += 1
    if not kept:
        return _cut_line(empty, answer, page)
    following = answer.first + kept
    more = _from(following, answer, page) if following <= answer.end else {}
    rows = answer.rows[:kept]
    exact = _beginning(answer.exact, rows) if more else answer.exact
    return replace(answer, rows=rows, exact=exact, truncated=bool(more), next=more)


def _beginning(exact: str | None, rows: Sequence[str]) -> str:
    """Return the text of the first lines, with their ends."""
    if exact is None:
        return "".join(f"{row}\n" for row in rows)
    end = 0
    for row in rows:
        end += len(row)
        end += 2 if exact.startswith("\r\n", end) else 1
    return exact[:end]


def _cut_line(empty: Reading, answer: Reading, page: PageRequest) -> Reading:
    """Return the beginning of a line that is longer than a page."""
    whole = {**_place(page.call, answer), "lines": str(answer.first), "detail": "full"}
    more = _from(answer.first + 1, answer, page) if answer.first < answer.end else whole
    empty = replace(empty, next=more, cut=whole)
    row, room = answer.rows[0], MOST_BYTES - _size(empty) - 20
    while (cost := _row_bytes(row)) > room:
        row = row[: max(len(row) * room // cost - 1, 1)]
    return replace(empty, rows=(row,))


def _row_bytes(row: str) -> int:
    return _bytes(json.dumps(shown(row), ensure_ascii=False))


def _from(line: int, answer: Reading, page: PageRequest) -> dict[str, object]:
    """Return the call that reads on from a line, to the end of what was asked for."""
    last = "" if answer.end >= answer.total_lines else str(answer.end)
    return {**_place(page.call, answer), "lines": f"{line}-{last}"}


def _place(call: Mapping[str, object], answer: Reading) -> dict[str, object]:
    """Return the call without its place; of a notebook the lines count in their cell."""
    gone = ("segment", "part", "lines", "detail")
    rest = {name: value for name, value in call.items() if name not in gone}
    return {**rest, "segment": answer.cell} if answer.cell else rest
