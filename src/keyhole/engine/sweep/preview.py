"""The preview of a sweep: how many places each file has, and the first of them with their ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keyhole.answers.sweep import (
    HOW_TO_WRITE,
    FoundPlace,
    SweepSummary,
    SweptFile,
    cut_line,
    fitted,
)
from keyhole.engine.sweep.find import Findings, SweptPlaces, left_out_of
from keyhole.engine.sweep.places import SweepPlace
from keyhole.fastclasses import replace
from keyhole.refusals import Refused
from keyhole.segments.registry import outline
from keyhole.text.document import Document, chop
from keyhole.workspace.tree import Tree

# As many places as could fit into an answer; their files are outlined.
_MOST_SHOWN = 100


def summary_of(
    tree: Tree, found: Findings, offset: int = 0, *, is_full: bool = False
) -> SweepSummary:
    """Return what a preview says: all that fits, and where the rest begins."""
    most = found.count if is_full else _MOST_SHOWN
    rows = list(_rows(tree, found.files, offset, most))
    # Later pages go on with places; how many each file has stands on the first.
    counts_rest = not offset
    files = tuple(rows) if is_full else fitted(rows, lists_rest=counts_rest)
    if not counts_rest:
        files = tuple(file for file in files if file.places)
    shown = offset + sum(len(file.places) for file in files)
    return SweepSummary(
        found.count,
        len(found.files),
        files,
        left_out_of(found),
        following=shown if shown < found.count else 0,
        is_preview=True,
        help=HOW_TO_WRITE,
    )


def _rows(tree: Tree, files: Sequence[SweptPlaces], offset: int, most: int) -> Iterator[SweptFile]:
    """Yield the files behind an offset, the first `most` places with their lines."""
    passed = 0
    for file in files:
        low = max(offset - passed, 0)
        high = min(offset + most - passed, len(file.places))
        passed += len(file.places)
        if low >= len(file.places):
            continue
        places = _found(tree, file, file.places[low:high]) if high > low else ()
        yield SweptFile(file.path, len(file.places), places)


def _found(tree: Tree, file: SweptPlaces, places: Sequence[SweepPlace]) -> tuple[FoundPlace, ...]:
    """Return places of a file with their lines and segments, unless it changed since."""
    try:
        document = tree.read(file.path)
    except Refused:
        return ()
    if document.hash != file.hash:
        return ()
    segments = outline(file.path, document)
    _ = document.starts  # each place asks for its line
    found = []
    for place in places:
        inner = segments.enclosing(place.start)
        text, becomes = _lines(document, place)
        name = inner.address if inner else ""
        found.append(
            FoundPlace(
                place.id, document.line_shown(document.line_at(place.start)), name, text, becomes
            )
        )
    return tuple(found)


def _lines(document: Document, place: SweepPlace) -> tuple[str, str]:
    """Return the first line of a place as it stands, and the first line that it becomes."""
    number = document.line_at(place.start)
    low, high = document.span_of_lines(number, number)
    after, at = [], low
    for change in place.changes:
        after += [document.text[at : change.start], change.text]
        at = max(change.end, at)
    high = max(high, document.span_of_lines(*[document.line_at(max(at - 1, low))] * 2)[1])
    after.append(document.text[at:high])
    column = place.start - low
    before = chop(document.line(number))
    first = "".join(after).replace("\r", "\n").lstrip("\n").partition("\n")[0]
    return cut_line(before, column), cut_line(first, column)


def carried_out(found: Findings, changed: int) -> SweepSummary:
    """Return what a receipt says beside its files."""
    summary = SweepSummary(found.count, len(found.files), left_out=left_out_of(found))
    return replace(summary, changed=changed)
