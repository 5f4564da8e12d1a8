"""Front matter: what is wrong with the YAML or TOML that opens a markdown file."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.checks.syntax.toml import toml_problems
from keyhole.edits.checks.syntax.yaml import yaml_problems
from keyhole.segments.frontmatter import meant
from keyhole.segments.outline import plain_lines
from keyhole.values import replace


def front_matter_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with the front matter of a text, if it has one."""
    flat = plain_lines(text)
    matter = meant(flat)
    if not matter:
        return ()
    if matter.end < 0:
        return (Problem(0, 3, "the front matter is not closed"),)
    body = flat[matter.start : matter.end]
    found = toml_problems(body) if matter.syntax == "toml" else yaml_problems(body)
    return shifted(found, matter.start)


def shifted(found: Sequence[Problem], at: int) -> tuple[Problem, ...]:
    """Return problems of a part of a text as problems of the whole."""
    return tuple(replace(each, start=each.start + at, end=each.end + at) for each in found)
