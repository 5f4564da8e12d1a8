"""Insertions that are sent once more, as after a time-out."""

from __future__ import annotations

import random

from tests.torture.place.changes import ADDED, KEPT, Change, change_of, dedented, reworded
from tests.torture.place.files import WORD, File, indent, is_blank
from tests.torture.place.names import defined_in
from tests.torture.place.trial import SAME, Call, Look, Save, Touch, Trial

Maybe = Trial | None


def _sent(rng: random.Random, file: File, call: Call) -> Trial:
    return Trial(file, call, SAME, steps=(call,) * rng.choice((1, 1, 2)))


def _anchor(rng: random.Random, file: File, most: int = 4) -> Change | None:
    """Return some lines that stand once, as they are."""
    for _ in range(12):
        size = rng.randint(1, most)
        first = rng.randrange(max(1, len(file.lines) - size))
        rows = tuple((KEPT, line) for line in file.lines[first : first + size])
        lines = [line for _, line in rows]
        enough = sum(len(line.strip()) for line in lines) >= 14
        if (
            enough
            and not is_blank(lines[0])
            and not is_blank(lines[-1])
            and file.counted(tuple(lines)) == 1
        ):
            return Change(file, first, rows)
    return None


def _content(rng: random.Random, margin: str = "") -> str:
    """Return something to insert, short or long."""
    number = rng.randrange(100, 1000)
    short = (f"kh_{number} = 1", f"kh{number}", f"kh({number})")
    long = f"kh_{number}_inserted = prepare({number}, everything='that is needed')"
    several = f"kh_{number} = prepare({number})\n{margin}kh_{number}.begin_at_once()"
    return margin + rng.choice((*short, long, several))


def quoted(rng: random.Random, file: File) -> Maybe:
    """Insert beside quoted lines."""
    anchor = _anchor(rng, file)
    if not anchor:
        return None
    content = _content(rng, indent(anchor.old[-1]))
    return _sent(rng, file, _beside(rng, anchor.old, content))


def quoted_at_column_0(rng: random.Random, file: File) -> Maybe:
    """Insert beside quoted lines a text without indentation."""
    anchor = _anchor(rng, file)
    if not anchor:
        return None
    rows = dedented(anchor.rows) if rng.random() < 0.6 else anchor.rows
    old = tuple(text for _, text in rows or anchor.rows)
    return _sent(rng, file, _beside(rng, old, _content(rng)))


def quoted_otherwise(rng: random.Random, file: File) -> Maybe:
    """Insert beside lines that are quoted with other blanks, or with their numbers."""
    anchor = _anchor(rng, file)
    if not anchor:
        return None
    content = _content(rng, indent(anchor.old[-1]))
    if rng.random() < 0.5:
        old = tuple(f"{line}  " for line in anchor.old)
        return _sent(rng, file, _beside(rng, old, content))
    old = tuple(f"{anchor.first + 1 + i}\t{line}" for i, line in enumerate(anchor.old))
    return _sent(rng, file, _beside(rng, old, content))


def _beside(rng: random.Random, old: tuple[str, ...], content: str) -> Call:
    action = rng.choice(("after", "before", "after", "before", "append", "prepend"))
    return Call({"find": "\n".join(old), "action": action, "content": content})


def replacing(rng: random.Random, file: File) -> Maybe:
    """Replace lines by themselves and one more."""
    anchor = _anchor(rng, file)
    if not anchor:
        return None
    rows = list(anchor.rows)
    at = rng.choice((0, len(rows), rng.randrange(len(rows) + 1)))
    rows.insert(at, (ADDED, _content(rng, indent(anchor.old[-1])).split("\n")[0]))
    shifted = dedented(tuple(rows)) if rng.random() < 0.3 else None
    change = Change(file, anchor.first, shifted or tuple(rows))
    if rng.random() < 0.2:
        old, new = (
            tuple(f"{anchor.first + 1 + i}\t{line}" for i, line in enumerate(lines))
            for lines in (change.old, change.new)
        )
    else:
        old, new = change.old, change.new
    return _sent(rng, file, Call({"find": "\n".join(old), "content": "\n".join(new)}))


