"""The rungs of the ladder: each finds every place where a quote stands under one equivalence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

from keyhole.fastclasses import replace
from keyhole.matching.query import LinePair, Occurrence, Occurrences, Quote
from keyhole.matching.view import LineUnits, View, fold, keys_of, quote_lines, units_of
from keyhole.text.indent import indent_of, is_blank

Scope = tuple[int, int]

# Below these a tolerant match proves too little: `}` stands everywhere.
_LEAST_WORD = 4
_LEAST_CLOSERS = 3
_LEAST_SHIFTED = 6
_LEAST_SHIFTED_LINE = 12
# More places than these are not counted: a place to the character, and a line compared at one.
MOST_SITES = 100_000
MOST_COMPARED = 50_000


def exact(view: View, quote: Quote, scope: Scope, most: int = MOST_SITES) -> Occurrences | None:
    """Find the quoted text to the character, line ends aside."""
    size = len(quote.old)
    places = islice(occurrences(view.flat, quote.old, *scope), most + 1)
    found = [Occurrence(at, at + size, "exact", quote) for at in places]
    if site := _at_end(view, quote, scope):
        found.append(site)
    return Occurrences("exact", tuple(found[:most]), len(found) > most) if found else None


def _at_end(view: View, quote: Quote, scope: Scope) -> Occurrence | None:
    """Find a quote that ends its last line in a file whose last line has no end."""
    old = quote.old.removesuffix("\n")
    start = len(view.flat) - len(old)
    fits = old != quote.old and old and scope[0] <= start and scope[1] == len(view.flat)
    if not fits or view.flat.endswith("\n") or not view.flat.endswith(old):
        return None
    new = quote.new.removesuffix("\n") if quote.new is not None else None
    return Occurrence(start, len(view.flat), "exact", Quote(old, new))


def occurrences(text: str, wanted: str, low: int, high: int) -> Iterator[int]:
    """Yield where `wanted` stands, overlapping places included."""
    at = text.find(wanted, low, high)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1, high)


def whole_lines(view: View, quote: Quote, scope: Scope) -> Occurrences | None:
    """Find the quoted lines by their words; return the places of the strictest rung that has any.

    The three line rungs nest: equal up to trailing blanks is also equal up to the length of blank
    runs, and that is equal up to indentation. So one search for the loosest finds the places of
    all.
    """
    old, _ = quote_lines(quote.old, quote.new)
    units = units_of([keys_of("\n".join(old))])
    longest = max(units.text.split("\n"), key=len)
    says_enough = len(longest) >= _LEAST_WORD
    if not (says_enough or _is_stair(units)) or not view.may_hold(longest):
        return None
    firsts = _unit_sites(view.units.text, units.text)
    every = (_site(view, quote, units, first, scope) for first in firsts)
    most = max(MOST_COMPARED // len(units.firsts), 2)
    sites = list(islice(filter(None, every), most + 1))
    if not says_enough:
        return _only_stair(view, sites, old)
    if len(sites) > most:
        return Occurrences("indentation", tuple(sites[:most]), more=True)
    for rung in ("whitespace", "blank-lines"):
        found = tuple(replace(site, rung=rung) for site in sites if _FITS[rung](view, site, old))
        if found:
            return Occurrences(rung, found)
    if not sites or not _may_shift(units, old):
        return None
    return Occurrences("indentation", tuple(sites))


def find_lines(view: View, quote: Quote, scope: Scope) -> Occurrences | None:
    """Find lines that stand whole in the file: to the character, else by the line rungs."""
    old, _ = quote_lines(quote.old, quote.new)
    text = "\n".join(old)
    places = islice(occurrences(view.flat, text, *scope), MOST_SITES)
    starts = [at for at in places if _is_lines(view.flat, at, at + len(text))]
    last = len(view.lines) - len(old)
    firsts = [first for first in map(view.line_of, starts) if first <= last]
    if not firsts:
        return whole_lines(view, quote, scope)
    units = units_of([keys_of(text)])
    pairs = [LinePair(a, b, a, b) for a, b in pairwise(units.firsts)]
    found = [_shifted(view, quote, pairs, first) for first in firsts]
    return Occurrences("exact", tuple(found))


def _is_lines(flat: str, start: int, end: int) -> bool:
    begins = start < len(flat) and (start == 0 or flat[start - 1] == "\n")
    return begins and (end == len(flat) or flat[end] == "\n")


def _shifted(view: View, quote: Quote, pairs: list[LinePair], by: int) -> Occurrence:
    moved = tuple(pair._replace(start=pair.start + by, end=pair.end + by) for pair in pairs)
    span = view.starts[moved[0].start], view.starts[moved[-1].end]
    return Occurrence(*span, "exact", quote, moved)


def _unit_sites(text: str, wanted: str) -> Iterator[int]:
    """Yield the number of the unit at which `wanted` begins, for every place it stands."""
    unit = counted = 0
    for at in occurrences(text, wanted, 0, len(text)):
        unit += text.count("\n", counted, at)
        counted = at
        yield unit


def _is_stair(units: LineUnits) -> bool:
    """Tell whether there are brackets enough to close several blocks: `}`, `}`, `};`."""
    closers = [key for key in units.text.split("\n") if key]
    return len(closers) >= _LEAST_CLOSERS and len("".join(closers)) >= _LEAST_WORD


def _only_stair(view: View, sites: list[Occurrence], old: list[str]) -> Occurrences | None:
    """Return closing lines that stand only once at any indent, and at the quoted depth."""
    if len(sites) != 1 or not _FITS["whitespace"](view, sites[0], old):
        return None
    return Occurrences("whitespace", (replace(sites[0], rung="whitespace"),))


def _may_shift(units: LineUnits, old: list[str]) -> bool:
    size = len(units.text.replace("\n", ""))
    written = sum(not is_blank(fold(line)) for line in old)
    return size >= (_LEAST_SHIFTED if written > 1 else _LEAST_SHIFTED_LINE)


def _site(
    view: View, quote: Quote, units: LineUnits, first: int, scope: Scope
) -> Occurrence | None:
    """Return the place where the units stand from the file's unit `first` on, if it is in scope."""
    count = len(units.firsts) - 1
    near = view.units.firsts[first + 1] - 1, view.units.firsts[first + count - 1]
    if view.starts[near[0]] < scope[0] or view.starts[near[1]] >= scope[1]:
        return None
    pairs = tuple(_pairs(view.units, units, first))
    start, end = view.starts[pairs[0].start], view.starts[pairs[-1].end]
    if start < scope[0] or end > scope[1]:
        return None
    return Occurrence(start, end, "indentation", quote, pairs)


def _pairs(file: LineUnits, units: LineUnits, first: int) -> Iterator[LinePair]:
    """Pair units one to one; at the edges a blank run may be a part of a longer one."""
    last = len(units.firsts) - 2
    for unit in range(last + 1):
        old = units.firsts[unit], units.firsts[unit + 1]
        start, end = file.firsts[first + unit], file.firsts[first + unit + 1]
        size = old[1] - old[0]
        if unit == 0:
            start = max(start, end - size)
        if unit == last:
            end = min(end, start + size)
        yield LinePair(*old, start, end)


def _same_indents(view: View, site: Occurrence, old: list[str]) -> bool:
    return all(
        indent_of(fold(old[pair.old_start])) == indent_of(fold(view.lines[pair.start]))
        for pair in site.pairs
        if not is_blank(fold(old[pair.old_start]))
    )


def _same_runs(site: Occurrence) -> bool:
    return all(pair.old_end - pair.old_start == pair.end - pair.start for pair in site.pairs)


_FITS = {
    "whitespace": lambda view, site, old: _same_runs(site) and _same_indents(view, site, old),
    "blank-lines": _same_indents,
}
