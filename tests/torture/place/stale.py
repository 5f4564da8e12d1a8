"""Edits of a version that the caller was shown, while others changed the file."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.torture.place.changes import ADDED, KEPT, Change, change_of, reworded
from tests.torture.place.files import File, is_blank
from tests.torture.place.formats import hunk, unified
from tests.torture.place.quotes import twin_of
from tests.torture.place.trial import (
    EITHER,
    REFUSE,
    UNIQUE,
    Call,
    Look,
    Save,
    Trial,
    hash_of,
    replaced,
)

Maybe = Trial | None
Lines = tuple[str, ...]


def _since(
    rng: random.Random, seen: File, now: File, trial: Trial, change: Change | None = None
) -> Trial:
    """Return the trial as one in which the caller saw one version and another one is there."""
    call = trial.call
    if change and seen.ended and change.last < len(seen.lines) and rng.random() < 0.25:
        call = Call(patch=unified(seen.suffix, hunk(change.rows, change.first + 1)))
        trial = replace(trial, quote="")
    if rng.random() < 0.5:
        call = replace(call, expected_hash=hash_of(seen.text))
    steps = Look(outline=rng.random() < 0.2), Save(now, through_keyhole=rng.random() < 0.5)
    return replace(trial, file=seen, call=call, steps=steps)


def _line_of(change: Change, row: int) -> int:
    """Return which line of the file a row is."""
    return change.first + sum(mark != ADDED for mark, _ in change.rows[:row])


def elsewhere(rng: random.Random, file: File) -> Maybe:
    """Change another place since."""
    change = change_of(rng, file)
    if not change:
        return None
    far = [
        i
        for i in range(len(file.lines))
        if not change.first - 4 < i < change.last + 4 and not is_blank(file.lines[i])
    ]
    if not far:
        return None
    at = rng.choice(far)
    new = (reworded(rng, file.lines[at], "_since"),)
    extra = new if rng.random() < 0.5 else (file.lines[at], *new)
    now = file.with_lines(at, at + 1, extra)
    first = change.first + (len(extra) - 1 if at < change.first else 0)
    there = change.at(now, first)
    if not there.is_sound:
        return None
    trial = replaced(now, change.old, change.new, UNIQUE, there.result)
    return _since(rng, file, now, trial, change)


def changed_there(rng: random.Random, file: File) -> Maybe:
    """Change a line of the quote since."""
    change = change_of(rng, file)
    rows = (change.kept if rng.random() < 0.6 else change.removed) if change else ()
    if not change or not rows:
        return None
    row = rng.choice(rows)
    at = _line_of(change, row)
    now = file.with_lines(at, at + 1, (reworded(rng, file.lines[at], "_since"),))
    if now.counted(change.old):
        return None
    kept = change.rows[row][0] == KEPT
    right = change.at(now, change.first).result if kept else None
    trial = replaced(now, change.old, change.new, EITHER if kept else REFUSE, right)
    return _since(rng, file, now, trial, change)


def copied(rng: random.Random, file: File) -> Maybe:
    """Copy the block since, with a line changed, and change the original."""
    change = change_of(rng, file, most=12)
    copy = twin_of(rng, change) if change else None
    if not change or not copy or not change.kept:
        return None
    at = _line_of(change, rng.choice(change.kept))
    changed = file.with_lines(at, at + 1, (reworded(rng, file.lines[at], "_since"),))
    above = rng.random() < 0.5
    gap = ("",) if rng.random() < 0.5 else ()
    block, where = ((*copy, *gap), change.first) if above else ((*gap, *copy), change.last)
    now = changed.with_lines(where, where, block)
    there = change.at(now, change.first + (len(block) if above else 0))
    upper, lower = (copy, there.old) if above else (there.old, copy)
    if now.counted(change.old) or _looks_inserted(change.old, upper, lower):
        return None
    trial = replaced(now, change.old, change.new, EITHER, there.result)
    return _since(rng, file, now, trial, change)


def _looks_inserted(old: Lines, upper: Lines, lower: Lines) -> bool:
    """Tell whether two blocks read as one into which lines were put: then both are meant."""
    same = range(len(old) + 1)
    return any(upper[:at] == old[:at] and lower[at:] == old[at:] for at in same)


def copied_as_it_was(rng: random.Random, file: File) -> Maybe:
    """Copy the block since to a far place as it was, and change the original.

    Beside the original such a copy could be told from it by nobody.
    """
    change = change_of(rng, file, most=12)
    far = _far_from(rng, file, change) if change else None
    if not change or far is None or not change.kept:
        return None
    at = _line_of(change, rng.choice(change.kept))
    changed = file.with_lines(at, at + 1, (reworded(rng, file.lines[at], "_since"),))
    now = changed.with_lines(far, far, ("", *change.old, ""))
    there = change.at(now, change.first + (len(change.old) + 2 if far <= change.first else 0))
    trial = replaced(now, change.old, change.new, EITHER, there.result)
    return _since(rng, file, now, trial, change)


def copied_beside(rng: random.Random, file: File) -> Maybe:
    """Copy the block since with a line changed; the original stays.

    As well a copy may have been made above and the original changed: so this may be refused.
    """
    change = change_of(rng, file, most=12)
    copy = twin_of(rng, change) if change else None
    if not change or not copy:
        return None
    now = file.with_lines(change.last, change.last, ("", *copy))
    there = change.at(now, change.first)
    if not there.is_sound:
        return None
    trial = replaced(now, change.old, change.new, EITHER, there.result)
    return _since(rng, file, now, trial, change)


def _far_from(rng: random.Random, file: File, change: Change) -> int | None:
    """Return a line with more between it and the change than the change is long."""
    at = rng.randrange(len(file.lines) + 1)
    if change.first <= at <= change.last:
        return None
    first, last = (at, change.first) if at < change.first else (change.last, at)
    between = sum(not is_blank(line) for line in file.lines[first:last])
    return at if between > 2 * len(change.old) else None


def copied_and_gone(rng: random.Random, file: File) -> Maybe:
    """Let only a copy with another line be left of the block, at a far place."""
    change = change_of(rng, file, most=12)
    copy = twin_of(rng, change) if change else None
    far = _far_from(rng, file, change) if change else None
    if not change or not copy or far is None:
        return None
    without = file.with_lines(change.first, change.last, ())
    at = far if far <= change.first else far - len(change.old)
    now = without.with_lines(at, at, copy)
    if now.counted(change.old) or now.counted(change.new):
        return None
    trial = replaced(now, change.old, change.new, REFUSE, None)
    return _since(rng, file, now, trial, change)


def gone(rng: random.Random, file: File) -> Maybe:
    """Quote lines of which some shall stay; all of them are gone since."""
    size = rng.randint(4, 12)
    if len(file.lines) < size * 2:
        return None
    first = rng.randrange(len(file.lines) - size)
    kept = rng.randint(1, size - 1)
    return _gone(rng, file, (first, first + kept, first + size))


def paragraphs_gone(rng: random.Random, file: File) -> Maybe:
    """Quote paragraphs of which some shall stay; all of them are gone since."""
    starts = [
        i
        for i in range(1, len(file.lines) - 1)
        if is_blank(file.lines[i - 1]) and not is_blank(file.lines[i])
    ]
    count = rng.randint(2, 5)
    if len(starts) < count + 2:
        return None
    at = rng.randrange(len(starts) - count)
    first, middle, last = starts[at], starts[at + rng.randint(1, count - 1)], starts[at + count]
    while rng.random() < 0.7 and is_blank(file.lines[middle - 1]):
        middle -= 1
    while rng.random() < 0.7 and is_blank(file.lines[last - 1]):
        last -= 1
    return _gone(rng, file, (first, middle, last)) if last - first < 60 else None


def _gone(rng: random.Random, file: File, lines: tuple[int, int, int]) -> Maybe:
    first, middle, last = lines
    pieces = file.lines[first:middle], file.lines[middle:last]
    old, now = file.lines[first:last], file.with_lines(first, last, ())
    new = rng.choice(pieces)
    if is_blank(old[0]) or all(map(is_blank, new)):
        return None
    if file.counted(old) != 1 or now.counted(new):
        return None
    quote, content = "\n".join(old) + "\n", "\n".join(new) + "\n"
    if rng.random() < 0.5:
        quote, content = quote.rstrip("\n"), content.rstrip("\n")
    if quote == content:
        return None
    call = Call({"find": quote, "content": content})
    trial = Trial(now, call, REFUSE, quote=quote)
    return replace(_since(rng, file, now, trial), call=call)


def appended(rng: random.Random, file: File) -> Maybe:
    """Append to a file whose last line end is gone since."""
    if not file.ended or is_blank(file.lines[-1]):
        return None
    lines = file.lines
    if rng.random() < 0.5:
        at = rng.randrange(len(lines) - 2)
        lines = (*lines[:at], reworded(rng, lines[at], "_since"), *lines[at + 1 :])
    now = replace(file, lines=lines, ended=False)
    content = f"kh_{rng.randrange(100, 1000)} = 1"
    right = replace(now, lines=(*now.lines, content))
    call = Call({"action": "append", "content": content}, expected_hash=hash_of(file.text))
    if rng.random() < 0.3:
        call = replace(call, fields={"lines": "-1", "action": "after", "content": content})
    trial = Trial(now, call, EITHER, (right.text, replace(right, ended=True).text))
    return replace(_since(rng, file, now, trial), call=call)


def counted(rng: random.Random, file: File) -> Maybe:
    """Name lines by the numbers that they had."""
    change = change_of(rng, file, most=5)
    if not change or change.first < 6:
        return None
    at = rng.randrange(change.first - 4)
    extra = rng.randint(1, 3)
    now = file.with_lines(
        at, at, tuple(reworded(rng, file.lines[at], f"_{i}") for i in range(extra))
    )
    there = change.at(now, change.first + extra)
    lines = f"{change.first + 1}-{change.last}"
    fields = {"lines": lines, "content": "\n".join(change.new), "indent": "keep"}
    call = Call(dict(fields), expected_hash=hash_of(file.text))
    trial = Trial(now, call, EITHER, (there.result.text,))
    return replace(_since(rng, file, now, trial), call=call)
