"""Marks of cells: which edits may touch them, and what an edit leaves of a cell's outputs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import count

from keyhole.edits.by_text.target import Target
from keyhole.edits.model.hunk import ADD, Hunk
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import LocatedEdit
from keyhole.fastclasses import replace
from keyhole.matching.repairs import NO_JSON, source_lines
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.notebook.outline import CellPlace, cells_of
from keyhole.text.changes import Change
from keyhole.text.diff import diff
from keyhole.text.document import Document
from keyhole.text.notebook import MARK, MARK_LIKE, mark_of, shown_source


def settled(edit: Edit | Hunk, target: Target, placed: LocatedEdit) -> LocatedEdit:
    """Return a located edit of a notebook that leaves its cells in order, or refuse."""
    if isinstance(edit, Hunk) or edit.find:
        placed = _with_sound_marks(edit, target, placed)
    placed = _with_line_end(target, placed)
    if "\r\n" in target.document.text:
        placed = _with_returns(target, placed)
    if isinstance(edit, Edit) and edit.clear_outputs:
        placed = _without_outputs(target, placed)
    return _with_stale_note(target, _with_cell(target, placed))


def of_source(hunk: Hunk) -> Hunk | None:
    """Return a hunk of a notebook's JSON, or with lines that look like marks, as one of its text.

    None if it has neither; an added line that looks like a mark may mean a new cell.
    """
    texts = [text for _, text in hunk.lines]
    read, notes = source_lines(texts), (*hunk.notes, NO_JSON)
    if read is None and not any(mark == ADD and MARK_LIKE.match(text) for mark, text in hunk.lines):
        read, notes = [*map(shown_source, texts)], hunk.notes
    if read is None or read == texts:
        return None
    lines = tuple((mark, text) for (mark, _), text in zip(hunk.lines, read, strict=True))
    # Its line number may be that of the JSON.
    return replace(hunk, lines=lines, readings=(), line=0, notes=notes)


def no_notebook(path: str, document: Document) -> Refusal:
    """Refuse to edit the cells of a file that is no notebook that can be read."""
    return Refusal(
        "unparsable",
        say("the cells of {} cannot be read: {}", FileName(path), document.flaw),
        help=say("mend or convert it first; {write:tool} replaces the whole file"),
        path=path,
        hash_current=document.hash,
    )


def counted_in_cells(refusal: Refusal, document: Document) -> Refusal:
    """Return a refusal whose lines count in their cells, and whose candidates name these."""
    candidates = tuple(
        replace(
            each,
            lines=document.lines_shown(each.lines),
            segment=each.segment or f"cell#{document.cell_at(each.lines[0])}",
        )
        for each in refusal.candidates
    )
    data, lines = refusal.data, refusal.data.get("lines")
    if isinstance(lines, list):
        data = {**data, "lines": [document.line_shown(line) for line in lines]}
    return replace(refusal, candidates=candidates, data=data)


def _with_cell(target: Target, placed: LocatedEdit) -> LocatedEdit:
    """Return an edit that says in which cell it is, if it is in one."""
    cells = _touched(target, placed)
    if placed.segment or len(cells) != 1:
        return placed
    return replace(placed, segment=cells[0].address)


def _with_sound_marks(edit: Edit | Hunk, target: Target, placed: LocatedEdit) -> LocatedEdit:
    """Return an edit that leaves marks alone, but for those that it quotes or makes itself."""
    text = target.document.text
    asked = "\n".join(edit.old) if isinstance(edit, Hunk) else edit.find or ""
    new = "\n".join(edit.new) if isinstance(edit, Hunk) else edit.content or ""
    quotes = bool(MARK_LIKE.search(asked)) or (
        isinstance(edit, Hunk) and bool(MARK_LIKE.search(new))
    )
    if not (quotes and any(_has_mark(change, text) for change in placed.changes)):
        if any(touches_mark(change, text) for change in placed.changes):
            raise Refused(_across())
        changes = tuple(_shown(each, text) for each in placed.changes)
        return replace(placed, changes=changes)
    changes = tuple(_with_ids(change, target.document) for change in placed.changes)
    return replace(placed, changes=changes)


def _has_mark(change: Change, text: str) -> bool:
    """Tell whether a change takes a mark away, or brings one."""
    taken = MARK.search(text, text.rfind("\n", 0, change.start) + 1, change.end)
    return bool(taken or MARK.search(change.text))


def _shown(change: Change, text: str) -> Change:
    """Return a change of sources as one of the text, in which what looks like a mark is escaped.

    A quote may leave out the escape before it; the new line has one if it needs one.
    """
    first = text.rfind("\n", 0, change.start) + 1
    before, stop = text[first : change.start], text.find("\n", change.end)
    if "<<cell " not in text[first:stop] and "<<cell " not in change.text:
        return change
    is_escaped = text.startswith("\\", first) and shown_source(text[first:stop]) != text[first:stop]
    had = before[1:] if is_escaped else before
    tail = "" if text[change.end - 1 : change.end] == "\n" else text[change.end : stop]
    line = shown_source(f"{had}{change.text}{tail}").removesuffix(tail)
    if line.startswith(before):
        return replace(change, text=line.removeprefix(before))
    return Change(first, change.end, line)


def touches_mark(change: Change, text: str) -> bool:
    """Tell whether a change takes away a mark, a part of one, or the line end before one."""
    start = text.rfind("\n", 0, change.start) + 1
    stop = text.find("\n", change.end)
    for mark in MARK.finditer(text, start, len(text) if stop < 0 else stop):
        begins, ends = mark.start(), mark.end() + 1
        if change.start < ends and change.end > begins:
            return True
        if change.end == begins and not change.text.endswith("\n"):
            cuts_line = change.start < begins and text[change.start - 1 : change.start] != "\n"
            return bool(change.text) or cuts_line
    return False


def _across() -> Refusal:
    return Refusal(
        "bad-request",
        "the edit would run from one cell into another",
        help="send an edit for each cell; to join cells, change one and delete the other",
    )


def _with_ids(change: Change, document: Document) -> Change:
    """Return a change whose new marks say what they leave out: the language, and an id."""
    notebook = document.notebook
    assert notebook is not None, "BUG: only a notebook has marks"
    old = {mark.group() for mark in MARK.finditer(document.text[change.start : change.end])}

    def complete(text: str) -> Iterator[str]:
        for number, line in enumerate(text.split("\n")):
            mark = MARK.fullmatch(line)
            if mark is None or line in old:
                yield line
                continue
            is_code = mark["word"] not in {"markdown", "raw"}
            word = notebook.language if is_code else mark["word"]
            id_ = mark["id"] or ""
            if notebook.has_ids and not id_:
                id_ = new_id(document, f"{change.start} {number} {text}")
            yield mark_of(word, id_, int(mark["outputs"] or 0))

    return replace(change, text="\n".join(complete(change.text)))


def new_id(document: Document, salt: str) -> str:
    """Return an id that no cell has: the same for the same edit of the same version."""
    notebook = document.notebook
    taken = {cell.id for cell in notebook.cells} if notebook else set()
    seeds = (f"{document.hash} {number} {salt}" for number in count())
    ids = (hashlib.sha256(each.encode("utf-8", "surrogatepass")).hexdigest()[:8] for each in seeds)
    return next(each for each in ids if each not in taken)


def _with_line_end(target: Target, placed: LocatedEdit) -> LocatedEdit:
    """Return an edit that leaves a cell of which it takes all lines the line end behind them."""
    ends = {cell.start: cell.end for cell in cells_of(target.document.text)}
    changes = tuple(
        replace(each, end=each.end - 1)
        if not each.text and ends.get(each.start) == each.end
        else each
        for each in placed.changes
    )
    return replace(placed, changes=changes) if changes != placed.changes else placed


def _with_returns(target: Target, placed: LocatedEdit) -> LocatedEdit:
    """Return an edit that leaves each cell the line ends it has; the last line has none of its own.

    The text has a line end of ours behind a source, which tells an edit nothing of the others.
    """
    changes: list[Change] = []
    left = [*placed.changes]
    for cell in cells_of(target.document.text):
        own = [each for each in left if _is_inside(each, cell)]
        left = [each for each in left if each not in own]
        changes += _with_returns_of(target.document.text[cell.start : cell.end], cell.start, own)
    changes = sorted([*changes, *left], key=lambda each: (each.start, each.end))
    return replace(placed, changes=tuple(changes))


def _is_inside(change: Change, cell: CellPlace) -> bool:
    """Tell whether a change is one of a cell's source, and neither brings nor takes a cell."""
    return cell.start <= change.start <= change.end <= cell.end and not MARK.search(change.text)


