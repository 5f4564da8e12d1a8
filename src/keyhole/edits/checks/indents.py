"""Indents of new lines that mix tabs and spaces, where the language goes by indentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.segments.outline import plain_lines

_MIXED = re.compile(r"(?m)^(?: +\t|\t+ )[ \t]*(?=[^\s#])")
_TABBED = re.compile(r"(?m)^ *\t[ \t]*(?=[^\s#])")

Lines = Iterable[tuple[int, str]]


def mixed_in_python(before: str, after: str, lines: Lines) -> Iterator[Problem]:
    """Yield the first of the new lines that mixes; a file that does so already may go on.

    What a string holds is text, and how brackets are laid out is a matter of taste.
    """
    hits = [start + hit.start() for start, text in lines for hit in _MIXED.finditer(text)]
    if not hits or _MIXED.search(before):
        return
    from keyhole.segments.python_lines import join_lines

    continued = join_lines(plain_lines(after)).continued
    for at in hits:
        if after.count("\n", 0, at) not in continued:
            message = "tabs and spaces are mixed in one indent"
            yield Problem(at, _end(after, at), message, code="bad-indentation")
            return


def tabs_in_yaml(after: str, lines: Lines) -> Iterator[Problem]:
    """Yield the first of the new lines of a broken YAML text that is indented with a tab."""
    hits = (start + hit.start() for start, text in lines for hit in _TABBED.finditer(text))
    at = next(hits, None)
    if at is not None:
        message = "YAML is indented with spaces, never with tabs"
        yield Problem(at, _end(after, at), message, code="bad-indentation")


def _end(text: str, at: int) -> int:
    """Return where the indent at `at` ends."""
    line_end = text.find("\n", at)
    line = text[at : line_end if line_end >= 0 else len(text)]
    return at + len(line) - len(line.lstrip(" \t"))
