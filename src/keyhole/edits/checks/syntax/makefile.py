"""Makefiles: a recipe begins with a tab."""

from __future__ import annotations

import re
from collections.abc import Iterator

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.segments.outline import plain_lines

_LINE = re.compile(r"(?m)^.*$")
_RULE = re.compile(r"[^\s#=:][^=:]*::?(?!=)(?!.*[^:?+!]=[^=])")
_NOT_RECIPE = re.compile(
    r" +(?:#|(?:-?include|ifn?eq|ifn?def|else|endif|define|endef|export)\b|[\w.-]+\s*[:?+!]?=)"
)


def makefile_problems(text: str) -> tuple[Problem, ...]:
    """Return the lines of a makefile that are meant as recipes and begin with spaces."""
    flat = plain_lines(text)
    return () if ".RECIPEPREFIX" in flat else tuple(_spaced_recipes(flat))


def _spaced_recipes(flat: str) -> Iterator[Problem]:
    in_rule = continues = False
    for match in _LINE.finditer(flat):
        line = match.group().rstrip("\r")
        continued, continues = continues, line.endswith("\\")
        if continued or not line.strip():
            continue
        if line[0] == "\t":
            continue
        if line[0] != " ":
            in_rule = bool(_RULE.match(line))
        elif in_rule and not _NOT_RECIPE.match(line):
            end = match.start() + len(line) - len(line.lstrip(" "))
            message = "a recipe begins with a tab, not with spaces"
            yield Problem(match.start(), end, message, code="bad-indentation")
