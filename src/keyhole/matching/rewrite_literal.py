"""Rewrite a quote that stands to the character: its text is replaced line by line."""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate

from keyhole.fastclasses import replace
from keyhole.matching.query import Obstacle, Occurrence, Quote, Rewrite
from keyhole.matching.view import View
from keyhole.text.align import line_differences, unchanged
from keyhole.text.changes import Change
from keyhole.text.indent import columns, indent_of, is_blank
from keyhole.text.lines import newline_near

_TAB = 4
_WORD = re.compile(r"\w+", re.ASCII)
_WORD_BEFORE = re.compile(r"\w+\Z", re.ASCII)
_LONGEST_WORD = 80
# An item of a list, or a line that ends or is followed by what joins two lines to one.
_GOES_ON = re.compile(
    r"([-*+]|\d+[.)]|\.\.) \S|[^\n]*([-,\\=&|+*/%<>]|=>)[ \t]*\n|[^\n]*\n\s*[-.?:&|+*/%=<>)\]}]"
)


def put(view: View, site: Occurrence) -> Rewrite:
    """Return the changes that write the new text in place of the quoted one to the character."""
    return _changes_by_line(view, site, site.quote.new or "")


def rewrite_literally(view: View, site: Occurrence, *, follow_indent: bool) -> Rewrite | Obstacle:
    """Return the changes that replace the quoted text as a person would.

    Lines do not merge, a line that is rewritten to its end loses the blanks behind it, and with
    `follow_indent` lines without the indent get it.
    """
    if follow_indent and cuts_line(view, site):  # what a pattern finds may begin within a line
        reason = "a line has more words in the file than are quoted"
        return obstacle(view, site, "not-found", reason)
    if follow_indent and (indent := _lost_indent(view, site)):
        quote = Quote(indent + site.quote.old, _shifted(site.quote.new or "", indent))
        site = replace(site, start=site.start - len(indent), quote=quote, rung="indentation")
    elif follow_indent and _may_lack_indent(view, site):
        reason = "the quote leaves its indent out, and the new lines read well with it and without"
        return obstacle(view, site, "bad-indentation", reason)
    new = site.quote.new or ""
    before, after = view.around(site.start, site.end)
    new = _unmerged(site.quote.old, new, before, after)
    return _changes_by_line(view, site, new, _blanks(site.quote.old, new, before, after))


def obstacle(view: View, site: Occurrence, code: str, reason: str) -> Obstacle:
    """Return why an edit cannot be made at an occurrence, in offsets of the document."""
    return Obstacle(code, reason, view.offset(site.start), view.offset(site.end))


def _blanks(old: str, new: str, before: str, after: str) -> tuple[int, int]:
    """Return how many blanks around the quote belong to its first and its last line."""
    starts_blank = old.startswith("\n") or new.startswith("\n")
    head = len(before) if starts_blank and is_blank(before) else 0
    # Behind a line end stands the next line, of which the quote has nothing.
    in_line = not old.endswith("\n")
    whole = in_line and is_blank(after) and ("\n" in old or is_blank(before))
    return head, len(after) if whole else 0


def _changes_by_line(
    view: View, site: Occurrence, new: str, blanks: tuple[int, int] | None = None
) -> Rewrite:
    """Return the changes line by line; changes of an outer line include the blanks beside it.

    Without `blanks` no byte beside the quote changes.
    """
    whole = view.offset(site.start), view.offset(site.end)
    if not any(blanks or ()) and new and "\n" not in site.quote.old and "\n" not in new:
        changes = (Change(*whole, new),) if new != site.quote.old else ()
        return Rewrite(*whole, site.rung, changes, site.notes)
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
    return Rewrite(*whole, site.rung, tuple(made), site.notes)


def _line_end(view: View, at: int) -> str:
    """Return the line end that stands at an offset as the document has it, or ""."""
    if not view.flat.startswith("\n", at):
        return ""
    return view.document.text[view.offset(at) : view.offset(at + 1)]


