"""Fit new text to the indentation of the place it goes to."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.refusals import Refusal, Refused
from keyhole.text.indent import (
    IndentStyle,
    columns,
    indent_of,
    is_blank,
    margin,
    style_of,
)

_TAB_COLUMNS = 4


def first_indent(lines: Sequence[str]) -> str:
    """Return the indent of the first line that has text."""
    return next((indent_of(line) for line in lines if not is_blank(line)), "")


def indent_behind(lines: Sequence[str]) -> str:
    """Return the indent of what is put behind lines: of the first, or a last one further left."""
    inside = _inside_literals(lines)
    rows = [row for n, row in enumerate(lines) if n not in inside and not is_blank(row)] or lines
    return min(indent_of(rows[0]), indent_of(rows[-1]), key=lambda one: columns(one, _TAB_COLUMNS))


def fit_to_place(
    lines: Sequence[str], place: str, style: IndentStyle, indent: str | int
) -> tuple[list[str], str]:
    """Return lines fitted to a place indented by `place`, and a note where they were shifted.

    With `auto`, text whose first line is at column 0 is moved to the place; text that brings an
    indent of its own is taken as it is. `keep` leaves all as it is; a number is the column the text
    shall begin at.
    """
    if indent == "keep" or (indent == "auto" and (not place or first_indent(lines))):
        return list(lines), ""
    target = place if indent == "auto" else spelled_indent(int(indent), style)
    if target == first_indent(lines):
        return list(lines), ""
    moved = rebase(lines, target, style, _inside_literals(lines))
    return moved, f"the new text was indented to column {columns(target, _TAB_COLUMNS)}"


def _inside_literals(lines: Sequence[str]) -> frozenset[int]:
    """Return the lines that begin inside a long string, whose indentation is part of a value."""
    text = "\n".join(lines)
    if '"""' not in text and "'''" not in text:
        return frozenset()
    from keyhole.segments.literals import python_literals

    found = [literal for literal in python_literals(text) if not literal.follows]
    return frozenset(number for literal in found for number in literal.inside)


def spelled_indent(size: int, style: IndentStyle) -> str:
    """Return an indent of so many columns as the file would write it."""
    if style.character == "\t":
        return "\t" * (size // _TAB_COLUMNS) + " " * (size % _TAB_COLUMNS)
    return " " * size


def rebase(
    lines: Sequence[str], target: str, style: IndentStyle, frozen: frozenset[int] = frozenset()
) -> list[str]:
    """Return lines so that the outermost stands at `target`, the others as deep below it as before.

    Depth is counted in the text's own unit and written in the file's. Blank lines become empty;
    lines whose index is in `frozen` begin inside a literal and keep their bytes.
    """
    free = [line for index, line in enumerate(lines) if index not in frozen]
    base = margin(free)
    own = style_of(line.removeprefix(base) for line in free)
    if own.character == style.character and not _is_regular(free, base, own):
        own = style
    return [
        line if index in frozen else _moved(line, base, target, own, style)
        for index, line in enumerate(lines)
    ]


def _is_regular(lines: Sequence[str], base: str, own: IndentStyle) -> bool:
    """Tell whether all lines are indented by the unit; where one is aligned, none is known."""
    depths = (len(indent_of(line)) - len(base) for line in lines if not is_blank(line))
    return all(depth % own.unit == 0 for depth in depths)


def _moved(line: str, base: str, target: str, own: IndentStyle, style: IndentStyle) -> str:
    if is_blank(line):
        return ""
    indent = indent_of(line)
    inner = indent[len(base) :]
    return target + _converted(inner, own, style) + line[len(indent) :]


def _converted(inner: str, own: IndentStyle, style: IndentStyle) -> str:
    """Return an indent below the base, written with the file's character and unit."""
    if not inner or not style.character or own == style:
        return inner
    if " " in inner and "\t" in inner:
        raise Refused(mixed_indent(inner))
    levels, rest = divmod(len(inner), own.unit)
    return style.character * (style.unit * levels) + " " * rest


def mixed_indent(indent: str) -> Refusal:
    """Refuse an indent that mixes tabs and spaces where it has to be moved."""
    shown = indent.replace("\t", "\u2192").replace(" ", "\u00b7")
    return Refusal(
        "bad-indentation",
        f"a line of the new text mixes tabs and spaces in one indent: {shown}",
        help="indent with one of them; the engine converts it to what the file uses",
    )
