"""Faults: where a text does not fit its grammar, and names that clash or are unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from keyhole.segments.outline import Span

if TYPE_CHECKING:
    from keyhole.segments.code.parser import Rule, SgNode

# The parser dies of a kind that its grammar does not have.
_MAPPINGS = {"json": ("object",), "yaml": ("block_mapping", "flow_mapping")}
_PAIRS = frozenset({"pair", "block_mapping_pair", "flow_pair"})
# Elements that need not be closed, or cannot be.
_OPEN_ELEMENTS = frozenset(
    {
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
        *("source", "track", "wbr", "html", "head", "body", "p", "li", "dt", "dd", "option"),
        *("optgroup", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup", "caption"),
        *("rp", "rt"),
    }
)
# What a grammar takes although its language may not. The parser dies of asking nodes of some trees
# for their parents, so no rule looks upwards.
_TOO_LENIENT: Mapping[str, Rule] = {
    "elixir": {"kind": "identifier", "regex": "^(end|do|fn)$"},
    "go": {"kind": "source_file"},
    "html": {"any": [{"kind": "element"}, {"kind": "erroneous_end_tag"}]},
    "javascript": {"kind": "jsx_element"},
    "kotlin": {"kind": "string_literal", "not": {"regex": '"$'}},
    "ruby": {"kind": "identifier", "regex": "^(end|do|then)$"},
    "scala": {"kind": "interpolated_string", "not": {"regex": '"$'}},
    "tsx": {"kind": "jsx_element"},
}
# Nodes with a name that are empty only where the parser had to make them up.
_MADE_UP = ("identifier", "name", "word", "integer", "number", "expression")


# A text in another language has a fault at nearly every word.
_MOST = 300


class Fault(NamedTuple):
    """A stretch that the grammar does not fit, or an empty place where it `lacks` something."""

    start: int
    end: int
    lacks: str = ""


def faults(parser: str, text: str) -> tuple[Fault, ...]:
    """Return where a text does not fit its grammar, or what the grammar is too lenient about."""
    from keyhole.segments.code.parser import parse, span_of

    lenient = _TOO_LENIENT.get(parser)
    rules: list[Rule] = [{"kind": "ERROR"}, {"regex": "^$"}, *([lenient] if lenient else ())]
    found: list[Fault] = []
    for node in parse(parser, text).find_all(any=rules):
        if len(found) >= _MOST:
            break
        start, end = span_of(node)
        if start == end:
            found.extend([Fault(start, end, node.kind())] if _is_made_up(node) else ())
        elif node.kind() in _SUSPECT:
            found.extend(Fault(*span_of(child)) for child in _SUSPECT[node.kind()](node))
        else:
            found.append(Fault(start, end))
    return tuple(found)


def _is_made_up(node: SgNode) -> bool:
    return node.is_leaf() and (not node.is_named() or node.kind().endswith(_MADE_UP))


def _wrongly_closed(element: SgNode) -> Iterator[SgNode]:
    """Yield the closing tag of an element if it is another element's."""
    tags = element.children()
    opened, closed = tags[0].field("name"), tags[-1].field("name")
    if opened and closed and opened.text() != closed.text():
        yield tags[-1]


def _not_closed(element: SgNode) -> Iterator[SgNode]:
    """Yield the opening tag of an element that is not closed and has to be."""
    tags = element.children()
    if tags[0].kind() == "start_tag" and tags[-1].kind() != "end_tag":
        name = tags[0].child(1)
        if name and name.text().lower() not in _OPEN_ELEMENTS:
            yield tags[0]


def _loose_expressions(root: SgNode) -> Iterator[SgNode]:
    """Yield expressions between the declarations of a file."""
    return (child for child in root.children() if child.kind() == "expression_statement")


# Nodes that may hold a fault, and where it is.
_SUSPECT: Mapping[str, Callable[[SgNode], Iterator[SgNode]]] = {
    "element": _not_closed,
    "jsx_element": _wrongly_closed,
    "source_file": _loose_expressions,
}


def repeated_keys(parser: str, text: str) -> Iterator[tuple[str, Span]]:
    """Yield each key that its mapping already has, with its place."""
    from keyhole.segments.code.parser import parse, span_of

    for mapping in parse(parser, text).find_all(any=[{"kind": kind} for kind in _MAPPINGS[parser]]):
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
    from keyhole.segments.code.parser import parse, span_of

    kinds = ("document", "anchor_name", "alias_name")
    known: set[str] = set()
    for node in parse("yaml", text).find_all(any=[{"kind": kind} for kind in kinds]):
        if node.kind() == "document":
            known = set()
        elif node.kind() == "anchor_name":
            known.add(node.text())
        elif node.text() not in known:
            yield node.text(), span_of(node)
