"""The segment that an edit names, the text it brings, and the refusals of edits by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import PARTS, Edit
from keyhole.fastclasses import dataclass, replace
from keyhole.matching.view import View
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.addresses import (
    EXACT,
    HEADING,
    FoundSegment,
    look_up,
    not_there,
    require_kind,
)
from keyhole.segments.languages.table import row_of
from keyhole.segments.markdown import is_in_matter
from keyhole.segments.outline import Segment, Span
from keyhole.segments.template_skeleton import TEMPLATE_BLOCK, with_blocks
from keyhole.text.align import differences
from keyhole.text.changes import Change
from keyhole.text.document import split_lines
from keyhole.text.indent import is_blank
from keyhole.text.lines import block, newline_near


@dataclass(frozen=True)
class SegmentTarget:
    """One segment of a file and the edit that names it; every offset is one of `flat`."""

    edit: Edit
    target: Target
    segment: Segment
    # The rung at which the segment's name was found.
    rung: str = "exact"
    # Whether new text may stand at another column than its place: the receipt then warns.
    moves: bool = False

    @property
    def flat(self) -> str:
        """The file's text with plain line ends."""
        return self.target.view.flat

    @property
    def language(self) -> str:
        """The language of the segment: of the file, or of the front matter that it is in."""
        language = self.target.outline.language
        if language == "markdown" and is_in_matter(self.segment):
            return "toml" if self.flat.startswith("+++") else "yaml"
        return language

    @property
    def is_key(self) -> bool:
        """Whether the segment is a key or an item of a configuration file."""
        return self.language in _KEYED and self.segment.kind in {"key", "item"}

    def has(self, habit: str) -> bool:
        """Tell whether the language of the file has a habit: see `languages.language.HABITS`."""
        return row_of(self.language).has(habit)

    @cached_property
    def span(self) -> Span:
        """Where the whole segment lies."""
        return self.span_of(self.segment)

    def span_of(self, segment: Segment) -> Span:
        """Return where a segment of the file lies."""
        return self._whole_lines(self.flat_span(segment.span))

    def flat_span(self, span: Span) -> Span:
        """Return a span of the document as one of the flat text."""
        view = self.target.view
        return view.flat_offset(span[0]), view.flat_offset(span[1])

    def part(self, name: str) -> Span | None:
        """Return where a part lies, or None where the segment has no such part."""
        if name == "whole":
            return self.span
        span = self.segment.parts.get(name)
        if not span:
            return None
        return self._whole_lines(self.flat_span(span)) if name == "body" else self.flat_span(span)

    def _whole_lines(self, span: Span) -> Span:
        """Return a span with the end of its last line, which an enclosing span may have cut off."""
        start, end = span
        is_cut = start < end and self.line_start(start) == start and self.flat.startswith("\n", end)
        return (start, end + 1) if is_cut and self.flat[end - 1] != "\n" else span

    def is_removed(self, lines: list[str]) -> bool:
        """Tell whether the edit removes what it names: by `delete`, or by empty new text."""
        action = self.edit.action
        return action == "delete" or (action == "replace" and not lines)

    def line_start(self, at: int) -> int:
        """Return the start of the line that holds `at`."""
        return max(self.flat.rfind("\n", 0, at), self.flat.rfind("\r", 0, at)) + 1

    def line_end(self, at: int) -> int:
        """Return the end of the line that holds `at`, its terminator included."""
        return self.flat.find("\n", at) + 1 or len(self.flat)

    def is_lines(self, span: Span) -> bool:
        """Tell whether a span is made of whole lines."""
        start, end = span
        at_end = end == len(self.flat) or self.line_start(end) == end
        return self.line_start(start) == start and at_end

    def lines(self, span: Span) -> list[str]:
        """Return the lines of a span, without their ends."""
        start, end = span
        return self.flat[start : self.content_end(span)].split("\n") if end > start else []

    def content_end(self, span: Span) -> int:
        """Return the end of a span without the end of its last line."""
        start, end = span
        # A file whose lines end with line feeds may have a lone return that the language counts.
        return end - self.flat.endswith(("\n", "\r"), start, end)


def with_action(spot: SegmentTarget, action: str) -> SegmentTarget:
    """Return the target with another action in its edit."""
    return replace(spot, edit=replace(spot.edit, action=action))


