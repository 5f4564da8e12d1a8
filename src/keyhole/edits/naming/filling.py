"""Fill the content of a pattern's edit: its lines go to the place, what was caught goes as it is.

What a variable caught moves as a whole with the line it is named on, and only if that line stands
elsewhere than the caught one did. A literal in it keeps its value, wherever it goes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache, partial

from keyhole.edits.literals import python_literals
from keyhole.edits.reindent import first_indent, rebase, spelled_indent
from keyhole.edits.target import Target
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.languages import language_of
from keyhole.segments.literals import long_literals
from keyhole.segments.outline import Span
from keyhole.segments.patterns import PatternHit
from keyhole.text.indent import BLANK, indent_of, is_blank

_VARIABLE = re.compile(r"\$(?:\$\$)?([A-Z_][A-Z0-9_]*)")
# What all places of an edit together are given, in characters, if that is more than the file has.
MOST_NEW = 2 * 1024 * 1024


def check_size(target: Target, hits: Sequence[PatternHit], content: str) -> None:
    """Refuse a content that would make too much of what was caught."""
    most = max(MOST_NEW, 2 * len(target.document.text))
    counts = Counter(_VARIABLE.findall(content))
    size = len(hits) * len(_VARIABLE.sub("", content))
    for hit in hits:
        size += sum(counts[name] * (end - start) for name, (start, end) in hit.variables.items())
        if size > most:
            headline = f"the new text would have over {most} characters, {size} or more"
            help_line = say("name fewer variables in {content}, or fewer places")
            raise Refused(Refusal("too-large", headline, help=help_line))


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
    edge = len(line) - len(line.lstrip(BLANK))
    caught = cache(partial(_caught, target, hit, indent))  # a line may name one very often

    def fill(name: re.Match[str]) -> str:
        span = hit.variables.get(name[1])
        return name[0] if span is None else caught(span, leads=name.start() <= edge)

    return _VARIABLE.sub(fill, line)


def _caught(target: Target, hit: PatternHit, indent: str, span: Span, *, leads: bool) -> str:
    """Return what a variable caught, moved from its line's indent to that of the line it is on."""
    start, end = map(target.view.flat_offset, span)
    first, *rest = target.view.flat[start:end].split("\n")
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
