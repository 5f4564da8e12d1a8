"""Elisions: quotes that say `...` for lines they leave out, paired in old and new."""

from __future__ import annotations

import re
from functools import cache

from keyhole.matching.omission import (
    is_about_data,
    is_body_of_omission,
    may_omit,
    only_speaks_of_omission,
)
from keyhole.matching.query import Quote

_DOTS = r"(?:\.{3,}|\u2026)"
_OPEN = r"(?:\#+|//+|--|/\*+|<!--|;+|%+|\{\#|\{/\*|\(\*|\{-)"
_CLOSE = r"(?:\*+/\}?|-->|\#\}|\*\)|-\})"
# What may be left out of a file, and of that what is a part of a program or a text by itself.
_WHOLE = (
    r"(?:code|file|functions?|methods?|class(?:es)?|modules?|scripts?|implementation|contents?"
    r"|document|section|body|logic|component|page|program|template|tests?|query)"
)
_THING = (
    rf"(?:{_WHOLE}|files|implementations|documents|sections|bodies|components|pages|templates"
    r"|queries|lines?|fields?|propert(?:y|ies)|props|imports?|routes?|handlers?|attributes?"
    r"|config(?:uration)?s?|settings|variables?|constants?|entries|items|cases|definitions?"
    r"|styles?|rules?|keys|values|parameters?|params|arguments?|args|options?|text|markup"
    r"|elements?|statements?|steps?|jobs?|setup|types?|interface|struct|hooks?|state|schema"
    r"|columns|rows|helpers?|utilit(?:y|ies)|members|data|jsx|html)"
)
_WHOSE = r"(?:the |this |that |your |its |my |our |all |all the )?"
_REST = rf"{_WHOSE}(?:rest|remainder)"
_REST_OF = rf"{_REST} of {_WHOSE}(?:[\w-]+ ){{0,2}}?"
_OTHERS = (
    rf"{_WHOSE}(?:existing|remaining|other|previous|unchanged|unmodified|original)"
    rf"(?: [\w-]+)?? {_THING}"
)
_SAME = (
    r"(?:unchanged|unmodified|untouched|omitted|elided|snipped|truncated|as before|same as before"
    r"|no changes?|as (?:it )?(?:is|was)|as they (?:are|were)|(?:the )?same(?: as before)?"
    r"|not shown|intact)"
)
_STAYS = (
    r"(?:(?:is|are|remains?|stays?|kept|left|keep|goes|go|continues?)(?: all)?"
    rf"(?: {_SAME}| here| below)?|{_SAME}|here)(?: (?:here|for brevity|for clarity|for now|below))?"
)
# Parts of a program that have a rest; "other branches" may as well be data.
_PART = r"(?:loop|block|branch|switch|condition|if)"
_LEFT_OUT = rf"(?:{_REST_OF}(?:{_THING}|{_PART})|{_OTHERS}|{_REST})"
_PHRASE = (
    rf"(?:(?:keep(?:ing)? )?(?:{_LEFT_OUT}|{_WHOSE}{_THING})(?:,? {_STAYS})?"
    rf"|{_SAME}(?: {_THING})?(?: for brevity| here)?|snip)"
)
_BARE = rf"\s*(?:{_OPEN}\s*)?{_DOTS}\s*{_CLOSE}?\s*"
_ASIDE = rf"\s*{_OPEN}\s*[\[(<]?(?:\.{{3,4}}|\u2026)[\])>]?\s*{_CLOSE}?\s*"
# Without a comment mark the words must be fenced in by dots or brackets: `...rest` alone is code.
_TOLD = (
    rf"\s*(?:{_OPEN}\s*[\[(<]?\s*{_DOTS}\s*[\[(]?\s*{_PHRASE}\W*{_CLOSE}?"
    rf"|{_OPEN}\s*[\[(<]?\s*{_PHRASE}[\s,:;-]*{_DOTS}\W*{_CLOSE}?"
    rf"|[\[(<]\s*{_DOTS}\s*{_PHRASE}\W*[\])>]"
    rf"|[\[(<]\s*{_PHRASE}[\s,:;-]*{_DOTS}\W*[\])>]"
    rf"|[\[(<]\s*{_LEFT_OUT}(?:,? {_STAYS})\W*[\])>]"
    rf"|{_DOTS}\s*[\[(<]\s*{_PHRASE}\W*[\])>]\W*"
    rf"|{_DOTS}\s*{_PHRASE}\s*{_DOTS}"
    rf"|{_OPEN}\s*{_DOTS}\s*\([^()]*\b{_SAME}\)\W*{_CLOSE}?"
    rf"|{_DOTS}\s*{_OPEN}\s*(?:{_LEFT_OUT}(?:,? {_STAYS})?|{_SAME})\W*{_CLOSE}?"
    rf"|{_DOTS}\s*(?:{_REST_OF}{_THING}|{_OTHERS})(?:,? {_STAYS})?\W*)\s*"
)
# A comment without dots that names what is left out, and says that it stays or nothing else.
_SAID = (
    rf"\s*{_OPEN}\s*[-=~*]*\s*[\[(<]?\s*"
    rf"(?:{_REST_OF}{_WHOLE}(?:,? {_STAYS}| follows)?|{_LEFT_OUT},? {_STAYS}"
    rf"|keep(?:ing)? {_LEFT_OUT}(?: {_STAYS})?)\W*{_CLOSE}?\s*"
)
# A comment behind code, and a body that is nothing but a comment of dots.
_TOLD_BEHIND = (
    rf".*[\s{{}}();,>](?:\#|//|/\*|<!--|--|\{{/\*)\s*"
    rf"(?:{_DOTS}\s*(?:{_LEFT_OUT}|{_SAME})(?:,? {_STAYS})?"
    rf"|(?:{_REST_OF}{_THING}|{_OTHERS})(?:,? {_STAYS})?\s*{_DOTS})\W*"
)
# What a line has, or begins with, that one of the patterns fits: they take long to compile.
_DOT_SIGNS = ("...", "\u2026")
_BRACKETS = ("[", "(", "<")
_SIGNS = ("#", "/", "-", "<", ";", "%", "{", "(")
_DOTTED_BODY = r".*\{\s*/\*\s*(?:\.{3}|\u2026)\s*\*/\s*\}.*"
_LEAST_PIECE = 20
# Nobody writes a longer placeholder, and on a million dots these patterns would take for ever.
_MOST_MARKER = 200


