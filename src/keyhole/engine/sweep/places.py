"""The places of a sweep in one file: where its edits apply, what they change, and their ids.

A place is called by the text around it, not by its number: whoever saw it in a preview means it
wherever it stands by now, and a place that has changed is another one.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from keyhole.edits.by_text.target import Target
from keyhole.edits.cell_marks import touches_mark
from keyhole.edits.cells import code_cells
from keyhole.edits.model.operations import Edit
from keyhole.engine.sweep.request import Sweep
from keyhole.engine.sweep.spellings import spellings, stands_alone
from keyhole.fastclasses import dataclass
from keyhole.matching.regex import Template, expand_all, hits
from keyhole.matching.rewrite_literal import spelled
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change
from keyhole.text.document import Document
from keyhole.text.notebook import shown_source

# What the places of an edit are given in one file, in characters.
_MOST_NEW = 32 * 1024 * 1024
_OF_PATH, _OF_PLACE = 4, 10


@dataclass(frozen=True, slots=True)
class SweepPlace:
    """One place that a sweep would change: its span in the file, and the changes made there."""

    edit: int
    start: int
    end: int
    changes: tuple[Change, ...]
    id: str = ""


def places_in(sweep: Sweep, path: str, document: Document) -> list[SweepPlace]:
    """Return the places of a sweep in a file, in order; what an edit leaves as it is, is none."""
    target = Target(path, document)
    found = [
        place
        for number, edit in enumerate(sweep.edits)
        for place in _places_of(number, edit, sweep, target)
        if any(document.text[each.start : each.end] != each.text for each in place.changes)
    ]
    if document.stored:
        found = [place for place in found if not _is_beside_cells(place, document)]
    if len(sweep.edits) > 1:
        found.sort(key=lambda place: (place.start, place.end))
        _must_be_apart(path, document, found)
    return named(path, document, found)


def _places_of(number: int, edit: Edit, sweep: Sweep, target: Target) -> Iterator[SweepPlace]:
    if edit.pattern:
        yield from _places_of_pattern(number, edit, target)
        return
    view = target.view
    for start, end, text in _found(edit, sweep, target):
        first, last = view.offset(start), view.offset(end)
        change = Change(first, last, spelled(view, text, first, last))
        yield SweepPlace(number, first, last, (change,))


def _places_of_pattern(number: int, edit: Edit, target: Target) -> Iterator[SweepPlace]:
    """Yield where a pattern fits; in a notebook, in the cells whose language has patterns."""
    from keyhole.edits.by_name.pattern import pattern_places

    if not target.document.stored:
        for (start, end), changes in pattern_places(edit, target):
            yield SweepPlace(number, start, end, tuple(changes))
        return
    misfits: list[Refused] = []
    cells = [*code_cells(target)]
    for by, cell in cells:
        try:
            found = pattern_places(edit, cell)
        except Refused as refused:
            misfits.append(refused)
            continue
        for (start, end), changes in found:
            moved = (Change(c.start + by, c.end + by, shown_source(c.text)) for c in changes)
            yield SweepPlace(number, start + by, end + by, tuple(moved))
    if misfits and len(misfits) == len(cells):
        raise misfits[0]


def _is_beside_cells(place: SweepPlace, document: Document) -> bool:
    """Tell whether a place is in a line that tells of a cell, or takes a cell its last line end."""
    text = document.text
    open_end = any(each.end == len(text) and not each.text.endswith("\n") for each in place.changes)
    return open_end or any(touches_mark(change, text) for change in place.changes)


def _found(edit: Edit, sweep: Sweep, target: Target) -> Iterator[tuple[int, int, str]]:
    """Yield where a quote or an expression stands in the view's text, with the new text of each."""
    view = target.view
    quote, content = edit.find or "", view.plain(edit.content or "")
    if edit.regex:
        found = list(hits(quote, view.flat, 0, len(view.flat)))
        texts = expand_all(Template.of(content), found, _MOST_NEW)
        for hit, text in zip(found, texts, strict=True):
            yield hit.start, hit.end, text
        return
    quote = view.plain(quote)
    known = spellings(quote, content) if sweep.cases else {quote: content}
    # The longest first: at one point the whole name is meant, and not the beginning of it.
    longest = sorted(known, key=len, reverse=True)
    any_of = re.compile("|".join(map(re.escape, longest)))
    at = 0
    while match := any_of.search(view.flat, at):
        start, end = match.span()
        if stands_alone(view.flat, start, end, sweep.boundary, target.path):
            yield start, end, known[match.group()]
            at = end
        else:
            at = start + 1


def _must_be_apart(path: str, document: Document, places: Sequence[SweepPlace]) -> None:
    """Refuse edits of the call that meet in one place."""
    one = places[0] if places else None
    for other in places[1:]:
        if one and (other.start < one.end or (other.start, other.end) == (one.start, one.end)):
            raise Refused(
                Refusal(
                    "overlapping-edits",
                    say(
                        "edits {} and {} both find line {} of {}",
                        *sorted((one.edit, other.edit)),
                        document.line_at(other.start),
                        FileName(path),
                    ),
                    help="send them in two calls, or make one edit of the two",
                    path=path,
                    edit=max(one.edit, other.edit),
                )
            )
        one = other


def named(path: str, document: Document, places: Sequence[SweepPlace]) -> list[SweepPlace]:
    """Return places with their ids: the file, the lines around, and where in them the place is.

    Places with the same lines around are told apart by their order, which holds for this version
    of the file only.
    """
    head = tag_of(path)
    contexts = [_context(document, place) for place in places]
    counts, seen = Counter(contexts), Counter[str]()
    out = []
    for place, context in zip(places, contexts, strict=True):
        seen[context] += 1
        one_of = f"\0{seen[context]}\0{document.hash}" if counts[context] > 1 else ""
        id_ = f"{head}-{_digest(context + one_of, _OF_PLACE)}"
        out.append(SweepPlace(place.edit, place.start, place.end, place.changes, id_))
    return out


def tag_of(path: str) -> str:
    """Return what the ids of a file's places begin with."""
    return _digest(path, _OF_PATH)


def _context(document: Document, place: SweepPlace) -> str:
    first, last = document.lines_of((place.start, place.end))
    above, below = max(first - 1, 1), min(last + 1, document.line_count)
    start, end = document.span_of_lines(above, below)
    at, size = place.start - document.span_of_lines(first, first)[0], place.end - place.start
    return f"{document.text[start:end]}\0{first - above}\0{at}\0{size}"


def _digest(text: str, size: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:size]
