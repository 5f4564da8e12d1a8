r"""A notebook as the text of its cells, each below a line that tells what it is.

>>> stored = '{"cells": [{"cell_type": "code", "metadata": {}, "source": ["x = 1\\n", "y = 2"], '
>>> stored += '"execution_count": null, "outputs": []}], "metadata": {}, "nbformat": 4, '
>>> notebook = read_notebook(stored + '"nbformat_minor": 4}')
>>> print(notebook.text)
<<cell code>>
x = 1
y = 2
<BLANKLINE>

The text of a source is followed by one line end of ours. A line of a source that looks like one of
our marks has a backslash before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import NoReturn

from keyhole.fastclasses import dataclass, replace
from keyhole.text.cells import Span, Spelling, spelling_of

MARK = re.compile(
    r"^<<cell (?P<word>[a-z][\w.+#-]*)(?: id=(?P<id>[\w-]{1,64}))?"
    r"(?: outputs=(?P<outputs>[1-9]\d*))?>>$",
    re.MULTILINE,
)
MARK_LIKE = re.compile(r"^<<cell .*$", re.MULTILINE)
_LOOKS_LIKE = re.compile(r"^(?=\\*<<cell )", re.MULTILINE)
_WAS_LIKE = re.compile(r"^\\(?=\\*<<cell )", re.MULTILINE)
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_WORD = re.compile(r"[a-z][\w.+#-]*", re.ASCII)
_BLANK = re.compile(r"[ \t\r\n]*")
_APART = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")
# How the escapes of ASCII characters begin.
_ASCII = frozenset({"000", "001", "002", "003", "004", "005", "006", "007"})
# An integer may have more digits than Python reads as one; nothing here needs it exactly.
_scan = json.JSONDecoder(parse_int=float).raw_decode
KINDS = ("code", "markdown", "raw")
# How much of two cells is compared first, and how many cells may be changed in a row.
_HEAD = 120
_MOST_MISSED = 30
_FEW = 5_000
# How a nested value of a notebook is read: from the text and an offset to the value and its end.
_Reader = Callable[[str, int], tuple[object, int]]


class NotANotebookError(ValueError):
    """A text that is no notebook of format 4; the message says why."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a JSON object: where its key begins, and where its value stands."""

    key: int
    start: int
    end: int
    value: object = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: where its object stands in the JSON, and what it holds."""

    start: int
    end: int
    members: Mapping[str, Member]
    kind: str
    word: str
    id: str
    outputs: int
    source: str

    @property
    def mark(self) -> str:
        """Return the line above the cell's text."""
        return mark_of(self.word, self.id, self.outputs)


def mark_of(word: str, id_: str = "", outputs: int = 0) -> str:
    """Return the line that stands above a cell, without its end."""
    return f"<<cell {word}{f' id={id_}' if id_ else ''}{f' outputs={outputs}' if outputs else ''}>>"


def kind_of_word(word: str) -> str:
    """Return the type of the cells that have a word in their mark: a language means code."""
    return word if word in {"markdown", "raw"} else "code"


def shown_source(source: str) -> str:
    """Return a source as it stands in the text of the notebook."""
    return _LOOKS_LIKE.sub(r"\\", source) if "<<cell " in source else source


def stored_source(shown: str) -> str:
    """Return the source that `shown_source` shows so."""
    return _WAS_LIKE.sub("", shown) if "<<cell " in shown else shown


@dataclass(frozen=True)
class Notebook:
    """A notebook's JSON with its cells; `array` is where the list of them stands."""

    stored: str
    cells: tuple[Cell, ...]
    array: Span
    has_ids: bool
    language: str

    @cached_property
    def text(self) -> str:
        """Return the cells one below the other, each below its mark."""
        return "".join(f"{cell.mark}\n{shown_source(cell.source)}\n" for cell in self.cells)

    def spelling(self, new: str) -> Spelling:
        """Return how the notebook spells a new source, by the first cell that shows it."""
        opening, between, closing = self._parts
        is_ascii = not new.isascii() and self._is_ascii
        usual = Spelling(is_ascii, opening=opening, between=between, closing=closing)
        for cell in self.cells:
            source = cell.members["source"]
            if cell.source:
                return spelling_of(self.stored, (source.start, source.end), usual)
        return usual

    @cached_property
    def _is_ascii(self) -> bool:
        """Tell whether the notebook escapes what is not ASCII."""
        if not self.stored.isascii():
            return False
        in_sources = any(not cell.source.isascii() for cell in self.cells)
        return in_sources or _has_escape(self.stored)

    @property
    def _parts(self) -> tuple[str, str, str]:
        """Return what stands around and between the lines of a list one level below a cell."""
        gap, closing = self.gaps
        if "\n" not in gap:
            return "", "," if self._is_dense else ", ", ""
        deeper = gap + gap[len(closing) :]
        return deeper, f",{deeper}", gap

    @property
    def _is_dense(self) -> bool:
        """Tell whether nothing stands between a comma and what follows it."""
        first = min((m.end for cell in self.cells[:1] for m in cell.members.values()), default=0)
        return first > 0 and self.stored[first : first + 2] == ',"'

    @cached_property
    def gaps(self) -> tuple[str, str]:
        """Return the blanks before a key of a cell, and before the end of a cell."""
        if self.cells:
            cell = self.cells[0]
            last = max(m.end for m in cell.members.values())
            # A key may stand twice, and only the last one is a member.
            first = _skip(self.stored, cell.start + 1)
            return self.stored[cell.start + 1 : first], self.stored[last : cell.end - 1]
        outer = _BLANK.match(self.stored, self.stored.index("{") + 1)
        unit = outer.group() if outer else ""
        if "\n" not in unit:
            return "", ""
        step = unit.rpartition("\n")[2]
        return unit + 2 * step, unit + step


