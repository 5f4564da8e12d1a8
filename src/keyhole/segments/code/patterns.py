"""Structural patterns: code with holes, `print($X)`, found wherever the syntax tree fits it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from keyhole.fastclasses import dataclass, field
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.languages.table import LANGUAGES, language_of
from keyhole.segments.outline import Span
from keyhole.text.document import Document, plain_lines

if TYPE_CHECKING:
    from keyhole.segments.code.parser import SgNode

_VARIABLE = re.compile(r"\$\$\$(?P<many>[A-Z_][A-Z0-9_]*)?|\$(?P<one>[A-Z_][A-Z0-9_]*)")
# Names; a letter before a quote is a prefix of a string, and one behind a backslash an escape.
_NAME = re.compile(r"(?<![\w\\$])[A-Za-z_][A-Za-z0-9_]+(?![\w\"'$])")
# Words that a pattern may have and a place that it fits may lack.
_MAY_LACK = frozenset({"async", "await", "const", "let", "var", "pub", "mut", "static", "export"})


@dataclass(frozen=True, slots=True)
class PatternHit:
    """A place that a pattern fits, and the place of what each of its variables stands for."""

    span: Span
    variables: Mapping[str, Span] = field(hash=False)


def find_pattern(
    path: str, document: Document, pattern: str, root: SgNode | None = None
) -> tuple[PatternHit, ...]:
    """Return where `pattern` fits, in file order, outer places before those inside them.

    `root` is the syntax tree of the file, for who looks for several patterns.
    """
    check_patterns(path, document)
    language = language_of(path, document)
    from keyhole.segments.code.parser import is_broken

    one = [found["one"] for found in _VARIABLE.finditer(pattern) if found["one"]]
    many = [found["many"] for found in _VARIABLE.finditer(pattern) if found["many"]]
    hits: dict[Span, PatternHit] = {}
    root = root or syntax_tree(path, document)
    found = match_in(root, pattern, one, many) if pattern.strip() else None
    for span, variables in found or ():
        hits.setdefault(span, PatternHit(span, variables))
    # A piece of code may be no file of its own and still be found; one that is not and finds
    # nothing is a mistake.
    if found is None or (not hits and is_broken(language, _VARIABLE.sub("name", pattern))):
        raise Refused(_bad_pattern(pattern, language))
    return tuple(hits.values())


def check_patterns(path: str, document: Document) -> None:
    """Refuse a file that has no syntax tree to match a pattern in."""
    language = language_of(path, document)
    if language not in {"python", *LANGUAGES}:
        raise Refused(_no_parser(language))


def names_in(pattern: str) -> tuple[str, ...]:
    """Return the words of a pattern that stand in every file it fits: names, of plain letters."""
    bare = _VARIABLE.sub(" ", pattern)
    return tuple(dict.fromkeys(word for word in _NAME.findall(bare) if word not in _MAY_LACK))


def syntax_tree(path: str, document: Document) -> SgNode:
    """Return the syntax tree of a file, as patterns are matched in it."""
    from keyhole.segments.code.parser import parse

    return parse(language_of(path, document), plain_lines(document.text))


def match_in(
    root: SgNode, pattern: str, one: list[str], many: list[str]
) -> list[tuple[Span, dict[str, Span]]] | None:
    """Return where a pattern fits and what its variables stand for; None if it is no pattern."""
    from keyhole.segments.code.parser import span_of

    try:
        nodes = root.find_all(pattern=pattern)
    except RuntimeError:
        return None
    return [(span_of(node), _variables(node, one, many)) for node in nodes]


def _variables(node: SgNode, one: list[str], many: list[str]) -> dict[str, Span]:
    from keyhole.segments.code.parser import span_of

    spans: dict[str, Span] = {}
    for name in one:
        if found := node.get_match(name):
            spans[name] = span_of(found)
    for name in many:
        several = node.get_multiple_matches(name)
        at = span_of(node)[0]
        spans[name] = (span_of(several[0])[0], span_of(several[-1])[1]) if several else (at, at)
    return spans


def _no_parser(language: str) -> Refusal:
    return Refusal(
        "wrong-segment-kind",
        f"a {language} file has no syntax tree to match a pattern in",
        help=say("use {find}, with {regex} if need be"),
        suggestions=tuple(sorted({"python", *LANGUAGES})),
    )


def _bad_pattern(pattern: str, language: str) -> Refusal:
    return Refusal(
        "bad-request",
        f"the pattern `{' '.join(pattern.split())}` is not {language} code",
        help="write a whole expression or statement; $X stands for one node, $$$X for several",
    )