def is_marker(line: str) -> bool:
    """Tell whether a line stands for lines that were left out."""
    return speaks_of_omission(line) or _says_what_stays(line) or _fits_dots(_BARE, line)


def speaks_of_omission(line: str) -> bool:
    """Tell whether a line says with dots and words that something is left out."""
    is_bracketed = may_omit(line) and line.lstrip().startswith(_BRACKETS)
    return _fits(_TOLD, line) if is_bracketed else _fits_dots(_TOLD, line)


def says_that_it_stays(line: str) -> bool:
    """Tell whether a comment says without dots that something is left out: `# rest unchanged`."""
    return _says_what_stays(line) or (len(line) <= _MOST_MARKER and only_speaks_of_omission(line))


def _says_what_stays(line: str) -> bool:
    is_comment = may_omit(line) and line.lstrip().startswith(_SIGNS)
    return is_comment and _fits(_SAID, line) and not is_about_data(line)


def speaks_behind_code(line: str) -> bool:
    """Tell whether a comment behind code says with dots and words that something is left out."""
    return _fits_dots(_TOLD_BEHIND, line)


def has_left_out_body(line: str) -> bool:
    """Tell whether a block on one line holds a comment of dots or of omission, nothing else."""
    is_short = len(line) <= _MOST_MARKER
    return _fits_dots(_DOTTED_BODY, line) or (is_short and is_body_of_omission(line))


def is_dotted_comment(line: str) -> bool:
    """Tell whether a line is a comment of nothing but dots; a row of many is a ruler."""
    return _fits_dots(_ASIDE, line)


def _fits_dots(pattern: str, line: str) -> bool:
    """Tell whether a line fits a pattern that asks for dots."""
    return any(sign in line for sign in _DOT_SIGNS) and _fits(pattern, line)


def _fits(pattern: str, line: str) -> bool:
    return len(line) <= _MOST_MARKER and bool(_compiled(pattern).fullmatch(line))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile on first use: compiling takes longer than an edit that needs none of them."""
    return re.compile(pattern, re.IGNORECASE)


def pieces(quote: Quote) -> list[Quote] | None:
    """Split a quote at its marker lines; None where old and new leave out different stretches."""
    if quote.new is None:
        return None
    old, marks = _split(quote.old)
    new, new_marks = _split(quote.new)
    if not marks or marks != new_marks or not all(map(_says_enough, old)):
        return None
    parts = [Quote(a, b) for a, b in zip(old, new, strict=True)]
    # Text beside a marker at the edge has nothing by which its place could be known.
    return [part for part in parts if part.old] if all(p.old or not p.new for p in parts) else None


def _says_enough(piece: str) -> bool:
    """Tell whether a piece is empty at an edge, or long enough to name one place."""
    return not piece or piece.count("\n") > 1 or len(piece.strip()) >= _LEAST_PIECE


def _split(text: str) -> tuple[list[str], list[str]]:
    parts: list[list[str]] = [[]]
    marks: list[str] = []
    lines = text.split("\n")
    for line in lines:
        if is_marker(line):
            marks.append(line.strip())
            parts.append([])
        else:
            parts[-1].append(line)
    whole = ["".join(line + "\n" for line in part) for part in parts]
    # The text's own last line keeps its end as it came.
    whole[-1] = "\n".join(parts[-1])
    return whole, marks
