"""The places most like a quote that stands nowhere: offered as candidates, never applied."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from keyhole.fastclasses import dataclass
from keyhole.matching.query import LinePair, Occurrence, Quote, Rewrite
from keyhole.matching.rewrite import rewrite
from keyhole.matching.rungs import Scope
from keyhole.matching.view import View, keys_of, quote_lines
from keyhole.text.align import differences, most_alike, similarity
from keyhole.text.changes import Change

MOST = 3
_LEAST_ALIKE = 0.6
_MOST_ALIKE = 0.99
_LINE_ALIKE = 0.5
_DRIFT = 3
_MOST_STARTS = 8
_MOST_HITS = 40
_PROBES = 2
# Lines are compared character by character: one of 1,000 with 20 MB of them is still worth it.
_MOST_COMPARED = 20_000_000_000
# As long as two short lines take to be compared, so many characters of long ones do.
_ONE_COMPARISON = 100_000
# A line that is like another is compared with it a few times for each place.
_COMPARISONS_A_LINE = 64


@dataclass(frozen=True, slots=True)
class NearPlace:
    """A place like the quote: its lines (0-based, end exclusive), what differs, the edit there.

    `changes` is None where the edit would touch a line that is not as quoted: then it is no
    candidate.
    """

    first: int
    last: int
    similarity: float
    differs: str
    changes: tuple[Change, ...] | None
    start: int
    end: int


class _Ranked(NamedTuple):
    """A place and its similarity; the differences are computed only if it is shown."""

    first: int
    last: int
    similarity: float
    pairs: tuple[LinePair, ...]


class _TooMuchError(Exception):
    """The remaining comparisons would take too long for a refusal."""


def nearest(view: View, quote: Quote, scope: Scope) -> tuple[NearPlace, ...] | None:
    """Return up to three places that are most like the quote, best first; None if it takes long."""
    old, _ = quote_lines(quote.old, quote.new)
    keys = keys_of("\n".join(old))
    if not any(keys) or not view.lines:
        return ()
    view.comparisons += _COMPARISONS_A_LINE * len(keys)
    try:
        best = _best(view, keys, _lines_within(view, scope))
    except _TooMuchError:
        return None
    return tuple(_near(view, quote, keys, place) for place in islice(_apart(best), MOST))


def _best(view: View, keys: list[str], lines: range) -> list[_Ranked]:
    """Return the places that are like the quote, best first."""
    found: dict[tuple[int, int], _Ranked] = {}
    for start in _starts(view, keys, lines):
        place = _rank(view, keys, start, lines)
        if place.similarity >= _LEAST_ALIKE:
            found.setdefault((place.first, place.last), place)
    # Of places equally alike the one with the fewest lines in between is meant.
    return sorted(found.values(), key=lambda place: (-place.similarity, place.last - place.first))


def _spend(view: View, count: int, product: int) -> None:
    """Take comparisons from the budget of the call; a long line counts as many short ones."""
    cost = count + product // _ONE_COMPARISON
    if cost > view.comparisons:
        raise _TooMuchError
    view.comparisons -= cost


def _lines_within(view: View, scope: Scope) -> range:
    if scope == (0, len(view.flat)):
        return range(len(view.lines))
    start, end = scope
    return range(view.line_of(start), view.line_of(end - 1) + 1) if start < end else range(0)


def _apart(best: list[_Ranked]) -> Iterator[_Ranked]:
    """Yield the places that do not overlap a better one."""
    taken: list[_Ranked] = []
    for near in best:
        if all(near.last <= other.first or other.last <= near.first for other in taken):
            taken.append(near)
            yield near


def _starts(view: View, keys: list[str], lines: range) -> list[int]:
    """Return the lines at which the quote may begin, by the votes of its lines.

    A line that the file has votes for where the quote would start; rare and long lines weigh more.
    Lines the file does not have vote through the lines most like them.
    """
    votes: dict[int, float] = {}
    where = _positions(view, set(filter(None, keys)), lines)
    for index, key in enumerate(keys):
        hits = where.get(key, ())
        for line in hits[:_MOST_HITS]:
            votes[line - index] = votes.get(line - index, 0.0) + len(key) / len(hits)
    for start, score in _votes_by_likeness(view, keys, where, lines):
        votes[start] = votes.get(start, 0.0) + score
    ranked = sorted(votes, key=lambda start: (-votes[start], start))
    return ranked[:_MOST_STARTS]


def _positions(view: View, wanted: set[str], lines: range) -> dict[str, list[int]]:
    where: dict[str, list[int]] = {}
    keys = view.keys if len(lines) == len(view.keys) else view.keys[lines.start : lines.stop]
    for line, key in enumerate(keys, lines.start):
        if key in wanted:
            where.setdefault(key, []).append(line)
    return where


def _votes_by_likeness(
    view: View, keys: list[str], where: Mapping[str, list[int]], lines: range
) -> Iterator[tuple[int, float]]:
    """Yield the starts that the quote's longest lines vote for, if the file lacks those lines."""
    missing = [index for index, key in enumerate(keys) if key and key not in where]
    choices = view.keys[lines.start : lines.stop]
    size = sum(map(len, choices))
    affordable = _MOST_COMPARED // (1 + size)
    missing = [index for index in missing if len(keys[index]) <= affordable]
    for index in sorted(missing, key=lambda index: -len(keys[index]))[:_PROBES]:
        _spend(view, len(choices) // 8, len(keys[index]) * size)
        found = most_alike(keys[index], choices, _LINE_ALIKE, _MOST_STARTS)
        for line, score in found:
            yield lines.start + line - index, score * len(keys[index]) / len(found)


def _rank(view: View, keys: list[str], start: int, lines: range) -> _Ranked:
    pairs = _best_pairs(view, keys, start, lines)
    sure = [pair for pair in pairs if pair.end > pair.start and keys[pair.old_start]]
    assert sure, "BUG: a line that voted for a place is not in it"
    return _Ranked(sure[0].start, sure[-1].end, _alike(view, keys, pairs), pairs)


def _near(view: View, quote: Quote, keys: list[str], place: _Ranked) -> NearPlace:
    """Say what differs at a place, and what the edit would do there."""
    first, last, alike, pairs = place
    span = view.starts[first], view.starts[last]
    rewritten = (
        rewrite(view, Occurrence(*span, "accepted", quote, pairs))
        if quote.new is not None
        else None
    )
    changes = rewritten.changes if isinstance(rewritten, Rewrite) else None
    old, _ = quote_lines(quote.old, quote.new)
    shown = "; ".join(islice(_differing(view, old, keys, pairs), MOST))
    differs = shown or _blanks_differing(view, old, pairs)
    lies = view.offset(span[0]), view.offset(span[1])
    return NearPlace(first, last, min(alike, _MOST_ALIKE), differs, changes, *lies)


def _best_pairs(view: View, keys: list[str], start: int, lines: range) -> tuple[LinePair, ...]:
    """Line the quote up from `start`, with some more lines around only if that fits better."""
    tight = _pair(view, keys, start, start + len(keys), lines)
    wide = _pair(view, keys, start - _DRIFT, start + len(keys) + _DRIFT, lines)
    return wide if _alike(view, keys, wide) > _alike(view, keys, tight) else tight


def _pair(view: View, keys: list[str], low: int, high: int, lines: range) -> tuple[LinePair, ...]:
    stands = [n for n in range(max(low, lines.start), min(high, lines.stop)) if view.keys[n]]
    written = [index for index, key in enumerate(keys) if key]
    places = _align(view, [keys[i] for i in written], [view.keys[n] for n in stands])
    found = {written[i]: stands[j] for i, j in places}
    return tuple(_in_order(view, keys, found, stands[0] if stands else lines.start))


def _align(view: View, keys: list[str], stands: list[str]) -> Iterator[tuple[int, int]]:
    """Yield which line stands for which: equal ones, and between them those that are alike."""
    i = j = 0
    for hunk in [*differences(keys, stands), None]:
        until = hunk.old_start if hunk else len(keys)
        while i < until:
            yield i, j
            i, j = i + 1, j + 1
        if hunk:
            at = j
            for index in range(i, hunk.old_end):
                others = range(at, hunk.new_end)
                line = next((n for n in others if _is_like(view, keys[index], stands[n])), None)
                if line is not None:
                    yield index, line
                    at = line + 1
            i, j = hunk.old_end, hunk.new_end


def _in_order(view: View, keys: list[str], found: dict[int, int], first: int) -> Iterator[LinePair]:
    """Yield a pair a unit: a line and its place, which may be empty, or two runs of blank lines."""
    index, at = 0, min(found.values(), default=first)
    while index < len(keys):
        if keys[index]:
            line = found.get(index)
            at = line if line is not None else at
            end = at + (line is not None)
            yield LinePair(index, index + 1, at, end)
            index, at = index + 1, end
            continue
        stop = next((n for n in range(index, len(keys)) if keys[n]), len(keys))
        start, end = _blank_run(
            view, at, stop - index, leading=not index, trailing=stop == len(keys)
        )
        yield LinePair(index, stop, start, end)
        index, at = stop, end


def _blank_run(view: View, at: int, size: int, *, leading: bool, trailing: bool) -> tuple[int, int]:
    """Return the blank lines at `at`; at the quote's edges no more of them than were quoted."""
    start = end = at
    if leading:
        while start and not view.keys[start - 1] and end - start < size:
            start -= 1
        return start, end
    while end < len(view.keys) and not view.keys[end] and not (trailing and end - start == size):
        end += 1
    return start, end


def _alike(view: View, keys: list[str], pairs: tuple[LinePair, ...]) -> float:
    total = sum(map(len, keys))
    lines = [pair for pair in pairs if pair.end > pair.start and keys[pair.old_start]]
    return sum(len(keys[pair.old_start]) * _likeness(view, keys, pair) for pair in lines) / total


def _likeness(view: View, keys: list[str], pair: LinePair) -> float:
    key, stands = keys[pair.old_start], view.keys[pair.start]
    if key == stands:
        return 1.0
    _spend(view, 1, len(key) * len(stands))
    return similarity(key, stands)


def _is_like(view: View, key: str, stands: str) -> bool:
    _spend(view, 1, len(key) * len(stands))
    return similarity(key, stands, _LINE_ALIKE) > 0


def _differing(
    view: View, old: list[str], keys: list[str], pairs: tuple[LinePair, ...]
) -> Iterator[str]:
    """Yield what differs, line by line, invisible characters made visible."""
    at, shown = pairs[0].start, view.document.place_shown
    for pair in pairs:
        for line in range(at, pair.start):
            if view.keys[line]:
                yield f"line {shown(line + 1)}, {visible(view.lines[line])}, is not quoted"
        quoted, stands = visible(old[pair.old_start]), pair.end > pair.start
        if not stands:
            what = (
                f"line {quoted}"
                if keys[pair.old_start]
                else f"blank line at {shown(pair.start + 1)}"
            )
            yield f"the file has no {what}"
        elif keys[pair.old_start] != view.keys[pair.start]:
            number = shown(pair.start + 1)
            yield f"line {number} is {visible(view.lines[pair.start])}, quoted as {quoted}"
        at = max(at, pair.end)


def _blanks_differing(view: View, old: list[str], pairs: tuple[LinePair, ...]) -> str:
    """Say what differs where no words do: the blanks of a line, or the number of blank ones."""
    at, shown = pairs[0].start, view.document.place_shown
    for pair in pairs:
        if pair.start > at:
            return f"the blank line {shown(at + 1)} is not quoted"
        at = max(at, pair.end)
        stands, quoted = view.lines[pair.start : pair.end], old[pair.old_start : pair.old_end]
        if stands and stands[0] != quoted[0]:
            line = f"line {shown(pair.start + 1)} is {visible(stands[0])}"
            return f"{line}, quoted as {visible(quoted[0])}"
        if len(stands) != len(quoted):
            number = shown(pair.start + 1)
            return f"{len(stands)} blank lines at {number} are quoted as {len(quoted)}"
    return ""


def visible(line: str) -> str:
    """Return a line between backticks with tabs, trailing blanks and odd characters spelled out."""
    body = line.rstrip(" \t")
    tail = line[len(body) :].replace(" ", "\u00b7")
    return f"`{''.join(map(_visible, body + tail))}`"


def _visible(character: str) -> str:
    if character == "\t":
        return "\u2192"
    if (
        character.isprintable()
        and (character == " " or not character.isspace())
        and character.isascii()
    ):
        return character
    plain = (
        unicodedata.category(character) in {"Lu", "Ll", "Lo", "Lt", "Nd", "So", "Mn"}
        or character == "\u00b7"
    )
    return character if plain else f"<U+{ord(character):04X}>"
