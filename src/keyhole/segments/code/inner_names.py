"""Names that a segment declares and an outline leaves out: fields, members of enums, parameters."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from keyhole.segments.outline import Span
from keyhole.text.document import plain_lines

if TYPE_CHECKING:
    from keyhole.segments.code.parser import SgNode

_FIELDS = ("name", "pattern", "declarator", "left")
# Where a name is used, whatever its field is called.
_USES = frozenset({"argument_list", "arguments", "decorator", "call", "call_expression"})
# Nodes whose children are names that are declared, without a field for them.
_LISTS = frozenset(
    {"parameters", "typed_parameter", "list_splat_pattern", "dictionary_splat_pattern", "enum_body"}
)
_SELF = r"\bself\s*\.\s*({})(?=\s*(?::[^=\n]+)?=(?!=))"


def inner_name(
    language: str, text: str, span: Span, others: Collection[Span], name: str
) -> int | None:
    """Return where code declares a name that no segment inside of it has; the outermost counts.

    `others` are the segments inside, whose names are their own. What methods of Python put into
    `self` is declared too.
    """
    from keyhole.segments.code.parser import parse, span_of

    flat = plain_lines(text)
    level = [parse(language, flat)]
    while level:
        deeper: list[SgNode] = []
        for node in level:
            start, end = span_of(node)
            inside = span[0] <= start and end <= span[1]
            if inside:
                for found in _declared(node):
                    if found.text() == name:
                        return span_of(found)[0]
            is_apart = start >= span[1] or end <= span[0] or node.kind() in _USES
            if not is_apart and not any(low <= start and end <= high for low, high in others):
                deeper += node.children()
        level = deeper
    if language != "python":
        return None
    own = re.compile(_SELF.format(re.escape(name))).search(flat, *span)
    return own.start(1) if own else None


def _declared(node: SgNode) -> Iterator[SgNode]:
    for field in _FIELDS:
        yield from node.field_children(field)
    if node.kind() in _LISTS:
        yield from node.children()
