"""Edits of a notebook: of its cells as such, and of what stands inside one of them.

What names a place inside a cell is located in the cell's source, as in a small file of its
language, and the changes are carried over to the text of the notebook.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from keyhole.edits.by_name.segment_target import (
    content_lines,
    found_segment,
    missing_part,
    unfenced,
)
from keyhole.edits.by_text.target import Target
from keyhole.edits.cell_marks import new_id, settled
from keyhole.edits.model.operations import Edit, bad
from keyhole.edits.model.plan import LocatedEdit
from keyhole.fastclasses import replace
from keyhole.matching.regex import starts
from keyhole.phrases import ArgumentName, FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.notebook.outline import CellPlace, cells_of
from keyhole.segments.outline import Segment
from keyhole.text.changes import Change
from keyhole.text.diff import diff
from keyhole.text.document import Document
from keyhole.text.notebook import MARK, MARK_LIKE, mark_of, shown_source

# Locates an edit in a file: what `locate` does for any.
Locator = Callable[[Edit, Target], LocatedEdit]
_EXTENSIONS = {"python": "py", "markdown": "md", "javascript": "js", "typescript": "ts"}
_EXTENSIONS |= {"rust": "rs", "csharp": "cs", "kotlin": "kt", "ruby": "rb", "bash": "sh"}


def place_in_notebook(edit: Edit, target: Target, inner: Locator) -> LocatedEdit:
    """Return an edit of a notebook as changes of its text, or refuse."""
    return settled(edit, target, _placed(edit, target, inner))


def _placed(edit: Edit, target: Target, inner: Locator) -> LocatedEdit:
    if edit.segment:
        segment = found_segment(target, edit.segment, edit.match).segment
        edit = replace(edit, segment=segment.address)
        cell = _cell_of(segment, target)
        if edit.find:
            if edit.lines:
                both = say("and {} both name the place; give one of them", ArgumentName("find"))
                bad("lines", both)
            return inner(edit, target)
        if edit.pattern or edit.lines or segment.address != cell.address:
            return _inside(edit, target, cell, inner)
        return _whole_cell(edit, target, cell, segment)
    if edit.lines:
        raise Refused(_lines_of_what(target))
    if edit.pattern or edit.regex or (edit.find and _is_in_marks(edit.find, target)):
        return _cell_by_cell(edit, target, inner)
    if edit.find:
        return inner(edit, target)
    at = 0 if edit.action == "prepend" else len(target.document.text)
    return _new_cell(edit, target, at, "")


def _cell_of(segment: Segment, target: Target) -> CellPlace:
    cells = cells_of(target.document.text)
    return next(cell for cell in cells if cell.start <= segment.span[0] < cell.end)


def _lines_of_what(target: Target) -> Refusal:
    cells = cells_of(target.document.text)
    listed = [f"`{each.address}` {each.kind}, {_count(target, each)}" for each in cells[:40]]
    more = len(cells) - len(listed)
    return Refusal(
        "bad-request",
        say("{} of a notebook count inside a cell, and none is named", ArgumentName("lines")),
        where="\n".join([*listed, *([f"and {more} more"] if more > 0 else [])]),
        help=say("give {segment:bare} with the address of a cell"),
        mend="quote the text in the cell instead",
        data={"field": "lines"},
    )


def _count(target: Target, cell: CellPlace) -> str:
    count = target.document.text.count("\n", cell.start, cell.end)
    return f"{count} line{'' if count == 1 else 's'}"


def _inside(edit: Edit, target: Target, cell: CellPlace, inner: Locator) -> LocatedEdit:
    """Locate an edit in the source of one cell, as in a file of its own."""
    alone = _alone(target, cell)
    within = (edit.segment or "").partition("/")[2] or None
    plain = replace(edit, segment=within, cell_type=None, clear_outputs=False)
    try:
        placed = inner(plain, alone)
    except Refused as refused:
        found = (_told_of(each, alone, cell, target) for each in refused.refusals)
        raise Refused(*found) from None
    by = cell.start
    return replace(
        placed,
        changes=tuple(
            Change(each.start + by, each.end + by, shown_source(each.text))
            for each in placed.changes
        ),
        span=(placed.span[0] + by, placed.span[1] + by),
        stands=(placed.stands[0] + by, placed.stands[1] + by) if placed.stands else None,
        segment=f"{cell.address}/{placed.segment}" if placed.segment else cell.address,
    )


def _told_of(refusal: Refusal, alone: Target, cell: CellPlace, target: Target) -> Refusal:
    """Return what is refused of the source of a cell as a refusal of the notebook."""
    by = target.document.line_at(cell.start) - 1
    named = say("`{}` of {}", cell.address, FileName(target.path))
    data, lines = refusal.data, refusal.data.get("lines")
    if isinstance(lines, list):
        data = {**data, "lines": [line + by for line in lines]}
    moved = (replace(it, lines=(it.lines[0] + by, it.lines[1] + by)) for it in refusal.candidates)
    spelt = refusal.spelt({alone.path: named})
    return replace(spelt, candidates=tuple(moved), data=data)


def _alone(target: Target, cell: CellPlace) -> Target:
    suffix = _EXTENSIONS.get(cell.language, cell.language)
    return Target(f"{target.path}.{suffix}", Document(target.document.text[cell.start : cell.end]))


def code_cells(target: Target) -> Iterator[tuple[int, Target]]:
    """Yield the code cells of a notebook as files of their own, with where each source begins."""
    for cell in cells_of(target.document.text):
        if cell.kind == "code_cell":
            yield cell.start, _alone(target, cell)


def _whole_cell(edit: Edit, target: Target, cell: CellPlace, segment: Segment) -> LocatedEdit:
    """Return an edit of a cell as such."""
    if edit.part not in {"whole", "body"}:
        raise Refused(missing_part(segment, edit.part))
    placed = LocatedEdit(
        0, (), segment=cell.address, reason=edit.reason, span=(cell.start, cell.end)
    )
    match edit.action:
        case "before":
            return replace(_new_cell(edit, target, cell.mark, cell.address), beside="before")
        case "after":
            return replace(_new_cell(edit, target, cell.end, cell.address), beside="after")
        case "delete":
            changes: tuple[Change, ...] = (Change(cell.mark, cell.end, ""),)
        case "move":
            changes = _moved(edit, target, cell)
            placed = replace(placed, notes=_now(cell, changes, target))
        case _:
            changes = _replaced(edit, target, cell)
    return replace(placed, changes=changes, adds=edit.action in {"prepend", "append"})


def _replaced(edit: Edit, target: Target, cell: CellPlace) -> tuple[Change, ...]:
    """Return the changes of a cell that gets another source, or another type."""
    changes: list[Change] = []
    text, notebook = target.document.text, target.document.notebook
    word = edit.cell_type or cell.word
    if word == "code" and notebook is not None:
        word = notebook.language
    if edit.cell_type and edit.cell_type != cell.kind.removesuffix("_cell"):
        mark = mark_of(word, cell.id)
        changes.append(Change(cell.mark, cell.start - 1, mark))
    if edit.content is not None:
        had, new = text[cell.start : cell.end - 1], shown_source(_source(edit, cell.kind))
        if edit.action in {"prepend", "append"} and had:
            new = f"{new}\n{had}" if edit.action == "prepend" else f"{had}\n{new}"
        by = cell.start
        changes += (
            Change(each.start + by, each.end + by, each.text)
            for each in diff(f"{had}\n", f"{new}\n").changes
        )
    return tuple(changes)


def _source(edit: Edit, kind: str) -> str:
    """Return the new text as a source: without its last line end, or a fence around code."""
    content = edit.content or ""
    lines = content_lines(content)
    inner = unfenced(lines) if lines and edit.match != "exact" and kind == "code_cell" else None
    if inner is not None:
        return "\n".join(inner)
    return content.removesuffix("\n")


def _new_cell(edit: Edit, target: Target, at: int, beside: str) -> LocatedEdit:
    """Return the insertion of a cell."""
    kind = edit.cell_type or "code"
    notebook = target.document.notebook
    assert notebook is not None, "BUG: only a notebook has cells"
    source = shown_source(_source(edit, f"{kind}_cell"))
    word = notebook.language if kind == "code" else kind
    id_ = new_id(target.document, f"{at} {kind} {source}") if notebook.has_ids else ""
    change = Change(at, at, f"{mark_of(word, id_)}\n{source}\n")
    return LocatedEdit(0, (change,), segment=beside, reason=edit.reason, span=(at, at), adds=True)


def _moved(edit: Edit, target: Target, cell: CellPlace) -> tuple[Change, ...]:
    """Return the changes that take a cell to another place."""
    text, cells = target.document.text, cells_of(target.document.text)
    at = _destination(edit, target, cell, cells)
    if at in {cell.mark, cell.end}:
        return ()
    gone, come = Change(cell.mark, cell.end, ""), Change(at, at, text[cell.mark : cell.end])
    return (gone, come) if at > cell.mark else (come, gone)


def _now(cell: CellPlace, changes: Sequence[Change], target: Target) -> tuple[str, ...]:
    """Return the note that a cell that moved has another number."""
    marks = [each.mark for each in cells_of(target.document.text) if each != cell]
    numbers = [1 + sum(mark < each.start for mark in marks) for each in changes if each.text]
    return tuple(f"`{cell.address}` is `cell#{number}` now" for number in numbers)


def _destination(edit: Edit, target: Target, cell: CellPlace, cells: Sequence[CellPlace]) -> int:
    """Return where a cell goes: `to` is start, end, before or after a cell, or a cell's place."""
    side, _, name = (edit.to or "").partition(" ")
    if edit.to == "start":
        return 0
    if edit.to == "end":
        return len(target.document.text)
    if side not in {"before", "after"} or not name:
        side, name = "", edit.to or ""
    other = _cell_of(found_segment(target, name, edit.match).segment, target)
    is_behind = side == "after" or (not side and other.number > cell.number)
    return cells[other.number - 1].end if is_behind else cells[other.number - 1].mark


