"""Python: the compiler's word, but not on syntax that is newer than the compiler."""

from __future__ import annotations

import re
import warnings
from _thread import allocate_lock
from collections import Counter
from types import CodeType

from keyhole.edits.checks.syntax.grammar import grammar_problems
from keyhole.edits.checks.syntax.memory import Memory
from keyhole.edits.checks.syntax.problem import Problem, at_line
from keyhole.edits.checks.syntax.python_pieces import DefinitionStarts, StatementSpan, pieces_of
from keyhole.segments.outline import plain_lines
from keyhole.text.changes import ChangeSet
from keyhole.text.document import masked

# What an older compiler says of syntax that it does not know yet.
_MAY_BE_NEW = re.compile(
    r"invalid syntax|expected '\('|f-string|unterminated|multiple exception types"
    r"|unpacking cannot be used in|unmatched|closing parenthesis|was never closed"
    r"|unexpected character after line continuation"
)
# What a compiler of Python 3 says of Python 2.
_PYTHON_2 = re.compile(r"Missing parentheses|leading zeros|multiple exception|invalid syntax$")
# What the grammar takes and no version of Python 3 does, where the compiler stopped.
_NEVER_NEW = re.compile(r":=|<>|=|,")
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
_sound: Memory[DefinitionStarts] = Memory()
# The filters of warnings belong to the whole process.
_filters = allocate_lock()


def python_problems(text: str) -> tuple[Problem, ...]:
    """Return the first thing the compiler minds; nothing if only its age makes it mind."""
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
    """Return what remains of a compiler's word; None says that it could not tell."""
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

    It looks for each among all that have its name and its code, and their lines differ.
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
