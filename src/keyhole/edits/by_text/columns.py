"""Columns: whether lines at an indentation that the caller set stay in their block.

Only where the indentation of a line decides what it belongs to. A number is the column of the place
itself, or at least that of the lines below it; text that keeps its own indentation must not carry
a definition out of the one around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import LocatedEdit
from keyhole.fastclasses import replace
from keyhole.segments.languages.table import language_of, row_of
from keyhole.segments.outline import Segment
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from keyhole.text.indent import columns, indent_of, is_blank

# What a tab counts for where columns are compared.
_TAB = 4


def wrong_column(indent: str, got: int | str) -> str:
    """Return the message that text is at another column than a place indented by `indent`."""
    unit = "tab" if "\t" in indent else "space"
    expected = f"{len(indent)} {unit}{'' if len(indent) == 1 else 's'}"
    return f"expected {expected}, got {got}: at that column the text is no part of its block"


def check_column(edit: Edit, target: Target, placed: LocatedEdit) -> LocatedEdit:
    """Return an edit of quoted or numbered lines with a finding if its text leaves its block.

    Where the caller set the indentation it is an error; a dedented quote is a warning.
    """
    if not row_of(language_of(target.path, target.document)).has("layout"):
        return placed
    if edit.indent != "auto":
        return replace(placed, misplaced=_column_error(edit, target, placed))
    left = _left_its_parent(target, placed, _apply(target.document, placed.changes))
    warnings = [f"`{old.address}` is outside of `{old.parent}` now" for old, _ in left[:1]]
    return replace(placed, warnings=(*placed.warnings, *warnings)) if warnings else placed


def _column_error(edit: Edit, target: Target, placed: LocatedEdit) -> str:
    after = _apply(target.document, placed.changes)
    if edit.indent == "keep":
        left = _left_its_parent(target, placed, after)
        return wrong_column(left[0][0].indent, len(left[0][1].indent)) if left else ""
    adds = edit.action != "replace" or placed.span[0] == placed.span[1]
    first = placed.changes[0].start if adds else placed.span[0]
    here = target.document.line_at(first) - 1
    old, new = _Rows(target.path, target.document), _Rows(target.path, after)
    if adds:
        return _above_deeper(old, new, here, int(edit.indent))
    place = old.code_from(here)
    if not place or old.is_continued(here) or columns(indent_of(place), _TAB) == edit.indent:
        return ""
    return wrong_column(indent_of(place), edit.indent)


def _above_deeper(old: _Rows, new: _Rows, here: int, column: int) -> str:
    """Return the message that an inserted block would take in the deeper lines below it."""
    below = old.code_from(here)
    added = len(new.lines) - len(old.lines)
    opens = any(line.rstrip().endswith(":") for line in new.lines[here : here + added][-1:])
    if not below or opens or old.is_continued(here) or columns(indent_of(below), _TAB) <= column:
        return ""
    return wrong_column(indent_of(below), column)


def _left_its_parent(
    target: Target, placed: LocatedEdit, after: Document
) -> list[tuple[Segment, Segment]]:
    """Return the segments of the replaced lines that leave their parent, each before and after."""
    from keyhole.segments.registry import outline

    moved = list(_begun(target, placed))
    found = outline(target.path, after) if moved else target.outline
    left = []
    for old in moved:
        same = (one for one in found.segments if one.name == old.name)
        here = (one for one in same if one.span[0] >= placed.span[0] - len(old.indent))
        out = next((one for one in here if len(one.path) < len(old.path)), None)
        if out and len(out.indent) < len(old.indent) and old.address not in found.by_address:
            left.append((old, out))
    return left


def _begun(target: Target, placed: LocatedEdit) -> Iterator[Segment]:
    """Yield the segments inside others that begin in the replaced lines."""
    start, end = placed.span
    parents = target.outline.by_address
    for one in target.outline.segments:
        parent = parents.get(one.parent)
        begins = start <= one.span[0] + len(one.indent) and one.span[0] < end
        if parent and one.indent and begins and parent.span[0] < start:
            yield one


def _apply(document: Document, changes: Sequence[Change]) -> Document:
    made = ChangeSet.of(len(document.text), changes)
    assert isinstance(made, ChangeSet), "BUG: changes of one edit touch each other"
    return Document(made.apply(document.text))


class _Rows:
    """The lines of a text, and which of them begin a statement."""

    def __init__(self, path: str, document: Document) -> None:
        self.lines = document.text.replace("\r\n", "\n").split(document.terminator)
        self._comments = row_of(language_of(path, document)).marks
        self._is_python = language_of(path, document) == "python"

    def code_from(self, number: int) -> str:
        """Return the first line from `number` on that is neither blank nor a comment."""
        rows = (row for row in self.lines[number:] if not is_blank(row))
        return next((row for row in rows if not row.lstrip().startswith(self._comments)), "")

    def is_continued(self, number: int) -> bool:
        """Tell whether a line begins inside a string or a bracket, where columns decide nothing."""
        if not self._is_python:
            return False
        from keyhole.segments.python.lines import join_lines

        return number in join_lines("\n".join(self.lines)).continued
