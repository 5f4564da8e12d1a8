"""Whether a quote stands where its author saw it: an equal text elsewhere is another place.

Worked example: the caller was shown a block; a colleague copied it and changed the block itself.
What the caller quotes stands only in the copy by now. The edit is for the block: it is refused.
"""

from __future__ import annotations

from keyhole.edits.by_text.explain import ExplainedRefusal, displaced
from keyhole.edits.by_text.target import Target
from keyhole.edits.locate import scope_of
from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import LocatedEdit
from keyhole.fastclasses import replace
from keyhole.matching.follow import LostPlace, Span, follow
from keyhole.matching.ladder import find, find_elided
from keyhole.matching.query import Occurrence, Occurrences, Quote, Rewrite
from keyhole.matching.rungs import MOST_SITES
from keyhole.matching.view import View
from keyhole.refusals import Refused

# Rungs that found the place in the version shown, or by an accepted id.
_TOLD = {"base", "accepted"}
_DELETED = "that place was taken out since"
_SEVERAL = "lines of that place stand at several places by now"
_MOVED = "the quoted text was moved since the version last shown"


class DisplacedQuote(Exception):  # noqa: N818 - an answer with what it offers, not an error
    """A quote stands at another place than in the version that the caller was shown."""

    def __init__(self, explained: ExplainedRefusal) -> None:
        super().__init__(explained.refusal.headline)
        self.explained = explained


def at_meant_place(edit: Edit | Hunk, placed: LocatedEdit, target: Target) -> LocatedEdit:
    """Return an edit at what became of the place that its author was shown, or refuse.

    Text that was cut out there and stands once elsewhere was moved, and is the place.
    """
    quote = _quote(edit, target)
    if quote is None or placed.matched in _TOLD or not placed.changes or not target.is_unseen:
        return placed
    for base in target.bases:
        span = _only_place(base, quote, edit, target)
        if isinstance(span, int):
            if span:
                return placed
            continue
        place = follow(span, target.revisions(base))
        if place is LostPlace.DELETED and _may_be_moved(edit):
            return replace(placed, notes=(*placed.notes, _MOVED))
        if isinstance(place, LostPlace) or not _overlap(place, placed.span):
            was = _DELETED if place is LostPlace.DELETED else _SEVERAL
            there = was if isinstance(place, LostPlace) else place
            raise DisplacedQuote(
                displaced(_name(edit), target.path, target.document, placed, there)
            )
        return placed
    return placed


def _quote(edit: Edit | Hunk, target: Target) -> Quote | None:
    """Return what an edit quotes from its place; None if it names the place in another way."""
    if isinstance(edit, Hunk):
        plain = edit.spelled(target.document).plain
        return Quote("".join(f"{line}\n" for line in plain.old)) if plain.old else None
    if not edit.find or edit.regex or edit.occurrence == "all":
        return None
    return Quote(target.view.plain(edit.find))


def _name(edit: Edit | Hunk) -> str:
    return "hunk" if isinstance(edit, Hunk) else "find"


def _may_be_moved(edit: Edit | Hunk) -> bool:
    """Tell whether a quote that was cut out of its place was moved to where it stands now.

    Where lines or occurrences are counted, another copy may have moved up instead.
    """
    return isinstance(edit, Hunk) or (edit.occurrence == "unique" and not edit.lines)


def _only_place(base: View, quote: Quote, edit: Edit | Hunk, target: Target) -> Span | int:
    """Return where a quote stands in a version, or the number of places if it is not one."""
    scope = _scope(base, edit, target)
    if scope is None:
        return 0
    occurrence = "unique" if isinstance(edit, Hunk) else edit.occurrence
    found = find(base, quote, scope, most=2 if occurrence == "unique" else MOST_SITES)
    if isinstance(found, Occurrences):
        site = _counted(found, occurrence)
        return (base.offset(site.start), base.offset(site.end)) if site else len(found.found)
    rewritten = find_elided(base, replace(quote, new=quote.old), scope) if found is None else None
    return (rewritten.start, rewritten.end) if isinstance(rewritten, Rewrite) else 0


def _scope(base: View, edit: Edit | Hunk, target: Target) -> Span | None:
    """Return where a quote is looked for in a version; None if the version has no such part."""
    if isinstance(edit, Hunk) or not (edit.segment or edit.lines):
        return 0, len(base.flat)
    try:
        return scope_of(edit, Target(target.path, base.document))
    except Refused:
        return None


def _counted(found: Occurrences, occurrence: str | int) -> Occurrence | None:
    """Return the place that an occurrence counts to, if there is one."""
    sites = found.found
    if occurrence == "unique":
        return sites[0] if len(sites) == 1 else None
    at = {"first": 0, "last": -1}.get(str(occurrence), 0)
    if isinstance(occurrence, int):
        at = occurrence - 1
    return sites[at] if at < len(sites) else None


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