def _is_in_marks(find: str, target: Target) -> bool:
    """Tell whether a quote also stands in the marks between cells, which nobody quotes so."""
    quote = find.strip()
    if "\n" in quote or MARK_LIKE.search(quote):
        return False
    return any(quote in mark.group() for mark in MARK.finditer(target.document.text))


def _cell_by_cell(edit: Edit, target: Target, inner: Locator) -> LocatedEdit:
    """Locate an edit by an expression, a pattern or a word that marks have too, in each cell."""
    found: list[tuple[CellPlace, int]] = []
    missing: Refused | None = None
    for cell in cells_of(target.document.text):
        try:
            if count := _count_in(edit, target, cell, inner):
                found.append((cell, count))
        except Refused as refused:
            missing = missing or refused
    if not found:
        raise missing or Refused(_nowhere(edit))
    if len(found) == 1:
        return _in_cell(edit, target, found[0][0], inner)
    if edit.occurrence == "all":
        return _together([_in_cell(edit, target, cell, inner) for cell, _ in found])
    return _chosen(edit, target, found, inner)


def _nowhere(edit: Edit) -> Refusal:
    named = ArgumentName("pattern" if edit.pattern else "find")
    headline = say("no cell has the {} {}", named, edit.pattern or edit.find or "")
    return Refusal("not-found", headline, help="quote code of a cell, as `read` shows it")


