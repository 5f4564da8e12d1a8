"""Quotes of lines as models damage them, and files that changed beneath a quote."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.torture.place.changes import (
    ADDED,
    KEPT,
    REMOVED,
    Change,
    Row,
    change_of,
    changed,
    dedented,
    mistyped,
    other_words,
    reworded,
)
from tests.torture.place.files import File, is_blank, key
from tests.torture.place.trial import EITHER, REFUSE, UNIQUE, Trial, replaced

Maybe = Trial | None


def _told(change: Change, rows: tuple[Row, ...], truth: str, *, right: bool = True) -> Maybe:
    """Return the trial of a change whose payload is made of other rows than the file's."""
    said = replace(change, rows=rows)
    if truth != UNIQUE and change.file.counted(said.old):
        return None  # the quote stands somewhere as it is, so that place is meant
    return replaced(change.file, said.old, said.new, truth, change.result if right else None)


def whole(rng: random.Random, file: File) -> Maybe:
    """Quote the lines as they are."""
    change = change_of(rng, file)
    return _told(change, change.rows, UNIQUE) if change else None


def trailing(rng: random.Random, file: File) -> Maybe:
    """Quote lines with blanks behind some of them."""
    change = change_of(rng, file)
    if not change or not change.kept:
        return None
    index = rng.choice(change.kept)
    said = change.with_row(index, change.rows[index][1] + rng.choice(("  ", "\t", " ")))
    return _told(change, said.rows, UNIQUE)


def shifted_left(rng: random.Random, file: File) -> Maybe:
    """Quote lines without the indentation that they share."""
    change = change_of(rng, file)
    rows = dedented(change.rows) if change else None
    return _told(change, rows, UNIQUE) if change and rows else None


def shifted_right(rng: random.Random, file: File) -> Maybe:
    """Quote lines with four blanks more."""
    change = change_of(rng, file)
    if not change or any("\t" in text for _, text in change.rows):
        return None
    rows = tuple((mark, text if is_blank(text) else f"    {text}") for mark, text in change.rows)
    return _told(change, rows, UNIQUE)


def numbered(rng: random.Random, file: File) -> Maybe:
    """Quote lines with their numbers, as they were shown."""
    return _numbered(rng, file, 0, UNIQUE)


def numbered_elsewhere(rng: random.Random, file: File) -> Maybe:
    """Quote lines with numbers of other lines."""
    return _numbered(rng, file, rng.choice((-3, -1, 1, 2, 40)), EITHER)


def _numbered(rng: random.Random, file: File, offset: int, truth: str) -> Maybe:
    change = change_of(rng, file)
    if not change or change.first + offset < 0:
        return None
    form = rng.choice(("{}\t", "{:6}\t", "{}: ", "{:4} | ", "{}\u2192"))
    old, new = (
        tuple(form.format(change.first + 1 + offset + i) + line for i, line in enumerate(lines))
        for lines in (change.old, change.new)
    )
    return replaced(file, old, new, truth, change.result)


def fenced(rng: random.Random, file: File) -> Maybe:
    """Quote lines inside a code fence."""
    change = change_of(rng, file)
    if not change or any("```" in text for _, text in change.rows):
        return None
    old, new = (("```", *lines, "```") for lines in (change.old, change.new))
    return replaced(file, old, new, UNIQUE, change.result)


def swapped(rng: random.Random, file: File) -> Maybe:
    """Quote two neighbouring lines in the wrong order."""
    change = change_of(rng, file)
    pairs = [i for i in change.kept if i + 1 in change.kept] if change else []
    if not change or not pairs:
        return None
    at = rng.choice(pairs)
    rows = (*change.rows[:at], change.rows[at + 1], change.rows[at], *change.rows[at + 2 :])
    return _told(change, rows, EITHER)


def dropped(rng: random.Random, file: File) -> Maybe:
    """Leave a line out of the quote."""
    change = change_of(rng, file)
    inner = [i for i in change.kept if 0 < i < len(change.rows) - 1] if change else []
    if not change or not inner:
        return None
    at = rng.choice(inner)
    return _told(change, (*change.rows[:at], *change.rows[at + 1 :]), EITHER)


def doubled(rng: random.Random, file: File) -> Maybe:
    """Quote a line twice."""
    change = change_of(rng, file)
    if not change or not change.kept:
        return None
    at = rng.choice(change.kept)
    return _told(change, (*change.rows[: at + 1], *change.rows[at:]), EITHER)


