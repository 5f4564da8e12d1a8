"""What is wrong with a text: a checker for each syntax, by its name."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import cast

from keyhole.edits.checks.syntax.memory import Memory
from keyhole.edits.checks.syntax.problem import Checker, Problem

# Syntaxes with a checker of their own; every other language of the table has its grammar.
_OWN = {
    "python": ("python", "python_problems"),
    "json": ("json_text", "json_problems"),
    "jsonc": ("json_text", "jsonc_problems"),
    "json5": ("json_text", "json5_problems"),
    "toml": ("toml", "toml_problems"),
    "yaml": ("yaml", "yaml_problems"),
    "xml": ("xml_text", "xml_problems"),
    "ini": ("ini", "ini_problems"),
    "markdown": ("front_matter", "front_matter_problems"),
    "css": ("css", "css_problems"),
    "makefile": ("makefile", "makefile_problems"),
    "other-shell": ("shells", "shell_problems"),
}

# Beyond this many characters reading would take longer than anyone waits for an edit.
_MOST = 500_000
_MOST_QUICK = 5_000_000
_QUICK = frozenset({"json", "jsonc", "python", "xml"})

_answers: dict[str, Memory[tuple[Problem, ...]]] = {}


def problems(syntax: str, text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text; asked again for the same text, it remembers."""
    if len(text) > (_MOST_QUICK if syntax in _QUICK else _MOST) or not text.strip():
        return ()
    memory = _answers.setdefault(syntax, Memory())
    known = memory.get(text)
    if known is not None:
        return known
    return memory.put(text, tuple(checker_of(syntax)(text)))


def checker_of(syntax: str) -> Checker:
    """Return the checker of a syntax, loading its file only now."""
    if syntax in _OWN:
        home, name = _OWN[syntax]
        return cast("Checker", getattr(import_module(f"keyhole.edits.checks.syntax.{home}"), name))
    from keyhole.edits.checks.syntax.grammar import grammar_problems

    return partial(grammar_problems, syntax)
