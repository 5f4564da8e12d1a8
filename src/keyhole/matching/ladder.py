"""The ladder: rungs from exact to loose, one place or a refusal, never a guess.

At each rung every place is counted. None: the next rung. One: it is the place. Several: stop, and
let the caller choose or refuse; a looser rung never settles what a stricter one left open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, pairwise

from keyhole.fastclasses import dataclass, replace
from keyhole.matching.elision import pieces
from keyhole.matching.follow import LostPlace, follow
from keyhole.matching.indent_rule import in_one_frame
from keyhole.matching.merge import MergeClash, carry
from keyhole.matching.query import BlockCrossing, Obstacle, Occurrence, Occurrences, Quote, Rewrite
from keyhole.matching.repairs import Repair, repairs
from keyhole.matching.revision import Revision, total
from keyhole.matching.rewrite import rewrite
from keyhole.matching.rewrite_literal import cut_word, obstacle
from keyhole.matching.rungs import MOST_SITES, Scope, exact, occurrences, whole_lines
from keyhole.matching.view import View, keys_of, quote_lines
from keyhole.text.align import differences, most_alike, unchanged
from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.indent import is_blank

_BLANKS = " \t\r\n"


def add_to_same_gap(text: str, ours: ChangeSet, theirs: ChangeSet) -> bool:
    """Tell whether both sets add to `text` between the same two lines with words.

    Blank lines between do not separate: an addition above one may be shown below it.
    """
    added = [change.start for change in theirs.changes if change.start == change.end]
    gaps = [
        _blank_span(text, change.start) for change in ours.changes if change.start == change.end
    ]
    return any(low <= at <= high for low, high in gaps for at in added)


def _blank_span(text: str, at: int) -> tuple[int, int]:
    """Return the span of blank lines around an offset."""
    low = len(text[:at].rstrip(_BLANKS))
    tail = text[at:]
    high = at + len(tail) - len(tail.lstrip(_BLANKS))
    return low, max(at, text.rfind("\n", 0, high) + 1)


@dataclass(frozen=True, slots=True)
class SeveralPlaces:
    """More than one place fits, and nothing says which: where they are, in document offsets."""

    rung: str
    spans: tuple[tuple[int, int], ...]
    more: bool = False


Found = Occurrences | Obstacle | None
# Places of a repaired quote are compared with those of other repairs; more are not one anyway.
_MOST_REPAIRED = 200
_LEAST_APPLIED = 20
# How alike two lines are at least that may be one line before and after a change.
_ALIKE = 0.8
_ORDER = ("exact", "whitespace", "blank-lines", "indentation")
_RUNGS = (*_ORDER, "transport", "elision", "base", "accepted")


def find(
    view: View, quote: Quote, scope: Scope, *, tolerant: bool = True, most: int = MOST_SITES
) -> Found:
    """Return every place of the strictest rung that has any; None where no rung has one."""
    found: Found = exact(view, quote, scope, most)
    if found or not tolerant or view.is_huge:
        return found
    return whole_lines(view, quote, scope) or _transport(view, quote, scope)


def _transport(view: View, quote: Quote, scope: Scope) -> Found:
    """Try each repair; at one place the strictest match counts, and all must give one new text."""
    every = repairs(quote, in_json=bool(view.document.stored))
    hits = [hit for repair in every if (hit := _repaired(view, repair, scope))]
    kept: list[tuple[str, Occurrence]] = []
    for hit in sorted(hits, key=lambda hit: _ORDER.index(hit.rung)):
        others = tuple(kept)
        for site in hit.found:
            rung, twin = next((one for one in others if _overlap(one[1], site)), ("", None))
            if twin is None:
                kept.append((hit.rung, replace(site, rung="transport")))
            elif rung == hit.rung and _same_place(twin, site) and twin.quote != site.quote:
                reason = (
                    "the quoted text is there once repaired, but the new text reads in two ways"
                )
                return obstacle(view, site, "not-found", reason)
    sites = sorted((site for _, site in kept), key=lambda site: site.start)
    more = any(hit.more for hit in hits)
    return Occurrences("transport", tuple(sites), more) if sites else None


def _same_place(one: Occurrence, other: Occurrence) -> bool:
    return (one.start, one.end) == (other.start, other.end)


def _overlap(one: Occurrence, other: Occurrence) -> bool:
    return one.start < other.end and other.start < one.end


def _repaired(view: View, repair: Repair, scope: Scope) -> Occurrences | None:
    quote = repair.quote
    if not quote.old.strip():
        return None
    found = exact(view, quote, scope, _MOST_REPAIRED)
    if found and not repair.inline:
        found = None if found.more else _of_whole_lines(view, found)
    if not found and not repair.inline:
        found = whole_lines(view, quote, scope)
    if not found or (found.rung == "indentation" and not repair.may_shift):
        return None
    sites = tuple(replace(site, notes=(repair.note,)) for site in found.found)
    if repair.line:
        sites = _at_line(view, sites, repair)
    if any(repair.bare) or repair.fence:
        sites = tuple(site for site in sites if _is_bare(view, site, repair))
    more = found.more or len(sites) > _MOST_REPAIRED
    return replace(found, found=sites[:_MOST_REPAIRED], more=more) if sites else None


def _of_whole_lines(view: View, found: Occurrences) -> Occurrences | None:
    """Return the places that cut no line in two."""
    sites = tuple(site for site in found.found if _is_whole(view, site))
    return replace(found, found=sites) if sites else None


def _is_whole(view: View, site: Occurrence) -> bool:
    ended = view.flat.endswith("\n", site.start, site.end)
    return all(map(is_blank, view.around(site.start, site.end - ended)))


def _is_bare(view: View, site: Occurrence, repair: Repair) -> bool:
    """Tell whether the file lacks beside an occurrence what the repair removed from the quote."""
    above, below = view.line_of(site.start) - 1, view.line_of(max(site.end - 1, site.start)) + 1
    beside = (above, repair.bare[0]), (below, repair.bare[1])
    there = [(line, bare) for line, bare in beside if 0 <= line < len(view.keys)]
    if any(bare and not view.keys[line] for line, bare in there):
        return False
    mark = repair.fence
    return not mark or not any(view.keys[line].startswith(mark) for line, _ in there)


def _at_line(view: View, sites: tuple[Occurrence, ...], repair: Repair) -> tuple[Occurrence, ...]:
    """Return the place at the quoted line number, else all places if the text may have moved.

    A number beyond the file's last line does not count.
    """
    there = tuple(site for site in sites if view.line_of(site.start) + 1 == repair.line)
    if there or not repair.moves or repair.line > len(view.lines):
        return there
    if len(sites) > 1:
        return sites
    stands = view.line_of(sites[0].start) + 1
    note = f"the quoted text is numbered {repair.line}, and stands at line {stands}"
    return (replace(sites[0], notes=(*sites[0].notes, note)),)


def find_elided(
    view: View, quote: Quote, scope: Scope
) -> Rewrite | BlockCrossing | SeveralPlaces | Obstacle | None:
    """Place a quote that leaves lines out: each piece must stand once behind the one before.

    The lines left out stay inside the block that the quote begins or continues.
    """
    sites = _sites_of_pieces(view, quote, scope)
    if not isinstance(sites, list):
        return sites
    rewritten: list[Rewrite] = []
    for site in sites:
        piece = rewrite(view, site)
        if isinstance(piece, Obstacle):
            return piece
        rewritten.append(piece)
    if not in_one_frame(view, sites):
        return None
    changes = tuple(change for piece in rewritten for change in piece.changes)
    gap = sum(b.start - a.end for a, b in pairwise(rewritten))
    note = f"the quote leaves out {gap} characters of the file"
    whole = Rewrite(rewritten[0].start, rewritten[-1].end, "elision", changes, (note,))
    return crossing(view, whole, sites) or whole


def _sites_of_pieces(
    view: View, quote: Quote, scope: Scope
) -> list[Occurrence] | SeveralPlaces | Obstacle | None:
    low = scope[0]
    sites: list[Occurrence] = []
    for part in pieces(quote) or ():
        found = find(view, part, (low, scope[1]))
        if isinstance(found, Occurrences):
            found = _of_whole_lines(view, found)
        if not isinstance(found, Occurrences):
            return found
        if len(found.found) > 1:
            return several(view, found)
        sites.append(found.found[0])
        low = sites[-1].end
    return sites or None


def crossing(view: View, rewritten: Rewrite, sites: Sequence[Occurrence]) -> BlockCrossing | None:
    """Return the first gap between two occurrences that leaves the blocks of those above it."""
    from keyhole.matching.stretch import first_outside

    heads: list[range] = []
    for above, below in pairwise(sites):
        last = view.line_of(max(above.end - 1, above.start))
        heads.append(range(view.line_of(above.start), last + 1))
        tail = view.line_of(below.start)
        outside = [first_outside(view, head, tail) for head in heads]
        if outside[0] is not None and None not in outside:
            return BlockCrossing(rewritten, heads[0].start, tail, outside[0])
    return None


def from_base(
    view: View,
    base: View,
    quote: Quote,
    scope: Scope,
    revisions: Callable[[], Sequence[Revision]] = tuple,
) -> Rewrite | None:
    """Place a quote in the version its author was shown, and carry the edit over to the file.

    `revisions` returns what became of that version, and is called only if the quote stands there;
    without revisions the two texts are compared. Every quoted line must be where the revisions
    say, or have been changed there: a copy of the place is not the place. No revision may touch an
    edited line or its neighbours, nor add to the gap that the edit adds to.
    """
    whole = (0, len(base.flat))
    found = find(base, quote, whole)
    rewritten = (
        _only(base, found) if isinstance(found, Occurrences) else find_elided(base, quote, whole)
    )
    if not isinstance(rewritten, Rewrite):
        return None
    since = revisions() or (Revision(base.document, view.document),)
    length = len(base.document.text)
    edit, around = ChangeSet.of(length, rewritten.changes), _with_neighbours(base, rewritten)
    place = follow((rewritten.start, rewritten.end), since)
    if isinstance(edit, Clash) or isinstance(place, LostPlace) or not _is_as_it_was(around, since):
        return None
    carried_over = carry(edit, since)
    if isinstance(carried_over, MergeClash) or add_to_same_gap(
        base.document.text, edit, total(since)
    ):
        return None
    edited = carried_over.changes
    span = (edited[0].start, edited[-1].end) if edited else place
    if view.flat_offset(span[0]) < scope[0] or view.flat_offset(span[1]) > scope[1]:
        return None
    note = "placed in the version last shown; the file has changed elsewhere since"
    return Rewrite(*span, "base", edited, (*rewritten.notes, note))


def _is_as_it_was(lines: tuple[int, int], since: Sequence[Revision]) -> bool:
    """Tell whether some lines did not change, and are certainly the same lines.

    A comparison of texts may pair repeated lines wrongly.
    """
    older, present = since[0].before.text, since[-1].after.text
    if isinstance(carry(ChangeSet(len(older), (Change(*lines, ""),)), since), MergeClash):
        return False
    if all(each.is_recorded for each in since):
        return True
    text = older[slice(*lines)]
    places = (islice(occurrences(each, text, 0, len(each)), 2) for each in (older, present))
    return all(len(list(each)) < 2 for each in places)


def _only(view: View, found: Occurrences) -> Rewrite | Obstacle | None:
    return rewrite(view, found.found[0]) if len(found.found) == 1 else None


def _with_neighbours(view: View, rewritten: Rewrite) -> tuple[int, int]:
    """Return the span of the edited lines and one line on each side."""
    spans = rewritten.changes or (Change(rewritten.start, rewritten.end, ""),)
    text, end_of_line = view.document.text, view.document.terminator
    start = text.rfind(end_of_line, 0, spans[0].start) + 1
    start = text.rfind(end_of_line, 0, max(start - 1, 0)) + 1
    end = spans[-1].end
    for _ in range(2 if end < len(text) and not text.endswith(end_of_line, 0, end) else 1):
        end = text.find(end_of_line, end) + 1 or len(text)
    return start, end


def several(view: View, found: Occurrences) -> SeveralPlaces:
    """Return the places of a rung as document spans."""
    spans = tuple((view.offset(site.start), view.offset(site.end)) for site in found.found)
    return SeveralPlaces(found.rung, spans, found.more)


def already_there(view: View, quote: Quote, scope: Scope) -> Occurrence | None:
    """Return where the new text stands, if the edit adds something and what it removes is gone.

    An edit that only removes lines leaves no trace.
    """
    new = quote.new or ""
    if "\n" not in new.strip("\n") and len(new.strip()) < _LEAST_APPLIED:
        return None
    had, has = set(keys_of(quote.old)), set(keys_of(new))
    if not has - had or any(key in view.units.text for key in had - has):
        return None
    found = exact(view, Quote(new), scope) or whole_lines(view, Quote(new), scope)
    if not found or found.rung not in {"exact", "whitespace"} or len(found.found) > 1:
        return None
    site = found.found[0]
    stands = _is_whole(view, site) if "\n" in new else not cut_word(view, site)
    if not stands or not _is_spelled(view, site, quote):
        return None
    return None if is_doubtful(view, quote, site, scope) else site


def is_doubtful(view: View, quote: Quote, site: Occurrence, scope: Scope) -> bool:
    """Tell whether new text may stand at a place without the edit: a twin, or a part of it."""
    return (
        _shrinks_at_an_edge(quote)
        or _reads_otherwise(view, quote, site, scope)
        or _may_be_meant_elsewhere(view, quote, site, scope)
    )


def _shrinks_at_an_edge(quote: Quote) -> bool:
    """Tell whether the edit removes lines at an end of the quote.

    Then the lines next to it may be what those became; between kept lines nothing else can stand.
    """
    old, new = keys_of(quote.old.strip("\n")), keys_of((quote.new or "").strip("\n"))
    return any(
        hunk.old_end - hunk.old_start > hunk.new_end - hunk.new_start
        for hunk in differences(old, new)
        if hunk.old_start == 0 or hunk.old_end == len(old)
    )


def _reads_otherwise(view: View, quote: Quote, site: Occurrence, scope: Scope) -> bool:
    """Tell whether a line elsewhere may be one that the edit changes, with other words by now.

    Kept lines on both sides of the change tell places apart without this question.
    """
    kept, changed = _kept_and_changed(quote)
    if kept and changed and kept[0] < changed[0] and changed[-1] < kept[-1]:
        return False
    low, high = view.line_of(scope[0]), view.line_of(scope[1] - 1) + 1
    own = range(view.line_of(site.start), view.line_of(max(site.end - 1, site.start)) + 1)
    others = [view.keys[n] for n in range(low, high) if view.keys[n] and n not in own]
    old = keys_of(quote.old)
    return any(most_alike(old[o], others, _ALIKE, 1) for o in changed)


def _kept_and_changed(quote: Quote) -> tuple[list[int], list[int]]:
    """Return which lines with words of a quote the edit keeps, and which it does not."""
    old = keys_of(quote.old)
    kept = [o for o, _ in unchanged(old, keys_of(quote.new or "")) if old[o]]
    return kept, [o for o, key in enumerate(old) if key and o not in kept]


def _is_spelled(view: View, site: Occurrence, quote: Quote) -> bool:
    """Tell whether the text that the edit writes is there to the character, not only its words."""
    new, _ = quote_lines(quote.new or "", None)
    kept = {n for _, n in unchanged(quote.old.split("\n"), new)}
    return all(
        view.lines[pair.start : pair.end] == new[pair.old_start : pair.old_end]
        for pair in site.pairs
        if not kept.issuperset(range(pair.old_start, pair.old_end))
    )


def _may_be_meant_elsewhere(view: View, quote: Quote, site: Occurrence, scope: Scope) -> bool:
    """Tell whether another place has every line that the edit keeps, and others between them.

    Then that may be the place, changed since it was quoted, and this one its twin.
    """
    old = keys_of(quote.old)
    kept, changed = _kept_and_changed(quote)
    is_around = kept and changed and kept[0] < changed[0] and changed[-1] < kept[-1]
    if not is_around or sum(len(old[o]) for o in kept) < _LEAST_APPLIED:
        return False
    low, high = view.line_of(scope[0]), view.line_of(scope[1] - 1) + 1
    own = range(view.line_of(site.start), view.line_of(max(site.end - 1, site.start)) + 1)
    first = kept[0]
    starts = (n - first for n in range(low, high) if view.keys[n] == old[first] and n not in own)
    return any(
        all(view.keys[start + o : start + o + 1] == [old[o]] for o in kept) for start in starts
    )


def looseness(rung: str) -> int:
    """Return how far down the ladder a rung is."""
    return _RUNGS.index(rung)
