"""Lay an edit onto text found to the character: the span is replaced literally, line by line."""

from __future__ import annotations

from keyhole.matching.place import Laid, Site
from keyhole.matching.view import View
from keyhole.text.align import differences
from keyhole.text.blocks import newline_near
from keyhole.text.changes import Change
from keyhole.text.document import split_lines
from keyhole.text.indent import columns, indent_of, is_blank

_TAB = 4


def lay_literally(view: View, site: Site, *, follow_indent: bool) -> Laid:
    """Return the changes that put the new text where the quoted text stands."""
    new, rung = site.quote.new or "", site.rung
    if follow_indent and (lead := _lost_lead(view, site)):
        first, *rest = new.split("\n")
        shifted = [line if is_blank(line) else lead + line for line in rest]
        new, rung = "\n".join([first, *shifted]), "indentation"
    before, after = _rest_of_lines(view, site)
    old_lines = split_lines(site.quote.old)
    new_lines = split_lines(_unmerged(site.quote.old, new, before, after))
    changes, at, line = [], site.start, 0
    for hunk in differences(old_lines, new_lines):
        at += sum(map(len, old_lines[line : hunk.old_start]))
        size = sum(map(len, old_lines[hunk.old_start : hunk.old_end]))
        if hunk.old_end == len(old_lines) and is_blank(before) and is_blank(after):
            size += len(
                after
            )  # a whole line is rewritten, and the blanks behind it are part of that line
        text = "".join(new_lines[hunk.new_start : hunk.new_end])
        span = view.offset(at), view.offset(at + size)
        changes.append(Change(*span, spelled(view, text, *span)))
        at, line = at + size, hunk.old_end
    whole = view.offset(site.start), view.offset(site.end)
    return Laid(*whole, rung, tuple(changes), site.notes)


def _rest_of_lines(view: View, site: Site) -> tuple[str, str]:
    """Return what stands before the site on its first line, and behind it on its last."""
    before = view.flat[view.flat.rfind("\n", 0, site.start) + 1 : site.start]
    end = view.flat.find("\n", site.end)
    return before, view.flat[site.end : end if end >= 0 else None]


def _lost_lead(view: View, site: Site) -> str:
    """Return the indent a one-line quote left out, where later lines of the new text did too.

    `return x` quoted without its indent, to become two lines at column 0: both belong where the
    first one stood.
    """
    quote = site.quote
    if "\n" in quote.old or quote.new is None or "\n" not in quote.new or quote.old[:1] in " \t":
        return ""
    lead, rest = _rest_of_lines(view, site)
    if not lead or not is_blank(lead) or not is_blank(rest):
        return ""
    later = [line for line in quote.new.split("\n")[1:] if not is_blank(line)]
    depth = columns(lead, _TAB)
    return lead if any(columns(indent_of(line), _TAB) < depth for line in later) else ""


def _unmerged(old: str, new: str, before: str, after: str) -> str:
    """Return `new` with the line ends it would swallow: lines with text never merge silently."""
    if not new:
        return new
    if old.startswith("\n") and not new.startswith("\n") and not is_blank(before):
        new = "\n" + new
    if old.endswith("\n") and not new.endswith("\n") and not is_blank(after):
        new += "\n"
    return new


def spelled(view: View, text: str, start: int, end: int) -> str:
    """Return `text` with the line ends the document uses around its offsets `start` to `end`."""
    if "\n" not in text or "\r" not in view.document.text:
        return text
    return text.replace("\n", newline_near(view.document, start, end))