def _count_in(edit: Edit, target: Target, cell: CellPlace, inner: Locator) -> int:
    """Return how many places of a cell an edit fits."""
    source = target.document.text[cell.start : cell.end]
    if edit.regex:
        return sum(1 for _ in starts(edit.find or "", source))
    if edit.find:
        return source.count(edit.find)
    if cell.kind != "code_cell":
        return 0
    every = replace(edit, occurrence="all", segment=cell.address)
    try:
        return _inside(every, target, cell, inner).found
    except Refused as refused:
        if refused.refusals[0].code in {"not-found", "wrong-segment-kind"}:
            return 0
        raise


def _in_cell(edit: Edit, target: Target, cell: CellPlace, inner: Locator) -> LocatedEdit:
    edit = replace(edit, segment=cell.address)
    return _inside(edit, target, cell, inner) if edit.pattern else inner(edit, target)


def _together(placed: Sequence[LocatedEdit]) -> LocatedEdit:
    """Return the edits of several cells as one."""
    first, last = placed[0], placed[-1]
    return replace(
        first,
        changes=tuple(change for each in placed for change in each.changes),
        found=sum(each.found for each in placed),
        replaced=sum(each.replaced for each in placed),
        span=(first.span[0], last.span[1]),
        stands=None,
        segment="",
    )


def _chosen(
    edit: Edit, target: Target, found: Sequence[tuple[CellPlace, int]], inner: Locator
) -> LocatedEdit:
    """Return the edit at the place that `occurrence` counts to, or refuse."""
    total = sum(count for _, count in found)
    wanted = {"first": 1, "last": total}.get(str(edit.occurrence), edit.occurrence)
    if not isinstance(wanted, int) or wanted > total:
        raise Refused(several_cells([(cell.address, count) for cell, count in found]))
    before = [0, *accumulate(count for _, count in found)]
    at = bisect_left(before, wanted) - 1
    chosen = replace(edit, occurrence=wanted - before[at])
    return _in_cell(chosen, target, found[at][0], inner)


def several_cells(found: Sequence[tuple[str, int]]) -> Refusal:
    """Refuse a place that stands in several cells."""
    listed = [f"`{address}`, {count} place{'' if count == 1 else 's'}" for address, count in found]
    return Refusal(
        "ambiguous",
        f"it stands in {len(found)} cells",
        where="\n".join(listed),
        help=say("name the cell in {segment:bare}, or give {occurrence:bare}"),
        suggestions=tuple(address for address, _ in found),
    )
