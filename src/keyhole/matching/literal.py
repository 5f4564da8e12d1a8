"""Lay an edit onto text found to the character: the span is replaced literally, line by line."""

from __future__ import annotations

import re
from itertools import accumulate

from keyhole.matching.place import Laid, Obstacle, Site
from keyhole.matching.view import View
from keyhole.text.align import differences
from keyhole.text.blocks import newline_near
from keyhole.text.changes import Change
from keyhole.text.indent import columns, indent_of, is_blank
from keyhole.values import replace

_TAB = 4
_WORD = re.compile(r"\w+", re.ASCII)
_WORD_BEFORE = re.compile(r"\w+\Z", re.ASCII)
_LONGEST_WORD = 80


def put(view: View, site: Site) -> Laid:
    """Return the changes that write the new text in place of the quoted one to the character."""
    return _laid(view, site, site.quote.new or "", 0)


def lay_literally(view: View, site: Site, *, follow_indent: bool) -> Laid | Obstacle:
    """Return the changes that put the new text where the quoted text stands, as a person would.

    Lines do not merge, a line that is rewritten to its end takes the blanks behind it along, and
    with `follow_indent` lines that left the indent out get it.
    """
    new = with_lead(view, site) if follow_indent else site.quote.new or ""
    if new != site.quote.new:
        site = replace(site, rung="indentation")
    before, after = view.around(site.start, site.end)
    new = _unmerged(site.quote.old, new, before, after)
    if _leaves_words(site.quote.old, new, before, after):
        reason = "a line that the edit removes has more words in the file than are quoted"
        return Obstacle("not-found", reason, view.offset(site.start), view.offset(site.end))
    blanks = len(after) if is_blank(before) and is_blank(after) else 0
    return _laid(view, site, new, blanks)


def _leaves_words(old: str, new: str, before: str, after: str) -> bool:
    """Tell whether a line is removed of which words stay, and would join the line next to it."""
    lines = old.split("\n")
    gone = [hunk for hunk in differences(lines, new.split("\n")) if hunk.new_start == hunk.new_end]
    first, last = gone[:1], gone[-1:]
    return bool(
        (_WORD.search(before) and any(hunk.old_start == 0 for hunk in first))
        or (_WORD.search(after) and any(hunk.old_end == len(lines) for hunk in last))
    )


def _laid(view: View, site: Site, new: str, blanks: int) -> Laid:
    """Return the changes line by line; one of the last line reaches `blanks` characters further."""
    old_lines, new_lines = site.quote.old.split("\n"), new.split("\n")
    starts = list(accumulate((len(line) + 1 for line in old_lines), initial=site.start))
    changes = []
    for hunk in differences(old_lines, new_lines):
        text = "".join(f"{line}\n" for line in new_lines[hunk.new_start : hunk.new_end])
        start, end = starts[hunk.old_start], starts[hunk.old_end]
        if hunk.old_end == len(old_lines):
            # The quote's last line has no end: what goes there, or goes away, has one before it.
            end = site.end + blanks
            if hunk.old_start == hunk.old_end:
                start, text = end, f"\n{text}"
            if text:
                text = text[:-1]
            elif view.flat.startswith("\n", end):
                end += 1  # of lines that go, each goes with its own end
            else:
                start -= 1
        span = view.offset(start), view.offset(end)
        changes.append(Change(*span, spelled(view, text, *span)))
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
    """Return the indent a quote of one line left out, where later lines of the new text did too.

    `return x` quoted without its indent, to become two lines at column 0: both belong where the
    first one stood. Where only a part of the indent is left out, no line has it.
    """
    first, *later = site.quote.old.split("\n")
    if not all(map(is_blank, later)) or "\n" not in (site.quote.new or ""):
        return ""
    lead, rest = view.around(site.start, site.end)
    if not lead or not is_blank(lead) or not (later or is_blank(rest)):
        return ""
    if indent_of(first) or _is_shallow(site.quote.new or "", columns(lead, _TAB)):
        return lead
    return ""


def _is_shallow(new: str, depth: int) -> bool:
    """Tell whether a later line of `new` cannot be meant to stand as it is behind `depth`.

    A line that opens a block has deeper ones below it: one no deeper than the file's indent cannot
    be meant as it stands.
    """
    first, *rest = new.split("\n")
    later = [columns(indent_of(line), _TAB) for line in rest if not is_blank(line)]
    opens = first.rstrip().endswith((":", "{", "(", "[")) and later[:1] == [depth]
    return opens or any(column < depth for column in later)


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
