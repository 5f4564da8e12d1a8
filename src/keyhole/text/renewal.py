"""Renewal: the JSON of a notebook for changes of its text; only what they touch is written anew.

A cell whose mark no change touches is that cell. One whose mark was taken out and put in again was
moved, or got another type; one that comes without its like is new, or comes back from an older
version of the notebook with all that the text does not show of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from keyhole.fastclasses import dataclass, replace
from keyhole.refusals import Refusal, Refused
from keyhole.text.cells import respelled, spelling_of
from keyhole.text.notebook import (
    MARK,
    MARK_LIKE,
    Cell,
    FormerCell,
    Notebook,
    kind_of_word,
    shown_source,
    signs_of,
    stored_source,
)

# How many cells are looked at for the order of their members.
_MOST_LOOKED = 50
# Where a change begins and ends in the old text, and what stands there then.
Replaced = tuple[int, int, str]


class RenewedJson(NamedTuple):
    """A notebook's JSON after changes, and how many characters it shares at both ends."""

    stored: str
    ends: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class CellDraft:
    """A cell as it shall be: its mark, its source, the cell that it was, and what comes back."""

    at: int
    word: str
    id: str
    outputs: int
    source: str
    was: Cell | None = None
    former: FormerCell | None = None


def renewed(
    notebook: Notebook, changes: Sequence[Replaced], text: str, former: Sequence[FormerCell] = ()
) -> RenewedJson:
    """Return the JSON of a notebook whose text the changes make `text`, or refuse.

    The `former` cells are those of an older version that the changes may bring back.
    """
    kept = _kept(notebook, changes)
    drafts = _matched(notebook, [*_drafts(text, kept)])
    drafts = _brought_back(drafts, former) if former else drafts
    for draft in drafts:
        _check(notebook, draft)
    if [draft.was for draft in drafts] == [*notebook.cells]:
        return _spliced(notebook, drafts)
    return RenewedJson(_rebuilt(notebook, drafts))


def _kept(notebook: Notebook, changes: Sequence[Replaced]) -> dict[int, Cell]:
    """Return the cells whose marks stay, by where their marks stand then."""
    kept: dict[int, Cell] = {}
    ordered = sorted(changes, key=lambda each: each[:2])
    at = shift = number = 0
    for cell in notebook.cells:
        body = at + len(cell.mark) + 1
        while number < len(ordered) and ordered[number][1] <= at:
            start, end, new = ordered[number]
            shift += len(new) - (end - start)
            number += 1
        if number == len(ordered) or ordered[number][0] >= body:
            kept[at + shift] = cell
        at = body + len(shown_source(cell.source)) + 1
    return kept


def _drafts(text: str, kept: dict[int, Cell]) -> Iterator[CellDraft]:
    """Yield the cells of a text."""
    marks = [*MARK_LIKE.finditer(text)]
    if text and (not marks or marks[0].start()):
        raise Refused(_no_mark("text stands above the first cell"))
    for number, found in enumerate(marks):
        mark = MARK.fullmatch(found.group())
        if not mark:
            raise Refused(_no_mark(f"`{found.group()}` is no mark of a cell"))
        end = marks[number + 1].start() if number + 1 < len(marks) else len(text)
        body = text[found.end() + 1 : end]
        if not body.endswith("\n"):
            raise Refused(_no_mark("a cell's mark shares its line with other text"))
        outputs, source = int(mark["outputs"] or 0), stored_source(body[:-1])
        at, was = found.start(), kept.get(found.start())
        yield CellDraft(at, mark["word"], mark["id"] or "", outputs, source, was)


def _matched(notebook: Notebook, drafts: list[CellDraft]) -> list[CellDraft]:
    """Return the drafts with the cells that they were, also where they moved or changed type."""
    taken = {id(draft.was) for draft in drafts if draft.was}
    pool = [cell for cell in notebook.cells if id(cell) not in taken]
    for same in (_is_like, _has_id, _has_source, _is_any):
        for index, draft in enumerate(drafts):
            if not pool:
                return drafts
            if draft.was is not None or (same is _is_any and not _alone(drafts, pool)):
                continue
            found = next((cell for cell in pool if same(cell, draft)), None)
            if found is not None:
                pool = [cell for cell in pool if cell is not found]
                drafts[index] = replace(draft, was=found)
    return drafts


