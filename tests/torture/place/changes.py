"""An edit as a change of some lines: kept, removed and added, from which all payloads are made."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from tests.torture.place.files import WORD, File, indent, is_blank

KEPT, REMOVED, ADDED = " ", "-", "+"
Row = tuple[str, str]
_KEYWORDS = frozenset(
    [
        "class",
        "else",
        "elif",
        "true",
        "false",
        "null",
        "none",
        "self",
        "this",
        "from",
        "import",
        "return",
        "while",
        "with",
        "yield",
        "async",
        "await",
        "function",
        "const",
        "static",
        "void",
        "struct",
        "enum",
        "case",
        "break",
        "continue",
        "default",
        "export",
        "except",
        "finally",
        "raise",
        "pass",
        "lambda",
        "global",
        "assert",
        "then",
        "endif",
        "ifdef",
        "ifndef",
        "include",
        "define",
        "undef",
        "elsif",
        "package",
        "require",
        "typedef",
        "extern",
        "public",
        "private",
        "protected",
        "namespace",
        "template",
        "typename",
        "using",
        "operator",
        "virtual",
        "interface",
        "extends",
        "implements",
        "throw",
        "catch",
        "switch",
        "typeof",
        "instanceof",
        "undefined",
    ]
)


@dataclass(frozen=True)
class Change:
    """Lines `first` on of a file, and what becomes of them."""

    file: File
    first: int
    rows: tuple[Row, ...]

    @property
    def old(self) -> tuple[str, ...]:
        """Return the lines as they are."""
        return tuple(text for mark, text in self.rows if mark != ADDED)

    @property
    def new(self) -> tuple[str, ...]:
        """Return the lines as they shall be."""
        return tuple(text for mark, text in self.rows if mark != REMOVED)

    @property
    def last(self) -> int:
        """Return the line behind the last."""
        return self.first + len(self.old)

    @property
    def result(self) -> File:
        """Return the file with the change made."""
        return self.file.with_lines(self.first, self.last, self.new)

    @property
    def kept(self) -> tuple[int, ...]:
        """Return which rows stay and can be told from a blank line."""
        return tuple(
            i for i, (mark, text) in enumerate(self.rows) if mark == KEPT and not is_blank(text)
        )

    @property
    def removed(self) -> tuple[int, ...]:
        """Return which rows go."""
        return tuple(
            i for i, (mark, text) in enumerate(self.rows) if mark == REMOVED and not is_blank(text)
        )

    @property
    def is_sound(self) -> bool:
        """Tell whether the lines stand once, with enough to see in them, and get another text."""
        seen = [line for line in self.old if not is_blank(line)]
        enough = sum(len(line.strip()) for line in seen) >= 16
        new = self.new
        if not new or is_blank(new[0]) or is_blank(new[-1]):
            return False  # a line end at an edge may be read as an empty line, or as none
        return enough and self.file.counted(self.old) == 1 and self.file.counted(self.new) == 0

    def at(self, file: File, first: int) -> Change:
        """Return the same change for another file, whose own lines it keeps."""
        rows, line = [], first
        for mark, text in self.rows:
            if mark == ADDED:
                rows.append((mark, text))
                continue
            rows.append((mark, file.lines[line]))
            line += 1
        return Change(file, first, tuple(rows))

    def with_row(self, index: int, text: str) -> Change:
        """Return the change with one row spelled otherwise, as a model that errs would."""
        rows = (*self.rows[:index], (self.rows[index][0], text), *self.rows[index + 1 :])
        return replace(self, rows=rows)


def change_of(rng: random.Random, file: File, most: int = 9) -> Change | None:
    """Return a random change of some lines of a file that stand there once."""
    for _ in range(12):
        size = rng.randint(2, most)
        if len(file.lines) < size + 2:
            return None
        first = rng.randrange(len(file.lines) - size)
        found = changed(rng, file, first, first + size)
        if found and found.is_sound:
            return found
    return None


def changed(rng: random.Random, file: File, first: int, last: int) -> Change | None:
    """Return a random change inside the lines from `first` up to `last`."""
    rows: list[Row] = [(KEPT, line) for line in file.lines[first:last]]
    visible = [i for i, (_, text) in enumerate(rows) if WORD.search(text)]
    if len(visible) < 2 or is_blank(rows[0][1]) or is_blank(rows[-1][1]):
        return None
    for _ in range(rng.choice((1, 1, 1, 2))):
        at = rng.choice(visible)
        if rows[at][0] != KEPT:
            continue
        rows[at : at + 1] = _made(rng, rows[at][1])
        visible = [i for i, (mark, text) in enumerate(rows) if mark == KEPT and WORD.search(text)]
        if not visible:
            break
    return Change(file, first, tuple(rows))


def _made(rng: random.Random, line: str) -> list[Row]:
    way = rng.choice(("word", "word", "below", "above", "gone"))
    if way == "gone":
        return [(REMOVED, line)]
    other = reworded(rng, line, f"kh{rng.randrange(100, 1000)}")
    if way == "word":
        return [(REMOVED, line), (ADDED, other)]
    return [(KEPT, line), (ADDED, other)] if way == "below" else [(ADDED, other), (KEPT, line)]


def reworded(rng: random.Random, line: str, tail: str) -> str:
    """Return a line with one of its words made longer."""
    found = [each for each in WORD.finditer(line) if each[0].lower() not in _KEYWORDS]
    if not found:
        return line + tail
    word = rng.choice(found)
    return line[: word.end()] + tail + line[word.end() :]


def other_words(rng: random.Random, file: File, line: str) -> str | None:
    """Return a line with one word that stands elsewhere in the file, as if a sibling were meant."""
    found = [each for each in WORD.finditer(line) if each[0].lower() not in _KEYWORDS]
    if not found or len(file.words) < 4:
        return None
    word = rng.choice(found)
    other = rng.choice(file.words)
    made = line[: word.start()] + other + line[word.end() :]
    return made if made != line else None


def mistyped(rng: random.Random, line: str) -> str | None:
    """Return a line with one letter lost, doubled or exchanged."""
    found = list(WORD.finditer(line))
    if not found:
        return None
    word = rng.choice(found)
    at = rng.randrange(word.start(), word.end())
    middle = rng.choice(("", line[at] * 2, "q" if line[at] != "q" else "z"))
    return line[:at] + middle + line[at + 1 :]


def dedented(rows: tuple[Row, ...]) -> tuple[Row, ...] | None:
    """Return rows without the indentation that all of them have."""
    margins = [indent(text) for _, text in rows if not is_blank(text)]
    common = min(margins, key=len) if margins else ""
    if not common or not all(margin.startswith(common) for margin in margins):
        return None
    return tuple((mark, text.removeprefix(common)) for mark, text in rows)
