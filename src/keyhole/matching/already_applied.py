"""Tell whether an edit was made before: by an older version, or by what the file has now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from keyhole.matching.ladder import already_there, find
from keyhole.matching.query import Occurrence, Occurrences, Quote, Rewrite
from keyhole.matching.rewrite import rewrite
from keyhole.matching.rungs import Scope, occurrences
from keyhole.matching.view import View
from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.diff import diff
from keyhole.text.document import Document
from keyhole.text.indent import is_blank


def find_applied(
    view: View, bases: Iterable[View], quote: Quote, scope: Scope
) -> tuple[Occurrence, str] | None:
    """Return where an edit that was made before stands, and how that is known.

    A version in which the quote stood at one place decides: if the edit was not made there, equal
    text elsewhere is a twin.
    """
    is_known = False
    for base in bases:
        if rewritten := _rewrite_on(base, quote):
            is_known = True
            if site := _applied_on(view, base, rewritten, scope):
                return site, "the quoted text stood there before"
    there = None if is_known else already_there(view, quote, scope)
    return (there, "the quoted text is gone") if there else None


def applied_since(view: View, base: View, quote: Quote, scope: Scope) -> Occurrence | None:
    """Return where an edit that was made since `base` stands, or None.

    In `base` the quote stood at one place. The edit, made there, gives the lines that the place and
    its neighbours have now, and no later change touches them. So even the shortest text is proof.
    """
    rewritten = _rewrite_on(base, quote)
    return _applied_on(view, base, rewritten, scope) if rewritten else None


def _rewrite_on(base: View, quote: Quote) -> Rewrite | None:
    """Return the edit, made on a version in which its quote stands at one place."""
    found = find(base, quote, (0, len(base.flat)))
    if not isinstance(found, Occurrences) or len(found.found) != 1:
        return None
    rewritten = rewrite(base, found.found[0])
    return rewritten if isinstance(rewritten, Rewrite) else None


def _applied_on(view: View, base: View, rewritten: Rewrite, scope: Scope) -> Occurrence | None:
    edit = ChangeSet.of(len(base.document.text), rewritten.changes)
    if not isinstance(edit, ChangeSet) or edit.is_empty:
        return None
    made = edit.apply(base.document.text)
    start, end = _span_to_match(rewritten, edit)
    place = place_now(made, view.document.text, start, end, base.document.terminator)
    if place is None or not scope[0] <= view.flat_offset(place) <= scope[1]:
        return None
    first = view.flat_offset(place)
    return Occurrence(first, view.flat_offset(place + end - start), "exact", Quote(""))


def _span_to_match(rewritten: Rewrite, edit: ChangeSet) -> tuple[int, int]:
    """Return the span that must be in the file: all of the quote, as the edit leaves it.

    If lines that the edit keeps are gone too, a match of the rest would be chance.
    """
    low, high = edit.changes[0].start, edit.changes[-1].end
    growth = sum(change.growth for change in edit.changes)
    return min(rewritten.start, low), max(rewritten.end, high) + growth


def place_now(made: str, now: str, start: int, end: int, mark: str) -> int | None:
    """Return where a span of one text begins in another, if it is certain to be there."""
    if made == now:
        return start
    own = made.rfind(mark, 0, start) + 1, _line_end(made, end, mark)
    first, last = made.rfind(mark, 0, max(own[0] - 1, 0)) + 1, _line_end(made, own[1] + 1, mark)
    lines = made[first:last]
    if any(
        len(list(islice(occurrences(text, lines, 0, len(text)), 2))) != 1 for text in (made, now)
    ):
        return None
    around = ChangeSet(len(made), (Change(first, last, ""),)).rebase(diff(made, now))
    if isinstance(around, Clash):
        return None
    place = around.changes[0].start
    # Where the file began or ended there, with no line beside, it still does.
    edges = first < own[0] or not place, own[1] < last or place + len(lines) == len(now)
    return place + start - first if all(edges) else None


def _line_end(text: str, at: int, mark: str) -> int:
    """Return where the line ends that an offset lies in or closes."""
    if at >= len(text) or (at and text.endswith(mark, 0, at)):
        return min(at, len(text))
    return text.find(mark, at) + 1 or len(text)


Span = tuple[int, int]
_ENDS = "\r\n"
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|[\r\n]|\Z)")
_WORD = re.compile(r"\w")
# What stands between the items of a list, and is written or not as the place wants it.
_BETWEEN = " \t\r\n,;"
# Places around a quote that are looked at; where there are more, the file is one repeated word.
_MOST_LOOKED_AT = 100
# How far from its place an addition is looked for, beyond its own length: blank lines lie between.
_REACH = 1000


class _AddedLine(NamedTuple):
    text: str
    start: int
    end: int


def around(document: Document, place: Span, changes: Sequence[Change]) -> Span | None:
    """Return where the new text of a place stands, around the place itself."""
    if not changes:
        return None
    low, high = min(place[0], changes[0].start), max(place[1], changes[-1].end)
    new = _changed(document.text, low, high, changes)
    text = _closed(document, new)
    if low == high or _size(new) <= _size(text[low:high]):
        return None
    places = occurrences(text, new, max(high - len(new), 0), low + len(new))
    for at in islice(places, _MOST_LOOKED_AT):
        if _is_apart(text, at, new, (low, high)):
            return at, min(at + len(new), len(document.text))
    return None


def _size(text: str) -> int:
    """Return how many characters a text has, without blanks."""
    return len("".join(text.split()))


def _closed(document: Document, new: str) -> str:
    """Return the text with the line ends that close `new`, which a file's end may lack.

    A file whose last line has no end keeps it so, whatever is added to it.
    """
    count = new.count(document.terminator, len(new.rstrip(_ENDS)))
    return document.text + document.newline * count


def _changed(text: str, low: int, high: int, changes: Sequence[Change]) -> str:
    pieces, at = [], low
    for change in changes:
        pieces += [text[at : change.start], change.text]
        at = change.end
    return "".join([*pieces, text[at:high]])


def _is_apart(text: str, at: int, new: str, place: Span) -> bool:
    """Tell whether lines that stand at an offset are whole: `# a = 1` is not the line `a = 1`."""
    end = at + len(new)
    if not any(mark in new for mark in _ENDS):
        return True
    behind = _LINE.match(text, end)
    starts = at == place[0] or is_blank(_text_before(text, at))
    return starts and (end == place[1] or new[-1] in _ENDS or not behind or is_blank(behind[1]))


def beside(document: Document, change: Change) -> Span | None:
    """Return where added lines stand right below their place, or right above it."""
    text, at = document.text, change.start
    if change.end > at or not change.text.strip():
        return None
    is_new_line = not at or text[at - 1] in _ENDS
    added = change.text if is_new_line else _without_end(change.text)
    if added is None or not _is_cut_from(text[at : at + 1], change.text, is_new_line=is_new_line):
        return None
    lines = [line.text.rstrip(" \t") for line in _lines(added, 0)]
    return _repeated(document, at, lines) or _at_end(document, at, lines)


def _is_cut_from(following: str, added: str, *, is_new_line: bool) -> bool:
    """Tell whether the lines that are added do not run into what follows them."""
    return not following or (added[-1] if is_new_line else following) in _ENDS


def _at_end(document: Document, at: int, added: Sequence[str]) -> Span | None:
    """Return where added lines stand at the end of the file, before blank lines."""
    words = list(added)
    while not words[-1]:
        words.pop()
    found = _repeated(document, at, words) if len(words) < len(added) else None
    return found if found and not document.text[found[1] :].strip() else None


def _without_end(text: str) -> str | None:
    """Return an addition without the line end that it begins with; None if it has none."""
    found = re.match(r"\r\n|[\r\n]", text)
    return text[found.end() :] if found else None


def _repeated(document: Document, at: int, added: Sequence[str]) -> Span | None:
    text, reach = document.text, sum(map(len, added)) + 2 * len(added) + _REACH
    below = list(islice(_lines(text[at : at + reach], at), len(added)))
    first = max(at - reach, 0)
    above = list(_lines(text[first:at], first))[-len(added) :]
    for lines in (below, above):
        if [line.text.rstrip(" \t") for line in lines] == added:
            return lines[0].start, lines[-1].end
    return None


def _lines(text: str, offset: int) -> Iterator[_AddedLine]:
    for found in _LINE.finditer(text):
        if found[0]:
            yield _AddedLine(found[1], offset + found.start(), offset + found.end())


def is_item(change: Change) -> bool:
    """Tell whether a change writes more than separators of a list."""
    return bool(change.text.strip(_BETWEEN))


def among_items(document: Document, change: Change) -> Span | None:
    """Return where an added item stands beside its place; blank lines and commas do not count."""
    text, at, core = document.text, change.start, change.text.strip(_BETWEEN)
    if change.end > at or not core:
        return None
    reach = len(change.text) + _REACH
    behind, before = text[at : at + reach], text[max(at - reach, 0) : at]
    starts = (
        at + len(behind) - len(behind.lstrip(_BETWEEN)),
        at - len(before) + len(before.rstrip(_BETWEEN)) - len(core),
    )
    head = change.text[: change.text.index(core)]
    prefix = (
        _text_before(head, len(head))
        if any(mark in head for mark in _ENDS)
        else _text_before(text, at) + head
    )
    for start in starts:
        stands = start >= 0 and text.startswith(core, start)
        if stands and _is_item(text, start, start + len(core), prefix):
            return start, start + len(core)
    return None


def _text_before(text: str, at: int) -> str:
    """Return the text of a line before an offset."""
    return text[max(text.rfind(mark, 0, at) for mark in _ENDS) + 1 : at]


def _is_item(text: str, start: int, end: int, prefix: str) -> bool:
    """Tell whether an item stands as deep as the added one, and is no part of a longer word."""
    own = _text_before(text, start)
    if is_blank(prefix) or is_blank(own):
        behind = _LINE.match(text, end)
        return own == prefix and (not behind or not behind[1].strip(_BETWEEN))
    around_it = (text[start - 1 : start + 1], text[end - 1 : end + 1])
    return not any(len(pair) == 2 and all(map(_WORD.match, pair)) for pair in around_it)
