"""Unified diffs as models damage them."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.torture.place.changes import (
    KEPT,
    Change,
    change_of,
    mistyped,
    reworded,
)
from tests.torture.place.files import File, is_blank, key
from tests.torture.place.formats import blocks, envelope, hunk, unified
from tests.torture.place.quotes import twin_of
from tests.torture.place.trial import EITHER, REFUSE, UNIQUE, Call, Trial

Maybe = Trial | None


def _trial(file: File, truth: str, right: File | None, *hunks: str) -> Trial:
    patch = unified(file.suffix, *hunks)
    return Trial(file, Call(patch=patch), truth, (right.text,) if right else ())


def _change(rng: random.Random, file: File) -> Change | None:
    """Return a change that a diff can say: its last line is not the file's unended one."""
    change = change_of(rng, file)
    if change and not file.ended and change.last == len(file.lines):
        return None
    return change


def clean(rng: random.Random, file: File) -> Maybe:
    """Say everything right."""
    change = _change(rng, file)
    return (
        _trial(file, UNIQUE, change.result, hunk(change.rows, change.first + 1)) if change else None
    )


def counts(rng: random.Random, file: File) -> Maybe:
    """Count the lines of the hunk wrongly."""
    change = _change(rng, file)
    if not change:
        return None
    wrong = len(change.old) + rng.choice((-1, 1, 3)), len(change.new) + rng.choice((-1, 0, 2))
    one = hunk(change.rows, change.first + 1, (max(1, wrong[0]), max(1, wrong[1])))
    return _trial(file, UNIQUE, change.result, one)


def numbers(rng: random.Random, file: File) -> Maybe:
    """Name other lines."""
    change = _change(rng, file)
    start = rng.choice((1, rng.randrange(1, 400), len(file.lines) + 50))
    return _trial(file, UNIQUE, change.result, hunk(change.rows, start)) if change else None


def context_lost(rng: random.Random, file: File) -> Maybe:
    """Leave out a line of context."""
    change = _change(rng, file)
    inner = [i for i in change.kept if 0 < i < len(change.rows) - 1] if change else []
    if not change or not inner:
        return None
    at = rng.choice(inner)
    rows = (*change.rows[:at], *change.rows[at + 1 :])
    if file.counted(replace(change, rows=rows).old):
        return None
    return _trial(file, EITHER, change.result, hunk(rows, change.first + 1))


def mistyped_row(rng: random.Random, file: File) -> Maybe:
    """Misspell a line of the hunk; one that is to go must be there as it is spelled."""
    change = _change(rng, file)
    rows = (change.kept if rng.random() < 0.5 else change.removed) if change else ()
    if not change or not rows:
        return None
    at = rng.choice(rows)
    other = mistyped(rng, change.rows[at][1])
    said = change.with_row(at, other) if other else change
    if not other or key(other) == key(change.rows[at][1]) or file.counted(said.old):
        return None
    kept = change.rows[at][0] == KEPT
    one = hunk(said.rows, change.first + 1)
    return _trial(file, EITHER if kept else REFUSE, change.result if kept else None, one)


def twice(rng: random.Random, file: File) -> Maybe:
    """Send the hunk two times in one patch."""
    change = _change(rng, file)
    if not change:
        return None
    one = hunk(change.rows, change.first + 1)
    return _trial(file, EITHER, change.result, one, one)


def gone(rng: random.Random, file: File) -> Maybe:
    """Take away what the hunk is for; often something like it is left."""
    change = _change(rng, file)
    if not change:
        return None
    now = file.with_lines(change.first, change.last, ())
    if rng.random() < 0.7:
        twin = twin_of(rng, change)
        at = rng.choice((change.first, rng.randrange(len(now.lines))))
        now = now.with_lines(at, at, twin or ())
    if now.counted(change.old) or now.counted(change.new):
        return None
    return _trial(now, REFUSE, None, hunk(change.rows, change.first + 1))


def copied(rng: random.Random, file: File) -> Maybe:
    """Let the lines stand twice, and name neither place."""
    change = _change(rng, file)
    if not change:
        return None
    at = rng.choice((0, len(file.lines)))
    if at and not file.ended:
        return None
    now = file.with_lines(at, at, change.old)
    start = rng.choice((len(now.lines) + 70, len(now.lines) + 900))
    return _trial(now, REFUSE, None, hunk(change.rows, start))


def out_of_the_file(rng: random.Random, file: File) -> Maybe:
    """Insert behind a line that is not there."""
    line = len(file.lines) + rng.choice((2, 3, 10, 500))
    added = reworded(rng, rng.choice(file.lines), "_kh")
    if is_blank(added):
        return None
    return _trial(file, REFUSE, None, f"@@ -{line},0 +{line},1 @@\n+{added}\n")


def without_context(rng: random.Random, file: File) -> Maybe:
    """Insert behind a line by its number alone."""
    line = rng.randrange(1, len(file.lines))
    added = reworded(rng, file.lines[line - 1], "_kh")
    if is_blank(added):
        return None
    right = file.with_lines(line, line, (added,))
    return _trial(file, EITHER, right, f"@@ -{line},0 +{line + 1},1 @@\n+{added}\n")


def swapped(rng: random.Random, file: File) -> Maybe:
    """Give two lines of context in the wrong order."""
    change = _change(rng, file)
    pairs = [i for i in change.kept if i + 1 in change.kept] if change else []
    if not change or not pairs:
        return None
    at = rng.choice(pairs)
    rows = (*change.rows[:at], change.rows[at + 1], change.rows[at], *change.rows[at + 2 :])
    if file.counted(replace(change, rows=rows).old):
        return None
    return _trial(file, EITHER, change.result, hunk(rows, change.first + 1))


def other_format(rng: random.Random, file: File) -> Maybe:
    """Say everything right in another format."""
    change = _change(rng, file)
    return _formatted(rng, change, change.file, UNIQUE, change.result) if change else None


def other_format_mistyped(rng: random.Random, file: File) -> Maybe:
    """Misspell a line in another format."""
    change = _change(rng, file)
    rows = (change.kept if rng.random() < 0.5 else change.removed) if change else ()
    if not change or not rows:
        return None
    at = rng.choice(rows)
    other = mistyped(rng, change.rows[at][1])
    said = change.with_row(at, other) if other else change
    if not other or key(other) == key(change.rows[at][1]) or file.counted(said.old):
        return None
    kept = change.rows[at][0] == KEPT
    return _formatted(rng, said, file, EITHER if kept else REFUSE, change.result if kept else None)


def other_format_gone(rng: random.Random, file: File) -> Maybe:
    """Take away what is changed, or let it stand twice."""
    change = _change(rng, file)
    if not change:
        return None
    if rng.random() < 0.3 and file.ended:
        now = file.with_lines(0, 0, change.old)
        return _formatted(rng, change, now, REFUSE, None)
    now = file.with_lines(change.first, change.last, ())
    at = rng.choice((change.first, rng.randrange(len(now.lines))))
    now = now.with_lines(at, at, twin_of(rng, change) or ())
    if now.counted(change.old) or now.counted(change.new):
        return None
    return _formatted(rng, change, now, REFUSE, None)


def _formatted(
    rng: random.Random, change: Change, file: File, truth: str, right: File | None
) -> Trial:
    if rng.random() < 0.5:
        patch = envelope(file.suffix, change.rows)
    else:
        patch = blocks(change.old, change.new)
    return Trial(file, Call(patch=patch), truth, (right.text,) if right else ())
