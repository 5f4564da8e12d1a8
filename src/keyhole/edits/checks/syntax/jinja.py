"""Jinja templates: tags of blocks and macros that lack their other half."""

from __future__ import annotations

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.segments.jinja import lone_tags


def jinja_problems(text: str) -> tuple[Problem, ...]:
    """Return the tags of a template that open or close nothing."""
    return tuple(
        Problem(*span, f"`{text[slice(*span)]}` lacks its other half") for span in lone_tags(text)
    )
