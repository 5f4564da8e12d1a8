"""How the indentation of new text is read: each line's depth below the outermost one.

The text may come at column 0, indented as a whole, with its first line at column 0 and the rest
where the file has it, with only its first line indented, or in another unit than the file's.
Here the first line comes at column 0 and the others where the file has them:

>>> place = TargetLayout("python", IndentStyle(" ", 4), "    ", ("    def area(self):",))
>>> lines = ["def area(self):", "        if self.side:", "            return 1"]
>>> for line in read_rows(lines, layout_of(lines, "python", ()), place):
...     print(repr(line.inner), line.words)
'' def area(self):
'    ' if self.side:
'        ' return 1
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from keyhole.edits.by_name.layout import TAB, Layout, column_of, is_closer, layout_of, verbatim
from keyhole.edits.by_text.reindent import mixed_indent
from keyhole.fastclasses import dataclass
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.languages.table import row_of
from keyhole.segments.literals import Literal
from keyhole.text.indent import IndentStyle, columns, indent_of, is_blank

_SCALAR = re.compile(r":[ \t]+[|>][-+\d]*[ \t]*$")
_DASHES = re.compile(r"[ \t]*((?:- +)+)")
_CALL = re.compile(
    r"\s*(?!(?:if|elif|elsif|for|while|until|unless|switch|match|when|case|catch|with|using|def|fun\w*|fn)\b)"
    r"[\w.:$@>-]+\(.*\)\s*"
)
_CONTINUES = re.compile(r"\s*[.?:+*/&|<>=,-]")


@dataclass(frozen=True)
class TargetLayout:
    """The place of new text: its indent, the file's style, and the lines that stand there."""

    language: str
    style: IndentStyle
    indent: str
    present: tuple[str, ...] = ()
    literals: tuple[Literal, ...] = ()

    @cached_property
    def layout(self) -> Layout | None:
        """The layout of the lines that stand there."""
        return layout_of(self.present, self.language, inside_of(self.literals))

    @property
    def is_layout(self) -> bool:
        """Whether the indentation of a line decides what it belongs to."""
        return row_of(self.language).has("layout")

    @property
    def unit(self) -> int:
        """The file's step from one level to the next, in columns."""
        return TAB if self.style.character == "\t" else self.style.unit


class ReadLine(NamedTuple):
    """One line read: its indent below the base as the file would write it, and its words.

    `short` counts the columns that the line stands to the left of the base.
    """

    inner: str
    words: str
    short: int = 0


class _Guess(NamedTuple):
    """One reading: the column that the first line's base has, and that of all others."""

    first: int
    rest: int
    # How deep each head lies, where the structure tells.
    levels: tuple[int, ...] = ()
    # Whether its steps are the file's (2), at least all the same (1), or neither (0), or a line
    # falls out of the block (-1).
    order: int = 2


def inside_of(literals: Sequence[Literal]) -> frozenset[int]:
    """Return the lines that begin inside a literal."""
    return frozenset(number for literal in literals for number in literal.inside)


def read_rows(lines: Sequence[str], layout: Layout | None, frame: TargetLayout) -> list[ReadLine]:
    """Return the rows of a text; the rows of lines inside a literal mean nothing."""
    if layout is None or not layout.heads:
        base = min((column_of(line) for line in lines if not is_blank(line)), default=0)
        return [_row(line, base) for line in lines]
    guess = _best(layout, lines, frame)
    bases = [guess.rest] * len(lines)
    bases[0] = guess.first if layout.heads[0] == 0 else min(guess.rest, column_of(lines[0]))
    rows = [_row(line, base) for line, base in zip(lines, bases, strict=True)]
    # Blanks that are text have no unit.
    texts = verbatim(frame.language, lines)
    code = layout.without(texts)
    unit = _foreign_unit(rows, code, guess, frame)
    if not unit:
        return rows
    converted = _converted(rows, layout, guess.levels, unit, frame.style)
    return [rows[number] if number in texts else row for number, row in enumerate(converted)]


def _row(line: str, base: int) -> ReadLine:
    indent = indent_of(line)
    words = line[len(indent) :]
    if is_blank(line):
        return ReadLine("", "")
    size = columns(indent, TAB)
    return ReadLine("", words, base - size) if size < base else ReadLine(drop(indent, base), words)


def drop(indent: str, size: int) -> str:
    """Return an indent without its first `size` columns."""
    at = 0
    while size > 0 and at < len(indent):
        size -= TAB if indent[at] == "\t" else 1
        at += 1
    return " " * -size + indent[at:]


def _is_foreign(layout: Layout, lines: Sequence[str], frame: TargetLayout) -> bool:
    """Tell whether a text is indented with tabs where the file has spaces, or the other way."""
    used = {indent_of(lines[head])[:1] for head in layout.heads} - {""}
    known = {frame.style.character, *(indent_of(line)[:1] for line in frame.present)}
    return bool(frame.style.character) and bool(used - known)


