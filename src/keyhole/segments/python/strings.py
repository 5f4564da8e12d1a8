"""Where a Python string literal ends, fields of f-strings included."""

from __future__ import annotations

import re

_BODY = r"(?>(?:[^{0}\\\n]++|\\(?:\r\n|(?s:.)))*)"
_LONG_BODY = r"(?>(?:[^{0}\\]++|\\(?s:.)|{0}(?!{0}{0}))*)"

# One whole literal without its prefix, as every version before 3.12 reads it.
STRING = "|".join(
    [
        rf"'''{_LONG_BODY.format(chr(39))}'''",
        rf'"""{_LONG_BODY.format(chr(34))}"""',
        rf"'(?!''){_BODY.format(chr(39))}'",
        rf'"(?!""){_BODY.format(chr(34))}"',
    ]
)
# The opening of a literal, its prefix included.
QUOTE = r"(?:(?<!\w)(?P<prefix>[bBfFrRtTuU]{1,2}))?(?P<quote>'''|\"\"\"|['\"])"

_WHOLE = re.compile(STRING)
_IN_TEXT = re.compile(r"\\N\{[^}\n]*+\}|\\(?s:[^{}])|\{\{|\}\}|[{\n]|'''|\"\"\"|['\"]")
_IN_FIELD = re.compile(rf"{QUOTE}|[()\[\]{{}}:]|#[^\n]*+")
# Else a field that never closes would be followed to the end of the file, for each such string.
_MOST_TOKENS = 60
_IN_FORMAT = re.compile(r"[{}]")


def string_end(code: str, opening: re.Match[str]) -> int:
    """Return the offset behind the literal that begins with `opening`, or -1 if it has no end."""
    end = _formatted_end(code, opening) if _is_formatted(opening) else -1
    return end if end > 0 else _plain_end(code, opening)


def _is_formatted(opening: re.Match[str]) -> bool:
    return not set("fFtT").isdisjoint(opening["prefix"] or "")


def _plain_end(code: str, opening: re.Match[str]) -> int:
    whole = _WHOLE.match(code, opening.start("quote"))
    return whole.end() if whole else -1


def _formatted_end(code: str, opening: re.Match[str]) -> int:
    """Return the end of an f-string as 3.12 and later read it, or -1.

    What is open is a stack: a quote stands for text, "field" and ":" for a replacement field
    before and behind its colon, a bracket for itself.
    """
    stack, at = [opening["quote"]], opening.end()
    for _ in range(_MOST_TOKENS):
        if not stack:
            return at
        inside = stack[-1]
        pattern = _IN_FIELD if inside == "field" or inside in "([{" else _IN_TEXT
        found = (_IN_FORMAT if inside == ":" else pattern).search(code, at)
        if not found:
            return -1
        sign, at = found.group(), found.end()
        if pattern is _IN_FIELD and found["quote"] and not _is_formatted(found):
            at = _plain_end(code, found)
        elif inside[0] in "'\"" and sign.startswith(inside):
            at = found.start() + len(inside)
            stack.pop()
        elif sign == "\n" and len(inside) == 1:
            return -1
        else:
            _step(stack, found)
        if at < 0:
            return -1
    return -1


def _step(stack: list[str], found: re.Match[str]) -> None:
    """Open or close what one sign inside an f-string opens or closes."""
    inside, sign = stack[-1], found.group()
    is_code = inside == "field" or inside in "([{"
    if is_code and found["quote"]:
        stack.append(found["quote"])
    elif sign == "{" and (not is_code):
        stack.append("field")
    elif is_code and sign in "([{":
        stack.append(sign)
    elif is_code and sign in ")]}":
        stack.pop()
    elif inside == "field" and sign == ":":
        stack[-1] = ":"
    elif inside == ":":
        stack.pop()
