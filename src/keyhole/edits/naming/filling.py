"""Fill the content of a pattern's edit: its lines go to the place, what was caught goes as it is.

What a variable caught moves as a whole with the line it is named on, and only if that line stands
elsewhere than the caught one did. A literal in it keeps its value, wherever it goes.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial

from keyhole.edits.literals import python_literals
from keyhole.edits.reindent import first_indent, rebase, spelled_indent
from keyhole.edits.target import Target
from keyhole.segments.languages import language_of
from keyhole.segments.literals import long_literals
from keyhole.segments.patterns import PatternHit
from keyhole.text.indent import indent_of, is_blank

_VARIABLE = re.compile(r"\$(?:\$\$)?([A-Z_][A-Z0-9_]*)")


def filled_lines(target: Target, hit: PatternHit, lines: list[str], indent: str | int) -> list[str]:
    """Return whole lines for the place of a hit, each variable as what it caught.

    Lines at column 0 go to the place or the column that is asked for; lines that bring an indent of
    their own are taken as they are.
    """
    if indent != "keep" and not (indent == "auto" and first_indent(lines)):
        at = _lead(target, hit) if indent == "auto" else spelled_indent(int(indent), target.style)
        if at != first_indent(lines):
            lines = rebase(lines, at, target.style, _inside(target, "\n".join(lines)))
    return [_filled(target, hit, line, indent_of(line)) for line in lines]


def filled_text(target: Target, hit: PatternHit, text: str, *, keep: bool) -> str:
    """Return a text that begins within a line; later ones get its indent or `keep` theirs."""
    lead, inside = _lead(target, hit), _inside(target, text)
    out = []
    for number, line in enumerate(text.split("\n")):
        stays = keep or not number or number in inside or is_blank(line)
        placed = line if stays else lead + line
        out.append(_filled(target, hit, placed, indent_of(placed) if number else lead))
    return "\n".join(out)


def _lead(target: Target, hit: PatternHit) -> str:
    """Return the indent of the line that a hit begins on."""
    return _indent_at(target, target.view.flat_offset(hit.span[0]))


def _indent_at(target: Target, at: int) -> str:
    flat = target.view.flat
    return indent_of(flat[flat.rfind("\n", 0, at) + 1 : at])


def _filled(target: Target, hit: PatternHit, line: str, indent: str) -> str:
    """Return a line with each variable's text; a name that the pattern has not stays as it is."""
    return _VARIABLE.sub(partial(_caught, target, hit, indent), line)


def _caught(target: Target, hit: PatternHit, indent: str, name: re.Match[str]) -> str:
    """Return what a variable caught, moved from its line's indent to that of the line it is on."""
    span = hit.variables.get(name[1])
    if span is None:
        return name[0]
    start, end = map(target.view.flat_offset, span)
    first, *rest = target.view.flat[start:end].split("\n")
    leads = is_blank(name.string[: name.start()])
    was = _indent_at(target, start) if leads else _lead(target, hit)
    if not rest or was == indent:
        return "\n".join([first, *rest])
    _ = target.view.starts  # each hit asks for its line
    number = target.view.line_of(start) + 1
    inside = _inside(target, target.view.flat)
    moved = (
        line if at in inside or not line.startswith(was) else indent + line[len(was) :]
        for at, line in enumerate(rest, number)
    )
    return "\n".join([first, *moved])


def _inside(target: Target, text: str) -> frozenset[int]:
    """Return the lines of a text that begin inside a literal whose indentation is a value."""
    return _in_literals(language_of(target.path, target.document), text)


@lru_cache(maxsize=4)
def _in_literals(language: str, text: str) -> frozenset[int]:
    found = (
        python_literals(text)
        if language == "python"
        else long_literals(language, text, (0, len(text)))
    )
    return frozenset(n for literal in found if not literal.follows for n in literal.inside)
