"""Faults: where a text does not fit its grammar, and names in it that clash or mean nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from keyhole.segments.outline import Span

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_MAPPINGS = ("object", "block_mapping", "flow_mapping")
_PAIRS = frozenset({"pair", "block_mapping_pair", "flow_pair"})
# Nodes with a name that are empty only where the parser had to make them up.
_MADE_UP = ("identifier", "name", "word", "integer", "number", "expression")


class Fault(NamedTuple):
    """A stretch that the grammar does not fit, or an empty place where it `lacks` something."""

    start: int
    end: int
    lacks: str = ""


def faults(parser: str, text: str) -> tuple[Fault, ...]:
    """Return where a text does not fit its grammar, each stretch without those inside it."""
    from keyhole.segments.code import parse, span_of

    found: list[Fault] = []
    for node in parse(parser, text).find_all(any=[{"kind": "ERROR"}, {"regex": "^$"}]):
        start, end = span_of(node)
        if node.kind() == "ERROR":
            found.append(Fault(start, end))
        elif start == end and _is_made_up(node):
            found.append(Fault(start, end, node.kind()))
    return tuple(found)


def _is_made_up(node: SgNode) -> bool:
    if not node.is_leaf() or node.parent() is None:
        return False
    return not node.is_named() or node.kind().endswith(_MADE_UP)


def repeated_keys(parser: str, text: str) -> Iterator[tuple[str, Span]]:
    """Yield each key that its mapping already has, with its place."""
    from keyhole.segments.code import parse, span_of

    for mapping in parse(parser, text).find_all(any=[{"kind": kind} for kind in _MAPPINGS]):
        seen: set[str] = set()
        for pair in mapping.children():
            key = pair.field("key") if pair.kind() in _PAIRS else None
            name = _plain(key.text()) if key else ""
            # YAML merges as many mappings as one likes.
            if key and name in seen and name != "<<":
                yield name, span_of(key)
            seen.add(name)


def _plain(key: str) -> str:
    quoted = len(key) > 1 and key[0] == key[-1] and key[0] in "'\""
    return key[1:-1] if quoted else key


def unknown_aliases(text: str) -> Iterator[tuple[str, Span]]:
    """Yield each alias of a YAML text that no anchor above it in its document defines."""
    if "*" not in text:
        return
    from keyhole.segments.code import parse, span_of

    kinds = ("document", "anchor_name", "alias_name")
    known: set[str] = set()
    for node in parse("yaml", text).find_all(any=[{"kind": kind} for kind in kinds]):
        if node.kind() == "document":
            known = set()
        elif node.kind() == "anchor_name":
            known.add(node.text())
        elif node.text() not in known:
            yield node.text(), span_of(node)
