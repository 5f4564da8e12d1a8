r"""Fit new text to its place: code is moved, a literal keeps its value, a kept line its bytes.

A method comes at column 0 with two spaces a level, for a class of a file that has four. The
docstring moves along, the value of `rows` does not:

>>> from keyhole.segments.literals import python_literals
>>> from keyhole.text.indent import IndentStyle
>>> lines = ("def table(self):", "  '''Two", "  rows.'''", "  rows = '''", "  a", "'''")
>>> place = TargetLayout("python", IndentStyle(" ", 4), "    ")
>>> new = FittedText(lines, python_literals("\n".join(lines)), place)
>>> print("\n".join(new.fit("    ")))
    def table(self):
        '''Two
        rows.'''
        rows = '''
  a
'''
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from keyhole.edits.by_name.layout import TAB, Layout, column_of, is_closer, keep, layout_of
from keyhole.edits.by_name.reading import ReadLine, TargetLayout, drop, inside_of, read_rows
from keyhole.edits.by_text.reindent import spelled_indent
from keyhole.fastclasses import dataclass
from keyhole.segments.literals import Literal
from keyhole.text.align import AlignedHunk, differences
from keyhole.text.indent import columns, indent_of, is_blank

# The lines that the file has for a literal; none where the literal is new.
Texts = tuple[str, ...]


@dataclass(frozen=True)
class FittedText:
    """New text, ready to be written at any indent."""

    lines: tuple[str, ...]
    literals: tuple[Literal, ...]
    frame: TargetLayout

    @cached_property
    def rows(self) -> list[ReadLine]:
        """Each line's depth and words."""
        return read_rows(self.lines, self.layout, self.frame)

    @cached_property
    def layout(self) -> Layout | None:
        """The lines that carry the structure; None where the text is broken."""
        return layout_of(self.lines, self.frame.language, self.inside)

    @cached_property
    def inside(self) -> frozenset[int]:
        """The lines that begin inside a literal."""
        return inside_of(self.literals)

    def at(self, target: str) -> list[str]:
        """Return the text with its outermost lines at `target`."""
        out = [
            line if number in self.inside else _placed(row, target)
            for number, (line, row) in enumerate(zip(self.lines, self.rows, strict=True))
        ]
        for literal, texts in zip(self.literals, self._texts, strict=True):
            self._settle(literal, texts, out)
        return out

    def fit(self, target: str) -> list[str]:
        """Return the text at its place; lines that the file has further left stay there."""
        out = self.at(target)
        fixed = {*self._structure, *self.inside}
        stays, present = FixedLines(self.frame.present, target), frozenset(self.frame.present)
        for number, sent in enumerate(self.lines):
            kept = self._kept.get(number, "") if sent.strip() in stays else ""
            stands = "" if number in fixed else stays.find(sent, kept)
            if stands and (stands == kept or out[number] not in present):
                out[number] = stands
        return out

    @cached_property
    def _kept(self) -> dict[int, str]:
        """The file's line behind each line whose words stay: one line may stand at two columns."""
        old, new = _words(self.frame.present), _words(self.lines)
        kept: dict[int, str] = {}
        there = here = 0
        for hunk in [*differences(old, new), AlignedHunk(len(old), len(old), len(new), len(new))]:
            kept |= dict(enumerate(self.frame.present[there : hunk.old_start], here))
            there, here = hunk.old_end, hunk.new_end
        return kept

    def _settle(self, literal: Literal, texts: Texts, out: list[str]) -> None:
        """Write a literal as it came, or moved with the code: whichever is more like the file."""
        head = literal.first
        while head in self.inside:
            head -= 1  # it begins where another one ends; both move with their statement
        was, now = indent_of(self.lines[head]), indent_of(out[head])
        sent = [self.lines[number] for number in literal.inside]
        stays = FixedLines(texts, spelled_indent(_shift(was, now), self.frame.style))
        if stays.is_dedented(sent, texts):
            out[literal.first + 1 : literal.last + 1] = texts
            return
        moved = [self._moved(line, was, now) for line in sent]
        moved = [
            line if line in texts else stays.find(raw) or line
            for raw, line in zip(sent, moved, strict=True)
        ]
        as_sent, as_moved = _agreement(sent, texts), _agreement(moved, texts)
        # A value moves only if most of its lines agree; a docstring moves unless lines disagree.
        is_moved = as_moved > as_sent and (literal.follows or as_moved * 2 > len(_filled(sent)))
        if as_moved == as_sent:
            is_there = self.frame.language == "python" and _is_aligned(sent, columns(now, TAB))
            is_moved = literal.follows and not is_there
        form = moved if is_moved else sent
        if max(as_sent, as_moved):
            # Lines of it stand in the file: it is that literal, and its blank lines are the file's.
            form = keep(form, texts, _filled(form), _filled(texts))
        elif self._lost_tabs and keep(form, texts) == list(texts):
            form = list(texts)
        out[literal.first + 1 : literal.last + 1] = form

    @cached_property
    def _lost_tabs(self) -> bool:
        """Tell whether a text came without the tabs that the file has: some tool removed them."""
        sent, present = (
            any(line.startswith("\t") for line in lines)
            for lines in (self.lines, self.frame.present)
        )
        return present and not sent

    def _moved(self, line: str, was: str, now: str) -> str:
        if is_blank(line):
            return ""
        if line.startswith(was):
            return now + line[len(was) :]
        if now.endswith(was):
            return now[: len(now) - len(was)] + line
        indent = indent_of(line)
        shift = columns(now, TAB) - columns(was, TAB)
        if shift < 0:
            return drop(indent, -shift) + line[len(indent) :]
        return spelled_indent(shift, self.frame.style) + line

    @cached_property
    def _texts(self) -> list[Texts]:
        """The lines that the file has for each literal, where it has that literal."""
        old = [_body(literal, self.frame.present) for literal in self.frame.literals]
        new = [_body(literal, self.lines) for literal in self.literals]
        return pair_texts(old, new)

    @cached_property
    def _structure(self) -> Collection[int]:
        """The lines that may not stand left of the others."""
        heads = self.layout.heads if self.layout else ()
        if not heads:
            return ()
        if self.frame.language == "python":
            return heads
        return (heads[0], heads[-1]) if is_closer(self.lines[heads[-1]]) else heads[:1]