# --- which reading ------------------------------------------------------------------------------


def _best(layout: Layout, lines: Sequence[str], frame: TargetLayout) -> _Guess:
    """Return the reading that agrees most with the file; of equal ones, the most regular."""
    judged = (
        _judge(layout, lines, frame, first, rest)
        for first, rest in dict.fromkeys(_bases(layout, lines, frame))
    )
    possible = [guess for guess in judged if guess and _is_possible(guess, frame)]
    if not possible:
        raise Refused(_unreadable(layout, lines))
    if possible[0].first == possible[0].rest and possible[0].order == 2:
        # Only a text that is irregular as it stands has its first line too far to the right.
        possible = [guess for guess in possible if guess.first <= guess.rest]
    compares = not _is_foreign(layout, lines, frame)

    def likelihood(guess: _Guess) -> tuple[bool, int, int]:
        # Where indentation is the structure, one without order is no reading if there is another.
        is_orderly = guess.order > 0 if frame.language == "python" else guess.order >= 0
        return is_orderly, _agreement(guess, lines, frame) if compares else 0, guess.order

    return max(possible, key=likelihood)


def _is_possible(guess: _Guess, frame: TargetLayout) -> bool:
    """Tell whether a reading may be chosen: to read the first line apart takes regular steps."""
    return guess.first == guess.rest or guess.order > 0 or not frame.is_layout


def _agreement(guess: _Guess, lines: Sequence[str], frame: TargetLayout) -> int:
    """Return how many lines stand in the file as a reading would write them."""
    rows = [_row(lines[0], guess.first), *(_row(line, guess.rest) for line in lines[1:])]
    present = frozenset(frame.present)
    return sum(
        frame.indent + row.inner + row.words in present
        for row in rows
        if row.words and not row.short
    )


def _bases(layout: Layout, lines: Sequence[str], frame: TargetLayout) -> Iterator[tuple[int, int]]:
    """Yield the columns that the first line and the others may be based on, likeliest first."""
    first, place = layout.columns[0], columns(frame.indent, TAB)
    if _is_foreign(layout, lines, frame):
        place = place // frame.unit * TAB
    yield first, first
    if not frame.is_layout:
        yield place, place
    if layout.heads[0] != 0:
        return
    if place > first:
        yield first, place
    for step in sorted(layout.steps):
        yield first, place // frame.unit * step
    if first:
        yield first, 0


def _judge(
    layout: Layout, lines: Sequence[str], frame: TargetLayout, first: int, rest: int
) -> _Guess | None:
    """Return a reading with its levels and regularity, or None where it makes no sense."""
    own, *others = layout.columns
    depths = [own - first, *(column - rest for column in others)]
    present = frame.layout
    known = {frame.unit, *(present.steps if present else ())}
    if frame.language == "python":
        return _judge_python(layout, depths, known, (first, rest))
    last = lines[layout.heads[-1]]
    is_closed = len(depths) > 1 and is_closer(last)
    if min(depths) < 0 and frame.is_layout:
        return None
    if not frame.is_layout and _breaks_block(layout, lines, depths, frame):
        return _Guess(first, rest, (), -1)
    dashes = _DASHES.match(lines[layout.heads[0]]) if frame.language == "yaml" else None
    if dashes and len(depths) > 1:
        below = lines[layout.heads[1]].lstrip()
        depth = depths[1] - len(dashes[1])
        is_item = _is_item(lines[layout.heads[0]], below, depth, known)
        return _Guess(first, rest, (), 2 if is_item and depths[0] == 0 else 0)
    is_regular = depths[-1] == 0 if is_closed else len(depths) < 2 or depths[1] in {0, *known}
    is_regular = is_regular and depths[0] == 0 and (is_closed or min(depths) == 0)
    if first != rest and frame.language == "yaml" and _loses_value(layout, lines, depths):
        is_regular = False
    return _Guess(first, rest, (), 2 if is_regular else 0)


def _breaks_block(
    layout: Layout, lines: Sequence[str], depths: Sequence[int], frame: TargetLayout
) -> bool:
    """Tell whether a line falls out of the block, or the second goes below a whole statement."""
    heads = [lines[head] for head in layout.heads]
    if any(
        depth < 0 and not _may_stand_left(line, frame)
        for line, depth in zip(heads, depths, strict=True)
    ):
        return True
    is_deeper = len(depths) > 1 and depths[1] > depths[0]
    return is_deeper and _is_whole(heads[0]) and not _CONTINUES.match(heads[1])


def _may_stand_left(line: str, frame: TargetLayout) -> bool:
    """Tell whether code left of its block is written so: a directive, a label, a line as it is."""
    return line.startswith("#") or line.rstrip().endswith(":") or line in frame.present


def _is_whole(line: str) -> bool:
    """Tell whether a line is a statement that nothing can stand below: `x = 1;`, `call()`."""
    return line.rstrip().endswith((";", "}")) or bool(_CALL.fullmatch(line))


