"""How the statements of a template lie on lines."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import nodes

from keyhole.segments.markdown import ITEM


def ends_line(body: Sequence[nodes.Node]) -> bool:
    """Tell whether what statements write, if anything, ends with the end of a line."""
    for node in reversed(body):
        match node:
            case nodes.Output(nodes=[*_, last]):
                return isinstance(last, nodes.TemplateData) and last.data.endswith("\n")
            case nodes.Block() | nodes.For() | nodes.With() | nodes.FilterBlock():
                return ends_line(node.body)
            case nodes.If():
                branches = [node.body, *(each.body for each in node.elif_), node.else_]
                return all(ends_line(each) for each in branches if each)
            case nodes.Include() | nodes.CallBlock():
                return isinstance(node, nodes.Include)
    return True


def has_line_end(body: Sequence[nodes.Node]) -> bool:
    """Tell whether what statements write may have more than one line."""
    for node in body:
        for text in node.find_all(nodes.TemplateData):
            if "\n" in text.data:
                return True
        if next(iter(node.find_all((nodes.Include, nodes.CallBlock))), None):
            return True
    return False


def indent(body: Sequence[nodes.Node]) -> int:
    """Return how far the first line that a loop writes is indented."""
    for node in body:
        if isinstance(node, nodes.Output) and isinstance(node.nodes[0], nodes.TemplateData):
            text = node.nodes[0].data.lstrip("\n")
            return len(text) - len(text.lstrip(" "))
    return 0


def is_list(body: Sequence[nodes.Node]) -> bool:
    """Tell whether the rounds of a loop write the items of a list."""
    for node in body:
        if isinstance(node, nodes.Output):
            first = node.nodes[0]
            return isinstance(first, nodes.TemplateData) and bool(ITEM.match(first.data.lstrip()))
    return False
