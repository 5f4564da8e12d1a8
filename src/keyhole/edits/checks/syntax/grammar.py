"""Syntax errors by grammar: languages with a grammar, style sheets and shells."""

from __future__ import annotations

import re

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.fastclasses import replace
from keyhole.segments.code.faults import Fault, faults

# Words in capitals may be macros, which stand for anything; these grammars do not see through them.
_WITH_MACROS = frozenset({"c", "cpp"})
_MACRO = re.compile(
    r"\b(?!(?:NULL|TRUE|FALSE|EOF)\b)(?:(?:\w*_)?[A-Z][A-Z0-9]{2,}(?:_\w*)?|__[a-z]\w*)\b"
    r"|^[ \t]*#",
    re.MULTILINE,
)
# Directives that leave the lines below as they are.
_PLAIN_DIRECTIVE = re.compile(
    r"^[ \t]*#[ \t]*(?:include|import|pragma|define|undef|error|warning|line)\b.*(?<!\\)\n",
    re.MULTILINE,
)
# A file that another program fills in, and the bits of script inside markup.
_TEMPLATED = frozenset({"html", "css", "yaml", "json"})
_TEMPLATE = re.compile(r"(?<!\$)\{\{|\{%|\{#|<%|<\?")
_TEMPLATE_LINE = re.compile(r"(?m)^[ \t]*(?:\{\{|\{%)")
_SHOWN = 40
_AROUND = 500
MOST = 500_000
# Ambiguous grammars take the square of what stands on one line, and some of it the memory.
_LONGEST_LINE = 20_000
# Elements inside each other take the square of their number.
_DEEPEST = 10_000
_ABOVE = 3


def grammar_problems(parser: str, text: str) -> tuple[Problem, ...]:
    """Return the places of a text that the grammar of a language does not fit."""
    if _takes_too_long(parser, text):
        return ()
    return tuple(_problem(parser, text, fault) for fault in faults(parser, text))


def _takes_too_long(parser: str, text: str) -> bool:
    """Tell whether a tree would take longer to grow than anyone waits for an edit."""
    if len(text) > MOST or max(map(len, text.split("\n"))) > _LONGEST_LINE:
        return True
    unclosed = text.count("<") - 2 * text.count("</") - text.count("/>")
    return parser == "html" and unclosed > _DEEPEST


def _problem(parser: str, text: str, fault: Fault) -> Problem:
    doubtful = _is_doubtful(parser, text, fault)
    return Problem(fault.start, fault.end, _message(text, fault), doubtful)


def _is_doubtful(parser: str, text: str, fault: Fault) -> bool:
    around = _lines_around(text, fault)
    if parser in _WITH_MACROS:
        return bool(_MACRO.search(_PLAIN_DIRECTIVE.sub("", around)))
    if parser == "css" and "url(" in around:
        return True
    if parser not in _TEMPLATED:
        return False
    # Markup may be closed in another file; elsewhere a line of its own tells a template.
    whole = _TEMPLATE if parser == "html" else _TEMPLATE_LINE
    return bool(_TEMPLATE.search(around) or whole.search(text))


def _lines_around(text: str, fault: Fault) -> str:
    """Return the lines of a fault and a few above, where its cause may begin."""
    start = fault.start
    for _ in range(_ABOVE + 1):
        start = text.rfind("\n", 0, max(start, 0))
    end = text.find("\n", fault.end)
    last = end if end >= 0 else len(text)
    return text[max(start + 1, fault.start - _AROUND) : min(last, fault.end + _AROUND)]


def _message(text: str, fault: Fault) -> str:
    if fault.lacks:
        what = f"`{fault.lacks}`" if not fault.lacks[0].isalpha() else fault.lacks.replace("_", " ")
        return f"{what} is missing"
    shown = text[fault.start : fault.end].strip().partition("\n")[0].strip()
    tail = "..." if len(shown) > _SHOWN else ""
    return f"unexpected `{shown[:_SHOWN]}{tail}`" if shown else "unexpected end"


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


def shell_problems(text: str) -> tuple[Problem, ...]:
    """Return what the grammar of bash does not fit in a text for another shell."""
    found = grammar_problems("bash", text)
    return tuple(replace(problem, doubtful=True) for problem in found)
