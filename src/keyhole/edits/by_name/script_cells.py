"""Edits of the cells of a script: their lines, the cells as such, and new ones.

A new source without a marker leaves the one there is. Text of a Markdown cell is written as
comments, in the form that the cell has; so is that of code which does not run with the script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from keyhole.edits.by_name.segment_target import (
    SegmentChanges,
    SegmentTarget,
    content_lines,
    no_such_part,
    put_lines,
)
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import Edit, bad
from keyhole.edits.model.plan import LocatedEdit
from keyhole.fastclasses import replace
from keyhole.refusals import Refused
from keyhole.segments.addresses import look_up
from keyhole.segments.notebook.script import long_string, marker, plain_markdown
from keyhole.segments.outline import Segment
from keyhole.text.indent import is_blank

_TAG = re.compile(r"[ \t]*\[(?:markdown|md|raw)\]")
# Where the metadata of a marker begins.
_METADATA = re.compile(r"[ \t]+(?:[\w.-]+=|\{)|[ \t]*$")
# The language of a cell that has another one than the script, and where a cell is run.
_LANGUAGE = re.compile(r"\blanguage=\"([^\"]+)\"")
_ARGUMENTS = re.compile(r"\bmagic_args=\"([^\"]+)\"")
_ACTIVE = re.compile(r"\bactive=\"([^\"]*)\"|\"active-([^\"]*)\"")
_QUOTES = ('"""', "'''")
_WRITTEN = "the text was written as comments, as the script keeps such a cell"


class _ScriptCell(NamedTuple):
    """A cell in offsets of the flat text; `stop` is where the next one begins."""

    segment: Segment
    start: int
    body: int
    end: int
    stop: int

    @property
    def is_marked(self) -> bool:
        return self.start < self.body

    @property
    def kind(self) -> str:
        return self.segment.kind.removesuffix("_cell")


class _SideOfCell(NamedTuple):
    """Beside which cell another one goes, and on which side: "before" or "after"."""

    cell: _ScriptCell
    side: str


