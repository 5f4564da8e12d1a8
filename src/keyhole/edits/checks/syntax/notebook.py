"""Notebooks: each cell by the checker of its language; IPython's magics are no mistakes."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from functools import lru_cache

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.checks.syntax.table import problems
from keyhole.fastclasses import replace
from keyhole.segments.languages.table import LANGUAGES
from keyhole.segments.notebook.magics import other_language, plain_python
from keyhole.segments.notebook.outline import cells_of
from keyhole.text.document import masked

# An edit changes one cell of many: how many are kept, and of how many characters.
_KEPT = 1024
_LONGEST = 10_000


def notebook_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with the code of a notebook's cells."""
    return tuple(
        replace(each, start=each.start + cell.start, end=each.end + cell.start)
        for cell in cells_of(text)
        if cell.kind == "code_cell"
        for each in _of_cell(cell.language, text[cell.start : cell.end])
    )


def _of_cell(language: str, source: str) -> tuple[Problem, ...]:
    is_short = len(source) <= _LONGEST
    return _of_short_cell(language, source) if is_short else tuple(_in_cell(language, source))


@lru_cache(maxsize=_KEPT)
def _of_short_cell(language: str, source: str) -> tuple[Problem, ...]:
    return tuple(_in_cell(language, source))


def _in_cell(language: str, source: str) -> Iterator[Problem]:
    if language != "python":
        yield from problems(language, source) if language in LANGUAGES else ()
        return
    if other_language(source) or not problems("python", source):
        return
    plain = plain_python(source)
    if not (plain != source and not problems("python", plain)) and not _waits(plain):
        yield from problems("python", plain)


def _waits(source: str) -> bool:
    """Tell whether a source compiles where `await` may stand outside of functions, as it may."""
    if "await" not in source and "async" not in source:
        return False
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(masked(source), "<cell>", "exec", flags, dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True
