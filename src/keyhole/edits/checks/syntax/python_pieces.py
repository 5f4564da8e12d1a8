"""Pieces of a Python text that compile alone: an edit is checked by its function, not its file."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from types import CodeType
from typing import NamedTuple

_FUTURE = annotations.compiler_flag
_OPTIMIZED = 1  # the flag of a function's code, which the body of a class lacks
_NO_DEFINITION = ("<", "__annotate")
_NEXT = "def _(): pass\n"
_BLANKS = re.compile(r"[ \t\f]*")


class StatementSpan(NamedTuple):
    """A span of whole statements: in the body of a class, or of a class up to its first method."""

    low: int
    high: int
    inside: str = ""  # the indent of a class body that the span is a part of
    ahead: str = ""  # the indent of a class body that goes on behind the span

    def alone(self, text: str) -> str | None:
        """Return what to compile for the new text of this piece; None if it leaves its class."""
        if "\f" in text:  # it ends an indent for the compiler
            return None
        if self.ahead:
            return f"{text}{self.ahead}{_NEXT}"
        if not self.inside:
            return text
        deep = all(line.startswith(self.inside) for line in text.split("\n") if line.strip())
        return self._head + text if deep else None

    @property
    def _head(self) -> str:
        """Return what stands in for the class up to this piece, at its depth."""
        return f"class _:\n{self.inside}pass\n" if self.inside else ""

    def own(self, text: str, found: DefinitionStarts) -> DefinitionStarts | None:
        """Return the pieces of the new text, where it lies, out of those that were compiled.

        None if it no longer begins with a definition, which the class may need for its body, or if
        what goes on behind it would not be in a class any more.
        """
        outer, inner, _ = found
        shift = self.low - len(self._head)
        if self.inside:
            begins = inner[:1] == (len(self._head),)
            return DefinitionStarts((), tuple(at + shift for at in inner)) if begins else None
        if self.ahead:
            if inner[-1:] != (len(text),):
                return None
            inner = inner[:-1]
        return DefinitionStarts(
            tuple(at + shift for at in outer), tuple(at + shift for at in inner)
        )


class DefinitionStarts(NamedTuple):
    """Where definitions begin: at the left margin, and in the classes there."""

    outer: tuple[int, ...]
    inner: tuple[int, ...]
    flags: int = 0  # what the text asked of the future

    def around(self, text: str, first: int, last: int) -> list[StatementSpan]:
        """Return the pieces that hold a span, the smallest first.

        What stands before a definition is complete, and so is what follows one; those of a class
        are statements of its body. So if a piece compiles alone, the whole does.
        """
        low, high = _around(self.outer, first, last, 0, len(text))
        start, end = _around(self.inner, first, last, low, high)
        whole = StatementSpan(low, high)
        if low < start:
            return [StatementSpan(start, end, inside=_blanks_at(text, start)), whole]
        return (
            [StatementSpan(low, end, ahead=_blanks_at(text, end)), whole] if end < high else [whole]
        )

    def replaced(
        self, piece: StatementSpan, growth: int, own: DefinitionStarts
    ) -> DefinitionStarts:
        """Return the pieces after one was replaced by a text with pieces of its `own`."""
        return DefinitionStarts(
            _spliced(self.outer, piece, growth, own.outer),
            _spliced(self.inner, piece, growth, own.inner),
            self.flags,
        )


def pieces_of(flat: str, code: CodeType) -> DefinitionStarts:
    """Return where the definitions of a module and of its classes begin, decorators included."""
    starts = [0, *accumulate(len(line) + 1 for line in flat.split("\n"))]
    # Under an `if` a definition does not begin what stands alone.
    outer = {
        at: one
        for one in _definitions(code)
        if not _blanks_at(flat, at := starts[one.co_firstlineno - 1])
    }
    classes = [one for _, one in sorted(outer.items()) if not one.co_flags & _OPTIMIZED]
    inner = [at for one in classes for at in _members(flat, one, starts)]
    return DefinitionStarts(tuple(sorted(outer)), tuple(inner), code.co_flags & _FUTURE)


def _members(flat: str, code: CodeType, starts: Sequence[int]) -> list[int]:
    """Return where the definitions of a class begin that stand least deep."""
    found = sorted({starts[one.co_firstlineno - 1] for one in _definitions(code)})
    depths = [len(_blanks_at(flat, at)) for at in found]
    least = min(depths, default=0)
    return [at for at, depth in zip(found, depths, strict=True) if depth == least]


def _definitions(code: CodeType) -> list[CodeType]:
    found = [const for const in code.co_consts if isinstance(const, CodeType)]
    return [each for each in found if not each.co_name.startswith(_NO_DEFINITION)]


def _blanks_at(text: str, at: int) -> str:
    blanks = _BLANKS.match(text, at)
    assert blanks is not None, "BUG: no blanks are blanks too"
    return blanks[0]


def _around(starts: Sequence[int], first: int, last: int, low: int, high: int) -> tuple[int, int]:
    """Return the starts on both sides of a span, or the ends given where there are none between."""
    below, above = bisect_left(starts, first), bisect_right(starts, last)
    return (
        max(starts[below - 1], low) if below else low,
        min(starts[above], high) if above < len(starts) else high,
    )


def _spliced(
    starts: Sequence[int], piece: StatementSpan, growth: int, own: Sequence[int]
) -> tuple[int, ...]:
    """Return starts with those of a piece in their place, and the later ones moved."""
    sooner = starts[: bisect_left(starts, piece.low)]
    later = starts[bisect_left(starts, piece.high) :]
    return (*sooner, *own, *(at + growth for at in later))