def _shift(was: str, now: str) -> int:
    return max(columns(now, TAB) - columns(was, TAB), 0)


class FixedLines:
    """The lines of the file that are indented less than `indent`: a dedent does not move them."""

    def __init__(self, lines: Iterable[str], indent: str) -> None:
        self._indent = indent
        self._column = columns(indent, TAB)
        self._by_words: dict[str, list[str]] = {}
        for line in lines:
            if not line.startswith(indent) and not is_blank(line):
                self._by_words.setdefault(line.strip(), []).append(line)

    def __contains__(self, words: str) -> bool:
        """Tell whether a line of the file that a dedent does not move reads so."""
        return words in self._by_words

    def find(self, sent: str, likely: str = "") -> str:
        """Return the file's line that was sent as it is, or was flattened; else ""."""
        stands = [
            line
            for line in self._by_words.get(sent.strip(), ())
            if sent == line or (not column_of(sent) and column_of(line) < self._column)
        ]
        return likely if likely in stands else stands[-1] if stands else ""

    def is_dedented(self, sent: Sequence[str], lines: Sequence[str]) -> bool:
        """Tell whether the sent lines are the file's lines without the indent."""
        return len(sent) == len(lines) and all(
            line.removeprefix(self._indent) == raw or self.find(raw, line) == line
            if not is_blank(line)
            else is_blank(raw)
            for raw, line in zip(sent, lines, strict=True)
        )


def _placed(row: ReadLine, target: str) -> str:
    if not row.words:
        return ""
    if row.short:
        size = columns(target, TAB)
        return drop(target, size - max(size - row.short, 0)) + row.words
    return target + row.inner + row.words


def _body(literal: Literal, lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(lines[literal.first + 1 : literal.last + 1])


def pair_texts(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> list[Texts]:
    """Return for each new text the lines of the old text that it replaces."""
    out: list[Texts] = []
    there = 0
    hunks = differences([_words(text) for text in old], [_words(text) for text in new])
    for hunk in [*hunks, AlignedHunk(len(old), len(old), len(new), len(new))]:
        out += map(tuple, old[there : hunk.old_start])
        between = tuple(line for text in old[hunk.old_start : hunk.old_end] for line in text)
        out += [between] * (hunk.new_end - hunk.new_start)
        there = hunk.old_end
    return out


def _words(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line.strip() for line in lines)


def _filled(lines: Sequence[str]) -> frozenset[int]:
    return frozenset(number for number, line in enumerate(lines) if not is_blank(line))


def _agreement(lines: list[str], texts: Texts) -> int:
    stands = frozenset(texts)
    return sum(line in stands for line in lines if not is_blank(line))


def _is_aligned(lines: list[str], column: int) -> bool:
    """Tell whether a docstring's lines are already at the column that its opening will have."""
    margin = min((column_of(line) for line in lines if not is_blank(line)), default=0)
    return margin == column > 0
