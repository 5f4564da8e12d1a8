"""Texts that would kill the parser, or keep it busy for minutes: nested as no file really is."""

from __future__ import annotations

import re

# The scanner of YAML ends the whole program at about 250 levels; a level takes a column.
_YAML_LEVELS = re.compile(r"^[ \t?-]{200}", re.MULTILINE)
# The one of Kotlin does so at about 500 templates inside each other.
_KOTLIN_TEMPLATE = re.compile(r'"""|"|\$\{|[{}]')
_MOST_TEMPLATES = 400
# The one of Swift takes minutes over a few hundred comments inside each other.
_SWIFT_COMMENT = re.compile(r"/\*|\*/")
_MOST_COMMENTS = 50


def is_hazard(parser: str, text: str) -> bool:
    """Tell whether a text must not be given to the parser of its language."""
    match parser:
        case "yaml":
            return _YAML_LEVELS.search(text) is not None
        case "kotlin":
            return text.count("${") > _MOST_TEMPLATES and _template_depth(text) > _MOST_TEMPLATES
        case "swift":
            return text.count("/*") > _MOST_COMMENTS and _comment_depth(text) > _MOST_COMMENTS
        case _:
            return False


def _template_depth(text: str) -> int:
    """Return how deep string templates nest, as if no comment held a quote."""
    opened: list[str] = []
    deepest = 0
    for found in _KOTLIN_TEMPLATE.finditer(text):
        sign = found.group()
        inside = opened[-1] if opened else ""
        if sign[0] == '"' and inside == sign:
            opened.pop()
        elif sign == "${" or (sign != "}" and not inside.startswith('"')):
            opened.append(sign)
        elif sign == "}" and inside in {"{", "${"}:
            opened.pop()
        deepest = max(deepest, len(opened))
    return deepest


def _comment_depth(text: str) -> int:
    depth = deepest = 0
    for found in _SWIFT_COMMENT.finditer(text):
        depth = depth + 1 if found.group() == "/*" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest
