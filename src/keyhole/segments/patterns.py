"""Structural patterns: code with holes, `print($X)`, found wherever the syntax tree fits it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from keyhole.refusals import Refusal, Refused
from keyhole.segments.languages import LANGUAGES, language_of
from keyhole.segments.outline import Span, plain_lines
from keyhole.text.document import Document
from keyhole.values import dataclass, field

_VARIABLE = re.compile(r"\$\$\$(?P<many>[A-Z_][A-Z0-9_]*)?|\$(?P<one>[A-Z_][A-Z0-9_]*)")


@dataclass(frozen=True, slots=True)
class PatternHit:
    """A place that a pattern fits, and the place of what each of its variables stands for."""

    span: Span
    variables: Mapping[str, Span] = field(hash=False)


def find_pattern(path: str, document: Document, pattern: str) -> tuple[PatternHit, ...]:
    """Return where `pattern` fits, in file order, outer places before those inside them."""
    language = language_of(path, document)
    if language not in {"python", *LANGUAGES}:
        raise Refused(_no_parser(language))
    from keyhole.segments.code import is_broken, match_pattern

    one = [found["one"] for found in _VARIABLE.finditer(pattern) if found["one"]]
    many = [found["many"] for found in _VARIABLE.finditer(pattern) if found["many"]]
    flat = plain_lines(document.text)
    hits: dict[Span, PatternHit] = {}
    found = match_pattern(language, flat, pattern, one, many) if pattern.strip() else None
    for span, variables in found or ():
        hits.setdefault(span, PatternHit(span, variables))
    # A piece of code may be no file of its own and still be found; one that is not and finds
    # nothing is a mistake.
    if found is None or (not hits and is_broken(language, _VARIABLE.sub("name", pattern))):
        raise Refused(_bad_pattern(pattern, language))
    return tuple(hits.values())


def _no_parser(language: str) -> Refusal:
    return Refusal(
        "wrong-segment-kind",
        f"a {language} file has no syntax tree to match a pattern in",
        help="use `find`, with `regex` if need be",
        suggestions=("python", *LANGUAGES),
    )


def _bad_pattern(pattern: str, language: str) -> Refusal:
    return Refusal(
        "bad-request",
        f"the pattern `{' '.join(pattern.split())}` is not {language} code",
        help="write a whole expression or statement; $X stands for one node, $$$X for several",
    )
