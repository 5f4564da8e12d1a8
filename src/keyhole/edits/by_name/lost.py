"""What an edit by name removes or renames without saying so, for its receipt."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from keyhole.edits.by_name.segment_target import SegmentChanges, SegmentTarget
from keyhole.segments.markdown import heading_title
from keyhole.segments.outline import Segment
from keyhole.segments.registry import outline
from keyhole.text.changes import Change
from keyhole.text.document import Document

_MOST = 5
_LINE = re.compile(
    r"^(?: {0,3}#{1,6}[ \t]+(?P<title>\S.*)|[ \t>]*(?P<fence>`{3,}|~{3,})(?P<info>.*))$",
    re.MULTILINE,
)
_HASHES = re.compile(r"[ \t]+#+[ \t]*$")


def lost_headings(spot: SegmentTarget, written: SegmentChanges) -> tuple[str, ...]:
    """Warn of headings of a Markdown file that an edit takes away and did not name.

    A reader sees a heading where CommonMark has a block of HTML, too.
    """
    if not written.changes:
        return ()
    gone = _gone_titles(spot.target.document, written.changes)
    if heading := _renamed_heading(spot, written.changes):
        gone[heading_title(heading)] -= 1
    names = list((+gone).elements())
    if not names:
        return ()
    what, them = ("headings {} are", "them") if len(names) > 1 else ("heading {} is", "it")
    why = f": the new text does not have {them}" if spot.edit.action == "replace" else " too"
    return (f"the {what.format(as_words(names))} gone{why}",)


def as_words(names: Sequence[str]) -> str:
    """Return names as words, at most a few of them."""
    shown = ", ".join(f"`{name}`" for name in names[:_MOST])
    more = len(names) - _MOST
    return f"{shown} and {more} more" if more > 0 else shown


class _Mark(NamedTuple):
    """A line that is a heading for a reader, or a fence: its end, and the fence open behind it."""

    end: int
    title: str
    fence: str


def _gone_titles(document: Document, changes: Sequence[Change]) -> Counter[str]:
    """Count the titles that changes take away; only the lines that they touch are read."""
    text = document.text
    first = document.line_at(min(change.start for change in changes))
    last = document.line_at(max(change.end for change in changes))
    start, end = document.span_of_lines(first, last)
    fence = _fence_at(text, start)
    local = (Change(each.start - start, each.end - start, each.text) for each in changes)
    old = _Titles.of(text[start:end], fence)
    new = _Titles.of(applied(text[start:end], local), fence)
    if old.fence != new.fence:  # what follows is read another way
        old, new = _Titles.of(text), _Titles.of(applied(text, changes))
    return old.titles - new.titles


def _renamed_heading(spot: SegmentTarget, changes: Sequence[Change]) -> str:
    """Return the heading of an edit's segment if the edit moves or rewrites the heading, or ""."""
    text, (start, end) = spot.target.document.text, spot.segment.parts.get("heading", (0, 0))
    low = min(start, *(change.start for change in changes))
    high = max(end, *(change.end for change in changes))
    local = (Change(each.start - low, each.end - low, each.text) for each in changes)
    after = applied(text[low:high], local) + text[high : high + end - start]
    return "" if after.startswith(text[start:end], start - low) else text[start:end]


class _Titles(NamedTuple):
    """The titles of a text, and the fence that is open at its end."""

    titles: Counter[str]
    fence: str

    @classmethod
    def of(cls, text: str, fence: str = "") -> _Titles:
        """Read a text at whose beginning a fence is open, or none."""
        marks = list(_marks(text, fence))
        titles = Counter(mark.title for mark in marks if mark.title)
        return cls(titles, marks[-1].fence if marks else fence)


@lru_cache(maxsize=2)
def _fences(text: str) -> tuple[list[int], list[str]]:
    """Return where fences open and close, and which is open from there on."""
    marks = [mark for mark in _marks(text) if not mark.title]
    return [mark.end for mark in marks], [mark.fence for mark in marks]


def _fence_at(text: str, at: int) -> str:
    ends, fences = _fences(text)
    index = bisect_right(ends, at)
    return fences[index - 1] if index else ""


def _marks(text: str, fence: str = "") -> Iterator[_Mark]:
    """Yield the lines that are headings for a reader, none of them in fenced code, and fences."""
    for found in _LINE.finditer(text.replace("\r", "\n")):
        title = found["title"]
        if title and not fence:
            yield _Mark(found.end(), _HASHES.sub("", title).rstrip(), fence)
        elif not title and not fence:
            is_code = "`" in found["info"] and found["fence"][0] == "`"
            fence = "" if is_code else found["fence"]
            yield _Mark(found.end(), "", fence)
        elif not title and found["fence"].startswith(fence) and not found["info"].strip():
            fence = ""
            yield _Mark(found.end(), "", fence)


def applied(text: str, changes: Iterable[Change]) -> str:
    """Return a text with changes made that do not touch each other."""
    pieces, at = [], 0
    for change in sorted(changes, key=lambda each: (each.start, each.end)):
        pieces += [text[at : change.start], change.text]
        at = change.end
    return "".join([*pieces, text[at:]])


def missing_note(spot: SegmentTarget, found: Sequence[Segment]) -> str:
    """Return the note that new text does not define the replaced segment, or as another kind."""
    segment = spot.segment
    same = next((one for one in found if one.name == segment.name), None)
    if same:
        return f"`{segment.name}` was a {segment.kind} and is a {same.kind} now"
    return f"`{segment.name}` is gone: the new text does not define it"


def rename_note(name: str, other: str) -> str:
    """Return the note that the replaced segment has another name now."""
    return f"`{name}` is now `{other}`"


def with_name_note(spot: SegmentTarget, written: SegmentChanges) -> SegmentChanges:
    """Return an edit with a note if its segment is gone from its place, or has another name."""
    name = spot.segment.name
    after = applied(spot.target.document.text, written.changes)
    growth = len(after) - len(spot.target.document.text)
    start = min(spot.segment.span[0], written.span[0])
    end = spot.segment.span[1] + growth
    there = [
        one
        for one in outline(spot.target.path, Document(after)).segments
        if start <= one.span[0] < end and len(one.path) == len(spot.segment.path)
    ]
    if not written.changes or any(one.name == name for one in there):
        return written
    if there:
        return written._replace(notes=(*written.notes, rename_note(name, there[0].name)))
    return written._replace(warnings=(*written.warnings, missing_note(spot, ())))