def _brought_back(drafts: list[CellDraft], former: Sequence[FormerCell]) -> list[CellDraft]:
    """Return the drafts with the older cells of which they get back more than the text."""
    pool = [*former]
    for same in (_is_like, _has_id):
        for index, draft in enumerate(drafts):
            if draft.former or (draft.was and _stays(draft.was, draft)):
                continue
            found = next((one for one in pool if same(one.cell, draft)), None)
            if found is not None and _stays(found.cell, draft):
                pool = [one for one in pool if one is not found]
                drafts[index] = replace(draft, former=found)
    return drafts


def _stays(cell: Cell, draft: CellDraft) -> bool:
    """Tell whether a draft has the type and as many outputs as a cell."""
    return (cell.kind, cell.outputs) == (kind_of_word(draft.word), draft.outputs)


def _is_like(cell: Cell, draft: CellDraft) -> bool:
    same = (cell.word, cell.id, cell.outputs) == (draft.word, draft.id, draft.outputs)
    return same and cell.source == draft.source


def _has_id(cell: Cell, draft: CellDraft) -> bool:
    return bool(cell.id) and cell.id == draft.id


def _has_source(cell: Cell, draft: CellDraft) -> bool:
    return not cell.id and not draft.id and cell.source == draft.source


def _is_any(cell: Cell, draft: CellDraft) -> bool:
    return not cell.id and not draft.id


def _alone(drafts: Sequence[CellDraft], pool: Sequence[Cell]) -> bool:
    """Tell whether one cell is gone and one has come, which are then the same."""
    return len(pool) == 1 and sum(draft.was is None for draft in drafts) == 1


def _check(notebook: Notebook, draft: CellDraft) -> None:
    """Refuse what a mark says and no notebook can be made to hold."""
    was = draft.was
    if draft.outputs and not draft.former and (was is None or was.outputs != draft.outputs):
        count = f"{draft.outputs} output{'s' if draft.outputs > 1 else ''}"
        headline = f"a cell with {count} is to come, and text brings no outputs"
        help_line = "leave `outputs` out of the mark, and run the cell"
        raise Refused(Refusal("conflict", headline, help=help_line))
    if was is None and notebook.has_ids and not draft.id:
        raise Refused(_no_mark("a new cell has no id"))
    if was is None and draft.id and not notebook.has_ids:
        raise Refused(_no_mark("the notebook's format has no ids of cells"))


def _no_mark(what: str) -> Refusal:
    help_line = "edit the lines of a cell, or name cells and an action: before, after, delete, move"
    return Refusal(
        "bad-request", f"{what}: the edit would run from one cell into another", help=help_line
    )


def _spliced(notebook: Notebook, drafts: Sequence[CellDraft]) -> RenewedJson:
    """Return the JSON with changed cells in their places."""
    pieces, at, stored = [], 0, notebook.stored
    for draft in drafts:
        cell = draft.was
        assert cell is not None, "BUG: a new cell has no place yet"
        if not _is_same(cell, draft):
            pieces += [stored[at : cell.start], _cell_text(notebook, cell, draft)]
            at = cell.end
    head = len(pieces[0]) if pieces else len(stored)
    return RenewedJson("".join([*pieces, stored[at:]]), (head, len(stored) - at))


def _is_same(cell: Cell, draft: CellDraft) -> bool:
    kind = kind_of_word(draft.word)
    return (cell.source, cell.kind) == (draft.source, kind) and cell.outputs == draft.outputs


def _cell_text(notebook: Notebook, cell: Cell, draft: CellDraft) -> str:
    """Return the object of a cell with another source, type, or without its outputs."""
    former = draft.former
    if former is not None and former.cell is not cell and _is_made_of(former, notebook, cell):
        return _former_cell(former, draft)
    stored, members = notebook.stored, cell.members
    values: dict[str, str | None] = {}
    source = members["source"]
    if cell.source != draft.source:
        place = source.start, source.end
        spelling = spelling_of(stored, place, notebook.spelling(draft.source))
        values["source"] = respelled(stored, place, draft.source, spelling)
    kind = kind_of_word(draft.word)
    if cell.kind != kind:
        values |= _of_kind(kind)
    elif cell.outputs and not draft.outputs:
        values |= {"outputs": "[]", "execution_count": "null"}
    if former is not None and former.cell is not cell:
        values |= former.runs
    return _with_values(stored, cell, values)


def _of_kind(kind: str) -> dict[str, str | None]:
    """Return the members to set and to leave out where a cell becomes one of this type."""
    is_code = kind == "code"
    runs = {"execution_count": "null", "outputs": "[]"}
    others: dict[str, str | None] = {**(runs if is_code else dict.fromkeys(runs))}
    return {"cell_type": f'"{kind}"', **others, **({"attachments": None} if is_code else {})}


