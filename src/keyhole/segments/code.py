"""The parser of some thirty languages: syntax errors, outlines and structural patterns."""

from __future__ import annotations

import re

from ast_grep_py import SgNode, SgRoot

from keyhole.segments.outline import Span

_SURROGATE = re.compile("[\ud800-\udfff]")


def error_spans(parser: str, text: str) -> tuple[Span, ...]:
    """Return the spans of a text that its grammar does not fit."""
    return tuple(map(span_of, parse(parser, text).find_all(kind="ERROR")))


def parse(parser: str, text: str) -> SgNode:
    """Return the root of a text's syntax tree; the parser takes no lone surrogates."""
    return SgRoot(text if text.isascii() else _SURROGATE.sub("?", text), parser).root()


def span_of(node: SgNode) -> Span:
    """Return the offsets of a node."""
    place = node.range()
    return place.start.index, place.end.index
