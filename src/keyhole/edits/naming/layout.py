"""Layout: which lines of a text carry its structure, which open a block, and by what step."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from keyhole.segments.languages import row_of
from keyhole.segments.python_lines import join_lines
from keyhole.segments.python_strings import STRING
from keyhole.text.indent import columns, indent_of, is_blank

# What a tab counts for where columns are compared; what is written never depends on it.
TAB = 4

_NOT_CODE = re.compile(rf"{STRING}|#[^\n]*+")
_CLOSER = re.compile(r"[ \t]*(?:[)\]}]|(?:end|fi|done|esac)\b)")
_LABEL = re.compile(r"\s*(?:public|protected|private)(?: slots)?:\s*")


class Layout(NamedTuple):
    """The lines that carry the structure, their columns, and those of them that open a block."""

    heads: tuple[int, ...]
    columns: tuple[int, ...]
    opens: frozenset[int]
    # Each line that continues a statement, and the line that statement begins on.
    continues: dict[int, int]

    def without(self, lines: Collection[int]) -> Layout:
        """Return the layout of the other lines."""
        if not lines:
            return self
        pairs = zip(self.heads, self.columns, strict=True)
        kept = [(head, column) for head, column in pairs if head not in lines]
        heads, columns = zip(*kept, strict=True) if kept else ((), ())
        return self._replace(heads=heads, columns=columns)

    @property
    def steps(self) -> frozenset[int]:
        """The steps, in columns, from a line that opens a block to the line below it."""
        pairs = pairwise(zip(self.heads, self.columns, strict=True))
        return frozenset(
            below - above
            for (head, above), (_, below) in pairs
            if head in self.opens and below > above
        )


def column_of(line: str) -> int:
    """Return the column of a line's first word."""
    return columns(indent_of(line), TAB)


def is_closer(line: str) -> bool:
    """Tell whether a line begins with what closes a block."""
    return _CLOSER.match(line) is not None


def is_label(line: str) -> bool:
    """Tell whether a line says who may use the members of C++ below it, at a column of its own."""
    return _LABEL.fullmatch(line) is not None


def layout_of(lines: Sequence[str], language: str, inside: Collection[int]) -> Layout | None:
    """Return the layout of a text, lines `inside` a literal left aside; None if it is broken."""
    if language == "python":
        return _python(lines)
    row = row_of(language)
    # Where indentation has a meaning, that of a comment has none.
    marks = row.marks if row.has("layout") else ()
    labels = (number for number, line in enumerate(lines) if is_label(line))
    aside = {*inside, *_in_comments(lines), *labels}
    heads = [
        number
        for number, line in enumerate(lines)
        if number not in aside and not is_blank(line) and not line.lstrip().startswith(marks)
    ]
    opens = [number for number in heads if lines[number].rstrip().endswith(("{", "(", "[", ":"))]
    braces = [number for number in opens if lines[number].rstrip().endswith("{")]
    return _layout(lines, heads, braces or opens or heads[:1], {})


def _in_comments(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines below the first one of a block comment: they stand where their stars do."""
    is_open = False
    for number, line in enumerate(lines):
        bare = line.strip()
        if is_open:
            yield number
        is_open = "*/" not in bare[2:] if bare.startswith("/*") else is_open and "*/" not in bare


def _python(lines: Sequence[str]) -> Layout | None:
    joined = join_lines("\n".join(lines))
    if joined.broken:
        return None
    heads: list[int] = []
    statements: list[list[str]] = []
    continues: dict[int, int] = {}
    for number, line in enumerate(lines):
        if number in joined.continued and heads:
            continues[number] = heads[-1]
            statements[-1].append(line)
        elif not is_blank(line) and not line.lstrip().startswith("#"):
            heads.append(number)
            statements.append([line])
    opens = [head for head, statement in zip(heads, statements, strict=True) if _opens(statement)]
    return _layout(lines, heads, opens, continues)


def _opens(statement: list[str]) -> bool:
    """Tell whether a statement ends with the colon of a block."""
    if ":" not in statement[-1]:
        return False
    bare = _NOT_CODE.sub(lambda found: "" if found[0][0] == "#" else "0", "\n".join(statement))
    return bare.rstrip().endswith(":")


def _layout(
    lines: Sequence[str], heads: list[int], opens: list[int], continues: dict[int, int]
) -> Layout:
    where = tuple(column_of(lines[number]) for number in heads)
    return Layout(tuple(heads), where, frozenset(opens), continues)
