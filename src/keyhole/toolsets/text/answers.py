"""Answers of `text`: what changed, where it now stands, and what is around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

from keyhole.answers.file_receipt import lines_of
from keyhole.answers.reading import Outlined, SegmentRow
from keyhole.answers.receipt import Receipt
from keyhole.edits.model.plan import ELSEWHERE, FilePlan, LocatedEdit
from keyhole.phrases import Words, kind_of, render, shown
from keyhole.toolsets.text.requests import NAMES, REPLACE_NAMES, TextCall
from keyhole.toolsets.wording import (
    cut,
    hash_now,
    heading,
    is_proposed,
    plural,
    status_of,
    worth_a_look,
)

_AROUND = 3
_PREVIEW = 200
_MOST_BEFORE = 500
_MOST_LINES = 20

Span = tuple[int, int]
T = TypeVar("T")


def replaced(asked: TextCall, receipt: Receipt) -> dict[str, object]:
    """Return the answer to a `TextReplace`."""
    plan = receipt.files[0].plan
    (edit,) = plan.edits
    after = _there(plan.after)
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
        "context": _context(after.rows, (first, last)),
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
    after = _there(plan.after)
    lines = [after.line_at(_moved(plan, offset)) for offset in edit.others]
    listed = ", ".join(map(str, lines[:_MOST_LINES]))
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    word = "line" if len(lines) == 1 else "lines"
    return [f"{plural(len(lines), 'other occurrence')} found at {word} {listed}{more}"]


def _moved(plan: FilePlan, offset: int) -> int:
    return offset + sum(change.growth for change in plan.changes.changes if change.end <= offset)


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
    before, after = _there(plan.before), _there(plan.after)
    old, new = _places(plan, edit)
    now = lines_of(after, new)
    was = lines_of(before, old)
    old_text, new_text = _piece(before.text, old), _piece(after.text, new)
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
    data |= {"context": _context(after.rows, now), "fileHash": hash_now(receipt)}
    has = "would have" if is_proposed(receipt) else "now has"
    total = f"File {has} {plural(after.line_count, 'line')} (was {before.line_count})"
    own = [render(note, Words(NAMES)) for note in edit.notes]
    return {**data, "note": "; ".join([total, *own, *asked.notes, *worth_a_look(receipt)])}


def _piece(text: str, span: Span) -> str:
    return shown(text[slice(*span)].removesuffix("\n").removesuffix("\r"))


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


def _context(rows: Sequence[str], lines: Span) -> dict[str, object]:
    """Return the lines right before and right behind a range, each with its number."""
    first, last = lines
    total = len(rows)
    before = range(max(first - _AROUND, 1), min(first, total + 1))
    behind = range(max(last, first - 1) + 1, min(max(last, first - 1) + _AROUND, total) + 1)
    return {"beforeLines": _numbered(rows, before), "afterLines": _numbered(rows, behind)}


def _numbered(rows: Sequence[str], numbers: range) -> list[dict[str, object]]:
    return [{"number": number, "text": shown(rows[number - 1])} for number in numbers]


def _there(version: T | None) -> T:
    assert version is not None, "BUG: these tools edit files that are there, and leave them there"
    return version


_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*([^\s`{},]*)")
_KEY = re.compile(r"([^\s:#'\"\[\]{}=][^:=#]*?)[ \t]*(?:[:](?:[ \t]|$)|=)")
_ANCHOR = re.compile(r"""\bid=["']([^"']+)["']|\{#([\w:.-]+)\}""")
_INI = re.compile(r"[ \t]*\[([^\]]+)\][ \t]*$")
_MOST_TEXT = 100


def structure(found: Outlined, rows: Sequence[str], size: int) -> dict[str, object]:
    """Return the structure of a file of `size` bytes, of the kinds that its format has."""
    data: dict[str, object] = {
        "totalLines": len(rows),
        "fileSize": _size(size),
        "format": found.language,
    }
    if found.language != "markdown":
        return {**data, **_plain(rows)}
    front = [row for row in found.rows if row.kind == "frontmatter"]
    data["frontmatter"] = _front(front[0], rows) if front else None
    blocks = [row for row in found.rows if row.kind == "code_block"]
    sections = [row for row in found.rows if row.kind == "section"]
    return {
        **data,
        "headings": [heading(row, rows) for row in sections],
        "codeBlocks": [_block(row, rows) for row in blocks],
        "anchors": list(_anchors(rows, blocks)),
    }


def _front(row: SegmentRow, rows: Sequence[str]) -> dict[str, object]:
    """Return the front matter with its outermost keys; nested ones and comments are none."""
    first, last = row.lines
    keys = [match[1] for line in rows[first : last - 1] if (match := _KEY.match(line))]
    return {"start": first, "end": last, "keys": keys}


def _block(row: SegmentRow, rows: Sequence[str]) -> dict[str, object]:
    first, last = row.lines
    fence = _FENCE.match(rows[first - 1])
    return {"start": first, "end": last, "language": fence[1] if fence else ""}


def _anchors(rows: Sequence[str], blocks: Sequence[SegmentRow]) -> Iterator[dict[str, object]]:
    code = {number for row in blocks for number in range(row.lines[0], row.lines[1] + 1)}
    for number, line in enumerate(rows, 1):
        if number not in code:
            for match in _ANCHOR.finditer(line):
                yield {"id": match[1] or match[2], "line": number}


def _plain(rows: Sequence[str]) -> dict[str, object]:
    """Return the sections of an INI file, and the first line of each group of lines."""
    sections, groups = [], []
    is_blank = True
    for number, line in enumerate(rows, 1):
        if match := _INI.match(line):
            sections.append({"name": match[1], "line": number})
        if is_blank and line.strip():
            groups.append({"line": number, "text": line.strip()[:_MOST_TEXT]})
        is_blank = not line.strip()
    return {"sections": sections, "groups": groups}


def _size(count: int) -> str:
    if count < 1024:
        return f"{count}B"
    kilobytes = count / 1024
    return f"{kilobytes:.1f}KB" if kilobytes < 1024 else f"{kilobytes / 1024:.1f}MB"