def edit_cell(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Carry out an edit of a cell with these lines of new text."""
    edit = spot.edit
    if edit.clear_outputs:
        bad("clear_outputs", "is for notebooks; a script keeps no outputs")
    if edit.part not in {"whole", "body"}:
        raise Refused(no_such_part(spot))
    cells = _cells_of(spot)
    cell = cells[next(n for n, each in enumerate(cells) if each.segment == spot.segment)]
    match edit.action:
        case "before" | "after" as side:
            new, notes = _block(spot, lines)
            written = _put(spot, cells, _SideOfCell(cell, side), new)
            return written._replace(notes=notes)
        case "delete":
            return _deleted(spot, cells, cell)
        case "move":
            return _moved(spot, cells, cell)
        case "prepend" | "append":
            return _added(spot, cell, lines)
    return _replaced(spot, cell, lines)


def place_new_cell(edit: Edit, target: Target) -> LocatedEdit:
    """Return the insertion of a cell at the start or the end of a script."""
    cells = target.outline.cells
    side, cell = ("before", cells[0]) if edit.action == "prepend" else ("after", cells[-1])
    beside = replace(edit, action=side, segment=cell.address)
    spot = SegmentTarget(beside, target, cell)
    written = edit_cell(spot, content_lines(target.view.plain(edit.content or "")))
    return LocatedEdit(
        0,
        written.changes,
        segment=cell.address,
        beside=side,
        reason=edit.reason,
        notes=written.notes,
        span=written.span,
        adds=True,
    )


def _cells_of(spot: SegmentTarget) -> list[_ScriptCell]:
    cells = spot.target.outline.cells
    starts = [spot.flat_span(cell.span)[0] for cell in cells]
    return [
        _ScriptCell(cell, start, *spot.flat_span(cell.parts["body"]), stop)
        for cell, start, stop in zip(cells, starts, [*starts[1:], len(spot.flat)], strict=True)
    ]


def _mark(spot: SegmentTarget) -> str:
    """Return what begins a comment in the script."""
    signature = next(
        each.parts["signature"] for each in spot.target.outline.cells if "signature" in each.parts
    )
    return spot.target.document.text[slice(*signature)].partition("%%")[0].strip()


def _is_marker(spot: SegmentTarget, line: str) -> bool:
    return marker(_mark(spot)).match(line) is not None


def _spelled(
    spot: SegmentTarget, kind: str, lines: list[str], cell: _ScriptCell | None = None
) -> tuple[list[str], tuple[str, ...]]:
    """Return the lines of a source as a script keeps them, with a note if they were not so sent."""
    mark = _mark(spot)
    line = spot.flat[cell.start : cell.body] if cell else ""
    if not _is_comment(spot, kind, line) or not lines:
        return lines, ()
    lines = _without_magic(lines, line) if kind == "code" else lines
    text = [line for line in lines if not is_blank(line)]
    if not text or any(text[0].lstrip().startswith(each) for each in _QUOTES):
        return lines, ()
    is_title = len(text) == 1 and kind != "code"
    if not is_title and all(line == mark or line.startswith(f"{mark} ") for line in text):
        return lines, ()
    found = _quoted(spot, cell) if spot.edit.action == "replace" else None
    if found and found[2] not in "\n".join(lines):
        return [found[1], *lines, found[2]], (_WRITTEN,)
    return _commented(lines, mark), (_WRITTEN,)


def _commented(lines: list[str], mark: str) -> list[str]:
    return [f"{mark} {line}" if line.strip() else mark for line in lines]


def _is_comment(spot: SegmentTarget, kind: str, line: str) -> bool:
    """Tell whether a script keeps a cell of a kind with this marker as comments."""
    if kind != "code":
        return True
    if '"frozen": true' in line:
        return True
    if active := _ACTIVE.search(line):
        return spot.target.path.rpartition(".")[2] not in re.split("[.,-]", active[1] or active[2])
    other = _LANGUAGE.search(line)
    return other is not None and other[1].casefold() != spot.target.outline.language


def _without_magic(lines: list[str], line: str) -> list[str]:
    """Return a source without the magic that its marker tells, or refuse another one."""
    language, arguments = _LANGUAGE.search(line), _ARGUMENTS.search(line)
    if not language or not lines[0].startswith("%%"):
        return lines
    told = f"%%{language[1]} {arguments[1]}" if arguments else f"%%{language[1]}"
    if lines[0].split() != told.split():
        headline = f"begins with `{lines[0][:40]}`, and the marker of the cell means `{told}`"
        bad("content", headline, "leave that line out, or send the marker line as well")
    return lines[1:]


def _quoted(spot: SegmentTarget, cell: _ScriptCell | None) -> re.Match[str] | None:
    """Return the long string that a cell of text is; Jupytext knows it in Python alone."""
    if cell is None or not spot.target.path.endswith(".py"):
        return None
    line = spot.flat[cell.start : cell.body]
    is_text = cell.kind != "code" or (
        _is_comment(spot, "code", line) and not _LANGUAGE.search(line)
    )
    return long_string(spot.flat[cell.body : cell.end]) if is_text else None


def _added(spot: SegmentTarget, cell: _ScriptCell, lines: list[str]) -> SegmentChanges:
    """Return the changes of a cell that gets more lines, inside of the quotes it has."""
    is_first, found = spot.edit.action == "prepend", _quoted(spot, cell)
    if found is None:
        new, notes = _spelled(spot, cell.kind, lines, cell)
        at = cell.body if is_first else cell.end
        return put_lines(spot, (at, at), new, notes)
    own = long_string("\n".join(lines))
    new = own[4].split("\n") if own else lines
    had = found[4].split("\n") if found[4] else []
    inner = [*new, *had] if is_first else [*had, *new]
    return put_lines(spot, (cell.body, cell.end), [found[1], *inner, found[2]])


def _replaced(spot: SegmentTarget, cell: _ScriptCell, lines: list[str]) -> SegmentChanges:
    """Return the changes of a cell that gets another source, or another type."""
    kind = spot.edit.cell_type or cell.kind
    if lines and _is_marker(spot, lines[0]):
        return put_lines(spot, (cell.start, cell.end), lines)
    if kind == cell.kind and spot.edit.content is None:
        return SegmentChanges((), (cell.start, cell.end))
    if kind == cell.kind:
        new, notes = _spelled(spot, kind, lines, cell)
        return put_lines(spot, (cell.body, cell.end), new, notes)
    had = spot.flat[cell.start : cell.body].rstrip("\n")
    line = _tagged(spot, had, kind)
    if spot.edit.content is not None:
        new, notes = _spelled(spot, kind, lines, cell)
        return put_lines(spot, (cell.start, cell.end), [line, *new], notes)
    if _is_comment(spot, kind, had) == _is_comment(spot, cell.kind, had):
        return put_lines(spot, (cell.start, cell.body), [line])
    body, mark = spot.flat[cell.body : cell.end], _mark(spot)
    if _is_comment(spot, kind, had):
        new = _commented(content_lines(body), mark) if body.strip() else []
    else:
        new = content_lines(plain_markdown(body, mark)) if body.strip() else []
    return put_lines(spot, (cell.start, cell.end), [line, *new])


def _tagged(spot: SegmentTarget, line: str, kind: str) -> str:
    """Return a marker for another type of cell; its title and metadata stay."""
    line = _TAG.sub("", line) or f"{_mark(spot)} %%"
    if kind == "code":
        return line
    head, sign, rest = line.partition("%%")
    found = _METADATA.search(rest)
    at = found.start() if found else len(rest)
    return f"{head}{sign}{rest[:at]} [{kind}]{rest[at:]}"


def _gap(spot: SegmentTarget, cells: Sequence[_ScriptCell]) -> list[str]:
    """Return the blank lines that the script has between two cells."""
    if len(cells) < 2:
        return [""]
    return [""] * spot.flat.count("\n", cells[0].end, cells[0].stop)


def _block(spot: SegmentTarget, lines: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the lines of a new cell."""
    if lines and _is_marker(spot, lines[0]):
        return lines, ()
    kind = spot.edit.cell_type or "code"
    new, notes = _spelled(spot, kind, lines)
    return [_tagged(spot, f"{_mark(spot)} %%", kind), *new], notes


def _put(
    spot: SegmentTarget, cells: Sequence[_ScriptCell], place: _SideOfCell, new: list[str]
) -> SegmentChanges:
    """Put the lines of a cell before or after another one."""
    cell, gap = place.cell, _gap(spot, cells)
    if place.side == "before":
        own = [] if cell.is_marked else [f"{_mark(spot)} %%"]
        return put_lines(spot, (cell.start, cell.start), [*new, *gap, *own])
    if cell is cells[-1]:
        return put_lines(spot, (cell.end, cell.end), [*gap, *new])
    return put_lines(spot, (cell.stop, cell.stop), [*new, *gap])


def _deleted(
    spot: SegmentTarget, cells: Sequence[_ScriptCell], cell: _ScriptCell
) -> SegmentChanges:
    if cell is cells[-1] and len(cells) > 1:
        return put_lines(spot, (cells[-2].end, cell.end), [])
    return put_lines(spot, (cell.start, cell.stop), [])


def _moved(spot: SegmentTarget, cells: Sequence[_ScriptCell], cell: _ScriptCell) -> SegmentChanges:
    """Return the changes that take a cell to another place."""
    place = _destination(spot, cells, cell)
    at, to = cells.index(cell), cells.index(place.cell)
    if to == at or to + (1 if place.side == "after" else -1) == at:
        return SegmentChanges((), (cell.start, cell.end))
    source = spot.flat[cell.start : cell.end].removesuffix("\n").split("\n")
    new = source if cell.is_marked else [f"{_mark(spot)} %%", *source]
    put = _put(spot, cells, place, new)
    gone = _deleted(spot, cells, cell)
    changes = sorted((*put.changes, *gone.changes), key=lambda each: (each.start, each.end))
    number = to + (place.side == "after") + (to < at)
    note = f"`{cell.segment.address}` is `cell#{number}` now"
    return SegmentChanges(tuple(changes), gone.span, (note,))


def _destination(
    spot: SegmentTarget, cells: Sequence[_ScriptCell], cell: _ScriptCell
) -> _SideOfCell:
    """Return beside which cell, and on which side, another one goes."""
    to = spot.edit.to or ""
    if to in {"start", "end"}:
        return _SideOfCell(cells[0], "before") if to == "start" else _SideOfCell(cells[-1], "after")
    side, _, name = to.partition(" ")
    if side not in {"before", "after"} or not name:
        side, name = "", to
    found = look_up(spot.target.outline, name, spot.target.document, spot.edit.match).segment
    at = spot.target.view.flat_offset(found.span[0])
    other = next((each for each in cells if each.start <= at < each.stop), cells[0])
    return _SideOfCell(other, side or ("after" if other.start > cell.start else "before"))
