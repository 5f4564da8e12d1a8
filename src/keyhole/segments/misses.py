"""What an address that finds no single segment is told: what fits, what is near, what there is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from keyhole.phrases import say
from keyhole.refusals import Candidate, Refusal
from keyhole.segments.names import likeness, nearest_names
from keyhole.segments.outline import Outline, Segment
from keyhole.segments.spelling import readings
from keyhole.text.document import Document

_MOST_NEAR = 5
_MOST_NAMES = 40
_MOST_FITS = 100


def ambiguous(address: str, found: list[Segment], document: Document) -> Refusal:
    """Say which segments an address fits, each with its own address and lines."""
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
            Candidate(place, _head_line(segment, document))
            for segment, place in zip(shown, lines, strict=True)
        ),
        suggestions=tuple(segment.address for segment in shown),
    )


def not_there(outline: Outline, address: str, document: Document) -> Refusal:
    """Say that no segment has an address: its lines cannot be read, or what there is instead."""
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
    if not outline.segments:
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
    addresses = [segment.address for segment in outline.segments]
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
    nearest = nearest_names(name, (segment.name for segment in outline.segments), _MOST_NEAR)
    found: list[Segment] = []
    for near in nearest:
        own = [segment for segment in outline.segments if segment.name == near][:_MOST_FITS]
        found += sorted(own, key=lambda segment: -likeness(address, segment.address))
    return found[: 2 * _MOST_NEAR]


def _last_name(address: str, outline: Outline) -> str:
    """Return the innermost name that an address was about."""
    names = [wanted.names for wanted in readings(address, outline.language) if wanted.names]
    return names[-1].rpartition(outline.join)[2] if names else ""


def _owner(outline: Outline, address: str) -> Segment | None:
    """Return the segment that should have held the one asked for, if its address is there."""
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
