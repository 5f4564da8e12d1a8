"""Written: what an edit by name comes to, as changes of the document."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from keyhole.edits.naming.spot import SegmentTarget
from keyhole.matching.view import View
from keyhole.segments.outline import Span
from keyhole.text.align import differences
from keyhole.text.blocks import block, newline_near
from keyhole.text.changes import Change
from keyhole.text.document import split_lines


class Written(NamedTuple):
    """The changes of an edit, the place they were made for, what to tell."""

    changes: tuple[Change, ...]
    span: Span
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def put_text(spot: SegmentTarget, span: Span, text: str, notes: tuple[str, ...] = ()) -> Written:
    """Write `text` where a span of the flat text stands; lines that stay are not touched."""
    view = spot.target.view
    place = view.offset(span[0]), view.offset(span[1])
    return Written(tuple(_changes(view, span, text)), place, notes)


def _changes(view: View, span: Span, text: str) -> Iterator[Change]:
    old, new = split_lines(view.flat[slice(*span)]), split_lines(text)
    starts = list(accumulate(map(len, old), initial=span[0]))
    for hunk in differences(old, new):
        start, end = view.offset(starts[hunk.old_start]), view.offset(starts[hunk.old_end])
        was, becomes = "".join(old[slice(*hunk[:2])]), "".join(new[slice(*hunk[2:])])
        if becomes.startswith(was):
            # Lines are added to one that has no end: that line is not touched either.
            start, becomes = end, becomes[len(was) :]
        if "\r" in view.document.text:
            becomes = becomes.replace("\n", newline_near(view.document, start, end))
        yield Change(start, end, becomes)


def put_lines(
    spot: SegmentTarget, span: Span, lines: list[str], notes: tuple[str, ...] = ()
) -> Written:
    """Write whole lines where the whole lines of a span stand; an empty span is a place between."""
    start, end = span
    if lines and end > start:
        # The last line's end is not part of the exchange: it stays as it is, or stays missing.
        return put_text(spot, (start, spot.content_end(span)), "\n".join(lines), notes)
    place = spot.target.view.offset(start), spot.target.view.offset(end)
    change = block(spot.target.document, *place, lines)
    changes = (change,) if change.text or change.end > change.start else ()
    return Written(changes, place, notes)