def signs_of(stored: str, member: Member) -> tuple[str, str]:
    """Return what parts a member from the next one, and its key from its value, as it is there."""
    apart = _APART.match(stored, member.end)
    colon = stored[member.key : member.start].rpartition('"')[2]
    return apart.group() if apart else ", ", colon


@dataclass(frozen=True, slots=True)
class FormerCell:
    """A cell of an older version of a notebook."""

    notebook: Notebook
    cell: Cell

    @property
    def runs(self) -> dict[str, str | None]:
        """Return what the text of the notebook leaves out of the cell and its type decides."""
        names = ("execution_count", "outputs") if self.cell.kind == "code" else ("attachments",)
        there = ((name, self.cell.members.get(name)) for name in names)
        return {name: self.notebook.stored[it.start : it.end] for name, it in there if it}


def former_cells(notebook: Notebook, spans: Sequence[Span]) -> tuple[FormerCell, ...]:
    """Return the cells of which a part lies in spans of the notebook's text."""
    found, at = [], 0
    for cell in notebook.cells:
        end = at + len(cell.mark) + len(shown_source(cell.source)) + 2
        if any(start < end and at < stop for start, stop in spans):
            found.append(FormerCell(notebook, cell))
        at = end
    return tuple(found)


def _has_escape(stored: str) -> bool:
    """Tell whether JSON escapes a character that is not ASCII."""
    # One sign is found ten times as fast as two, unless there are many.
    sign = "\\" if stored.count("\\") < _FEW else "\\u"
    at = stored.find(sign)
    while at >= 0:
        before = stored[max(at - 99, 0) : at]
        is_escape = (len(before) - len(before.rstrip("\\"))) % 2 == 0
        if is_escape and stored[at + 1] == "u" and stored[at + 2 : at + 5] not in _ASCII:
            return True
        at = stored.find(sign, at + 2)
    return False


def read_notebook(
    stored: str, former: Notebook | None = None, ends: tuple[int, int] = (0, 0)
) -> Notebook:
    """Return the notebook that a JSON text is, or raise `NotANotebookError`.

    Cells that stand so in a `former` version of it are not read again; `ends` is how many
    characters the two are known to share at their start and at their end.
    """
    try:
        reader = _FormerCells(former, ends) if former else None
        cells_of = partial(_cells, reader=reader)
        top, end = _object(stored, _skip(stored, 0), {"cells": cells_of})
    except json.JSONDecodeError as error:
        _broken(stored, error.pos, error.msg.removesuffix(" at").removesuffix(" starting"))
    except RecursionError:
        _broken(stored, 0, "it is nested too deeply")
    if (rest := _skip(stored, end)) < len(stored):
        _broken(stored, rest, "nothing was expected behind the notebook")
    _check_format(top)
    cells = top["cells"].value if "cells" in top else None
    if not isinstance(cells, list):
        raise NotANotebookError("it has no list of cells")
    minor = top["nbformat_minor"].value if "nbformat_minor" in top else 0
    language = _language(top["metadata"].value if "metadata" in top else None)
    if former is not None and former.language != language:
        return read_notebook(stored)
    made = tuple(
        each if isinstance(each, Cell) else _cell(number, each[0], each[1], each[2], language)
        for number, each in enumerate(cells, 1)
    )
    has_ids = isinstance(minor, float) and minor >= 5
    return Notebook(stored, made, (top["cells"].start, top["cells"].end), has_ids, language)


def _check_format(top: Mapping[str, Member]) -> None:
    version = top["nbformat"].value if "nbformat" in top else None
    if not isinstance(version, float):
        raise NotANotebookError("it does not say its nbformat")
    if version != 4:
        raise NotANotebookError(
            f"it is in nbformat {version:g}, and cells are read of nbformat 4 only"
        )