def cut_word(view: View, site: Occurrence) -> str:
    """Return the longer word that an occurrence begins or ends inside, or ""."""
    for at in (site.start, site.end):
        tail = _WORD.match(view.flat, at, at + _LONGEST_WORD)
        if tail and at and _WORD.match(view.flat, at - 1, at):
            head = _WORD_BEFORE.search(view.flat, max(at - _LONGEST_WORD, 0), at)
            return (head[0] if head else "") + tail[0]
    behind = view.flat[site.end : site.end + 1]
    return view.flat[site.end - 1] + behind if behind and unicodedata.combining(behind) else ""


def cuts_line(view: View, site: Occurrence, quoted: str = "") -> bool:
    r"""Tell whether a quote of lines begins or ends inside a line that has more words.

    `quoted` is the quote as it came: a file without its last line end makes one line of `a()\n`.
    """
    old = site.quote.old
    if site.pairs or "\n" not in old + quoted:
        return False
    before, after = view.around(site.start, site.end - old.endswith("\n"))
    first, last = old.partition("\n")[0], old.rpartition("\n")[2]
    if not is_blank(first) and not is_blank(before):
        return True
    # The indent of the next line is no part of the line: it may be quoted to be kept.
    is_kept = is_blank(last) and (site.quote.new or "").rpartition("\n")[2] == last
    return bool(last) and not is_kept and not is_blank(after)


def of_whole_lines(view: View, site: Occurrence) -> Occurrence:
    r"""Return an occurrence extended to whole lines; kept lines are those of the file.

    `wipe()\n` quoted from `# wipe()` becomes all of that line.
    """
    old = site.quote.old.split("\n")
    before, after = view.around(site.start, site.end - (not old[-1]))
    head, tail = before if not is_blank(old[0]) else "", after if old[-1] else ""
    start, end = site.start - len(head), site.end + len(tail)
    whole = view.flat[start:end]
    if site.quote.new is None:
        return replace(site, start=start, end=end, quote=Quote(whole))
    new, lines = site.quote.new.split("\n"), whole.split("\n")
    stays = dict(unchanged(old, new))
    if head and 0 not in stays and new[0] and not indent_of(new[0]):
        new[0] = indent_of(head) + new[0]
    for edge in {0, len(old) - 1} & stays.keys():
        new[stays[edge]] = lines[edge]
    return replace(site, start=start, end=end, quote=Quote(whole, "\n".join(new)))


def with_lost_indent(view: View, site: Occurrence) -> str:
    """Return the new text with the indent that the quote left out, on its later lines."""
    first, *rest = (site.quote.new or "").split("\n")
    indent = _lost_indent(view, site)
    return "\n".join([first, *(_shifted(line, indent) for line in rest)])


def _shifted(text: str, indent: str) -> str:
    return "\n".join(line if is_blank(line) else indent + line for line in text.split("\n"))


def _lost_indent(view: View, site: Occurrence) -> str:
    """Return the indent that a quote of one line and the later lines of its new text left out.

    `return x` is quoted without its indent and becomes two lines at column 0: both belong at the
    column of the first.
    """
    indent = _omitted_indent(view, site)
    depth, later = columns(indent, _TAB), _later_columns(site)
    # A line that opens a block has deeper ones below it: one no deeper than the file's indent
    # cannot be meant as it stands.
    first = (site.quote.new or "").partition("\n")[0].rstrip()
    opens = first.endswith((":", "{", "(", "[")) and later[:1] == [depth]
    meant = site.quote.old[:1] in {" ", "\t"} or opens or any(column < depth for column in later)
    return indent if meant else ""


def _omitted_indent(view: View, site: Occurrence) -> str:
    """Return the indent before a quote of one line, which blank lines may follow."""
    if "\n" not in (site.quote.new or ""):
        return ""
    _, *below = site.quote.old.split("\n")
    indent, rest = view.around(site.start, site.end)
    is_line = all(map(is_blank, below)) and (below or is_blank(rest))
    return indent if is_line and is_blank(indent) else ""


def _later_columns(site: Occurrence) -> list[int]:
    lines = (site.quote.new or "").split("\n")[1:]
    return [columns(indent_of(line), _TAB) for line in lines if not is_blank(line)]


def _may_lack_indent(view: View, site: Occurrence) -> bool:
    """Tell whether the second line of the new text may continue the first, one level deeper."""
    depth, later = columns(_omitted_indent(view, site), _TAB), _later_columns(site)
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