def _loses_value(layout: Layout, lines: Sequence[str], depths: Sequence[int]) -> bool:
    """Tell whether a key of YAML with nothing behind it would have nothing below it either."""
    if len(depths) < 2 or depths[1] > 0 or not lines[layout.heads[0]].rstrip().endswith(":"):
        return False
    return not lines[layout.heads[1]].lstrip().startswith("- ")


def _is_item(line: str, below: str, depth: int, known: set[int]) -> bool:
    """Tell whether the second line of a YAML item is indented as it must be below the first.

    What is inside the first key is deeper than that key, not only deeper than the dash.
    """
    if below.startswith("- ") and depth < 0:
        return True
    if _SCALAR.search(line):
        return depth > 0
    if line.rstrip().endswith(":"):
        return depth in known or (depth == 0 and below.startswith("- "))
    return depth == 0


def _judge_python(
    layout: Layout, depths: list[int], known: set[int], bases: tuple[int, int]
) -> _Guess | None:
    """Walk the statements as Python does: deeper only where a block opens, back to a level."""
    stack, levels, steps = [0], [0], []
    is_nested = True
    for head, depth in zip(layout.heads, depths[1:], strict=False):
        is_deeper = depth > stack[-1]
        if head in layout.opens and not is_deeper:
            return None
        is_nested = is_nested and (head not in layout.slips or is_deeper)
        if head in layout.opens or (head in layout.slips and is_deeper):
            steps.append(depth - stack[-1])
            stack.append(depth)
        while depth < stack[-1]:
            stack.pop()
            if not stack:
                return None
        if depth != stack[-1]:
            return None
        levels.append(len(stack) - 1)
    is_known = is_nested and known.issuperset(steps)
    order = 2 if is_known else int(len(set(steps)) <= 1)
    return _Guess(*bases, tuple(levels), order)


def _unreadable(layout: Layout, lines: Sequence[str]) -> Refusal:
    first = next(
        (n for n, c in zip(layout.heads, layout.columns, strict=True) if c < layout.columns[0]),
        layout.heads[min(1, len(layout.heads) - 1)],
    )
    return Refusal(
        "bad-indentation",
        "the indentation of the new text has no consistent reading",
        where=say("line {} of {content}: {}", first + 1, lines[first].strip()[:80]),
        help="write the text at column 0, what is inside one unit deeper; it is moved to its place",
    )


# --- which unit ---------------------------------------------------------------------------------


def _foreign_unit(
    rows: Sequence[ReadLine], layout: Layout, guess: _Guess, frame: TargetLayout
) -> int:
    """Return the text's own unit in columns, if the file's is another one; else 0."""
    inner = [rows[head].inner for head in layout.heads if rows[head].inner]
    used = set("".join(inner))
    own = frame.style.character
    # Behind a dash of YAML the first step is that of the dash, and says nothing of the others.
    if not used or not own or (frame.language == "yaml" and rows[0].words.startswith("- ")):
        return 0
    present = frame.layout
    if used != {own}:
        heads = present.heads if present else ()
        if used <= {character for head in heads for character in indent_of(frame.present[head])}:
            return 0
        if mixed := next((indent for indent in inner if len(set(indent)) > 1), None):
            raise Refused(mixed_indent(mixed))
        return TAB if own == " " else min(_steps(layout, guess), default=frame.unit)
    steps = _steps(layout, guess)
    known = present.steps if present and present.steps else {frame.unit}
    if own == "\t" or len(steps) != 1 or steps & known:
        return 0
    return next(iter(steps))


def _steps(layout: Layout, guess: _Guess) -> frozenset[int]:
    """Return the steps of the text as it was read."""
    own, *others = layout.columns
    depths = (own - guess.first, *(column - guess.rest for column in others))
    return layout._replace(columns=depths).steps


def _converted(
    rows: Sequence[ReadLine], layout: Layout, levels: Sequence[int], unit: int, style: IndentStyle
) -> list[ReadLine]:
    """Return rows with indents in the file's unit; a statement is moved with all its lines."""
    out = [row._replace(inner=_respelled(row.inner, unit, style)) for row in rows]
    for head, level in zip(layout.heads, levels, strict=False):
        out[head] = rows[head]._replace(inner=style.character * (style.unit * level))
    for line, head in layout.continues.items():
        beyond = columns(rows[line].inner, TAB) - columns(rows[head].inner, TAB)
        if rows[line].words and beyond >= 0:
            tail = (
                _respelled(" " * beyond, unit, style) if style.character == "\t" else " " * beyond
            )
            out[line] = rows[line]._replace(inner=out[head].inner + tail)
    return out


def _respelled(inner: str, unit: int, style: IndentStyle) -> str:
    levels, rest = divmod(columns(inner, TAB), unit)
    return style.character * (style.unit * levels) + " " * rest
