"""Front matter: the YAML or TOML that opens a markdown file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.checks.syntax.toml import toml_problems
from keyhole.edits.checks.syntax.yaml import yaml_problems
from keyhole.segments.outline import plain_lines
from keyhole.values import replace

_OPENING = re.compile(r"(?P<mark>---|\+\+\+)[ \t]*\r?\n")
_CLOSING = re.compile(r"(?m)^(?:---|\.\.\.|\+\+\+)[ \t]*\r?$")
# A rule may open a text too; what makes it front matter is a key right below.
_KEY = re.compile(r"(?:\s*#[^\n]*\n)*\s*[\"']?[^\W\d][\w .-]*[\"']?\s*[:=]")


class Matter(NamedTuple):
    """The body of a front matter: its syntax, and where it is; `end` is -1 if it is not closed."""

    syntax: str
    start: int
    end: int


def matter_of(text: str) -> Matter | None:
    """Return the front matter of a text, if it has one."""
    opening = _OPENING.match(text)
    if not opening or not _KEY.match(text, opening.end()):
        return None
    closing = _CLOSING.search(plain_lines(text), opening.end())
    syntax = "toml" if opening["mark"] == "+++" else "yaml"
    return Matter(syntax, opening.end(), closing.start() if closing else -1)


def front_matter_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with the front matter of a text, if it has one."""
    matter = matter_of(text)
    if not matter:
        return ()
    if matter.end < 0:
        return (Problem(0, 3, "the front matter is not closed"),)
    body = plain_lines(text)[matter.start : matter.end]
    found = toml_problems(body) if matter.syntax == "toml" else yaml_problems(body)
    return shifted(found, matter.start)


def shifted(found: Sequence[Problem], at: int) -> tuple[Problem, ...]:
    """Return problems of a part of a text as problems of the whole."""
    return tuple(replace(each, start=each.start + at, end=each.end + at) for each in found)
