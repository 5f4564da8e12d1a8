"""MDX: Markdown with JSX; it has no HTML blocks, and tags and expressions are no Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable

from keyhole.segments.outline import Span

_FENCE = re.compile(
    r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<mark>`{3,}(?=[^`\n]*$)|~{3,})", re.MULTILINE
)
_OPENING = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
_TAG = re.compile(r"</?(?:[A-Za-z_$][\w$.:-]*)?(?=[\s/>{])")
_IN_TAG = re.compile(r"[<>{]|\"[^\"]*\"|'[^']*'")
# The quotes of a text inside an expression are none of a string; and nothing is read for ever.
_IN_BRACES = re.compile(
    r"[{}]|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\]){0,2000}`|/\*[\s\S]{0,2000}?\*/"
)
_MODULE = re.compile(r"(?:import|export)[ \t{*]")
_BLANK = re.compile(r"\n[ \t]*(?:\n|\Z)")
_WORD = re.compile(r"[^\n]")
_BLANKS = re.compile(r"[ \t]*")
_HELD = re.compile(r"[{`]")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_UNQUOTED = re.compile(r"^[ \t]*(?=[^\s>])|^(?=[ \t]*$)", re.MULTILINE)
# How far above a fence the item of a list is looked for that it may be in.
_NEAR = 4000
# From this column on CommonMark has code, which MDX has not.
_DEEP = 4


def is_mdx(path: str) -> bool:
    """Tell whether a file is MDX by its name."""
    return path.lower().endswith(".mdx")


def blanker_of(path: str) -> Callable[[str], str]:
    """Return the function that blanks what CommonMark must not read in a file."""
    return without_jsx if is_mdx(path) else str


def without_jsx(flat: str) -> str:
    """Return a text of the same length that CommonMark reads as MDX is read.

    Lines of tags, expressions and modules become blank, and so does what is inside a deep fence. A
    tag with text behind it becomes letters, for that text begins no heading.
    """
    pieces: list[str] = []
    at = 0
    for start, end in _MdxReader(flat).spans():
        filler = "x" if flat[end : _line_end(flat, end)].strip() and flat[end - 1] != "\n" else " "
        pieces += [flat[at:start], _WORD.sub(filler, flat[start:end])]
        at = end
    return "".join([*pieces, flat[at:]])


class _MdxReader:
    """One walk over a text, line by line."""

    def __init__(self, flat: str) -> None:
        self._flat = flat
        # Once something stays open until the end, nothing else is looked for so far.
        self._is_open = False

    def spans(self) -> list[Span]:
        """Return what is no Markdown, in order; none is empty."""
        found: list[Span] = []
        at = 0
        while at < len(self._flat):
            fence = _FENCE.match(self._flat, at)
            if fence:
                span, at = self._fenced(fence)
            else:
                span = self._tagged(at) or (at, at)
                at = _line_end(self._flat, span[1]) + 1
            if span[0] < span[1]:
                found.append(span)
        return found

    def _tagged(self, line: int) -> Span | None:
        """Return the tags, the expression or the module that a line begins with."""
        opening = _OPENING.match(self._flat, line)
        start = here = opening.end() if opening else line
        # A sign that opens nothing is text; CommonMark might begin a block with it.
        last = start + 1 if self._flat.startswith("<", start) else None
        while (end := self._end_of(here, line)) is not None:
            last = end
            blanks = _BLANKS.match(self._flat, end)
            here = blanks.end() if blanks else end
        return (start, last) if last is not None else None

    def _fenced(self, fence: re.Match[str]) -> tuple[Span, int]:
        """Return the lines inside a fence, and where the text goes on behind it.

        A fence in a list or a quote ends with it; one that stays open holds the rest, which is
        code whatever is in it.
        """
        mark, start = fence["mark"], _line_end(self._flat, fence.end()) + 1
        again = rf"^[ \t>]*{re.escape(mark)}{re.escape(mark[0])}*[ \t]*$"
        closing = re.compile(again, re.MULTILINE).search(self._flat, start)
        end = closing.start() if closing else len(self._flat)
        left = self._left(fence)
        outside = left.search(self._flat, start, end) if left else None
        if outside:
            return (start, start), outside.start()
        if closing is None:
            return (start, start), len(self._flat)
        # CommonMark knows a fence that is not as deep as code, and what is inside it.
        is_deep = left is None and len(fence.group().removesuffix(mark).expandtabs(4)) >= _DEEP
        return (start, end if is_deep else start), _line_end(self._flat, end) + 1

    def _left(self, fence: re.Match[str]) -> re.Pattern[str] | None:
        """Return the start of a line that is outside the list or quote of a fence."""
        before = fence.group().removesuffix(fence["mark"])
        if ">" in before:
            return _UNQUOTED
        depth = len(before.expandtabs(4))
        if depth and (before.strip() or self._is_listed(fence.start(), depth)):
            return re.compile(rf"^ {{0,{max(depth - 4, 0)}}}(?=[^\s])", re.MULTILINE)
        return None

    def _is_listed(self, at: int, depth: int) -> bool:
        """Tell whether the line that a deeper one hangs from is an item of a list."""
        above = self._flat[max(at - _NEAR, 0) : at].split("\n")
        lines = (line for line in reversed(above) if line.strip())
        hung = (line for line in lines if len(line) - len(line.lstrip()) < depth)
        return _ITEM.match(next(hung, "")) is not None

    def _end_of(self, at: int, line: int) -> int | None:
        """Return where a tag, an expression or a module ends that begins at `at`."""
        if self._flat.startswith("<!--", at):
            end = self._flat.find("-->", at, self._limit(at)) + 3
            self._is_open = self._is_open or end < at
            return self._known(end, at)
        if self._flat.startswith("<", at):
            return self._tag_end(at)
        if self._flat.startswith("{", at):
            return self._brace_end(at)
        if at == line and _MODULE.match(self._flat, at) and self._is_below_blank(line):
            return self._module_end(at)
        return None

    def _is_below_blank(self, line: int) -> bool:
        above = self._flat.rfind("\n", 0, max(line - 1, 0)) + 1
        return not self._flat[above:line].strip()

    def _known(self, end: int, at: int) -> int | None:
        return end if end > at else None

    def _tag_end(self, at: int) -> int | None:
        tag = _TAG.match(self._flat, at)
        here = tag.end() if tag else len(self._flat)
        while found := _IN_TAG.search(self._flat, here, self._limit(at)):
            sign, here = found.group(), found.end()
            if sign == ">":
                return here
            if sign == "<":
                return None
            if sign == "{":
                inner = self._brace_end(found.start())
                if inner is None:
                    return None
                here = inner
        self._is_open = self._is_open or tag is not None
        return None

    def _brace_end(self, at: int) -> int | None:
        depth = 0
        for found in _IN_BRACES.finditer(self._flat, at, self._limit(at)):
            depth += {"{": 1, "}": -1}.get(found.group(), 0)
            if not depth:
                return found.end()
        self._is_open = True
        return None

    def _module_end(self, at: int) -> int:
        """Return the end of an import or export: a blank line that is in no braces."""
        here = at
        while True:
            blank = _BLANK.search(self._flat, here)
            end = blank.start() if blank else len(self._flat)
            brace = _HELD.search(self._flat, here, end)
            inner = self._module_piece(brace.start()) if brace else None
            if inner is None:
                return end
            here = inner

    def _module_piece(self, at: int) -> int | None:
        if self._flat[at] == "{":
            return self._brace_end(at)
        return self._known(self._flat.find("`", at + 1) + 1, at)

    def _limit(self, at: int) -> int:
        return _line_end(self._flat, at) if self._is_open else len(self._flat)


def _line_end(flat: str, at: int) -> int:
    end = flat.find("\n", at)
    return end if end >= 0 else len(flat)
