"""Lost and renamed: what an edit by name takes away or calls anew, for its receipt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from keyhole.edits.naming.spot import Spot
from keyhole.edits.naming.written import Written
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


def lost_headings(spot: Spot, written: Written) -> tuple[str, ...]:
    """Warn of headings in a Markdown file that an edit takes away and did not name.

    A reader sees a heading where CommonMark has a block of HTML, too.
    """
    if spot.language != "markdown" or not written.changes:
        return ()
    after = applied(spot.target.document.text, written.changes)
    gone = Counter(_titles(spot.flat)) - Counter(_titles(after.replace("\r", "\n")))
    start, end = spot.segment.parts.get("heading", (0, 0))
    heading = spot.target.document.text[start:end]
    if heading and not after.startswith(heading, start):
        gone[heading_title(heading)] -= 1
    names = list((+gone).elements())
    if not names:
        return ()
    what, them = ("headings {} are", "them") if len(names) > 1 else ("heading {} is", "it")
    why = f": the new text does not have {them}" if spot.edit.action == "replace" else " too"
    return (f"the {what.format(listed(names))} gone{why}",)


def listed(names: Sequence[str]) -> str:
    """Return names as words, at most a few of them."""
    shown = ", ".join(f"`{name}`" for name in names[:_MOST])
    more = len(names) - _MOST
    return f"{shown} and {more} more" if more > 0 else shown


def _titles(flat: str) -> Iterator[str]:
    """Yield the titles of lines that are headings for a reader; those in fenced code are none."""
    fence = ""
    for found in _LINE.finditer(flat):
        if found["title"]:
            if not fence:
                yield _HASHES.sub("", found["title"]).rstrip()
        elif not fence:
            fence = "" if "`" in found["info"] and found["fence"][0] == "`" else found["fence"]
        elif found["fence"].startswith(fence) and not found["info"].strip():
            fence = ""


def applied(text: str, changes: Iterable[Change]) -> str:
    """Return a text with changes made that do not touch each other."""
    pieces, at = [], 0
    for change in sorted(changes, key=lambda each: (each.start, each.end)):
        pieces += [text[at : change.start], change.text]
        at = change.end
    return "".join([*pieces, text[at:]])


def gone(spot: Spot, found: Sequence[Segment]) -> str:
    """Say that new text does not define what it replaces, or defines it as something else."""
    segment = spot.segment
    same = next((one for one in found if one.name == segment.name), None)
    if same:
        return f"`{segment.name}` was a {segment.kind} and is a {same.kind} now"
    return f"`{segment.name}` is gone: the new text does not define it"


def renamed(name: str, other: str) -> str:
    """Say that what is replaced has another name now."""
    return f"`{name}` is now `{other}`"


def told_name(spot: Spot, written: Written) -> Written:
    """Return an edit that says so if its segment is gone from its place, or has another name."""
    name = spot.segment.name
    after = applied(spot.target.document.text, written.changes)
    growth = len(after) - len(spot.target.document.text)
    start, end = spot.segment.span[0], spot.segment.span[1] + growth
    there = [
        one
        for one in outline(spot.target.path, Document(after)).segments
        if start <= one.span[0] < end and len(one.path) == len(spot.segment.path)
    ]
    if not written.changes or any(one.name == name for one in there):
        return written
    if there:
        return written._replace(notes=(*written.notes, renamed(name, there[0].name)))
    return written._replace(warnings=(*written.warnings, gone(spot, ())))