def _with_returns_of(had: str, at: int, changes: Sequence[Change]) -> Sequence[Change]:
    """Return changes of the text of a cell, which begins at an offset, with its line ends."""
    new, done = "", 0
    for each in changes:
        new, done = new + had[done : each.start - at] + each.text, each.end - at
    new += had[done:]
    source, wanted = had[:-1], new[:-1]
    if not changes or "\r\n" not in source:
        return changes
    if not source.endswith("\r"):
        wanted = wanted.removesuffix("\r")
    if source.count("\n") == source.count("\r\n"):
        wanted = wanted.replace("\r\n", "\n").replace("\n", "\r\n")
    if wanted == new[:-1]:
        return changes
    found = diff(had, f"{wanted}\n").changes
    return [Change(each.start + at, each.end + at, each.text) for each in found]


def _cell_of_change(change: Change, cells: Sequence[CellPlace]) -> CellPlace | None:
    """Return the cell whose source a change is in, or whose mark it changes."""
    for cell in cells:
        is_new = change.start == change.end == cell.mark
        if is_new and MARK.match(change.text):
            return None
        if cell.mark <= change.start < cell.end and not is_new:
            return cell
        if change.start == change.end == cell.end and not MARK.match(change.text):
            return cell
    return None


def _touched(target: Target, placed: LocatedEdit) -> list[CellPlace]:
    """Return the cells whose place an edit is at, or whose source it changes."""
    cells = cells_of(target.document.text)
    if not placed.changes:
        return [each for each in cells if each.start <= placed.span[0] < each.end]
    found = [_cell_of_change(change, cells) for change in placed.changes]
    return [cell for cell in cells if cell in found]


