r"""The cells of a script as Jupytext keeps notebooks: each begins with a comment `# %%`.

>>> text = "# %% [markdown]\n# # Load\n\n# %%\ndef load():\n    return 1\n"
>>> [(cell.address, cell.kind) for cell in cells_of_script(text, "#")]
[('cell#1', 'markdown_cell'), ('cell#2', 'code_cell')]

A cell has its marker as `signature` and what is below it as `body`. What stands above the first
marker is a cell without one; Jupytext's header is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from keyhole.fastclasses import replace
from keyhole.segments.notebook.headings import below_headings
from keyhole.segments.outline import CELL_KINDS, Outline, Segment, Span
from keyhole.segments.python.strings import STRING

_KIND = re.compile(r"\[(markdown|md|raw)\]")
_ID = re.compile(r"\bid=\"([\w-]{1,64})\"")
# A shebang or an encoding, then Jupytext's header.
_HEADER = re.compile(
    r"(?:#[^\n]*\n)??(?P<mark>\S+) ---[ \t\r]*\n(?:(?P=mark)(?: [^\n]*)?\n)*?"
    r"(?P=mark) ---[ \t\r]*(?:\n|\Z)"
)
_QUOTED = re.compile(rf"#[^\n]*+|{STRING}")
_LONG = ('"""', "'''")
_LONG_STRING = re.compile(r"([rR]?(\"\"\"|'''))(\n?)(.*?)\n?\2", re.DOTALL)


def marker(mark: str) -> re.Pattern[str]:
    """Return the expression for a line that begins a cell, where `mark` begins comments."""
    rest = r"%%(?:%*[ \t][^\n]*|[ \t\r]*)$"
    return re.compile(rf"^[ \t]*{re.escape(mark)}[ \t]*{rest}", re.MULTILINE)


def with_cells(found: Outline, text: str, marks: Sequence[str]) -> Outline:
    """Return the outline of a script with its cells, if there are any."""
    for mark in marks:
        cells = cells_of_script(text, mark)
        if cells and not any(cell.address in found.by_address for cell in cells):
            aliases = dict(_aliases(found, cells, text, mark))
            return replace(found, kinds=(*found.kinds, *CELL_KINDS), cells=cells, aliases=aliases)
    return found


def cells_of_script(text: str, mark: str) -> tuple[Segment, ...]:
    """Return the cells of a script, in order; none if nothing in it begins one."""
    markers = [*_markers(text, mark)]
    if not markers:
        return ()
    header = _HEADER.match(text)
    begin = header.end() if header else 0
    first = text[begin : markers[0][0]]
    if first.strip():
        at = begin + len(first) - len(first.lstrip())
        at = text.rfind("\n", 0, at) + 1
        markers.insert(0, (at, at))
    stops = [start for start, _ in markers[1:]] + [len(text)]
    return tuple(
        _cell(number, text, start, body, stop)
        for number, ((start, body), stop) in enumerate(zip(markers, stops, strict=True), 1)
    )


def _markers(text: str, mark: str) -> Iterator[Span]:
    """Yield where lines that begin a cell stand, outside of long strings."""
    found = [(each.start(), each.end()) for each in marker(mark).finditer(text)]
    strings: list[Span] = []
    if found and mark == "#" and any(quote in text for quote in _LONG):
        literals = (each.span() for each in _QUOTED.finditer(text) if each.group()[0] != "#")
        strings = [span for span in literals if "\n" in text[slice(*span)]]
    for start, end in found:
        while strings and strings[0][1] <= start:
            strings.pop(0)
        if not (strings and strings[0][0] < start):
            yield start, min(end + 1, len(text))


def _cell(number: int, text: str, start: int, body: int, stop: int) -> Segment:
    inside = text[body:stop]
    size = len(inside.rstrip())
    end = inside.find("\n", size) + 1 or len(inside) if size else 0
    line = text[start:body]
    kind = _KIND.search(line)
    word = {"md": "markdown"}.get(kind[1], kind[1]) if kind else "code"
    parts = {"body": (body, body + end)}
    if line:
        parts = {"signature": (start, start + len(line.rstrip("\r\n"))), **parts}
    name = f"cell#{number}"
    return Segment(name, f"{word}_cell", (start, body + end), parts, "", "", name, (name,))


def _aliases(
    found: Outline, cells: Sequence[Segment], text: str, mark: str
) -> Iterator[tuple[str, str]]:
    """Yield the other addresses of cells, and the addresses in cells of what is in them."""
    ids = [(_id_of(cell, text), cell.address) for cell in cells]
    named = Counter(id_ for id_, _ in ids)
    yield from ((id_, address) for id_, address in ids if id_ and named[id_] == 1)
    prose = {
        cell.address: plain_markdown(text[slice(*cell.parts["body"])], mark)
        for cell in cells
        if cell.kind == "markdown_cell"
    }
    yield from below_headings([(cell.address, prose.get(cell.address, "")) for cell in cells])
    yield from _inside(found, cells).items()


def _id_of(cell: Segment, text: str) -> str:
    line = text[slice(*cell.parts["signature"])] if "signature" in cell.parts else ""
    named = _ID.search(line)
    return named[1] if named else ""


def _inside(found: Outline, cells: Sequence[Segment]) -> Mapping[str, str]:
    """Return the segments of the script by their addresses in their cells."""
    stems: list[tuple[str, str]] = []
    at = 0
    for segment in found.segments:
        while at + 1 < len(cells) and cells[at + 1].span[0] <= segment.span[0]:
            at += 1
        if cells[at].span[0] <= segment.span[0]:
            stems.append((f"{cells[at].address}/{found.join.join(segment.path)}", segment.address))
    shared, numbers = Counter(stem for stem, _ in stems), Counter[str]()
    made: dict[str, str] = {}
    for stem, address in stems:
        numbers[stem] += 1
        made[f"{stem}#{numbers[stem]}" if shared[stem] > 1 else stem] = address
    return made


def long_string(body: str) -> re.Match[str] | None:
    """Return the one long string that a cell is: 1 its opening, 2 its quotes, 4 its text."""
    return _LONG_STRING.fullmatch(body.strip())


def plain_markdown(body: str, mark: str) -> str:
    """Return the Markdown of a cell's lines, which are comments or one long string."""
    if found := long_string(body):
        return found[4].strip("\n")
    return re.sub(rf"^{re.escape(mark)} ?", "", body, flags=re.MULTILINE)
