"""Edits of a version that the caller was shown, while others changed the file."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.torture.place.changes import ADDED, KEPT, Change, change_of, reworded
from tests.torture.place.files import File, is_blank
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


def _since(rng: random.Random, seen: File, now: File, trial: Trial) -> Trial:
    """Return the trial as one in which the caller saw one version and another one is there."""
    call = trial.call
    if rng.random() < 0.5:
        call = replace(call, expected_hash=hash_of(seen.text))
    steps = Look(), Save(now, through_keyhole=rng.random() < 0.5)
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
    return _since(rng, file, now, trial)


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
    return _since(rng, file, now, trial)


def copied(rng: random.Random, file: File) -> Maybe:
    """Copy the block since, with a line changed or as it is, and change the original."""
    change = change_of(rng, file, most=12)
    if not change or not change.kept:
        return None
    row = rng.choice(change.kept)
    at = _line_of(change, row)
    changed = file.with_lines(at, at + 1, (reworded(rng, file.lines[at], "_since"),))
    copy = twin_of(rng, change) if rng.random() < 0.6 else change.old
    above = rng.random() < 0.5
    where = change.first if above else change.last
    gap = ("",) if rng.random() < 0.5 else ()
    block = (*copy, *gap) if above else (*gap, *copy)
    now = changed.with_lines(where, where, block) if copy else changed
    there = change.at(now, change.first + (len(block) if above else 0))
    if not copy or there.old == change.old:
        return None
    trial = replaced(now, change.old, change.new, EITHER, there.result)
    return _since(rng, file, now, trial)


def copied_and_gone(rng: random.Random, file: File) -> Maybe:
    """Let only a copy with another line be left of the block."""
    change = change_of(rng, file, most=12)
    copy = twin_of(rng, change) if change else None
    if not change or not copy:
        return None
    without = file.with_lines(change.first, change.last, ())
    at = rng.randrange(len(without.lines) + 1)
    if abs(at - change.first) < 3:
        return None
    now = without.with_lines(at, at, copy)
    if now.counted(change.old) or now.counted(change.new):
        return None
    return _since(rng, file, now, replaced(now, change.old, change.new, REFUSE, None))


def gone(rng: random.Random, file: File) -> Maybe:
    """Quote lines of which some shall stay; all of them are gone since."""
    size = rng.randint(4, 12)
    if len(file.lines) < size * 2:
        return None
    first = rng.randrange(len(file.lines) - size)
    old = file.lines[first : first + size]
    kept = rng.randint(1, size - 1)
    new = old[:kept] if rng.random() < 0.5 else old[size - kept :]
    if is_blank(old[0]) or is_blank(old[-1]) or all(map(is_blank, new)):
        return None
    now = file.with_lines(first, first + size, ())
    if file.counted(old) != 1 or now.counted(new):
        return None
    trial = replaced(now, old, new, REFUSE, None)
    return _since(rng, file, now, trial)


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
    now = file.with_lines(at, at, tuple(reworded(rng, file.lines[at], f"_{i}") for i in range(extra)))
    there = change.at(now, change.first + extra)
    lines = f"{change.first + 1}-{change.last}"
    call = Call({"lines": lines, "content": "\n".join(change.new)}, expected_hash=hash_of(file.text))
    trial = Trial(now, call, EITHER, (there.result.text,))
    return replace(_since(rng, file, now, trial), call=call)
