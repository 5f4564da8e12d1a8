"""Addresses: find the one segment that is meant, or refuse and say which there are."""

from __future__ import annotations

from collections.abc import Callable, Collection

from keyhole.refusals import Refusal, Refused
from keyhole.segments.misses import ambiguous, not_there
from keyhole.segments.outline import Outline, Segment
from keyhole.segments.spelling import Wanted, fold, readings
from keyhole.text.document import Document

_Respell = Callable[[str], str]


def find_segment(outline: Outline, address: str, document: Document) -> Segment:
    """Return the one segment that `address` names, or refuse.

    The whole path wins over a longer one that ends in it, and the exact spelling over another
    case; two segments that fit equally well are never chosen between.
    """
    exact = outline.by_address.get(address.strip())
    if exact:
        return exact
    wanted = readings(address, outline.language)
    for respell in (str, fold):
        for reading in wanted:
            found = _matches(outline, reading, respell, document)
            if len(found) == 1:
                return found[0]
            if found:
                raise Refused(ambiguous(address, found, document))
    raise Refused(not_there(outline, address, document))


def require_kind(
    outline: Outline, kinds: Collection[str], asked: str, segment: Segment | None = None
) -> None:
    """Refuse kinds that the file type does not have, or that `segment` is none of.

    `asked` is the kind as the caller spelt it; `kinds` are those of ours that it stands for.
    """
    if not set(kinds) & set(outline.kinds):
        headline = f"a {outline.language} file has no segments of kind {asked}"
        move = "name a kind this file type has, or edit by `find` or `lines`"
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
    outline: Outline, wanted: Wanted, respell: _Respell, document: Document
) -> list[Segment]:
    """Return the segments that one reading fits."""
    pool, depth = outline.segments, 0
    if wanted.outer:
        outer = _outer(outline, wanted.outer, document)
        pool = tuple(segment for segment in pool if outer and _is_inside(segment, outer))
        depth = len(outer.path) if outer else 0
    if wanted.block:
        return _select(_blocks(pool, wanted, respell), wanted, document)
    join = outline.join
    names = respell(wanted.names)
    ending = [
        segment
        for segment in pool
        if names.endswith(respell(segment.name))
        and wanted.allows(segment.kind)
        and _ends_in(segment.path[depth:], names, join, respell)
        and _has_levels(outline, segment, wanted.levels)
    ]
    ending = [segment for segment in ending if not _is_named_after(segment, ending)]
    whole = [segment for segment in ending if respell(join.join(segment.path[depth:])) == names]
    if wanted.line:
        return _select(whole, wanted, document) or _select(ending, wanted, document)
    return _select(whole or ending, wanted, document)


def _is_named_after(segment: Segment, others: list[Segment]) -> bool:
    """Tell whether a constructor only bears the name of its class, which is what the name means."""
    return segment.kind == "constructor" and any(
        other.path == segment.path[:-1] and other.name == segment.name for other in others
    )


def _outer(outline: Outline, address: str, document: Document) -> Segment | None:
    """Return the segment to look inside, or None where there is none; two of them are refused."""
    try:
        return find_segment(outline, address, document)
    except Refused as refused:
        if refused.refusals[0].code == "ambiguous":
            raise
        return None


def _is_inside(segment: Segment, outer: Segment) -> bool:
    inside = outer.span[0] <= segment.span[0] and segment.span[1] <= outer.span[1]
    return inside and segment is not outer


def _ends_in(path: tuple[str, ...], names: str, join: str, respell: _Respell) -> bool:
    return any(respell(join.join(path[at:])) == names for at in range(len(path)))


def _has_levels(outline: Outline, segment: Segment, levels: tuple[int, ...]) -> bool:
    """Tell whether a section and those above it are of the levels that were written, 0 for any."""
    above: Segment | None = segment
    for level in reversed(levels):
        if above is None or level not in {0, above.level}:
            return False
        above = outline.by_address.get(above.parent)
    return True


def _blocks(pool: tuple[Segment, ...], wanted: Wanted, respell: _Respell) -> list[Segment]:
    """Return the code blocks, lists or tables among `pool`, of one language if that is asked."""
    name = respell(f"code:{wanted.language}")
    return [
        segment
        for segment in pool
        if segment.kind == wanted.block and (not wanted.language or respell(segment.name) == name)
    ]


def _select(found: list[Segment], wanted: Wanted, document: Document) -> list[Segment]:
    """Narrow what fits by the number or the line that was asked for."""
    if wanted.number:
        return found[wanted.number - 1 : wanted.number]
    if not wanted.line:
        return found
    lines = ((segment, document.lines_of(segment.span)) for segment in found)
    return [segment for segment, (first, last) in lines if first <= wanted.line <= last]