def _without_outputs(target: Target, placed: LocatedEdit) -> LocatedEdit:
    """Return the edit with the outputs of its cells taken away."""
    notebook = target.document.notebook
    assert notebook is not None, "BUG: only a notebook has outputs"
    changes = [*placed.changes]
    for cell in _touched(target, placed):
        there = notebook.cells[cell.number - 1]
        is_left = not any(c.start < cell.start and c.end > cell.mark for c in placed.changes)
        if there.outputs and is_left:
            changes.append(Change(cell.mark, cell.start - 1, mark_of(there.word, there.id)))
    return replace(placed, changes=tuple(sorted(changes, key=lambda each: each.start)))


def _with_stale_note(target: Target, placed: LocatedEdit) -> LocatedEdit:
    """Return the edit with a note if outputs stay that its cells' new sources did not make."""
    notebook = target.document.notebook
    assert notebook is not None, "BUG: only a notebook has outputs"
    stale = [
        cell.address
        for cell in _touched(target, placed)
        if notebook.cells[cell.number - 1].outputs
        and placed.changes
        and all(each.start >= cell.start or each.end <= cell.mark for each in placed.changes)
    ]
    if not stale:
        return placed
    note = f"the outputs of {', '.join(stale)} are those of the old source"
    return replace(placed, notes=(*placed.notes, note))
