"""The answers of the dialect `text`: what changed, where it now stands, and what is around it."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.dialects.text import NAMES, REPLACE_NAMES, TextCall
from keyhole.dialects.wording import cut, hash_now, is_proposed, plural, status_of, worth_a_look
from keyhole.edits.plan import ELSEWHERE, FilePlan, LocatedEdit
from keyhole.file_receipts import lines_of
from keyhole.phrases import Words, kind_of, render
from keyhole.receipts import Receipt
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document, chop, shown

_AROUND = 3
_PREVIEW = 200
_MOST_BEFORE = 500
_MOST_LINES = 20

Span = tuple[int, int]


def replaced(asked: TextCall, receipt: Receipt) -> dict[str, object]:
    """Return the answer to a `TextReplace`."""
    plan = receipt.files[0].plan
    (edit,) = plan.edits
    after = _after(plan)
    spans = _spans(plan, edit)
    first, last = lines_of(after, (spans[0][0], spans[-1][1]))
    data: dict[str, object] = {
        "status": status_of(receipt),
        "filePath": asked.path,
        "occurrencesFound": edit.found,
        "occurrencesReplaced": 0 if edit.already_applied else edit.replaced,
        "affectedLines": {"start": first, "end": last},
        "preview": {
            "before": cut(str(asked.given["oldText"]), _PREVIEW),
            "after": cut(str(asked.given["newText"]), _PREVIEW),
        },
        "context": _context(after, (first, last)),
        "fileHash": hash_now(receipt),
    }
    if len(spans) > 1:
        ranges = [lines_of(after, span) for span in spans]
        data["affectedRanges"] = [{"start": start, "end": end} for start, end in ranges]
    notes = [*_others(asked, plan, edit), *_matched(edit), *asked.notes, *worth_a_look(receipt)]
    return {**data, **({"note": "; ".join(notes)} if notes else {})}


def _others(asked: TextCall, plan: FilePlan, edit: LocatedEdit) -> list[str]:
    """Say where else the text stands, in lines of the file as it now is."""
    if not edit.others or asked.edit.occurrence == "all":
        return []
    after = _after(plan)
    lines = [after.line_at(_moved(plan.changes, offset)) for offset in edit.others]
    said = ", ".join(map(str, lines[:_MOST_LINES]))
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    word = "line" if len(lines) == 1 else "lines"
    return [f"{plural(len(lines), 'other occurrence')} found at {word} {said}{more}"]


def _moved(changes: ChangeSet, offset: int) -> int:
    return offset + sum(change.growth for change in changes.changes if change.end <= offset)


def _matched(edit: LocatedEdit) -> list[str]:
    if edit.matched == "exact":
        return []
    words = Words(REPLACE_NAMES)
    own = [render(note, words) for note in edit.notes if kind_of(note) != ELSEWHERE]
    return [f"matched {edit.matched}: the file's text differs from oldText in layout", *own]


def patched(asked: TextCall, receipt: Receipt) -> dict[str, object]:
    """Return the answer to a `TextPatch`."""
    plan = receipt.files[0].plan
    (edit,) = plan.edits
    before, after = _before(plan), _after(plan)
    old, new = _places(plan, edit)
    now = lines_of(after, new)
    was = lines_of(before, old)
    old_text, new_text = _text(before, old), _text(after, new)
    affected = was if asked.operation == "delete" else now
    data: dict[str, object] = {
        "status": status_of(receipt),
        "filePath": asked.path,
        "operation": asked.operation,
        "affectedLines": {"start": affected[0], "end": affected[1]},
        "linesDelta": after.line_count - before.line_count,
        **_counts(asked.operation, was, now),
    }
    if asked.operation == "delete":
        data["deletedContent"] = cut(old_text, _PREVIEW)
    else:
        data["newContent"] = cut(new_text, _PREVIEW)
    if asked.operation == "replace" and len(old_text) < _MOST_BEFORE:
        data["preview"] = {"before": cut(old_text, _PREVIEW), "after": cut(new_text, _PREVIEW)}
    data |= {"context": _context(after, now), "fileHash": hash_now(receipt)}
    has = "would have" if is_proposed(receipt) else "now has"
    total = f"File {has} {plural(after.line_count, 'line')} (was {before.line_count})"
    own = [render(note, Words(NAMES)) for note in edit.notes]
    return {**data, "note": "; ".join([total, *own, *asked.notes, *worth_a_look(receipt)])}


def _text(document: Document, span: Span) -> str:
    return shown(chop(document.text[slice(*span)]))


def _counts(operation: str, was: Span, now: Span) -> dict[str, object]:
    size = {"old": max(was[1] - was[0] + 1, 0), "new": max(now[1] - now[0] + 1, 0)}
    if operation == "replace":
        return {"linesChanged": max(size.values())}
    if operation == "insert":
        return {"linesInserted": size["new"]}
    return {"linesDeleted": size["old"]}


def _places(plan: FilePlan, edit: LocatedEdit) -> tuple[Span, Span]:
    """Return where the edit's place lay before, and where it lies now."""
    starts = [edit.span[0], *(change.start for change in edit.changes)]
    ends = [edit.span[1], *(change.end for change in edit.changes)]
    old = (min(starts), max(ends))
    growth = sum(change.growth for change in plan.changes.changes)
    return old, (old[0], old[1] + growth)


def _spans(plan: FilePlan, edit: LocatedEdit) -> Sequence[Span]:
    """Return where each place of the edit now lies."""
    if not edit.changes:
        return [edit.span]
    lies = dict(zip(plan.changes.changes, plan.changes.spans_after(), strict=True))
    return [lies[change] for change in edit.changes]


def _context(document: Document, lines: tuple[int, int]) -> dict[str, object]:
    """Return the lines right before and right behind a range, each with its number."""
    first, last = lines
    total = document.line_count
    before = range(max(first - _AROUND, 1), min(first, total + 1))
    behind = range(max(last, first - 1) + 1, min(max(last, first - 1) + _AROUND, total) + 1)
    return {"beforeLines": _rows(document, before), "afterLines": _rows(document, behind)}


def _rows(document: Document, numbers: range) -> list[dict[str, object]]:
    return [{"number": number, "text": shown(document.line(number))} for number in numbers]


def _before(plan: FilePlan) -> Document:
    assert plan.before is not None, "BUG: these tools edit files that are there"
    return plan.before


def _after(plan: FilePlan) -> Document:
    assert plan.after is not None, "BUG: these tools leave a file where it is"
    return plan.after
