"""Diffs: two sides or one column, coloured, changed words marked, long unchanged parts folded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence

from keyhole.answers.side_by_side import CellHead, Line, RowBlock, RowPair
from keyhole.engine.history.compare import EditRow, FileComparison
from keyhole.fastclasses import dataclass
from keyhole.surfaces.pages.highlight import Piece, coloured, coloured_cells
from keyhole.surfaces.pages.html import Html, join, tag, text

VIEWS = ("split", "inline")

_CONTEXT = 3
_FOLD_FROM = 2 * _CONTEXT + 4
# Rows of one file; what is beyond them is counted and not shown.
_MOST_ROWS = 4000
_MOST_FOLDED = 400
# A longer line is cut to what changed in it, so much around that, at so many places.
_WIDEST, _AROUND, _MOST_WINDOWS = 1_000, 160, 20


@dataclass(frozen=True, slots=True)
class Shown:
    """How a comparison is shown: the view, and what stands above each block that an edit begins."""

    view: str = "split"
    banners: Mapping[int, Html] | None = None


def diff(file: FileComparison, shown: Shown) -> Html:
    """Return the comparison of one file."""
    if file.note:
        return tag("p", file.note, class_="empty")
    if not file.sides.blocks:
        said = "The text stays as it is." if file.moved_to else "An empty file."
        return tag("p", said, class_="empty")
    paint = _Paint(file)
    one_sided = file.created or file.deleted
    view = "inline" if one_sided or shown.view == "inline" else "split"
    rows = join(_rows(file.sides.blocks, paint, view, shown.banners or {}))
    return tag("div", rows, class_=f"diff {view}", tabindex=0)


class _Side:
    """The lines of one side in colours; they are read as a whole, for strings span lines.

    Of a notebook each cell is read alone, its lines count from 1, and its head is shown as such.
    """

    def __init__(self, path: str, lines: Sequence[str], cells: Sequence[CellHead]) -> None:
        self._heads = {cell.line: _head(number, cell) for number, cell in enumerate(cells, 1)}
        self._starts = [cell.line for cell in cells]
        self._pieces = [*_coloured_cells(lines, cells)] if cells else coloured(path, lines)

    def line(self, line: Line) -> Html:
        return self._heads.get(line.number) or _line(line, self._pieces[line.number - 1])

    def number(self, line: Line) -> int:
        """Return the number that a line is shown with, 0 for none."""
        at = bisect_right(self._starts, line.number)
        return line.number - self._starts[at - 1] if at else line.number


def _coloured_cells(lines: Sequence[str], cells: Sequence[CellHead]) -> Iterator[tuple[Piece, ...]]:
    ends = [*(cell.line - 1 for cell in cells[1:]), len(lines)]
    sources = [lines[cell.line : end] for cell, end in zip(cells, ends, strict=True)]
    languages = [cell.language for cell in cells]
    for pieces in coloured_cells(zip(languages, sources, strict=True)):
        yield ()
        yield from pieces


def _head(number: int, cell: CellHead) -> Html:
    said = [cell.language, *([f"id {cell.id}"] if cell.id else [])]
    if cell.outputs:
        said.append(f"{cell.outputs} output{'' if cell.outputs == 1 else 's'}")
    return tag("b", f"cell#{number}", tag("small", " · ".join(said)), class_="cell")


class _Paint:
    """Both sides of a comparison."""

    def __init__(self, file: FileComparison) -> None:
        pairs = [pair for block in file.sides.blocks for pair in block.pairs]
        old = [pair.old.text for pair in pairs if pair.old]
        new = [pair.new.text for pair in pairs if pair.new]
        self.old = _Side(file.moved_from or file.path, old, file.sides.old_cells)
        self.new = _Side(file.moved_to or file.path, new, file.sides.new_cells)


_Draw = Callable[[Sequence[RowPair], _Paint], Iterator[Html]]


def _line(line: Line, pieces: Sequence[Piece]) -> Html:
    """Return a line in colours with its marks; marks may begin and end within a colour."""
    if len(line.text) > _WIDEST:
        return _cut_line(line)
    out: list[str] = []
    at = 0
    marks = list(line.marks)
    for kind, words in pieces:
        for marked, part in _cut(words, at, marks):
            said = str(text(part))
            said = f'<span class="{kind}">{said}</span>' if kind else said
            out.append(f"<mark>{said}</mark>" if marked else said)
        at += len(words)
    if line.end:
        out.append(str(tag("small", line.end, class_="eol")))
    return Html("".join(out))


def _cut_line(line: Line) -> Html:
    """Return a very long line: what changed in it and some of what is around, the rest folded."""
    out: list[str] = []
    reached = 0
    for start, end in [*_windows(line), (len(line.text), len(line.text))]:
        if start > reached:
            out.append(str(_folded_words(line.text[reached:start])))
        marks = list(line.marks)
        for marked, part in _cut(line.text[start:end], start, marks):
            said = str(text(part))
            out.append(f"<mark>{said}</mark>" if marked else said)
        reached = end
    if line.end:
        out.append(str(tag("small", line.end, class_="eol")))
    return Html("".join(out))


def _windows(line: Line) -> list[tuple[int, int]]:
    """Return the stretches of a very long line that are shown; far apart ones stay apart."""
    size = len(line.text)
    shown: list[tuple[int, int]] = []
    for start, end in line.marks[:_MOST_WINDOWS] or ((0, _AROUND),):
        left, right = max(start - _AROUND, 0), min(min(end, start + _WIDEST) + _AROUND, size)
        if shown and left <= shown[-1][1] + _AROUND:
            shown[-1] = (shown[-1][0], max(right, shown[-1][1]))
        else:
            shown.append((left, right))
    return shown


def _folded_words(words: str) -> Html:
    said = f"… {len(words):,} characters …"
    return tag("details", tag("summary", said), words, class_="gap")


def _cut(words: str, at: int, marks: Sequence[tuple[int, int]]) -> Iterator[tuple[bool, str]]:
    reached, end = at, at + len(words)
    for start, stop in marks:
        left, right = max(start, reached), min(stop, end)
        if left >= right:
            continue
        if left > reached:
            yield False, words[reached - at : left - at]
        yield True, words[left - at : right - at]
        reached = right
    if reached < end:
        yield False, words[reached - at :]


def _rows(
    blocks: Sequence[RowBlock], paint: _Paint, view: str, banners: Mapping[int, Html]
) -> Iterator[Html]:
    draw = _split if view == "split" else _inline
    count = 0
    for at, block in enumerate(blocks):
        if at in banners:
            yield banners[at]
        if count > _MOST_ROWS:
            rest = sum(len(each.pairs) for each in blocks[at:])
            yield tag("p", f"{rest} more rows are not shown here.", class_="cut")
            return
        if block.changed:
            yield from draw(block.pairs[:_MOST_ROWS], paint)
            count += len(block.pairs)
            if len(block.pairs) > _MOST_ROWS:
                rest = len(block.pairs) - _MOST_ROWS
                yield tag("p", f"{rest} more rows of this change are not shown.", class_="cut")
            continue
        for part in _folded(block, first=at == 0, last=at == len(blocks) - 1):
            yield _fold(part.pairs, paint, draw) if part.hidden else join(draw(part.pairs, paint))
            count += len(part.pairs)


@dataclass(frozen=True, slots=True)
class _Part:
    pairs: tuple[RowPair, ...]
    hidden: bool = False


def _folded(block: RowBlock, *, first: bool, last: bool) -> Iterator[_Part]:
    """Yield an unchanged stretch: its edges as context, its middle to be unfolded."""
    head = 0 if first else _CONTEXT
    tail = 0 if last else _CONTEXT
    pairs = block.pairs
    if len(pairs) < max(_FOLD_FROM, head + tail + 2):
        yield _Part(pairs)
        return
    end = len(pairs) - tail
    if head:
        yield _Part(pairs[:head])
    yield _Part(pairs[head:end], hidden=True)
    if tail:
        yield _Part(pairs[end:])


def _fold(pairs: tuple[RowPair, ...], paint: _Paint, draw: _Draw) -> Html:
    said = f"{len(pairs)} unchanged lines"
    if len(pairs) > _MOST_FOLDED:
        return tag("div", said, class_="fold long")
    return tag("details", tag("summary", said), join(draw(pairs, paint)), class_="fold")


def _split(pairs: Sequence[RowPair], paint: _Paint) -> Iterator[Html]:
    for pair in pairs:
        same = pair.old and pair.new and pair.old.text == pair.new.text and not pair.old.end
        kind = "eq" if same and not (pair.old and pair.old.marks) else "ch"
        left, right = _cell(pair.old, paint.old, "o"), _cell(pair.new, paint.new, "n")
        yield Html(f'<div class="r {kind}">{left}{right}</div>')


def _cell(line: Line | None, side: _Side, name: str) -> str:
    if line is None:
        return f'<i class="{name} x"></i><code class="{name} x"></code>'
    number = side.number(line) or ""
    return f'<i class="{name}" data-n="{number}"></i><code class="{name}">{side.line(line)}</code>'


def _inline(pairs: Sequence[RowPair], paint: _Paint) -> Iterator[Html]:
    """Yield rows of one column: what went before what came; rows that stay have both numbers."""
    came: list[Html] = []
    for pair in pairs:
        if pair.old and pair.new and pair.old.text == pair.new.text and not pair.old.end:
            yield from came
            came = []
            was = paint.old.number(pair.old)
            yield _row("eq", was, paint.new.number(pair.new), paint.new.line(pair.new))
            continue
        if pair.old:
            yield _row("del", paint.old.number(pair.old), 0, paint.old.line(pair.old))
        if pair.new:
            came.append(_row("add", 0, paint.new.number(pair.new), paint.new.line(pair.new)))
    yield from came


def _row(kind: str, old: int, new: int, inner: Html) -> Html:
    numbers = "".join(f'<i data-n="{number or ""}"></i>' for number in (old, new))
    return Html(f'<div class="r {kind}">{numbers}<code>{inner}</code></div>')


def by_block(edits: Sequence[EditRow]) -> Mapping[int, list[EditRow]]:
    """Return the edits by the block above which each is announced."""
    found: dict[int, list[EditRow]] = {}
    for edit in edits:
        found.setdefault(max(edit.block, 0), []).append(edit)
    return found
