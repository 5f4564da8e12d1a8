"""Faults: where a text does not fit its grammar, and names in it that clash or mean nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from keyhole.segments.outline import Span

if TYPE_CHECKING:
    from keyhole.segments.code import Rule, SgNode

# The parser dies of a kind that its grammar does not have.
_MAPPINGS = {"json": ("object",), "yaml": ("block_mapping", "flow_mapping")}
_PAIRS = frozenset({"pair", "block_mapping_pair", "flow_pair"})
# Elements that need not be closed, or cannot be.
_OPEN_ELEMENTS = (
    "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|html|head|body|p|li|dt|dd"
    "|option|optgroup|tr|td|th|thead|tbody|tfoot|colgroup|caption|rp|rt"
)
# What a grammar takes although its language does not.
_TOO_LENIENT: Mapping[str, Rule] = {
    "elixir": {"kind": "identifier", "regex": "^(end|do|fn)$"},
    "go": {
        "kind": "expression_statement",
        "inside": {"kind": "source_file", "stopBy": "neighbor"},
    },
    "html": {
        "any": [
            {"kind": "erroneous_end_tag"},
            {
                "kind": "start_tag",
                "inside": {
                    "kind": "element",
                    "stopBy": "neighbor",
                    "not": {"has": {"kind": "end_tag", "stopBy": "neighbor"}},
                },
                "not": {"regex": rf"(?i)^<({_OPEN_ELEMENTS})\b"},
            },
        ]
    },
    "javascript": {"kind": "jsx_element"},
    "kotlin": {"kind": "string_literal", "not": {"regex": '"$'}},
    "ruby": {"kind": "identifier", "regex": "^(end|do|then)$"},
    "scala": {"kind": "interpolated_string", "not": {"regex": '"$'}},
    "tsx": {"kind": "jsx_element"},
}
# Nodes with a name that are empty only where the parser had to make them up.
_MADE_UP = ("identifier", "name", "word", "integer", "number", "expression")


class Fault(NamedTuple):
    """A stretch that the grammar does not fit, or an empty place where it `lacks` something."""

    start: int
    end: int
    lacks: str = ""


def faults(parser: str, text: str) -> tuple[Fault, ...]:
    """Return where a text does not fit its grammar, or what the grammar is too lenient about."""
    from keyhole.segments.code import parse, span_of

    lenient = _TOO_LENIENT.get(parser)
    rules: list[Rule] = [{"kind": "ERROR"}, {"regex": "^$"}, *([lenient] if lenient else ())]
    found: list[Fault] = []
    for node in parse(parser, text).find_all(any=rules):
        start, end = span_of(node)
        if node.kind() == "jsx_element":
            found.extend(_wrongly_closed(node))
        elif start < end:
            found.append(Fault(start, end))
        elif _is_made_up(node):
            found.append(Fault(start, end, node.kind()))
    return tuple(found)


def _is_made_up(node: SgNode) -> bool:
    if not node.is_leaf() or node.parent() is None:
        return False
    return not node.is_named() or node.kind().endswith(_MADE_UP)


def _wrongly_closed(element: SgNode) -> Iterator[Fault]:
    """Yield the closing tag of an element if it is another element's."""
    from keyhole.segments.code import span_of

    tags = element.children()
    opened, closed = tags[0].field("name"), tags[-1].field("name")
    if opened and closed and opened.text() != closed.text():
        yield Fault(*span_of(tags[-1]))


def repeated_keys(parser: str, text: str) -> Iterator[tuple[str, Span]]:
    """Yield each key that its mapping already has, with its place."""
    from keyhole.segments.code import parse, span_of

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
