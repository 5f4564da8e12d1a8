"""Shells whose syntax is nearly that of bash: what does not fit its grammar is only doubtful."""

from __future__ import annotations

from keyhole.edits.checks.syntax.grammar import grammar_problems
from keyhole.edits.checks.syntax.problem import Problem
from keyhole.values import replace


def shell_problems(text: str) -> tuple[Problem, ...]:
    """Return what the grammar of bash does not fit in a text for another shell."""
    found = grammar_problems("bash", text)
    return tuple(replace(problem, doubtful=True) for problem in found)
