"""Lay an edit onto text found to the character: the span is replaced literally, line by line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from keyhole.matching.place import Laid, Obstacle, Quote, Site
from keyhole.matching.view import View
from keyhole.text.align import differences, line_differences
from keyhole.text.blocks import newline_near
from keyhole.text.changes import Change
from keyhole.text.indent import columns, indent_of, is_blank
from keyhole.values import replace

_TAB = 4
_WORD = re.compile(r"\w+", re.ASCII)
_WORD_BEFORE = re.compile(r"\w+\Z", re.ASCII)
_LONGEST_WORD = 80
# An item of a list, or a line that ends or is followed by what joins two lines to one.
_GOES_ON = re.compile(
    r"([-*+]|\d+[.)]|\.\.) \S|[^\n]*([-,\\=&|+*/%<>]|=>)[ \t]*\n|[^\n]*\n\s*[-.?:&|+*/%=<>)\]}]"
)


class _Edge(NamedTuple):
    """A change at an outer line of the quote: how many lines go and come, what else is on it."""

    removed: int
    added: int
    rest: str
    in_word: bool


def put(view: View, site: Site) -> Laid:
    """Return the changes that write the new text in place of the quoted one to the character."""
    return _laid(view, site, site.quote.new or "")


def lay_literally(view: View, site: Site, *, follow_indent: bool) -> Laid | Obstacle:
    """Return the changes that put the new text where the quoted text stands, as a person would.

    Lines do not merge, a line that is rewritten to its end takes the blanks behind it along, and
    with `follow_indent` lines that left the indent out get it.
    """
    if follow_indent and (lead := _lost_lead(view, site)):
        quote = Quote(lead + site.quote.old, _shifted(site.quote.new or "", lead))
        site = replace(site, start=site.start - len(lead), quote=quote, rung="indentation")
    elif follow_indent and _may_lack_lead(view, site):
        reason = "the quote leaves its indent out, and the new lines read well with it and without"
        return obstacle(view, site, "bad-indentation", reason)
    new = site.quote.new or ""
    before, after = view.around(site.start, site.end)
    new = _unmerged(site.quote.old, new, before, after)
    if _leaves_words(site.quote.old, new, before, after):
        reason = "a line that the edit removes has more words in the file than are quoted"
        return obstacle(view, site, "not-found", reason)
    return _laid(view, site, new, _blanks(site.quote.old, new, before, after))


def obstacle(view: View, site: Site, code: str, reason: str) -> Obstacle:
    """Return why an edit cannot be laid onto a site, in offsets of the document."""
    return Obstacle(code, reason, view.offset(site.start), view.offset(site.end))


def _blanks(old: str, new: str, before: str, after: str) -> tuple[int, int]:
    """Return how many blanks around the quote belong to its first and its last line."""
    starts_blank = old.startswith("\n") or new.startswith("\n")
    head = len(before) if starts_blank and is_blank(before) else 0
    # Behind a line end stands the next line, of which the quote has nothing.
    in_line = not old.endswith("\n")
    whole = in_line and is_blank(after) and ("\n" in old or is_blank(before))
    return head, len(after) if whole else 0


def _leaves_words(old: str, new: str, before: str, after: str) -> bool:
    """Tell whether words that stay of a line would join another one than they stand on."""
    return any(
        _WORD.search(edge.rest) and (not edge.added or ("\n" in old and edge.added != edge.removed))
        for edge in _edges(old, new, before, after)
    )


def _edges(old: str, new: str, before: str, after: str) -> Iterator[_Edge]:
    """Yield the changes at the outer lines of a text of several lines."""
    if "\n" not in old and "\n" not in new:
        return
    lines = old.split("\n")
    for hunk in differences(lines, new.split("\n")):
        sizes = hunk.old_end - hunk.old_start, hunk.new_end - hunk.new_start
        # A quote that begins or ends with a line end has no part of the line beside it.
        if lines[0] and hunk.old_start == 0:
            yield _Edge(*sizes, before, _is_word(before[-1:], old[:1]))
        if lines[-1] and hunk.old_end == len(lines):
            yield _Edge(*sizes, after, _is_word(old[-1:], after[:1]))


def _is_word(*characters: str) -> bool:
    return all(map(_WORD.match, characters))


def _laid(view: View, site: Site, new: str, blanks: tuple[int, int] | None = None) -> Laid:
    """Return the changes line by line; those of an outer line take the blanks beside it along.

    Without `blanks` no byte beside the quote changes.
    """
    whole = view.offset(site.start), view.offset(site.end)
    if blanks is None and new and "\n" not in site.quote.old and "\n" not in new:
        changes = (Change(*whole, new),) if new != site.quote.old else ()
        return Laid(*whole, site.rung, changes, site.notes)
    head, tail = blanks or (0, 0)
    old_lines, new_lines = site.quote.old.split("\n"), new.split("\n")
    starts = list(accumulate((len(line) + 1 for line in old_lines), initial=site.start))
    starts[0] -= head
    made = []
    for hunk in line_differences(old_lines, new_lines, old_lines, new_lines):
        text = "".join(f"{line}\n" for line in new_lines[hunk.new_start : hunk.new_end])
        start, end = starts[hunk.old_start], starts[hunk.old_end]
        if hunk.old_end == len(old_lines):
            # The quote's last line has no end: what goes there, or goes away, has one before it.
            end = site.end + tail
            if hunk.old_start == hunk.old_end:
                start, text = end, f"\n{text}"
            if text:
                text = text[:-1]
            elif _line_end(view, end) and (
                blanks is not None or _line_end(view, end) == _line_end(view, start - 1)
            ):
                end += 1  # of lines that go, each goes with its own end
            else:
                start -= 1
        span = view.offset(start), view.offset(end)
        made.append(Change(*span, spelled(view, text, *span)))
    return Laid(*whole, site.rung, tuple(made), site.notes)


def _line_end(view: View, at: int) -> str:
    """Return the line end that stands at an offset as the document has it, or ""."""
    if not view.flat.startswith("\n", at):
        return ""
    return view.document.text[view.offset(at) : view.offset(at + 1)]


def cut_word(view: View, site: Site) -> str:
    """Return the longer word that a site begins or ends inside of, or ""."""
    for at in (site.start, site.end):
        head = _WORD_BEFORE.search(view.flat, max(at - _LONGEST_WORD, 0), at)
        tail = _WORD.match(view.flat, at, at + _LONGEST_WORD)
        if head and tail:
            return head[0] + tail[0]
    behind = view.flat[site.end : site.end + 1]
    return view.flat[site.end - 1] + behind if behind and unicodedata.combining(behind) else ""


def breaks_word(view: View, site: Site) -> bool:
    """Tell whether lines are quoted that begin or end inside a word, and change there.

    Text of several lines stands for lines: `    pas` at its end is a misquoted `    pass`.
    """
    old, new = site.quote.old, site.quote.new
    if site.pairs or new is None or ("\n" not in old and "\n" not in new):
        return False
    return any(edge.in_word for edge in _edges(old, new, *view.around(site.start, site.end)))


def with_lead(view: View, site: Site) -> str:
    """Return the new text with the indent on its later lines that the quote left out."""
    first, *rest = (site.quote.new or "").split("\n")
    lead = _lost_lead(view, site)
    return "\n".join([first, *(_shifted(line, lead) for line in rest)])


def _shifted(text: str, lead: str) -> str:
    return "\n".join(line if is_blank(line) else lead + line for line in text.split("\n"))


def _lost_lead(view: View, site: Site) -> str:
    """Return the indent a quote of one line left out, where later lines of the new text did too.

    `return x` quoted without its indent, to become two lines at column 0: both belong where the
    first one stood. Where only a part of the indent is left out, no line has it.
    """
    lead = _left_out(view, site)
    depth, later = columns(lead, _TAB), _later_columns(site)
    # A line that opens a block has deeper ones below it: one no deeper than the file's indent
    # cannot be meant as it stands.
    first = (site.quote.new or "").partition("\n")[0].rstrip()
    opens = first.endswith((":", "{", "(", "[")) and later[:1] == [depth]
    meant = site.quote.old[:1] in {" ", "\t"} or opens or any(column < depth for column in later)
    return lead if meant else ""


def _left_out(view: View, site: Site) -> str:
    """Return the indent before a quote of one line, with blank ones below it or without."""
    if "\n" not in (site.quote.new or ""):
        return ""
    _, *below = site.quote.old.split("\n")
    lead, rest = view.around(site.start, site.end)
    is_line = all(map(is_blank, below)) and (below or is_blank(rest))
    return lead if is_line and is_blank(lead) else ""


def _later_columns(site: Site) -> list[int]:
    lines = (site.quote.new or "").split("\n")[1:]
    return [columns(indent_of(line), _TAB) for line in lines if not is_blank(line)]


def _may_lack_lead(view: View, site: Site) -> bool:
    """Tell whether the second line of the new text may go on with the first, one level deeper."""
    depth, later = columns(_left_out(view, site), _TAB), _later_columns(site)
    if not depth or later[:1] != [depth] or not _GOES_ON.match(site.quote.new or ""):
        return False
    # The style of a file takes a look at all its lines, so it is asked for last.
    return depth <= (_TAB if view.style.character == "\t" else view.style.unit)


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