def sibling(rng: random.Random, file: File) -> Maybe:
    """Quote a line with another name of the same file."""
    change = change_of(rng, file)
    return _misquoted(rng, change, lambda line: other_words(rng, file, line)) if change else None


def one_token(rng: random.Random, file: File) -> Maybe:
    """Quote a line with one letter wrong."""
    change = change_of(rng, file)
    return _misquoted(rng, change, lambda line: mistyped(rng, line)) if change else None


def comment(rng: random.Random, file: File) -> Maybe:
    """Quote a line with a comment that it does not have."""
    change = change_of(rng, file)
    sign = "#" if file.suffix in {".py", ".yaml", ".toml", ".sh", ".pm"} else "//"
    return _misquoted(rng, change, lambda line: f"{line}  {sign} as it was") if change else None


def _misquoted(rng: random.Random, change: Change, way: object) -> Maybe:
    """Return the trial of a misquoted line; one that was to go must be there as it is quoted."""
    assert callable(way)
    rows = change.kept if rng.random() < 0.6 else change.removed
    if not rows:
        return None
    at = rng.choice(rows)
    other = way(change.rows[at][1])
    if not other or key(other) == key(change.rows[at][1]):
        return None
    kept = change.rows[at][0] == KEPT
    return _told(change, change.with_row(at, other).rows, EITHER if kept else REFUSE, right=kept)


def older(rng: random.Random, file: File) -> Maybe:
    """Change a line of the file beneath the quote."""
    change = change_of(rng, file)
    if not change:
        return None
    rows = change.kept if rng.random() < 0.6 else change.removed
    if not rows:
        return None
    at = rng.choice(rows)
    line = change.first + sum(mark != ADDED for mark, _ in change.rows[:at])
    other = reworded(rng, file.lines[line], "_now")
    now = file.with_lines(line, line + 1, (other,))
    if now.counted(change.old):
        return None
    if change.rows[at][0] == KEPT:
        right = change.at(now, change.first).result
        return replaced(now, change.old, change.new, EITHER, right)
    return replaced(now, change.old, change.new, REFUSE, None)


def edge(rng: random.Random, file: File) -> Maybe:
    """Take away the first or last line of the quote, which reads otherwise in the file."""
    size = rng.randint(3, 6)
    if len(file.lines) < size + 2:
        return None
    first = rng.randrange(len(file.lines) - size)
    old = file.lines[first : first + size]
    at = rng.choice((0, size - 1))
    new = old[1:] if at == 0 else old[:-1]
    if is_blank(old[0]) or is_blank(old[-1]) or is_blank(new[0]) or is_blank(new[-1]):
        return None
    if file.counted(old) != 1 or file.counted(new) != 1:
        return None
    other = reworded(rng, old[at], "_now")
    now = file.with_lines(first + at, first + at + 1, (other,))
    return None if now.counted(old) else replaced(now, old, new, REFUSE, None)


def gone(rng: random.Random, file: File) -> Maybe:
    """Take the block out of the file; often something like it is left."""
    change = change_of(rng, file)
    if not change:
        return None
    now = file.with_lines(change.first, change.last, ())
    if rng.random() < 0.7:
        twin = twin_of(rng, change)
        if twin is None:
            return None
        at = rng.randrange(len(now.lines))
        now = now.with_lines(at, at, twin)
    if now.counted(change.old) or now.counted(change.new):
        return None
    return replaced(now, change.old, change.new, REFUSE, None)


def twin_of(rng: random.Random, change: Change) -> tuple[str, ...] | None:
    """Return the lines of a change with one or two of them reworded."""
    lines = list(change.old)
    visible = [i for i, line in enumerate(lines) if not is_blank(line)]
    for at in rng.sample(visible, min(len(visible), rng.choice((1, 1, 2)))):
        lines[at] = reworded(rng, lines[at], rng.choice(("_two", "s", "_b")))
    return tuple(lines) if tuple(lines) != change.old else None


def copied(rng: random.Random, file: File) -> Maybe:
    """Let the block stand twice."""
    change = change_of(rng, file)
    if not change:
        return None
    at = rng.choice(
        [i for i in (0, change.first, change.last, len(file.lines)) if i <= len(file.lines)]
    )
    now = file.with_lines(at, at, change.old)
    return (
        replaced(now, change.old, change.new, REFUSE, None) if now.counted(change.old) > 1 else None
    )


def moved(rng: random.Random, file: File) -> Maybe:
    """Let the block stand elsewhere."""
    change = change_of(rng, file)
    if not change:
        return None
    without = file.with_lines(change.first, change.last, ())
    at = rng.randrange(len(without.lines) + 1)
    now = without.with_lines(at, at, change.old)
    there = change.at(now, at)
    return _told(there, there.rows, UNIQUE) if there.is_sound else None


