"""The layout of lines: which carry structure, which open a block, which stay as they were."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from keyhole.segments.languages.table import row_of
from keyhole.segments.python.lines import join_lines
from keyhole.segments.python.strings import STRING
from keyhole.text.align import differences
from keyhole.text.indent import columns, indent_of, is_blank

# What a tab counts for where columns are compared; what is written never depends on it.
TAB = 4

_NOT_CODE = re.compile(rf"{STRING}|#[^\n]*+")
_CLOSER = re.compile(r"[ \t]*(?:[)\]}]|(?:end|fi|done|esac)\b)")
_BRACKETED = re.compile(r"[(\[{][^()\[\]{}]*[)\]}]")
_HEADER = re.compile(
    r"\s*(?:async\s+)?(?:def|class|if|elif|else|for|while|with|try|except|finally)\b[^:]*"
)
_LABEL = re.compile(r"\s*(?:public|protected|private)(?: slots)?:\s*")


class Layout(NamedTuple):
    """The lines that carry the structure, their columns, and those of them that open a block."""

    heads: tuple[int, ...]
    columns: tuple[int, ...]
    opens: frozenset[int]
    # Each line that continues a statement, and the line that statement begins on.
    continues: dict[int, int]
    # Those that would open a block if their colon were not missing.
    slips: frozenset[int] = frozenset()

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
    """Tell whether a line is an access label of C++ such as `public:`, which has its own column."""
    return _LABEL.fullmatch(line) is not None


def layout_of(lines: Sequence[str], language: str, inside: Collection[int]) -> Layout | None:
    """Return the layout of a text, lines `inside` a literal left aside; None if it is broken."""
    if language == "python":
        return _python(lines)
    row = row_of(language)
    # Where indentation has a meaning, that of a comment has none.
    marks = row.marks if row.has("layout") else ()
    labels = (number for number, line in enumerate(lines) if is_label(line))
    skipped = {*inside, *_in_comments(lines), *labels}
    heads = [
        number
        for number, line in enumerate(lines)
        if number not in skipped and not is_blank(line) and not line.lstrip().startswith(marks)
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
    pairs = list(zip(heads, statements, strict=True))
    opens = [head for head, statement in pairs if _opens(statement)]
    slips = frozenset(head for head, statement in pairs if _lacks_colon(statement))
    return _layout(lines, heads, opens, continues)._replace(slips=slips)


def _opens(statement: list[str]) -> bool:
    """Tell whether a statement ends with the colon of a block."""
    return ":" in statement[-1] and _code_of(statement).endswith(":")


def _lacks_colon(statement: list[str]) -> bool:
    """Tell whether a statement begins as a block's header does and has no colon behind that."""
    if not _HEADER.match(statement[0]):
        return False
    code, inner = _code_of(statement), 1
    while inner:
        code, inner = _BRACKETED.subn("0", code)
    return _HEADER.fullmatch(code) is not None


def _code_of(statement: list[str]) -> str:
    """Return a statement without its comments, each string as a number."""
    bare = _NOT_CODE.sub(lambda found: "" if found[0][0] == "#" else "0", "\n".join(statement))
    return bare.rstrip()


def _layout(
    lines: Sequence[str], heads: list[int], opens: list[int], continues: dict[int, int]
) -> Layout:
    where = tuple(column_of(lines[number]) for number in heads)
    return Layout(tuple(heads), where, frozenset(opens), continues)


_Key = tuple[int | str, str]

_SCALAR = re.compile(r"(?:^[ \t]*|[:\-] +)(?:[&!]\S+ +)*[|>][-+\d]*[ \t]*(?:#.*)?$")
_DASHES = re.compile(r" *(?:- +)*")
_SHOWN = re.compile(r"<(pre|textarea)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)


def verbatim(language: str, lines: Sequence[str]) -> frozenset[int]:
    """Return the lines whose blanks are text: in code of Markdown, a scalar of YAML, `<pre>`."""
    if language == "yaml":
        return frozenset(_in_scalars(lines))
    if language == "html":
        return frozenset(_in_tags(lines))
    if language == "markdown":
        return frozenset([*_in_tags(lines), *_in_code(lines)])
    return frozenset()


def _in_scalars(lines: Sequence[str]) -> Iterator[int]:
    depth = -1
    for number, line in enumerate(lines):
        if depth >= 0 and (is_blank(line) or column_of(line) > depth):
            yield number
            continue
        depth = -1
        if _SCALAR.search(line) and not line.lstrip().startswith("#"):
            dashes = _DASHES.match(line)
            is_key = ":" in line.rpartition("|")[0] + line.rpartition(">")[0]
            depth = len(dashes.group()) if dashes and is_key else column_of(line)


def _in_tags(lines: Sequence[str]) -> Iterator[int]:
    text = "\n".join(lines)
    return _lines_of(text, (found.span() for found in _SHOWN.finditer(text)))


def _in_code(lines: Sequence[str]) -> Iterator[int]:
    from keyhole.segments.markdown import elements

    text = "\n".join(lines)
    spans = ((each.start, each.end) for each in elements(text) if each.kind == "CodeBlock")
    return _lines_of(text, spans)


def _lines_of(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Yield the lines of spans, but the first of each; they come in order and none overlap."""
    number = at = 0
    for start, end in spans:
        number += text.count("\n", at, start)
        last = number + text.count("\n", start, max(end - 1, start))
        yield from range(number + 1, last + 1)
        number, at = last, max(end - 1, start)


def keep(
    lines: Sequence[str],
    present: Sequence[str],
    values: Collection[int] = (),
    present_values: Collection[int] = (),
) -> list[str]:
    """Return lines, each as the file has it if both differ only in blanks that moving changes.

    Those are the blanks of a blank line, and tabs for spaces in an indent; in `values`, the lines
    inside a literal, every blank counts.
    """
    if lines == present:
        return list(lines)
    out, at, there = list(lines), 0, 0
    for hunk in differences(_keys(present, present_values), _keys(lines, values)):
        out[at : hunk.new_start] = present[there : hunk.old_start]
        at, there = hunk.new_end, hunk.old_end
    out[at:] = present[there:]
    return out


def _keys(lines: Sequence[str], values: Collection[int]) -> list[_Key]:
    return [_key(line, exact=number in values) for number, line in enumerate(lines)]


def _key(line: str, *, exact: bool) -> _Key:
    if exact:
        return "", line
    return (0, "") if is_blank(line) else (column_of(line), line.lstrip(" \t"))
