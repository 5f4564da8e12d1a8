"""The syntax tree of a file, to write a row of the table of languages by.

python -m tests.tree GRAMMAR FILE      each node by its kind, with its fields and its text
"""

import sys
from pathlib import Path

from keyhole.segments.code.parser import SgNode, parse
from keyhole.segments.languages.table import LANGUAGES

# The parser answers for a field only by its name.
_COMMON = ("alias", "arguments", "condition", "declarator", "key", "left", "object", "parameters")
_SHOWN = 40


def tree(grammar: str, text: str) -> list[str]:
    """Return one line a node, indented by its depth: its kind, its fields, the text of a leaf."""
    out: list[str] = []
    todo = [(parse(grammar, text), 0)]
    while todo:
        node, depth = todo.pop()
        leaf = "" if node.children() else f" {node.text()[:_SHOWN]!r}"
        out.append(f"{'  ' * depth}{node.kind()}{_fields(node)}{leaf}")
        todo += [(child, depth + 1) for child in reversed(node.children()) if child.is_named()]
    return out


def _fields(node: SgNode) -> str:
    found = ((name, node.field(name)) for name in known_fields())
    return "".join(f" {name}={field.kind()}" for name, field in found if field)


def known_fields() -> list[str]:
    """Return names of fields: those that some row asks for, and a few more."""
    nodes = [node for row in LANGUAGES.values() for node in row.nodes]
    steps = [step for node in nodes for way in (*node.name, *node.body) for step in way]
    return sorted({*_COMMON, *(what for how, what, _ in steps if how in {"field", "deepest"})})


if __name__ == "__main__":
    print("\n".join(tree(sys.argv[1], Path(sys.argv[2]).read_text(encoding="utf-8"))))  # noqa: T201