def blank_run(rng: random.Random, file: File) -> Maybe:
    """Quote another number of blank lines, away from what changes."""
    made = _around_blanks(rng, file)
    if made is None:
        return None
    change, run = made
    inside = {i for i, (_, text) in enumerate(change.rows) if is_blank(text)}
    touched = {i + step for i in inside for step in (-1, 0, 1)}
    if any(mark != KEPT and i in touched for i, (mark, _) in enumerate(change.rows)):
        return None
    return _with_run(rng, change, run, UNIQUE)


def blank_run_reworded(rng: random.Random, file: File) -> Maybe:
    """Quote another number of blank lines, next to a line that gets another word."""
    made = _around_blanks(rng, file, plain=True)
    if made is None:
        return None
    change, run = made
    at = rng.choice((run[0] - 1, run[1]))
    line = change.rows[at][1]
    rows = (
        *change.rows[:at],
        (REMOVED, line),
        (ADDED, reworded(rng, line, "_kh")),
        *change.rows[at + 1 :],
    )
    shift = 1 if at < run[0] else 0
    return _with_run(rng, replace(change, rows=rows), (run[0] + shift, run[1] + shift), EITHER)


def blank_run_touched(rng: random.Random, file: File) -> Maybe:
    """Quote another number of blank lines where lines are added beside them, or blank ones go."""
    made = _around_blanks(rng, file, plain=True)
    if made is None:
        return None
    change, run = made
    length = rng.choice([n for n in (1, 2, 3) if n != run[1] - run[0]])
    before, after = change.rows[: run[0]], change.rows[run[1] :]
    blank = (KEPT, "")
    line = (ADDED, reworded(rng, rng.choice((before[-1], after[0]))[1], "_kh"))
    own = change.file.lines[change.first + run[0] : change.first + run[1]]
    added, runs = rng.choice(
        (
            ((line, *[blank] * length), ((), own)),
            ((*[blank] * length, line), (own, ())),
            (
                (*[blank] * length, line, (ADDED, "")),
                (("",) * length, own) if len(own) == 1 else None,
            ),
            (
                ((REMOVED, ""), *[blank] * (length - 1), line),
                (own, ()) if len(own) == length - 1 else None,
            ),
        )
    )
    said = Change(change.file, change.first, (*before, *added, *after))
    if runs is None:
        return replaced(change.file, said.old, said.new, REFUSE, None)
    # One run stays beside a line that stays, or is as long in the new text as in the file.
    middle = (*runs[0], line[1], *runs[1])
    right = change.file.with_lines(change.first + run[0], change.first + run[1], middle)
    return replaced(change.file, said.old, said.new, EITHER, right)


def _around_blanks(
    rng: random.Random, file: File, *, plain: bool = False
) -> tuple[Change, tuple[int, int]] | None:
    """Return a change around a run of blank lines, one or two longer than the file has it."""
    found = [
        i
        for i in range(2, len(file.lines) - 4)
        if is_blank(file.lines[i])
        and not is_blank(file.lines[i - 1])
        and not is_blank(file.lines[i + 1])
    ]
    if not found:
        return None
    at = rng.choice(found)
    file = file.with_lines(at, at, ("",) * rng.choice((0, 1, 1, 2)))
    end = at
    while is_blank(file.lines[end]):
        end += 1
    first, last = max(0, at - rng.randint(1, 3)), min(len(file.lines), end + rng.randint(1, 3))
    if plain:
        rows: tuple[Row, ...] = tuple((KEPT, line) for line in file.lines[first:last])
        change: Change | None = Change(file, first, rows)
    else:
        change = changed(rng, file, first, last)
    if not change or is_blank(change.old[0]) or is_blank(change.old[-1]):
        return None
    if file.counted(change.old) != 1 or (not plain and file.counted(change.new)):
        return None
    inside = [i for i, (_, text) in enumerate(change.rows) if is_blank(text)]
    run = inside[0], inside[-1] + 1
    return (change, run) if len(inside) == run[1] - run[0] == end - at else None


def _with_run(rng: random.Random, change: Change, run: tuple[int, int], truth: str) -> Maybe:
    length = rng.choice([n for n in (1, 2, 3) if n != run[1] - run[0]])
    rows = (*change.rows[: run[0]], *[(KEPT, "")] * length, *change.rows[run[1] :])
    said = replace(change, rows=rows)
    return replaced(change.file, said.old, said.new, truth, change.result)