def _with_values(stored: str, cell: Cell, values: dict[str, str | None]) -> str:
    """Return an object with other values; None takes a member out, and a new one comes last."""
    ordered = sorted(cell.members.items(), key=lambda each: each[1].key)
    first, last = ordered[0][1], ordered[-1][1]
    usual, colon = signs_of(stored, first)  # a cell has a type and a source
    pieces, before = [stored[cell.start : first.key]], -1
    for number, (name, member) in enumerate(ordered):
        value = values.get(name, stored[member.start : member.end])
        if value is None:
            continue
        if before >= 0:
            apart = stored[ordered[before][1].end : member.key]
            pieces.append(apart if before == number - 1 else usual)
        pieces += [stored[member.key : member.start], value]
        before = number
    new = [name for name, value in values.items() if value and name not in cell.members]
    pieces += [f'{usual}"{name}"{colon}{values[name]}' for name in new]
    return "".join([*pieces, stored[last.end : cell.end]])


def _new_cell(notebook: Notebook, draft: CellDraft) -> str:
    """Return the object of a new cell, in the form of the notebook's others."""
    kind = kind_of_word(draft.word)
    gap, closing = notebook.gaps
    between, colon = (f",{gap}" if gap else ", "), ": "
    order: list[str] = []
    if notebook.cells:
        like = max(notebook.cells[:_MOST_LOOKED], key=lambda cell: len(cell.members))
        ordered = sorted(like.members.items(), key=lambda each: each[1].key)
        order, first = [name for name, _ in ordered], ordered[0][1]
        between, colon = signs_of(notebook.stored, first)
    values = {"cell_type": f'"{kind}"'}
    if kind == "code":
        values["execution_count"] = "null"
    if draft.id and notebook.has_ids:
        values["id"] = f'"{draft.id}"'
    values["metadata"] = "{}"
    if kind == "code":
        values["outputs"] = "[]"
    values["source"] = notebook.spelling(draft.source).source(draft.source)
    names = sorted(values, key=order.index) if {*values} <= {*order} else [*values]
    members = between.join(f'"{name}"{colon}{values[name]}' for name in names)
    return f"{{{gap}{members}{closing}}}"


def _is_made_of(former: FormerCell, notebook: Notebook, cell: Cell) -> bool:
    """Tell whether a cell is what an edit made of a former one, and nobody changed it since."""
    as_now = CellDraft(0, cell.word, cell.id, cell.outputs, cell.source)
    made = _cell_text(former.notebook, former.cell, as_now)
    return made == notebook.stored[cell.start : cell.end]


def _former_cell(former: FormerCell, draft: CellDraft) -> str:
    """Return the object of a cell that comes back, as it stood in the older version."""
    cell = former.cell
    if _is_same(cell, draft):
        return former.notebook.stored[cell.start : cell.end]
    return _cell_text(former.notebook, cell, draft)


def _rebuilt(notebook: Notebook, drafts: Sequence[CellDraft]) -> str:
    """Return the JSON with another list of cells; neighbours that stay keep what parts them."""
    stored, cells = notebook.stored, notebook.cells
    start, end = notebook.array
    if not drafts:
        return f"{stored[:start]}[]{stored[end:]}"
    opening, between, closing = _around_cells(notebook)
    number = {id(cell): index for index, cell in enumerate(cells)}
    pieces, before = [opening], -2
    for draft in drafts:
        cell = draft.was
        now = number[id(cell)] if cell else -2
        if len(pieces) > 1:
            follows = cell is not None and now == before + 1
            pieces.append(stored[cells[before].end : cells[now].start] if follows else between)
        if cell is None:
            former = draft.former
            made = _former_cell(former, draft) if former else _new_cell(notebook, draft)
            pieces.append(made)
        else:
            same = _is_same(cell, draft)
            raw = stored[cell.start : cell.end]
            pieces.append(raw if same else _cell_text(notebook, cell, draft))
        before = now
    return f"{stored[: start + 1]}{''.join(pieces)}{closing}{stored[end - 1 :]}"


def _around_cells(notebook: Notebook) -> tuple[str, str, str]:
    """Return what stands before the first cell, between two, and behind the last."""
    stored, cells = notebook.stored, notebook.cells
    start, end = notebook.array
    if not cells:
        gap, closing = notebook.gaps
        outer = closing[: len(closing) - (len(gap) - len(closing))]
        return closing, f",{closing}" if closing else ", ", outer
    opening, ending = stored[start + 1 : cells[0].start], stored[cells[-1].end : end - 1]
    between = f",{opening}" if opening else ", "
    if len(cells) > 1:
        between = stored[cells[0].end : cells[1].start]
    return opening, between, ending
