"""CSS: the grammar, and strings that are not closed, which it takes for anything."""

from __future__ import annotations

import re

from keyhole.edits.checks.syntax.grammar import grammar_problems
from keyhole.edits.checks.syntax.problem import Problem

_TOKEN = re.compile(
    r"/\*(?s:.*?)(?:\*/|\Z)|\burl\(\s*[^\"'\s)][^\"')\n]*\)"
    r"|\"(?:[^\"\\\n]|\\(?s:.))*\"|'(?:[^'\\\n]|\\(?s:.))*'|(?P<open>[\"'])"
)


def css_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text as CSS."""
    found = grammar_problems("css", text)
    if found:
        return found
    opened = next((token for token in _TOKEN.finditer(text) if token["open"]), None)
    return (Problem(*opened.span(), "a string is not closed"),) if opened else ()