def _broken(stored: str, at: int, what: str) -> NoReturn:
    line, column = stored.count("\n", 0, at) + 1, at - stored.rfind("\n", 0, at)
    raise NotANotebookError(f"its JSON is broken at line {line}, column {column}: {what}") from None


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _object(text: str, at: int, readers: Mapping[str, _Reader]) -> tuple[dict[str, Member], int]:
    """Return the members of the object at an offset, and its end; a value may have its reader."""
    if text[at : at + 1] != "{":
        raise json.JSONDecodeError("an object was expected", text, at)
    members: dict[str, Member] = {}
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        key, stop = _scan(text, at)
        colon = _skip(text, stop)
        if text[colon : colon + 1] != ":":
            raise json.JSONDecodeError("a colon was expected", text, colon)
        start = _skip(text, colon + 1)
        own = readers.get(str(key))
        value, end = own(text, start) if own else _scan(text, start)
        members[str(key)] = Member(at, start, end, value)
        at = _skip(text, end)
        if text[at : at + 1] != ",":
            break
        at = _skip(text, at + 1)
        if text[at : at + 1] != '"':
            raise json.JSONDecodeError("a key was expected", text, at)
    if text[at : at + 1] != "}":
        raise json.JSONDecodeError("a comma or the end of the object was expected", text, at)
    return members, at + 1


def _cells(text: str, at: int, reader: _FormerCells | None) -> tuple[object, int]:
    """Return the members of each cell with the cell's place, and the end of the list."""
    if text[at : at + 1] != "[":
        value, end = _scan(text, at)
        return value, end
    cells: list[Cell | tuple[int, int, dict[str, Member]]] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != "]":
        same = reader.cell_at(text, at) if reader else None
        if same is None:
            members, end = _object(text, at, {})
            cells.append((at, end, members))
        else:
            cells.append(same)
            end = same.end
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
            if text[at : at + 1] == "]":
                raise json.JSONDecodeError("a cell was expected", text, at)
        elif text[at : at + 1] != "]":
            raise json.JSONDecodeError("a comma or the end of the cells was expected", text, at)
    return cells, at + 1


class _FormerCells:
    """The cells of a former version, in order, to be found again in a new one."""

    def __init__(self, notebook: Notebook, ends: tuple[int, int]) -> None:
        self._notebook = notebook
        self._head, self._tail = ends
        self._next = 0
        self._missed = 0

    def cell_at(self, text: str, at: int) -> Cell | None:
        """Return the cell at an offset of a new text if the former version has it."""
        first = self._next
        near = self._notebook.cells[first : first + 2 + self._missed]
        for number, cell in enumerate(near, first + 1):
            if self._is_at(cell, text, at):
                self._next, self._missed = number, 0
                return _moved(cell, at - cell.start)
        self._missed = min(self._missed + 1, _MOST_MISSED)
        return None

    def _is_at(self, cell: Cell, text: str, at: int) -> bool:
        """Tell whether a cell stands at an offset of the new text."""
        stored, start, end = self._notebook.stored, cell.start, cell.end
        if at == start and end <= self._head:
            return True
        if len(text) - at == len(stored) - start <= self._tail:
            return True
        is_alike = text.startswith(stored[start : min(start + _HEAD, end)], at)
        return is_alike and text.startswith(stored[start:end], at)


def _moved(cell: Cell, by: int) -> Cell:
    """Return a cell that stands elsewhere."""
    if not by:
        return cell
    places = {
        name: Member(each.key + by, each.start + by, each.end + by)
        for name, each in cell.members.items()
    }
    return replace(cell, start=cell.start + by, end=cell.end + by, members=places)


def _cell(number: int, start: int, end: int, members: dict[str, Member], language: str) -> Cell:
    kind = members["cell_type"].value if "cell_type" in members else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise NotANotebookError(f"cell {number} is of type {kind!r}; there are {', '.join(KINDS)}")
    source = members["source"].value if "source" in members else None
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise NotANotebookError(f"the source of cell {number} is neither text nor a list of lines")
    metadata = members["metadata"].value if "metadata" in members else None
    outputs = members["outputs"].value if "outputs" in members else None
    count = len(outputs) if isinstance(outputs, list) else 0
    word = _own_language(metadata) or language if kind == "code" else kind
    named = members["id"].value if "id" in members else None
    if named is None and isinstance(metadata, dict):
        named = metadata.get("id")
    id_ = named if isinstance(named, str) and _ID.fullmatch(named) else ""
    places = {name: Member(each.key, each.start, each.end) for name, each in members.items()}
    return Cell(start, end, places, kind, word, id_, count, source)


def _language(metadata: object) -> str:
    """Return the language of the code of a notebook, "code" if it does not say."""
    for part, name in (("language_info", "name"), ("kernelspec", "language")):
        found = metadata.get(part) if isinstance(metadata, dict) else None
        if isinstance(found, dict) and (word := _word(found.get(name))):
            return word
    return "code"


def _own_language(metadata: object) -> str:
    """Return the language that an editor keeps for one cell, "" if there is none."""
    found = metadata.get("vscode") if isinstance(metadata, dict) else None
    return _word(found.get("languageId")) if isinstance(found, dict) else ""


def _word(name: object) -> str:
    word = name.lower() if isinstance(name, str) else ""
    word = "python" if word in {"ipython", "python3"} else word
    return word if _WORD.fullmatch(word) and word not in {"markdown", "raw"} else ""
