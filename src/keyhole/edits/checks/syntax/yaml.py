"""YAML: the grammar, and what it lets pass: keys that are there twice, aliases of nothing."""

from __future__ import annotations

from keyhole.edits.checks.syntax.grammar import grammar_problems
from keyhole.edits.checks.syntax.problem import Problem
from keyhole.segments.faults import repeated_keys, unknown_aliases


def yaml_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text as YAML."""
    found = grammar_problems("yaml", text)
    if found:
        return found
    twice = (
        Problem(*span, f"the key `{name}` is there twice")
        for name, span in repeated_keys("yaml", text)
    )
    unknown = (
        Problem(*span, f"no anchor `{name}` above this alias")
        for name, span in unknown_aliases(text)
    )
    return (*twice, *unknown)
