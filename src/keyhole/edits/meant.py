"""Whether a quote stands where its author saw it: an equal text elsewhere is another place.

Worked example: the caller was shown a block; a colleague copied it and changed the block itself.
What the caller quotes stands only in the copy by now. The edit is for the block: it is refused.
"""

from __future__ import annotations

from keyhole.edits.explain import Explained, displaced
from keyhole.edits.hunk import Hunk
from keyhole.edits.operations import Edit
from keyhole.edits.plan import Placed
from keyhole.edits.target import Target
from keyhole.matching.follow import Lost, Span, followed
from keyhole.matching.ladder import elided, find
from keyhole.matching.place import Laid, Quote, Sites
from keyhole.matching.view import View
from keyhole.values import replace

# Rungs that found the place in the version shown, or were told it.
_TOLD = {"base", "accepted"}
_MOVED = "the quoted text was moved since the version last shown"


class Displaced(Exception):  # noqa: N818 - an answer with what it offers, not an error
    """A quote stands at another place than in the version that the caller was shown."""

    def __init__(self, explained: Explained) -> None:
        super().__init__(explained.refusal.headline)
        self.explained = explained


def as_meant(edit: Edit | Hunk, placed: Placed, target: Target) -> Placed:
    """Return an edit whose place is what became of the one that its author was shown, or refuse.

    Text that was cut out there and stands once elsewhere was moved, and is the place.
    """
    quote = _quote(edit, target)
    if quote is None or placed.matched in _TOLD or not placed.changes or not target.is_unseen:
        return placed
    for base in target.bases:
        span = _only_place(base, quote)
        if isinstance(span, int):
            if span:
                return placed
            continue
        place = followed(span, target.revisions(base))
        if place is Lost.DELETED:
            return replace(placed, notes=(*placed.notes, _MOVED))
        if isinstance(place, Lost) or not _overlap(place, placed.span):
            there = None if isinstance(place, Lost) else place
            raise Displaced(displaced(_name(edit), target.path, target.document, placed, there))
        return placed
    return placed


def _quote(edit: Edit | Hunk, target: Target) -> Quote | None:
    """Return what alone says where an edit is; None where other things say it too."""
    if isinstance(edit, Hunk):
        plain = edit.spelled(target.document).plain
        return Quote("".join(f"{line}\n" for line in plain.old)) if plain.old else None
    if not edit.find or edit.regex or edit.segment or edit.lines or edit.occurrence != "unique":
        return None
    return Quote(target.view.plain(edit.find))


def _name(edit: Edit | Hunk) -> str:
    return "hunk" if isinstance(edit, Hunk) else "find"


def _only_place(base: View, quote: Quote) -> Span | int:
    """Return where a quote stands in a version, or at how many places if that is not one."""
    whole = (0, len(base.flat))
    found = find(base, quote, whole, most=2)
    if isinstance(found, Sites):
        (first, *more) = found.found
        return len(found.found) if more else (base.offset(first.start), base.offset(first.end))
    laid = elided(base, replace(quote, new=quote.old), whole) if found is None else None
    return (laid.start, laid.end) if isinstance(laid, Laid) else 0


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
