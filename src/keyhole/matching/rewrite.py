r"""Rewrite: the difference from old to new, on the file's own lines and characters.

The quote lacks the indent, the typographic quotes and the blank behind the first line; the file
keeps all three, because the edit changes only `size`.

>>> from keyhole.matching.query import Quote
>>> from keyhole.matching.rungs import whole_lines
>>> from keyhole.text.document import Document
>>> view = View(Document("    name = “a” \n    size = 1\n"))
>>> quote = Quote('name = "a"\nsize = 1', 'name = "a"\nsize = 2')
>>> (site,) = whole_lines(view, quote, (0, len(view.flat))).found
>>> rewrite(view, site).changes
(Change(start=16, end=29, text='    size = 2\n'),)
>>> _apply(view, rewrite(view, site).changes)
'    name = “a” \n    size = 2\n'
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise

from keyhole.fastclasses import replace
from keyhole.matching.indent_rule import frame_of, mapped_lines, with_first_indent
from keyhole.matching.query import LinePair, Obstacle, Occurrence, Rewrite
from keyhole.matching.rewrite_literal import obstacle, rewrite_literally
from keyhole.matching.view import View, fold, quote_lines
from keyhole.text.align import AlignedHunk, differences, line_differences
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.indent import (
    BLANK,
    is_blank,
)
from keyhole.text.lines import block


def keep_typography(was: str, stands: str, wanted: str) -> str:
    """Return `wanted` with the file's own characters where it repeats the quote.

    Worked example: the file has It’s a “test”, the quote says It's a "test", the new text It's a
    "best": the result is It’s a “best”.
    """
    if (
        was == stands
        or len(was.rstrip()) != len(stands.rstrip())
        or (fold(was) == was and fold(stands) == stands)
    ):
        return wanted
    pieces, at = [], 0
    for hunk in differences(was, wanted):
        pieces += [stands[at : hunk.old_start], wanted[hunk.new_start : hunk.new_end]]
        at = hunk.old_end
    return "".join([*pieces, stands[at : len(was)]])


_RUN = ""  # the key of a run of blank lines
_RUN_DIFFERS = (
    "the edit adds or removes lines beside blank lines of which the file has another number"
)


def rewrite(view: View, site: Occurrence, *, follow_indent: bool = True) -> Rewrite | Obstacle:
    """Return the changes of an edit at an occurrence; `follow_indent` maps its indentation."""
    if site.quote.new is None:
        return _rewrite_of(view, site, ())
    if not site.pairs:
        return rewrite_literally(view, site, follow_indent=follow_indent)
    if follow_indent:
        site = with_first_indent(view, site)
    rule = frame_of(view, site)
    if isinstance(rule, Obstacle):
        return rule
    old, new = quote_lines(site.quote.old, site.quote.new)
    mapped = mapped_lines(view, site, rule, new) if follow_indent else new
    if isinstance(mapped, Obstacle):
        return mapped
    was = mapped_lines(view, site, rule, old)
    if isinstance(was, Obstacle):
        return was
    below = _blank_below(view, site)
    blank = [""] * len(below)
    site = replace(site, pairs=(*site.pairs, *below))
    changes, certain = _line_changes(view, site, [*was, *blank], [*mapped, *blank])
    if changes is None:
        reason = "the edit changes lines that are not in the file as quoted"
        return obstacle(view, site, "not-found", reason)
    if not certain:
        return replace(obstacle(view, site, "not-found", _RUN_DIFFERS), offer=changes)
    return _rewrite_of(view, site, changes)


def _blank_below(view: View, site: Occurrence) -> tuple[LinePair, ...]:
    """Return the blank line below, if the last line end of both texts may stand for it.

    The blank line stays, but the addition may come above it or below.
    """
    last, new = site.pairs[-1], site.quote.new or ""
    closed = site.quote.old.endswith("\n") and new.endswith("\n")
    if not closed or last.end == last.start or last.end == len(view.lines):
        return ()
    is_next = view.keys[last.end - 1] and not view.keys[last.end]
    return (LinePair(last.old_end, last.old_end + 1, last.end, last.end + 1),) if is_next else ()


def _rewrite_of(view: View, site: Occurrence, changes: tuple[Change, ...]) -> Rewrite:
    start, end = view.offset(site.start), view.offset(site.end)
    return Rewrite(start, end, site.rung, changes, site.notes)


def _line_changes(
    view: View, site: Occurrence, old: list[str], new: list[str]
) -> tuple[tuple[Change, ...] | None, bool]:
    """Return the changes, and whether every reading of the blank runs gives the same.

    The changes are None if they touch lines that are not in the file as quoted.
    """
    pairs = site.pairs
    if not any(map(_is_contested, pairs)):
        rows = tuple(_line_by_line(pairs))
        units = [[line] for line in new]
        return _read(view, rows, old, units, _hunks(view, rows, old, units)), True
    units = _units(new)
    hunks = _hunks(view, pairs, old, units)
    changes = _read(view, pairs, old, units, hunks)
    # A run that was quoted shorter may have met a wrong one: that of new is as long as the file's.
    there = [pair.end - pair.start for pair in pairs]
    other = _read(view, pairs, old, units, _hunks(view, pairs, old, units, there))
    if changes is None or other is None:
        certain = changes is None or is_same_for_every_reading(pairs, old, units, hunks)
        return other if changes is None else changes, certain
    if _apply(view, other) == _apply(view, changes):
        return changes, True
    as_good = all(a <= b for a, b in zip(_cost(other), _cost(changes), strict=True))
    return changes, not as_good and is_same_for_every_reading(pairs, old, units, hunks)


def _cost(changes: tuple[Change, ...]) -> tuple[int, int]:
    """Return how many characters are removed, and how many changes there are."""
    return sum(change.end - change.start for change in changes), len(changes)


def _apply(view: View, changes: tuple[Change, ...]) -> str:
    together = ChangeSet.of(len(view.document.text), changes)
    assert isinstance(together, ChangeSet), "BUG: changes of one edit clash"
    return together.apply(view.document.text)


def _is_contested(pair: LinePair) -> bool:
    """Tell whether a run of blank lines has another length in the file than in the quote."""
    return pair.end - pair.start != pair.old_end - pair.old_start


def is_same_for_every_reading(
    pairs: tuple[LinePair, ...], old: list[str], new: list[list[str]], hunks: list[AlignedHunk]
) -> bool:
    """Tell whether it is certain which run of new each contested blank run becomes.

    Worked example: the file has `a`, two blank lines, `b`, and the quote has one blank line. In the
    new text `a`, blank, `x`, blank, `b` either blank line may be the longer run; in `a`, `x`,
    blank, `b` there is only one.
    """
    kept = dict(_kept_units(len(pairs), hunks))
    was = [not is_blank(fold(old[pair.old_start])) for pair in pairs]
    is_ = [not is_blank(fold(unit[0])) for unit in new]
    return all(
        _is_certain(unit, kept, was, is_)
        for unit, pair in enumerate(pairs)
        # A run that is as long in new as in the file is meant as it stands.
        if _is_contested(pair) and unit in kept and len(new[kept[unit]]) != pair.end - pair.start
    )


def _kept_units(count: int, hunks: list[AlignedHunk]) -> Iterator[tuple[int, int]]:
    i = j = 0
    for hunk in [*hunks, AlignedHunk(count, count, 0, 0)]:
        yield from zip(range(i, hunk.old_start), range(j, j + hunk.old_start - i), strict=True)
        i, j = hunk.old_end, hunk.new_end


def _is_certain(unit: int, kept: dict[int, int], was: list[bool], is_: list[bool]) -> bool:
    """Tell whether a run has in new the same neighbour as in old, and no other run has it.

    `was` and `is_` say of each unit of old and new whether it has words.
    """
    run, back = kept[unit], {new: old for old, new in kept.items()}
    stays = False
    for side in (-1, 1):
        beside, becomes = unit + side, kept.get(unit + side)
        if becomes is not None:
            other = becomes - side
            if 0 <= other < len(is_) and not is_[other] and other != run:
                return False
            stays = stays or becomes == run + side
        came = back.get(run + side)
        if came is not None and came != beside:
            other = came - side
            if 0 <= other < len(was) and not was[other] and other != unit:
                return False
    return stays or len(was) == len(is_)


def _hunks(
    view: View,
    pairs: tuple[LinePair, ...],
    old: list[str],
    new: list[list[str]],
    lengths: list[int] | None = None,
) -> list[AlignedHunk]:
    """Return where new differs from old; with `lengths`, only runs of that length are equal."""
    old_keys, tolerated = _old_keys(view, pairs, old)
    new_keys = [_new_key(unit[0], tolerated) for unit in new]
    if lengths is not None:
        old_keys = [key or str(size) for key, size in zip(old_keys, lengths, strict=True)]
        new_keys = [key or str(len(unit)) for key, unit in zip(new_keys, new, strict=True)]
    stood = [old[pair.old_start] for pair in pairs]
    return line_differences(old_keys, new_keys, stood, [unit[0] for unit in new])


def _read(
    view: View,
    pairs: tuple[LinePair, ...],
    old: list[str],
    new: list[list[str]],
    hunks: list[AlignedHunk],
) -> tuple[Change, ...] | None:
    """Return the changes of the hunks; None if one touches lines that are not as quoted."""
    stood = [old[pair.old_start] for pair in pairs]
    changes: list[Change] = []
    for i, j in _kept(stood, hunks):
        change = _kept_run(view, pairs[i], old, new[j])
        if change is None:
            return None
        changes += change
    for hunk in hunks:
        if not _is_sure(view, pairs, hunk, old):
            return None
        lines = list(chain.from_iterable(new[hunk.new_start : hunk.new_end]))
        changes.append(_hunk_change(view, pairs, hunk, old, lines))
    return _apart(sorted(changes, key=lambda change: (change.start, change.end)))


def _apart(changes: list[Change]) -> tuple[Change, ...]:
    """Return changes that do not overlap, also at a last line without an end."""
    apart: list[Change] = []
    for change in changes:
        if apart and change.start < apart[-1].end:
            last = apart.pop()
            kept = last.text[: len(last.text) - (last.end - change.start)]
            apart.append(Change(last.start, change.end, kept + change.text))
        else:
            apart.append(change)
    return tuple(apart)


def _line_by_line(pairs: tuple[LinePair, ...]) -> Iterator[LinePair]:
    """Yield a pair for each line, of pairs that are as long in the file as in the quote."""
    for pair in pairs:
        for n in range(pair.end - pair.start):
            old, line = pair.old_start + n, pair.start + n
            yield LinePair(old, old + 1, line, line + 1)


def _old_keys(
    view: View, pairs: tuple[LinePair, ...], old: list[str]
) -> tuple[list[str], dict[str, str]]:
    """Return a key for each unit, and the words of tolerated lines with their keys.

    A line that is in the file to the character is its own key. Of a line that matched by tolerance
    only the words count, as the quote or the file has them: a new text that repeats either leaves
    the file's line alone.
    """
    keys: list[str] = []
    tolerated: dict[str, str] = {}
    for pair in pairs:
        mapped = old[pair.old_start]
        stands = view.lines[pair.start] if pair.end > pair.start else None
        if is_blank(fold(mapped)):
            keys.append(_RUN)
        elif mapped == stands:
            keys.append("=" + mapped)
        else:
            keys.append("~" + _words(mapped if stands is None else stands))
            tolerated[_words(mapped)] = keys[-1]
            tolerated.setdefault(keys[-1][1:], keys[-1])
    # Of lines with the same words none is nearer to a new one because it has no blanks behind it.
    shared = (tolerated.get(_words(key[1:]), key) if key[:1] == "=" else key for key in keys)
    return list(shared), tolerated


def _words(line: str) -> str:
    return fold(line).rstrip()


def _new_key(line: str, tolerated: dict[str, str]) -> str:
    if is_blank(fold(line)):
        return _RUN
    return tolerated.get(_words(line), "=" + line)


def _is_sure(view: View, pairs: tuple[LinePair, ...], hunk: AlignedHunk, old: list[str]) -> bool:
    """Tell whether a hunk changes only lines that stand in the file as quoted, without a gap."""
    touched = pairs[hunk.old_start : hunk.old_end]
    around = touched or pairs[max(hunk.old_start - 1, 0) : hunk.old_start + 1]
    if any(a.end != b.start for a, b in pairwise(around)):
        return False
    return all(_stands(view, pair, old[pair.old_start]) for pair in touched)


def _stands(view: View, pair: LinePair, line: str) -> bool:
    if is_blank(fold(line)):
        return pair.old_end - pair.old_start == pair.end - pair.start
    # A spelling of another length (`...` for one character) has no place to be written back to.
    words = fold(line).strip(BLANK)
    return pair.end > pair.start and fold(view.lines[pair.start]).strip(BLANK) == words


def _units(lines: list[str]) -> list[list[str]]:
    """Return `lines` with each run of blank ones as one unit."""
    units: list[list[str]] = []
    for line in lines:
        if is_blank(fold(line)) and units and is_blank(fold(units[-1][-1])):
            units[-1].append(line)
        else:
            units.append([line])
    return units


def _kept(units: list[str], hunks: list[AlignedHunk]) -> Iterator[tuple[int, int]]:
    """Yield the runs of blank lines that stay, as (index in old, index in new)."""
    i = j = 0
    for hunk in [*hunks, AlignedHunk(len(units), 0, 0, 0)]:
        while i < hunk.old_start:
            if is_blank(fold(units[i])):
                yield i, j
            i, j = i + 1, j + 1
        i, j = hunk.old_end, hunk.new_end


def _kept_run(view: View, pair: LinePair, old: list[str], wanted: list[str]) -> list[Change] | None:
    """Return the changes of a blank run that both texts have; None if its length is contested."""
    had, stands = old[pair.old_start : pair.old_end], view.lines[pair.start : pair.end]
    if wanted == had or len(wanted) == len(stands) != len(had):
        return []
    if had == stands:
        return [lines_change(view, pair.start, pair.end, wanted)]
    if len(wanted) == len(had):
        return _kept_blanks(view, pair, had, wanted)
    if len(had) != len(stands):
        return None
    if len(wanted) < len(stands):
        return [lines_change(view, pair.start + len(wanted), pair.end, [])]
    return [lines_change(view, pair.end, pair.end, wanted[len(stands) :])]


def _kept_blanks(view: View, pair: LinePair, had: list[str], wanted: list[str]) -> list[Change]:
    """Return the change of blank lines whose blanks differ between old and new."""
    stands = view.lines[pair.start : pair.end]
    if len(stands) != len(had):
        return []
    rows = zip(had, stands, wanted, strict=True)
    lines = [as_is if want == was else want for was, as_is, want in rows]
    return [lines_change(view, pair.start, pair.end, lines)] if lines != stands else []


def _hunk_change(
    view: View, pairs: tuple[LinePair, ...], hunk: AlignedHunk, old: list[str], lines: list[str]
) -> Change:
    touched = pairs[hunk.old_start : hunk.old_end]
    if not touched:
        at = pairs[hunk.old_start - 1].end if hunk.old_start else pairs[0].start
        return lines_change(view, at, at, lines)
    first, last = touched[0].start, touched[-1].end
    if len(lines) == last - first:
        were = old[touched[0].old_start : touched[-1].old_end]
        rows = zip(were, view.lines[first:last], lines, strict=True)
        lines = [keep_typography(*row) for row in rows]
    return lines_change(view, first, last, lines)


def lines_change(view: View, first: int, last: int, lines: list[str]) -> Change:
    """Return the change that puts `lines` where the file's lines `first` to `last` stand."""
    start, end = view.offset(view.starts[first]), view.offset(view.starts[last])
    same = len(lines) == last - first
    endings = [view.ending(line) for line in range(first, last)] if same else None
    return block(view.document, start, end, lines, endings)
