"""Lay an edit onto text found to the character: the span is replaced literally, line by line."""

from __future__ import annotations

import re

from keyhole.matching.place import Laid, Site
from keyhole.matching.view import View
from keyhole.text.align import differences
from keyhole.text.blocks import newline_near
from keyhole.text.changes import Change
from keyhole.text.document import split_lines
from keyhole.text.indent import columns, indent_of, is_blank
from keyhole.values import replace

_TAB = 4
_WORD = re.compile(r"\w+", re.ASCII)
_WORD_BEFORE = re.compile(r"\w+\Z", re.ASCII)
_LONGEST_WORD = 80


def put(view: View, site: Site) -> Laid:
    """Return the changes that write the new text in place of the quoted one to the character."""
    return _laid(view, site, site.quote.new or "", 0)


def lay_literally(view: View, site: Site, *, follow_indent: bool) -> Laid:
    """Return the changes that put the new text where the quoted text stands, as a person would.

    Lines do not merge, a line that is rewritten to its end takes the blanks behind it along, and
    with `follow_indent` lines that left the indent out get it.
    """
    new = with_lead(view, site) if follow_indent else site.quote.new or ""
    if new != site.quote.new:
        site = replace(site, rung="indentation")
    before, after = view.around(site.start, site.end)
    new = _unmerged(site.quote.old, new, before, after)
    blanks = len(after) if is_blank(before) and is_blank(after) else 0
    return _laid(view, site, new, blanks)


def _laid(view: View, site: Site, new: str, blanks: int) -> Laid:
    """Return the changes line by line; one of the last line reaches `blanks` characters further."""
    old_lines, new_lines = split_lines(site.quote.old), split_lines(new)
    changes, at, line = [], site.start, 0
    for hunk in differences(old_lines, new_lines):
        at += sum(map(len, old_lines[line : hunk.old_start]))
        size = sum(map(len, old_lines[hunk.old_start : hunk.old_end]))
        size += blanks if hunk.old_end == len(old_lines) else 0
        text = "".join(new_lines[hunk.new_start : hunk.new_end])
        span = view.offset(at), view.offset(at + size)
        changes.append(Change(*span, spelled(view, text, *span)))
        at, line = at + size, hunk.old_end
    whole = view.offset(site.start), view.offset(site.end)
    return Laid(*whole, site.rung, tuple(changes), site.notes)


def cut_word(view: View, site: Site) -> str:
    """Return the longer word that a site begins or ends inside of, or ""."""
    for at in (site.start, site.end):
        head = _WORD_BEFORE.search(view.flat, max(at - _LONGEST_WORD, 0), at)
        tail = _WORD.match(view.flat, at, at + _LONGEST_WORD)
        if head and tail:
            return head[0] + tail[0]
    return ""


def with_lead(view: View, site: Site) -> str:
    """Return the new text with the indent on its later lines that the quote left out."""
    new, lead = site.quote.new or "", _lost_lead(view, site)
    if not lead:
        return new
    first, *rest = new.split("\n")
    return "\n".join([first, *(line if is_blank(line) else lead + line for line in rest)])


def _lost_lead(view: View, site: Site) -> str:
    """Return the indent a one-line quote left out, where later lines of the new text did too.

    `return x` quoted without its indent, to become two lines at column 0: both belong where the
    first one stood.
    """
    quote = site.quote
    if "\n" in quote.old or quote.new is None or "\n" not in quote.new or quote.old[:1] in " \t":
        return ""
    lead, rest = view.around(site.start, site.end)
    if not lead or not is_blank(lead) or not is_blank(rest):
        return ""
    first, *rest_of_new = quote.new.split("\n")
    later = [columns(indent_of(line), _TAB) for line in rest_of_new if not is_blank(line)]
    depth = columns(lead, _TAB)
    # A line that opens a block has deeper ones below it: one no deeper than the file's indent
    # cannot be meant as it stands.
    opens = first.rstrip().endswith((":", "{", "(", "[")) and later[:1] == [depth]
    return lead if opens or any(column < depth for column in later) else ""


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
