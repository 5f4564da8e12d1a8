"""How far the lines that a quote leaves out may reach: to the end of their block.

A block is what belongs to its first line: a segment of the outline (a function, a section, a key)
where the file has one, else the lines that are indented deeper. Closing brackets and words close
the block and belong to it, and so do the further clauses of a statement (`else`, `finally`).
Plain text at the margin has paragraphs for blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keyhole.matching.query import Part, Structure
from keyhole.matching.view import View
from keyhole.text.indent import columns, indent_of, is_blank

# Files that mix tabs with spaces mean eight columns by one.
_TAB = 8
_PLAIN_TEXT = 99
_CLOSES = re.compile(
    r"[)\]]|\}+\s*[)\]]|\}(?!.*[{(\[:]\s*$)|</|(?:fi|done|esac|od)\b"
    r"|end(?:if|while|for|foreach|function|module|case)?(?:\s+[a-z]+)?[\s;,.)]*$",
    re.IGNORECASE,
)
_OPENS = re.compile(r"(?:[{(\[]+|then|do|begin|is)\s*$", re.IGNORECASE)
_OPENS_BLOCK = re.compile(r"(?:[:{|]|=>|->|\b(?:do|then|begin))\s*(?:(?:#|//|--|/\*).*)?$")
_OPEN_ENDS = ("{", "(", "[", ":", "=>", "->")
_MACRO = re.compile(r"\s*#\s*(?:define|undef|include)\b")
_FIRST_WORD = re.compile(r"\s*\}?\s*(?:async\s+)?(\w+)")
_HANDLERS = ("except", "catch", "rescue", "else", "finally", "ensure")
_BRANCHES = ("elif", "elsif", "elseif", "else")
# The clauses that go on with a statement, by the word that begins it.
_CLAUSES = {
    **dict.fromkeys(("try", "begin"), _HANDLERS),
    **dict.fromkeys(("if", "unless"), _BRANCHES),
    **dict.fromkeys(("for", "while"), ("else",)),
    "do": ("while", "until"),
}
_INI_SECTION = re.compile(r"\[[^\]]+\]\s*$")


def first_outside(view: View, head: range, tail: int) -> int | None:
    """Return the first line between `head` and `tail` that is outside the block of `head`."""
    tail = next((n for n in range(tail, len(view.lines)) if not is_blank(view.lines[n])), tail)
    lines = _Lines(view, head.start, tail)
    last = next((n for n in reversed(head) if not is_blank(view.lines[n])), head.start)
    head = range(head.start, last + 1)
    if not any(lines.count(n) for n in range(head.stop, tail)):
        return None
    ends = [end for end in _ends(lines, head, tail) if end is not None]
    if not ends:
        return None
    # A comment above the tail belongs to it, unless the tail stands inside it or inside a block.
    is_inside = not lines.count(tail) or lines.depth(tail) > lines.depth(head.start)
    tells = lines.shows if is_inside else lines.tells
    return next((n for n in range(min(ends), tail) if tells(n)), None)


def _ends(lines: _Lines, head: range, tail: int) -> Iterator[int | None]:
    """Yield the lines at which the block of a head ends, by each way to tell."""
    if head.start in (literals := lines.structure.literals):
        yield next((n for n in range(head.stop, tail) if n not in literals), None)
    if lines.structure.kind == "sections":
        yield _section_end(lines.structure, head, tail)
    if _is_past_whole_block(lines, head, tail):
        yield head.stop
    depth, opened = lines.depth(tail), lines.opened(head, tail)
    first = next((n for n in head if lines.count(n)), head.start)
    within = next((p for p in reversed(lines.structure.parts) if _is_open(p, head)), None)
    is_code = within is not None and within.is_function
    begins = opened[:1] == [first]
    if within and is_code and not begins:
        yield within.end
    elif around := [n for n in opened if lines.depth(n) < depth]:
        yield lines.end_of(_function_of(lines, around, head) if is_code else around[-1], head)
    elif begins and lines.structure.kind != "sections" and not _is_statement(lines, first, depth):
        yield lines.end_of(first, head)
    elif lines.structure.kind != "sections" or min(depth, lines.depth(first)):
        yield within and within.end
        yield from _ends_by_margin(lines, head, tail, depth)


def _is_statement(lines: _Lines, first: int, depth: int) -> bool:
    """Tell whether a head is a statement of several lines, and what follows is as deep."""
    return lines.depth(first) == depth and not lines.opens(first)


def _function_of(lines: _Lines, opened: Sequence[int], head: range) -> int:
    """Return the line that begins the innermost function of a head, else its first block.

    A head that begins a function and a loop in it begins the function.
    """
    return next((n for n in reversed(opened) if lines.part_of(n, head)), opened[0])


def _ends_by_margin(lines: _Lines, head: range, tail: int, depth: int) -> Iterator[int | None]:
    """Yield the lines at which the block that a head continues ends, by indentation."""
    margin = min((lines.depth(n) for n in head if lines.count(n)), default=0)
    least = min(depth, margin) or int(depth < margin)
    yield next((n for n in range(head.stop, tail) if lines.is_left_of(n, least)), None)
    if lines.structure.kind == "text" and not margin:
        yield next((n for n in range(head.stop, tail) if lines.ends_paragraph(n)), None)


def _is_open(part: Part, head: range) -> bool:
    """Tell whether a part goes on behind a head, or ends with it and begins above it."""
    return part.first < head.stop < part.end or part.first < head.start < head.stop == part.end


def _is_past_whole_block(lines: _Lines, head: range, tail: int) -> bool:
    """Tell whether a head is a whole block, and the tail is inside another block.

    A tail beside the block, inside the same parent, is allowed.
    """
    parts = [part for part in lines.structure.parts if part.first < tail]
    if any(head.start <= part.first and _is_open(part, head) for part in parts):
        return False
    ended = (p for p in parts if head.start <= p.first < head.stop - 1 and lines.ends_with(p, head))
    whole = next(ended, None)
    around = next((part for part in reversed(parts) if tail < part.end), None)
    return whole is not None and around is not None and around.first > whole.first


def _section_end(structure: Structure, head: range, tail: int) -> int | None:
    """Return where the section ends that a head begins, or else the one around it."""
    level = next((part.level for part in structure.parts if part.first == tail), _PLAIN_TEXT)
    around = [part for part in structure.parts if _is_open(part, head)]
    begun = [part for part in around if part.first >= head.start]
    inside = [part for part in begun if part.level < level]
    chosen = inside[-1:] or begun[:1] or around[-1:]
    below = (part.first for part in structure.parts if part.first >= head.stop)
    return chosen[0].end if chosen else next(below, None)


class _Lines:
    """The lines of a view as blocks see them."""

    def __init__(self, view: View, first: int, tail: int) -> None:
        self._lines = view.lines
        self.structure = view.structure
        # Inside a comment or a literal, comments and the lines of literals are the blocks.
        is_text = not self.structure.literals.isdisjoint((first, tail))
        if is_text:
            self.structure = self.structure._replace(parts=())
        self._literals = frozenset() if is_text else self.structure.literals
        ends = (self._lines[n].lstrip() for n in (first, tail))
        is_comment = any(line.startswith(self.structure.comments) for line in ends)
        self._comments = () if is_text or is_comment else self.structure.comments

    def count(self, n: int) -> bool:
        """Tell whether a line may end a block: it is neither blank, nor a comment, nor text."""
        line = self._lines[n].strip()
        aside = not line or n in self._literals or _OPENS.match(line)
        return not aside and not line.startswith(self._comments)

    def tells(self, n: int) -> bool:
        """Tell whether a line behind a block is neither blank nor a comment; a macro is not."""
        has_macros = "//" in self.structure.comments
        return self.count(n) or (has_macros and bool(_MACRO.match(self._lines[n])))

    def shows(self, n: int) -> bool:
        """Tell whether a line is not blank."""
        return not is_blank(self._lines[n])

    def closes(self, n: int) -> bool:
        """Tell whether a line only closes the block above it."""
        return bool(_CLOSES.match(self._lines[n].lstrip()))

    def opens(self, n: int) -> bool:
        """Tell whether a line begins a block of statements, and not only a list of arguments."""
        return bool(_OPENS_BLOCK.search(self._lines[n]) or self._is_named(n))

    def _is_named(self, n: int) -> bool:
        return any(part.first == n for part in self.structure.parts)

    def depth(self, n: int) -> int:
        """Return how deep a line lies; the items of a YAML list lie below the key at their left."""
        line = self._lines[n]
        is_item = self.structure.kind == "yaml" and line.lstrip().startswith("- ")
        return 2 * columns(indent_of(line), _TAB) + is_item

    def is_left_of(self, n: int, depth: int) -> bool:
        """Tell whether a line is left of a depth; one that closes a block at the margin is not."""
        return self.count(n) and self.depth(n) < depth and (depth > 1 or not self.closes(n))

    def ends_paragraph(self, n: int) -> bool:
        """Tell whether a paragraph of plain text ends at a line."""
        return is_blank(self._lines[n]) or bool(_INI_SECTION.match(self._lines[n]))

    def opened(self, head: range, tail: int) -> list[int]:
        """Return the lines of a head whose blocks go on behind it, outermost first."""
        stack: list[int] = []
        for n in filter(self.count, head):
            while stack and self.depth(stack[-1]) >= self.depth(n):
                stack.pop()
            if not self.closes(n) or self._lines[n].rstrip().endswith(_OPEN_ENDS):
                stack.append(n)
        if self.structure.kind == "sections" and is_blank(self._lines[head.stop]):
            return []  # prose, with something below it that is set in
        below = next(n for n in range(head.stop, tail + 1) if n == tail or self.count(n))
        while stack and self.depth(below) <= self.depth(stack[-1]):
            if self.part_of(stack[-1], head) or self._goes_on(stack[-1], below):
                break
            stack.pop()
        return stack

    def part_of(self, n: int, head: range) -> Part | None:
        """Return the part that a line of the head begins, if it goes on behind the head."""
        around = (p for p in reversed(self.structure.parts) if p.first <= n and _is_open(p, head))
        part = next(around, None)
        if part is None or (self.structure.kind == "sections" and part.first != n):
            return None
        return part if self.depth(part.first) == self.depth(n) else None

    def ends_with(self, part: Part, head: range) -> bool:
        """Tell whether a part ends where a head does, blank lines aside."""
        return part.end >= head.stop and all(map(is_blank, self._lines[head.stop : part.end]))

    def end_of(self, n: int, head: range) -> int | None:
        """Return the line behind the block that a line of the head begins."""
        if part := self.part_of(n, head):
            return part.end
        behind = range(head.stop, len(self._lines))
        ends = (k for k in behind if self.count(k) and self.depth(k) <= self.depth(n))
        for k in ends:
            if self._goes_on(n, k):
                continue
            if not self.closes(k) or self.depth(k) < self.depth(n):
                return k
            if self._lines[k].lstrip().startswith("}"):
                below = next(filter(self.count, range(k + 1, len(self._lines))), None)
                if below is None or not self._goes_on(n, below):
                    return k + 1
        return None

    def _goes_on(self, n: int, k: int) -> bool:
        """Tell whether a line begins another clause of the statement that line `n` begins."""
        first, clause = _FIRST_WORD.match(self._lines[n]), _FIRST_WORD.match(self._lines[k])
        if not first or not clause or self.depth(k) != self.depth(n):
            return False
        return clause[1] in _CLAUSES.get(first[1], ())