# Languages of configuration files, whose segments are keys and items.
_KEYED = frozenset({"json", "yaml", "toml"})
_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})[^`]*")


def content_lines(text: str) -> list[str]:
    """Return the lines of new text, without the blank lines around it."""
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if not is_blank(line)), len(lines))
    last = next((n for n in range(len(lines), first, -1) if not is_blank(lines[n - 1])), first)
    return lines[first:last]


def is_fence(line: str) -> bool:
    """Tell whether a line opens a code fence."""
    return _FENCE.fullmatch(line) is not None


def unfenced(lines: Sequence[str]) -> list[str] | None:
    """Return the text inside a fence around the whole text, or None without such a fence."""
    opening = _FENCE.fullmatch(lines[0]) if len(lines) > 2 else None
    if not opening or lines[-1].strip() != opening["mark"]:
        return None
    return content_lines("\n".join(lines[1:-1]))


class SegmentChanges(NamedTuple):
    """The changes of an edit, the place that they are for, and notes."""

    changes: tuple[Change, ...]
    span: Span
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def put_text(
    spot: SegmentTarget, span: Span, text: str, notes: tuple[str, ...] = ()
) -> SegmentChanges:
    """Write `text` where a span of the flat text stands; lines that stay are not touched."""
    view = spot.target.view
    place = view.offset(span[0]), view.offset(span[1])
    return SegmentChanges(tuple(_changes(view, span, text)), place, notes)


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
) -> SegmentChanges:
    """Replace the whole lines of a span by whole lines; an empty span is a point between lines."""
    start, end = span
    if lines and end > start:
        # The last line's end is not part of the exchange: it stays as it is, or stays missing.
        return put_text(spot, (start, spot.content_end(span)), "\n".join(lines), notes)
    place = spot.target.view.offset(start), spot.target.view.offset(end)
    change = block(spot.target.document, *place, lines)
    changes = (change,) if change.text or change.end > change.start else ()
    return SegmentChanges(changes, place, notes)


def no_such_part(spot: SegmentTarget) -> Refusal:
    """Refuse a part that the segment of the edit does not have."""
    return missing_part(spot.segment, spot.edit.part)


def missing_part(segment: Segment, part: str) -> Refusal:
    """Refuse a part that the segment does not have."""
    names = tuple(name for name in PARTS if name == "whole" or name in segment.parts)
    return Refusal(
        "wrong-segment-kind",
        f"{segment.kind} `{segment.address}` has no {part}",
        where=f"its parts: {', '.join(names)}",
        help=say("name one of these parts, or edit inside the segment with {find}"),
        mend="name one of these parts",
        suggestions=names,
    )


def no_inside(spot: SegmentTarget) -> Refusal:
    """Refuse to put text inside a segment that has no inside, or to empty it."""
    segment, edit = spot.segment, spot.edit
    what = segment.kind if edit.part == "whole" else f"{edit.part} of {segment.kind}"
    reason, move = _NO_PLACE.get(
        edit.action,
        (f"has no inside to {edit.action} to", "use action before or after, or replace it"),
    )
    return Refusal("wrong-segment-kind", f"the {what} `{segment.address}` {reason}", help=move)


_BY_TEXT = say("replace it with both, or edit the line by {find}")
_NO_PLACE = {
    "delete": ("cannot be left empty", "replace it, or delete the whole segment"),
    "before": ("shares its line", _BY_TEXT),
    "after": ("shares its line", _BY_TEXT),
}


def shares_line(spot: SegmentTarget) -> Refusal:
    """Refuse to put text beside a segment that is only a piece of its line, or to take it out."""
    segment, parent = spot.segment, spot.segment.parent
    move = say("edit the line by {lines}")
    if parent:
        move = say("edit `{}`, which holds it", parent)
    doing = f"text put {spot.edit.action} it" if spot.edit.action != "delete" else "taking it out"
    return Refusal(
        "wrong-segment-kind",
        f"{segment.kind} `{segment.address}` shares its line; {doing} would change the rest of it",
        help=say("{}, or use {find}", move),
    )


def not_alone(spot: SegmentTarget) -> Refusal:
    """Refuse to remove the part that makes the segment what it is."""
    segment, part = spot.segment, spot.edit.part
    return Refusal(
        "wrong-segment-kind",
        f"the {part} of {segment.kind} `{segment.address}` cannot be deleted alone",
        help="delete the whole segment, or replace the part",
    )


def never_closed(spot: SegmentTarget, line: int) -> Refusal:
    """Refuse to add text where it would become part of a code block."""
    return Refusal(
        "unparsable",
        f"`{spot.segment.address}` ends in a code fence that is never closed",
        where=f"line {line}",
        help="close the fence first; text added behind it would be code",
    )


__all__ = [
    "HEADING",
    "found_segment",
    "heading_note",
    "scope_of_segment",
    "span_of_part",
    "target_of",
]


def target_of(edit: Edit, target: Target) -> SegmentTarget:
    """Return the segment that an edit names, or refuse."""
    assert edit.segment, "BUG: no segment is named"
    found = found_segment(target, edit.segment, edit.match, edit.kinds, edit.language)
    return SegmentTarget(edit, target, *found)


def found_segment(
    target: Target,
    name: str,
    match: str = "tolerant",
    asked: Sequence[str] = (),
    language: str = "",
) -> FoundSegment:
    """Return the segment with this name and one of these kinds, or refuse.

    A block of the file's template comes first. Where there is none of that name, sections and
    symbols are looked for, also for a caller who asked for a block.
    """
    block = _block(target, name, asked)
    if block:
        return FoundSegment(block)
    name = _name(name, asked, target)
    kinds = tuple(kind for kind in asked if kind != TEMPLATE_BLOCK)
    if not kinds:
        return _look_up(target, name, match)
    words = f"{language} {' or '.join(kinds)}".strip()
    is_other = language not in {"", target.outline.language}
    require_kind(target.outline, () if is_other else kinds, words)
    found = _look_up(target, name, match, kinds)
    require_kind(target.outline, kinds, words, found.segment)
    return found


def _name(segment: str, asked: Sequence[str], target: Target) -> str:
    """Return a name without the prefix of template blocks; in a file without blocks it stays."""
    may_be_block = target.detected is not None or TEMPLATE_BLOCK in asked
    is_there = segment.strip() in target.outline.by_address
    return segment.removeprefix("block:") if may_be_block and not is_there else segment


def _look_up(target: Target, name: str, match: str, kinds: Sequence[str] = ()) -> FoundSegment:
    """Return the segment of that name; a refusal offers what the caller can name.

    These are the segments of the kinds that were asked for; else blocks of the template too.
    """
    try:
        return look_up(target.outline, name, target.document, match)
    except Refused as refused:
        (told, *_) = refused.refusals
        if told.code != "unknown-segment" or not (kinds or target.detected):
            raise
    if not kinds and target.detected:
        all_of_them = with_blocks(target.outline, target.detected.blocks)
        raise Refused(not_there(all_of_them, name, target.document))
    fitting = tuple(each for each in target.outline.segments if each.kind in kinds)
    if not fitting:
        raise Refused(replace(told, suggestions=()))
    raise Refused(not_there(replace(target.outline, segments=fitting), name, target.document))


def heading_note(edit: Edit, target: Target) -> str:
    """Return the note that the edit's segment is a heading in another spelling, or ""."""
    spot = target_of(edit, target)
    if spot.rung == EXACT:
        return ""
    asked = " ".join((edit.segment or "").split())
    return f"`{asked}` is the heading `{spot.segment.address}`, case and markup aside"


def _block(target: Target, name: str, asked: Sequence[str]) -> Segment | None:
    """Return the template's block of that name, if there is one and the caller allows blocks."""
    if target.detected is None or (asked and TEMPLATE_BLOCK not in asked):
        return None
    found = target.detected.find(name)
    return found.segment if found else None


def scope_of_segment(edit: Edit, target: Target) -> Span:
    """Return where a segment or its part lies in the document, to search inside it."""
    return span_of_part(target_of(edit, target).segment, edit.part)


def span_of_part(segment: Segment, part: str) -> Span:
    """Return where a part of a segment lies, or refuse a part that it does not have."""
    if part == "whole":
        return segment.span
    if part not in segment.parts:
        raise Refused(missing_part(segment, part))
    return segment.parts[part]
