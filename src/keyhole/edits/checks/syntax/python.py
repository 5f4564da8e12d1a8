"""Python: the compiler's errors, except on syntax that is newer than the compiler."""

from __future__ import annotations

import re
import warnings
from _thread import allocate_lock
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from types import CodeType
from typing import NamedTuple

from keyhole.edits.checks.syntax.grammar import grammar_problems
from keyhole.edits.checks.syntax.problem import Problem, ProblemCache, at_line
from keyhole.text.changes import ChangeSet
from keyhole.text.document import masked, plain_lines

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
        """Return a stand-in for the class up to this piece, at its depth."""
        return f"class _:\n{self.inside}pass\n" if self.inside else ""

    def own(self, text: str, found: DefinitionStarts) -> DefinitionStarts | None:
        """Return the pieces of the new text in file offsets, from those of the compiled text.

        None if the text no longer begins with a definition, which the class may need for its body,
        or if what follows would not be in a class any more.
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

        What precedes a definition is complete, and so is what follows it; definitions in a class
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
    """Return the starts on both sides of a span, or the given ends where there are no starts."""
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


# What an older compiler says of syntax that it does not know yet.
_MAY_BE_NEW = re.compile(
    r"invalid syntax|expected '\('|f-string|unterminated|multiple exception types"
    r"|unpacking cannot be used in|unmatched|closing parenthesis|was never closed"
    r"|unexpected character after line continuation"
)
# What a compiler of Python 3 says of Python 2.
_PYTHON_2 = re.compile(r"Missing parentheses|leading zeros|multiple exception|invalid syntax$")
# What the grammar takes and no version of Python 3 does, where the compiler stopped.
_NEVER_NEW = re.compile(r":=|<>|=|,|#|\r?\n")
# Newer syntax and what stands for it, as long as it is and harmless to every version.
_PARAMETERS = re.compile(
    r"(?m)^([ \t]*(?:async[ \t]+def|def|class|type)[ \t]+\w+[ \t]*)"
    r"(\[[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*\])"
)
_ALIAS = re.compile(r"(?m)^([ \t]*type)[ \t](?=[^\W\d]\w*[ \t]*=(?!=))")
_LAZY = re.compile(r"(?m)^([ \t]*lazy)[ \t](?=(?:import|from)\b)")
_MOST_OF_IT = 0.6
_GLOBAL = re.compile(r"(?m)(?:^|[;:])[ \t\f]*global\b")

_FUNCTION = re.compile(r"\bdef[ \t]+\w+|\blambda\b[^\n]*")
_MOST_ALIKE = 1000

# Texts that compile, with the pieces of them that compile alone.
_sound: ProblemCache[DefinitionStarts] = ProblemCache()
# The filters of warnings belong to the whole process.
_filters = allocate_lock()


def python_problems(text: str) -> tuple[Problem, ...]:
    """Return the compiler's first error; nothing if the syntax is only too new for it."""
    if _sound.get(text) is not None:
        return ()
    flat = _for_compiler(text)
    code = _compiled(flat)
    if isinstance(code, CodeType):
        _sound.put(text, pieces_of(flat, code))
        return ()
    return _judged(flat, code)


def is_of_python_2(problem: Problem) -> bool:
    """Tell whether a problem is none in Python 2."""
    return bool(_PYTHON_2.match(problem.message))  # house: the words of another program


def _judged(flat: str, found: Problem | None) -> tuple[Problem, ...]:
    """Return the problems behind a compiler's error; None if the compiler cannot tell."""
    if found is None:
        return grammar_problems("python", flat)
    if not _MAY_BE_NEW.search(found.message):  # house: the words of another program
        return (found,)
    older = _without_new_syntax(flat)
    if older != flat:
        code = _compiled(older)
        if isinstance(code, CodeType):
            return ()
        found = code or found
    is_plain = found.message == "invalid syntax"  # house: the words of another program
    if is_plain and _NEVER_NEW.match(flat, found.start):
        return (found,)
    return (found,) if grammar_problems("python", older) else ()


def _without_new_syntax(flat: str) -> str:
    older = _PARAMETERS.sub(lambda match: match[1] + " " * len(match[2]), flat)
    return _LAZY.sub(r"\1;", _ALIAS.sub(r"\1_", older))


def still_compiles(before: str, changes: ChangeSet, after: str) -> bool:
    """Tell whether a text known to compile still does, if a look at the pieces changed can tell."""
    known = _sound.get(before)
    if known is None or not changes.changes:
        return False
    growth = len(after) - len(before)
    for piece in known.around(before, changes.changes[0].start, changes.changes[-1].end):
        text = after[piece.low : piece.high + growth]
        if len(text) > len(after) * _MOST_OF_IT or after.find("__future__", piece.low) >= 0:
            return False
        if "global" in text and _GLOBAL.search(text):  # it may count for more than the piece
            return False
        inside = _compiled_alone(piece, text, known.flags)
        if inside is not None:
            _sound.put(after, known.replaced(piece, growth, inside))
            return True
    return False


def _compiled_alone(piece: StatementSpan, text: str, flags: int) -> DefinitionStarts | None:
    """Return the pieces of a piece's new text, None if it does not compile alone."""
    flat = piece.alone(_for_compiler(text))
    code = _compiled(flat, flags) if flat is not None else None
    if flat is None or not isinstance(code, CodeType):
        return None
    return piece.own(text, pieces_of(flat, code))


def _for_compiler(text: str) -> str:
    """Return a text of the same length that the compiler can read."""
    return masked(plain_lines(text))


def _has_many_alike(flat: str) -> bool:
    """Tell whether functions of one name are so many that the compiler would not end.

    The compiler compares each with all others of its name and code.
    """
    if flat.count("def ") + flat.count("lambda") < _MOST_ALIKE:
        return False
    return max(Counter(_FUNCTION.findall(flat)).values(), default=0) > _MOST_ALIKE


def _compiled(flat: str, flags: int = 0) -> CodeType | Problem | None:
    """Return a text's code, what is wrong with it, or None where the compiler gives up."""
    if _has_many_alike(flat):
        return None
    nul = flat.find("\0")
    if nul >= 0:
        return Problem(nul, nul + 1, "source code cannot contain NUL characters")
    try:
        with _filters, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code: CodeType = compile(flat, "<text>", "exec", flags, dont_inherit=True)
    except SyntaxError as error:
        return at_line(flat, error.lineno or 1, error.offset or 1, error.msg)
    except (MemoryError, RecursionError):
        return None
    return code
