"""Quotes that begin or end inside a line, and quotes of a piece of one line."""

from __future__ import annotations

import random

from tests.torture.place.changes import KEPT, Change, change_of
from tests.torture.place.files import WORD, File, indent, is_blank, key
from tests.torture.place.trial import EITHER, REFUSE, UNIQUE, Call, Trial

Maybe = Trial | None


def cut_kept(rng: random.Random, file: File) -> Maybe:
    """Cut the first or last line of a quote, which stays as it is."""
    change = change_of(rng, file)
    if not change or change.rows[0][0] != KEPT or change.rows[-1][0] != KEPT:
        return None
    return _cut(rng, change, EITHER, change.result.text)


def cut_changed(rng: random.Random, file: File) -> Maybe:
    """Cut the first or last line of a quote and have the piece replaced or taken away."""
    size = rng.randint(1, 4)
    if len(file.lines) < size + 2:
        return None
    first = rng.randrange(len(file.lines) - size)
    lines = file.lines[first : first + size]
    head = rng.random() < 0.6 or size == 1
    piece = _piece(rng, lines[0 if head else -1], head=head)
    if not piece or is_blank(piece):
        return None
    quoted = (piece, *lines[1:]) if head else (*lines[:-1], piece)
    find = "\n".join(quoted) + ("\n" if head else "")
    if size == 1 and not find.endswith("\n"):
        return None
    if file.text.replace("\r\n", "\n").count(find) != 1 or _as_lines(file, quoted):
        return None
    content = rng.choice(("", f"other_kh{rng.randrange(100)}\n" if head else "other_kh"))
    call = Call({"find": find, "content": content})
    if rng.random() < 0.25:
        return _exactly(file, find, content)
    return Trial(file, call, REFUSE, quote=find)


def inside(rng: random.Random, file: File) -> Maybe:
    """Quote some words of one line."""
    return _within(rng, file, UNIQUE)


def inside_word(rng: random.Random, file: File) -> Maybe:
    """Quote from the middle of a word to the middle of another."""
    return _within(rng, file, EITHER, cut=1)


def _within(rng: random.Random, file: File, truth: str, cut: int = 0) -> Maybe:
    line = rng.choice(file.lines)
    words = list(WORD.finditer(line))
    if len(words) < 2:
        return None
    first, last = sorted(rng.sample(range(len(words)), 2))
    start, end = words[first].start() + cut, words[last].end() - cut
    find = line[start:end]
    text = file.text.replace("\r\n", "\n")
    if text.count(find) != 1 or file.digest.count(key(find)) != 1 or len(find) < 8:
        return None
    content = find + "_kh" if rng.random() < 0.5 else f"kh{rng.randrange(100)}_{find}"
    rights = [text.replace(find, content)]
    if line.strip() == find:  # a line that is rewritten takes the blanks behind it along
        rights.append(text.replace(line, line.replace(find, content).rstrip()))
    right = tuple(each.replace("\n", file.eol) for each in rights)
    return Trial(file, Call({"find": find, "content": content}), truth, right, quote=find)


def _cut(rng: random.Random, change: Change, truth: str, right: str) -> Maybe:
    """Take a piece of the first or last line away, in old and new alike."""
    head = rng.random() < 0.5
    old, new = list(change.old), list(change.new)
    at = 0 if head else -1
    piece = _piece(rng, old[at], head=head)
    if not piece or is_blank(piece):
        return None
    old[at] = new[at] = piece
    if _as_lines(change.file, tuple(old)):
        return None
    find = "\n".join(old)
    if change.file.text.replace("\r\n", "\n").count(find) != 1:
        return None
    call = Call({"find": find, "content": "\n".join(new)})
    return Trial(change.file, call, truth, (right,), quote=find)


def _exactly(file: File, find: str, content: str) -> Maybe:
    """Ask for the characters and nothing else."""
    call = Call({"find": find, "content": content, "match": "exact"})
    right = file.text.replace("\r\n", "\n").replace(find, content).replace("\n", file.eol)
    return Trial(file, call, UNIQUE, (right,), quote=find)


def _piece(rng: random.Random, line: str, *, head: bool) -> str:
    """Return the end of a line, or its beginning, cut where something is lost that can be seen."""
    text = line.rstrip()
    margin = len(indent(text))
    if len(text) - margin < 6:
        return ""
    at = rng.randrange(margin + 2, len(text) - 2)
    return text[at:] if head else text[:at]


def _as_lines(file: File, lines: tuple[str, ...]) -> bool:
    """Tell whether lines stand somewhere as whole lines, blanks aside."""
    wanted = [key(line) for line in lines if not is_blank(line)]
    keys = [each for each in file.keys if each]
    return any(keys[i : i + len(wanted)] == wanted for i in range(len(keys)))
