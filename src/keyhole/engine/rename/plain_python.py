"""Types of Python that are written in quotes, as a text of the same length without the quotes.

def child(self) -> "Node | None":    becomes    def child(self) -> (Node | None):
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from keyhole.engine.rename.scopes import parsed, place_of
from keyhole.text.document import Document

_TOKEN = re.compile(r"""("{3}|'{3}|["'])([^\\\r\n]*?)\1""")
# Calls that take a type as their first argument, or by a keyword.
_TYPED = frozenset({"cast", "TypeVar", "NewType", "assert_type"})


def plain_python(text: str) -> str:
    """Return a text with round brackets for the quotes of its types, and without `del`."""
    document, tree = Document(text), parsed(text)
    for node in _told_otherwise(tree) if tree else ():
        start = place_of(document, node.lineno, node.col_offset)
        if isinstance(node, ast.Delete):
            text = f"{text[:start]}not{text[start + 3 :]}"
            continue
        token = _TOKEN.match(text, start)
        if token and parsed(token[2].strip()):
            pad = " " * (len(token[1]) - 1)
            text = f"{text[:start]}({pad}{token[2]}{pad}){text[token.end() :]}"
    return text


def _told_otherwise(tree: ast.AST) -> Iterator[ast.Constant | ast.Delete]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Delete):
            yield node
        for part in _types(node):
            yield from _constants(part)


def _types(node: ast.AST) -> Iterator[ast.expr | None]:
    """Yield the expressions below a node that are types."""
    match node:
        case ast.AnnAssign():
            yield node.annotation
            if _last_name(node.annotation) == "TypeAlias":
                yield node.value
        case ast.arg():
            yield node.annotation
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield node.returns
        case ast.ClassDef():
            yield from (each for each in node.bases if isinstance(each, ast.Subscript))
        case ast.Call() if (name := _last_name(node.func)) in _TYPED:
            yield from node.args[:1] if name == "cast" else node.args[1:]
            yield from (each.value for each in node.keywords if each.arg == "bound")


def _constants(part: ast.expr | None) -> Iterator[ast.Constant]:
    """Yield the strings of a type, but for those that are values: `Literal`, `Annotated`."""
    match part:
        case ast.Constant(value=str()):
            yield part
        case ast.Subscript() if _last_name(part.value) == "Literal":
            return
        case ast.Subscript(slice=ast.Tuple() as several) if _last_name(part.value) == "Annotated":
            yield from _constants(several.elts[0])
        case ast.expr():
            for each in ast.iter_child_nodes(part):
                if isinstance(each, ast.expr):
                    yield from _constants(each)


def _last_name(node: ast.expr) -> str:
    """Return `C` of `A.B.C` and of `C`."""
    match node:
        case ast.Attribute():
            return node.attr
        case ast.Name():
            return node.id
    return ""
