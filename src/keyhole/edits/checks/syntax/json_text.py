"""JSON, with and without comments, and JSON5: one value, no key twice."""

from __future__ import annotations

import json
import re

from keyhole.edits.checks.syntax.grammar import grammar_problems
from keyhole.edits.checks.syntax.problem import Problem
from keyhole.segments.faults import repeated_keys
from keyhole.values import replace

_COMMENT = r"/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/"
# A comment that nothing closes goes to the end: nobody looks for its end again and again.
_BLANKED = re.compile(
    rf'"(?:[^"\\\n]++|\\.)*+"|(?P<comment>//[^\n]*+|{_COMMENT})|/\*(?s:.*+)'
    rf"|(?P<comma>,)(?=(?:\s++|//[^\n]*+\n|{_COMMENT})*+[\]}}])"
)


class _Repeated(Exception):  # noqa: N818 - it stops a parser, and is no error of ours
    """An object has a key twice."""


def json_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text as strict JSON."""
    if not text.strip():
        return ()
    try:
        # Numbers are not read: a long one would be refused, and none is needed.
        json.loads(text, object_pairs_hook=_once, parse_int=len, parse_float=len)
    except json.JSONDecodeError as error:
        return (Problem(error.pos, min(error.pos + 1, len(text)), error.msg),)
    except RecursionError:
        return grammar_problems("json", text)
    except _Repeated:
        return _repeated(text)
    return ()


def _repeated(text: str) -> tuple[Problem, ...]:
    found = repeated_keys("json", text)
    return tuple(Problem(*span, f"the key `{name}` is there twice") for name, span in found)


def all_json_problems(text: str) -> tuple[Problem, ...]:
    """Return all that can be told of a broken text, not only where a strict reader stops."""
    text = _BLANKED.sub(_blank, text)
    return (*grammar_problems("json", text), *_repeated(text))


def _once(pairs: list[tuple[str, object]]) -> int:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _Repeated
    return len(pairs)


def jsonc_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text as JSON that may have comments and commas too many."""
    return json_problems(_BLANKED.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    token = match.group()
    if not match.lastgroup:
        return token
    return "".join("\n" if character == "\n" else " " for character in token)


def json5_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text as JSON5, which is an expression of JavaScript."""
    found = grammar_problems("javascript", f"({text}\n)") if text.strip() else ()
    return tuple(
        replace(problem, start=max(problem.start - 1, 0), end=min(problem.end - 1, len(text)))
        for problem in found
    )