def patched(rng: random.Random, file: File) -> Maybe:
    """Insert by a diff."""
    anchor = _anchor(rng, file)
    if not anchor or (not file.ended and anchor.last == len(file.lines)):
        return None
    rows = list(anchor.rows)
    rows.insert(
        rng.randrange(len(rows) + 1), (ADDED, _content(rng, indent(anchor.old[-1])).split("\n")[0])
    )
    body = "".join(f"{mark}{text}\n" for mark, text in rows)
    start = anchor.first + 1 if rng.random() < 0.7 else 1
    patch = f"--- a/f\n+++ b/f\n@@ -{start},{len(rows) - 1} +{start},{len(rows)} @@\n{body}"
    return _sent(rng, file, Call(patch=patch))


def segment(rng: random.Random, file: File) -> Maybe:
    """Insert beside a function, or at either end of its body."""
    found = [each for each in defined_in(file) if each.last - each.first > 2]
    addresses = [each.names for each in defined_in(file)]
    once = [each for each in found if addresses.count(each.names) == 1]
    if not once:
        return None
    name = ".".join(rng.choice(once).names)
    action = rng.choice(("before", "after", "append", "prepend"))
    if action in {"append", "prepend"}:
        content = f"kh_{rng.randrange(100)} = 1"
    else:
        content = f"def kh_{rng.randrange(100, 1000)}():\n    return 1"
    return _sent(rng, file, Call({"segment": name, "action": action, "content": content}))


def elided(rng: random.Random, file: File) -> Maybe:
    """Insert below lines of which the middle is left out."""
    anchor = _anchor(rng, file, 9)
    if not anchor or len(anchor.old) < 4:
        return None
    head, tail = anchor.old[0], anchor.old[-1]
    if min(len(head.strip()), len(tail.strip())) < 20 or len(indent(head)) >= len(indent(tail)):
        return None
    added = _content(rng, indent(tail)).split("\n")[0]
    quote = f"{head}\n...\n{tail}"
    return _sent(rng, file, Call({"find": quote, "content": f"{quote}\n{added}"}))


def shown(rng: random.Random, file: File) -> Maybe:
    """Insert beside lines as they were shown, of which one has changed since."""
    anchor = _anchor(rng, file, 8)
    if not anchor or len(anchor.old) < 5:
        return None
    at = anchor.first + rng.choice((0, len(anchor.old) - 1))
    now = file.with_lines(at, at + 1, (reworded(rng, file.lines[at], "_since"),))
    rows = list(anchor.rows)
    content = _content(rng, indent(anchor.old[2])).split("\n")[0]
    rows.insert(len(rows) // 2, (ADDED, content))
    change = Change(file, anchor.first, tuple(rows))
    call = Call({"find": "\n".join(change.old), "content": "\n".join(change.new)})
    steps = Look(), Save(now, through_keyhole=rng.random() < 0.5), call
    return Trial(file, call, SAME, steps=steps)


def touched(rng: random.Random, file: File) -> Maybe:
    """Insert beside quoted lines, while somebody changes another place."""
    trial = rng.choice((quoted, quoted_at_column_0, replacing))(rng, file)
    if not trial:
        return None
    touch = Touch(file.lines[-1] + "_kh", through_keyhole=rng.random() < 0.5)
    return Trial(file, trial.call, SAME, steps=(trial.call, touch))


def changed(rng: random.Random, file: File) -> Maybe:
    """Change some lines."""
    change = change_of(rng, file)
    if not change:
        return None
    call = Call({"find": "\n".join(change.old), "content": "\n".join(change.new)})
    return _sent(rng, file, call)


def words(rng: random.Random, file: File) -> Maybe:
    """Make some words of a line longer."""
    line = rng.choice(file.lines)
    found = list(WORD.finditer(line))
    if len(found) < 2:
        return None
    first, last = sorted(rng.sample(range(len(found)), 2))
    find = line[found[first].start() : found[last].end()]
    if len(find) < 8 or file.text.count(find) != 1:
        return None
    content = rng.choice((f"{find}, kh", f"{find}_kh", f"kh, {find}", f"({find})", f"kh_{find}"))
    return _sent(rng, file, Call({"find": find, "content": content}))


def lines(rng: random.Random, file: File) -> Maybe:
    """Insert beside a line by its number."""
    line = rng.randrange(1, len(file.lines))
    content = _content(rng, indent(file.lines[line - 1]))
    action = rng.choice(("after", "before"))
    return _sent(rng, file, Call({"lines": str(line), "action": action, "content": content}))


def at_the_end(rng: random.Random, file: File) -> Maybe:
    """Insert at the start or the end of the file."""
    action = rng.choice(("append", "prepend"))
    return _sent(rng, file, Call({"action": action, "content": _content(rng)}))
