"""Addresses: find the one segment that an address names, or refuse and list the near ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from keyhole.phrases import say
from keyhole.refusals import Candidate, Refusal, Refused
from keyhole.segments.names import likeness, nearest_names
from keyhole.segments.outline import Outline, Segment
from keyhole.segments.spelling import AddressQuery, fold, readings
from keyhole.text.document import Document

_MOST_NEAR = 5
_MOST_NAMES = 40
_MOST_FITS = 100


def ambiguous(address: str, found: list[Segment], document: Document) -> Refusal:
    """Return the refusal of an address that fits several segments, with the address of each."""
    shown, more = found[:_MOST_FITS], len(found) - _MOST_FITS
    lines = [document.lines_of(segment.span) for segment in shown]
    listed = [
        f"`{segment.address}` {segment.kind}, {_spell(*place)}"
        for segment, place in zip(shown, lines, strict=True)
    ]
    return Refusal(
        "ambiguous",
        f"`{_one_line(address)}` fits {len(found)} segments",
        where="\n".join([*listed, f"and {more} more"] if more > 0 else listed),
        help="name one of these addresses, or add a line: name@line",
        candidates=tuple(
            Candidate(place, _head_line(segment, document), segment=segment.address)
            for segment, place in zip(shown, lines, strict=True)
        ),
        suggestions=tuple(segment.address for segment in shown),
    )


def not_there(outline: Outline, address: str, document: Document) -> Refusal:
    """Return the refusal of an address that no segment has, with the near ones."""
    name = _last_name(address, outline)
    for first, last in outline.unreadable:
        start, end = document.span_of_lines(first, last)
        if name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", document.text[start:end]):
            return Refusal(
                "unparsable",
                f"`{_one_line(address)}` is named in {_spell(first, last)}, which cannot be read",
                where=_spell(first, last),
                help=say(
                    "edit these lines by {find} or {lines}; segments elsewhere in the file work"
                ),
            )
    return _unknown(outline, address, name, document)


def _unknown(outline: Outline, address: str, name: str, document: Document) -> Refusal:
    shown = f"no segment `{_one_line(address)}`"
    if not outline.by_address:
        return Refusal(
            "unknown-segment",
            f"{shown}: this {outline.language} file has no segments",
            help=say("edit by {find} or {lines}"),
        )
    owner = _owner(outline, address)
    if owner:
        children = [child.name for child in outline.children(owner.address)]
        shown += f"; {owner.kind} `{owner.address}` has {_some(children)}"
    close = _near(outline, address, name)
    near = [segment.address for segment in close]
    addresses = [segment.address for segment in outline.listed]
    names = tuple(dict.fromkeys([*near, *addresses]))
    there = f"there are {len(addresses)}: {_some(addresses)}"
    return Refusal(
        "unknown-segment",
        shown,
        where=f"nearest: {', '.join(near)}\n{there}" if near else there,
        help="check spelling and capitalization, or ask for the outline",
        candidates=tuple(_candidate(each, address, name, document) for each in close[:_MOST_NEAR]),
        suggestions=names[:_MOST_NAMES],
    )


def _candidate(segment: Segment, address: str, name: str, document: Document) -> Candidate:
    is_moved = name == segment.name
    alike = likeness(address, segment.address) if is_moved else likeness(name, segment.name)
    return Candidate(
        document.lines_of(segment.span),
        _head_line(segment, document),
        f"its address is `{_one_line(segment.address)}`",
        alike,
        segment=segment.address,
    )


def _near(outline: Outline, address: str, name: str) -> list[Segment]:
    """Return the segments whose names look like `name`; of equals, those with a like address."""
    nearest = nearest_names(name, (segment.name for segment in outline.listed), _MOST_NEAR)
    found: list[Segment] = []
    for near in nearest:
        own = [segment for segment in outline.listed if segment.name == near][:_MOST_FITS]
        found += sorted(own, key=lambda segment: -likeness(address, segment.address))
    return found[: 2 * _MOST_NEAR]


def _last_name(address: str, outline: Outline) -> str:
    """Return the innermost name of an address."""
    names = [wanted.names for wanted in readings(address, outline.language) if wanted.names]
    return names[-1].rpartition(outline.join)[2] if names else ""


def _owner(outline: Outline, address: str) -> Segment | None:
    """Return the parent that an address names, if it exists."""
    for wanted in readings(address, outline.language):
        owner = outline.by_address.get(wanted.names.rpartition(outline.join)[0])
        if owner:
            return owner
    return None


def _head_line(segment: Segment, document: Document) -> str:
    """Return the line that names a segment."""
    return document.line(document.line_at(segment.parts.get("signature", segment.span)[0]))


def _some(names: Iterable[str]) -> str:
    listed = list(dict.fromkeys(names))
    more = len(listed) - _MOST_NAMES
    shown = ", ".join(listed[:_MOST_NAMES]) or "nothing in it"
    return f"{shown} and {more} more" if more > 0 else shown


def _spell(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _one_line(address: str) -> str:
    return " ".join(address.split())


EXACT = "exact"
HEADING = "heading"


class Comparison(NamedTuple):
    """How names are compared: the rung to report, and the kinds of segments that it is for."""

    rung: str = EXACT
    respell: Callable[[str], str] = str
    kinds: tuple[str, ...] = ()

    def fits(self, kind: str) -> bool:
        """Tell whether segments of a kind are compared so."""
        return not self.kinds or kind in self.kinds


class FoundSegment(NamedTuple):
    """A segment, and the rung at which its name was found."""

    segment: Segment
    rung: str = EXACT


def comparisons(language: str, match: str) -> tuple[Comparison, ...]:
    """Return how names of a file are compared, the strictest first.

    Another case or another sign is another name, except in headings, which are compared as they are
    shown.
    """
    if language != "markdown" or match == "exact":
        return (Comparison(),)
    return Comparison(), Comparison(HEADING, fold, ("section",))


def find_segment(outline: Outline, address: str, document: Document) -> Segment:
    """Return the one segment that `address` names, or refuse."""
    return look_up(outline, address, document).segment


def look_up(
    outline: Outline, address: str, document: Document, match: str = "tolerant"
) -> FoundSegment:
    """Return the one segment that `address` names and how it was found, or refuse.

    The whole path wins over a longer one that ends in it, and the exact spelling over a heading
    in another case; two segments that fit equally well are never chosen between.
    """
    address = outline.canonical(address.strip())
    exact = outline.by_address.get(address)
    if exact:
        return FoundSegment(exact)
    wanted = readings(address, outline.language)
    for comparison in comparisons(outline.language, match):
        for reading in wanted:
            found = _matches(outline, reading, comparison, document)
            if len(found) == 1:
                return found[0]
            if found:
                raise Refused(ambiguous(address, [each.segment for each in found], document))
    raise Refused(not_there(outline, address, document))


def require_kind(
    outline: Outline, kinds: Collection[str], asked: str, segment: Segment | None = None
) -> None:
    """Refuse kinds that the file type does not have, or that `segment` is none of.

    `asked` is the kind as the caller spelt it; `kinds` are those of ours that it stands for.
    """
    move: str
    if not set(kinds) & set(outline.kinds):
        headline = f"a {outline.language} file has no segments of kind {asked}"
        move = say("name a kind this file type has, or edit by {find} or {lines}")
    elif segment and segment.kind not in kinds:
        headline = f"`{segment.address}` is of kind {segment.kind}, not {asked}"
        move = f"ask for kind {segment.kind}, or name another segment"
    else:
        return
    where = f"kinds of a {outline.language} file: {', '.join(outline.kinds) or 'none'}"
    refusal = Refusal(
        "wrong-segment-kind",
        headline,
        where=where,
        help=move,
        suggestions=outline.kinds,
        data={"language": outline.language, "kind": segment.kind if segment else ""},
    )
    raise Refused(refusal)


def _matches(
    outline: Outline, wanted: AddressQuery, comparison: Comparison, document: Document
) -> list[FoundSegment]:
    """Return the segments that one reading fits."""
    outer = _outer(outline, wanted.outer, comparison, document) if wanted.outer else None
    if wanted.outer and outer is None:
        return []
    rung = outer.rung if outer else EXACT
    if wanted.block:
        pool = outline.inside(outer.segment) if outer else outline.segments
        found = _select(_blocks(pool, wanted), wanted, document)
        return [FoundSegment(segment, rung) for segment in found]
    rung = comparison.rung if comparison.rung != EXACT else rung
    named = _named(outline, outer, wanted, comparison, document)
    return [FoundSegment(segment, rung) for segment in named]


def _named(
    outline: Outline,
    outer: FoundSegment | None,
    wanted: AddressQuery,
    comparison: Comparison,
    document: Document,
) -> list[Segment]:
    """Return the segments whose path, or the end of it, is what is wanted."""
    depth = len(outer.segment.path) if outer else 0
    join, respell = outline.join, comparison.respell
    names = respell(wanted.names)
    ending = [
        segment
        for segment in outline.named(names, respell)
        if comparison.fits(segment.kind)
        and wanted.allows(segment.kind)
        and (outer is None or _is_inside(segment, outer.segment))
        and _ends_in(segment.path[depth:], names, join, respell)
        and _has_levels(outline, segment, wanted.levels)
    ]
    ending = [segment for segment in ending if not _is_named_after(segment, ending)]
    whole = [segment for segment in ending if respell(join.join(segment.path[depth:])) == names]
    if wanted.line:
        return _select(whole, wanted, document) or _select(ending, wanted, document)
    return _select(whole or ending, wanted, document)


def _is_named_after(segment: Segment, others: list[Segment]) -> bool:
    """Tell whether a constructor has the name of its class: then the name means the class."""
    return segment.kind == "constructor" and any(
        other.path == segment.path[:-1] and other.name == segment.name for other in others
    )


def _outer(
    outline: Outline, address: str, comparison: Comparison, document: Document
) -> FoundSegment | None:
    """Return the segment to look inside, or None where there is none; two of them are refused."""
    match = "exact" if comparison.rung == EXACT else "tolerant"
    try:
        return look_up(outline, address, document, match)
    except Refused as refused:
        if refused.refusals[0].code == "ambiguous":
            raise
        return None


def _is_inside(segment: Segment, outer: Segment) -> bool:
    inside = outer.span[0] <= segment.span[0] and segment.span[1] <= outer.span[1]
    return inside and segment is not outer


def _ends_in(path: tuple[str, ...], names: str, join: str, respell: Callable[[str], str]) -> bool:
    return any(respell(join.join(path[at:])) == names for at in range(len(path)))


def _has_levels(outline: Outline, segment: Segment, levels: tuple[int, ...]) -> bool:
    """Tell whether a section and those above it are of the levels that were written, 0 for any."""
    above: Segment | None = segment
    for level in reversed(levels):
        if above is None or level not in {0, above.level}:
            return False
        above = outline.by_address.get(above.parent)
    return True


def _blocks(pool: tuple[Segment, ...], wanted: AddressQuery) -> list[Segment]:
    """Return the code blocks, lists or tables among `pool`, of one language if that is asked."""
    name = f"code:{wanted.language}"
    return [
        segment
        for segment in pool
        if segment.kind == wanted.block and (not wanted.language or segment.name == name)
    ]


def _select(found: list[Segment], wanted: AddressQuery, document: Document) -> list[Segment]:
    """Narrow what fits by the number or the line that was asked for."""
    if wanted.number:
        return found[wanted.number - 1 : wanted.number]
    if not wanted.line:
        return found
    lines = ((segment, document.lines_of(segment.span)) for segment in found)
    return [segment for segment, (first, last) in lines if first <= wanted.line <= last]
