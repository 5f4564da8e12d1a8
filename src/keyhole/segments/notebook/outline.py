r"""The outline of a notebook's text: cells, and in each cell what its language has.

>>> from keyhole.segments.registry import outline
>>> from keyhole.text.document import Document
>>> text = "<<cell markdown id=top>>\n# Load\n<<cell python>>\ndef load():\n    return 1\n"
>>> for segment in outline("a.ipynb", Document(text)).segments:
...     print(segment.address, segment.kind)
cell#1 markdown_cell
cell#1/Load section
cell#2 code_cell
cell#2/load function
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from keyhole.fastclasses import dataclass
from keyhole.segments.notebook.headings import below_headings
from keyhole.segments.notebook.magics import other_language, plain_python
from keyhole.segments.outline import Outline, Segment, Span
from keyhole.text.notebook import MARK

# From the language of a cell and its text to the outline of that text.
Inner = Callable[[str, str], Outline]


@dataclass(frozen=True, slots=True)
class CellPlace:
    """A cell of a notebook's text: its number from 1, its mark, and where its source stands.

    `end` is behind the line end that follows the source.
    """

    number: int
    word: str
    id: str
    mark: int
    start: int
    end: int

    @property
    def address(self) -> str:
        """Return the address by number, which every cell has."""
        return f"cell#{self.number}"

    @property
    def kind(self) -> str:
        """Return the kind of segment that the cell is."""
        return f"{self.word if self.word in {'markdown', 'raw'} else 'code'}_cell"

    @property
    def language(self) -> str:
        """Return the language of the cell; code of no known language is most likely Python."""
        return "python" if self.word == "code" else "text" if self.word == "raw" else self.word


def cells_of(text: str) -> tuple[CellPlace, ...]:
    """Return the cells of a notebook's text."""
    marks = [*MARK.finditer(text)]
    ends = [*(mark.start() for mark in marks[1:]), len(text)][: len(marks)]
    return tuple(
        CellPlace(number, mark["word"], mark["id"] or "", mark.start(), mark.end() + 1, end)
        for number, (mark, end) in enumerate(zip(marks, ends, strict=True), 1)
    )


def readable(cell: CellPlace, source: str) -> str:
    """Return what the parser of the cell's language reads, as long as the source."""
    if cell.language != "python":
        return source
    return "" if other_language(source) else plain_python(source)


def read_cells(text: str, inner: Inner) -> Outline:
    """Return the outline of a notebook's text."""
    cells = cells_of(text)
    segments: list[Segment] = []
    for cell in cells:
        segments.append(_segment(cell))
        source = readable(cell, text[cell.start : cell.end])
        found = inner(cell.language, source).segments if source.strip() else ()
        segments += (_inside(cell, each) for each in found)
    kinds = tuple(dict.fromkeys(segment.kind for segment in segments))
    aliases = dict(_aliases(text, cells))
    return Outline("notebook", tuple(segments), kinds, "/", aliases=aliases)


def _segment(cell: CellPlace) -> Segment:
    span, address = (cell.start, cell.end), cell.address
    return Segment(address, cell.kind, span, {"body": span}, "", "", address, (address,))


def _inside(cell: CellPlace, segment: Segment) -> Segment:
    """Return a segment of a cell as one of the notebook."""
    parts = {name: _moved(span, cell.start) for name, span in segment.parts.items()}
    parent = f"{cell.address}/{segment.parent}" if segment.parent else cell.address
    return Segment(
        f"{cell.address}/{segment.address}",
        segment.kind,
        _moved(segment.span, cell.start),
        parts,
        segment.indent,
        parent,
        segment.name,
        (cell.address, *segment.path),
        segment.level,
    )


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


def _aliases(text: str, cells: Sequence[CellPlace]) -> Iterator[tuple[str, str]]:
    """Yield the other addresses of cells: their ids, and their places below a heading."""
    named = [cell.id for cell in cells if cell.id]
    for cell in cells:
        if cell.id and named.count(cell.id) == 1:
            yield cell.id, cell.address
    prose = (text[cell.start : cell.end] if cell.word == "markdown" else "" for cell in cells)
    yield from below_headings(zip((cell.address for cell in cells), prose, strict=True))
