"""Tokens of configuration files: where a value ends, what is a comment, what is a comma."""

from __future__ import annotations

import re
from collections.abc import Iterator

from keyhole.segments.outline import Span

_STRINGS = (
    r'"""(?>(?:[^"\\]++|\\(?s:.)|"(?!""))*)"{3,5}'
    r"|'''(?>(?:[^']++|'(?!''))*)'{3,5}"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'(?:[^'\\\n]++|\\.)*+'"
)
_JSON = re.compile(rf"{_STRINGS}|(?P<comment>//[^\n]*|/\*(?s:.*?)\*/)|(?P<comma>,)|\S")
_HASH = re.compile(rf"{_STRINGS}|(?P<comment>(?:(?<=\s)|^)#[^\n]*)|(?P<comma>,)|\S")
_TOML_KEY = r'(?:[\w-]+|"(?:[^"\\\n]++|\\.)*+"|\'[^\'\n]*\')'
_PAIRS = {
    "json": re.compile(r'\s*(?:"(?:[^"\\\n]++|\\.)*+"|\'[^\'\n]*\'|[\w$]+)\s*:'),
    "toml": re.compile(rf"\s*{_TOML_KEY}(?:[ \t]*\.[ \t]*{_TOML_KEY})*[ \t]*=(?!=)"),
    "yaml": re.compile(
        r"\s*(?:\? .*|(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s#\-{\[\"'|>&*!%][^#\n]*?)\s*:(?:\s|$))"
    ),
}


def is_pair(language: str, line: str) -> bool:
    """Tell whether a line begins with a key and what joins it to its value."""
    return _PAIRS[language].match(line) is not None


def tokens(language: str, text: str, span: Span) -> Iterator[re.Match[str]]:
    """Yield the tokens of a span: strings, comments, commas, single characters."""
    pattern = _JSON if language == "json" else _HASH
    return pattern.finditer(text, *span)


def last_value(language: str, text: str, span: Span) -> tuple[int, int]:
    """Return where the last value of a span ends, and where a comma behind it does, or -1."""
    end, comma = span[0], -1
    for token in tokens(language, text, span):
        if token["comma"]:
            comma = token.end()
        elif not token["comment"]:
            end, comma = token.end(), -1
    return end, comma


def joined(language: str, lines: list[str]) -> str | None:
    """Return lines as one, or as they are if they cannot be joined; None for a comment at the end.

    A comment would swallow what follows it, and the line ends in a string are part of its value.
    """
    text = "\n".join(lines)
    found = list(tokens(language, text, (0, len(text))))
    if found and found[-1]["comment"]:
        return None
    is_many = any(token["comment"] or "\n" in token.group() for token in found)
    return text.strip() if is_many else " ".join(line.strip() for line in lines)


def without_comma(language: str, lines: list[str]) -> list[str]:
    """Return lines without a comma at their end; a comment behind it stays."""
    text = "\n".join(lines)
    end, comma = last_value(language, text, (0, len(text)))
    if comma < 0:
        return lines
    return (text[:end] + text[comma:]).rstrip().split("\n")


def has_tail(language: str, lines: list[str]) -> bool:
    """Tell whether a comment stands behind the last value."""
    text = "\n".join(lines)
    return bool(text[last_value(language, text, (0, len(text)))[0] :].strip(" \t\n,"))
