"""What else of a Python file is the symbol: one scope has one thing of a name, and may export it.

try:                             Who finds only the first import and what uses it leaves a
    from fast import parse       second import that nothing uses. It becomes
except ImportError:              `from slow import parse as scan`.
    from slow import parse
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from keyhole.engine.rename.found import SymbolPlaces
from keyhole.engine.rename.scopes import ScopedName, names_by_scope, parsed, place_of
from keyhole.fastclasses import replace
from keyhole.text.document import Document

_OPENING = re.compile(r"""[rRuU]?("{3}|'{3}|["'])""")
_GROWING = frozenset({"append", "extend", "insert", "remove"})


def with_scope_mates(
    found: SymbolPlaces, name: str, to: str
) -> tuple[SymbolPlaces, list[tuple[str, int]]]:
    """Return the places with what their scopes and lists of exports need, and what of it binds."""
    offsets, written = dict(found.offsets), dict(found.written)
    documents = {path: each for path, each in found.documents.items() if _concerns(found, path)}
    trees = {path: tree for path, each in documents.items() if (tree := parsed(each.text))}
    homes, bound = set(), []
    for path, tree in trees.items():
        own = found.offsets.get(path, frozenset())
        for scope in _scopes_with(own, names_by_scope(tree, documents[path], name)):
            homes |= {path} if scope[0].is_of_module else set()
            more = [each for each in scope if each.offset not in own]
            offsets[path] = offsets[path].union(each.offset for each in more)
            bound += [(path, each.offset) for each in more if each.binds and not each.is_import]
            as_new = f"{name} as {to}"
            written |= {(path, each.offset): as_new for each in more if each.is_import}
    modules = {_module(path) for path in homes}
    for path, tree in trees.items():
        has = path in homes or _takes_all(tree, path, modules, documents[path], name)
        if has and (listed := frozenset(_listed(tree, documents[path], name))):
            offsets[path] = offsets.get(path, frozenset()) | listed
    more_places = replace(found, offsets=offsets, written=written)
    return _without_doubts(more_places, found.offsets), bound


def _scopes_with(
    own: frozenset[int], scopes: Iterator[list[ScopedName]]
) -> Iterator[list[ScopedName]]:
    """Yield the scopes that have the name from one of these places."""
    for scope in scopes:
        if any(each.binds and each.offset in own for each in scope):
            yield scope


def _without_doubts(found: SymbolPlaces, before: Mapping[str, frozenset[int]]) -> SymbolPlaces:
    """Return the places; of those that came no doubt is left."""
    added = {
        f"{path}:{found.documents[path].line_at(each)}"
        for path, offsets in found.offsets.items()
        for each in offsets - before.get(path, frozenset())
    }
    unsure, others = (
        tuple(each for each in some if each not in added) for some in (found.unsure, found.others)
    )
    return replace(found, unsure=unsure, others=others)


def plain_imports(document: Document, name: str) -> frozenset[int]:
    """Return where a file imports a name as it is called."""
    tree = parsed(document.text)
    scopes = names_by_scope(tree, document, name) if tree else ()
    return frozenset(each.offset for scope in scopes for each in scope if each.is_import)


def _concerns(found: SymbolPlaces, path: str) -> bool:
    document = found.documents[path]
    is_python = path.endswith((".py", ".pyi")) and not document.stored
    return is_python and bool(found.offsets.get(path) or "__all__" in document.text)


def _takes_all(
    tree: ast.Module, path: str, modules: set[str], document: Document, name: str
) -> bool:
    """Tell whether a module has the name only from one of others that it imports all of."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            module = (node.module or "").rpartition(".")[2]
            if (module or PurePosixPath(path).parent.name) in modules:
                scopes = names_by_scope(tree, document, name)
                return not any(each.binds and each.is_of_module for one in scopes for each in one)
    return False


def _module(path: str) -> str:
    """Return the last name of the module that a file is."""
    file = PurePosixPath(path)
    return file.parent.name if file.stem == "__init__" else file.stem


def _listed(tree: ast.Module, document: Document, name: str) -> Iterator[int]:
    """Yield where the list of what a module exports has a name."""
    for part in _lists(tree):
        for node in ast.walk(part):
            if isinstance(node, ast.Constant) and node.value == name:
                start = place_of(document, node.lineno, node.col_offset)
                opening = _OPENING.match(document.text, start)
                if opening and document.text.startswith(name, opening.end()):
                    yield opening.end()


def _lists(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                yield value
            case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
                yield value
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
                yield value
            case ast.Call(func=ast.Attribute(value=ast.Name(id="__all__"), attr=attr)):
                if attr in _GROWING:
                    yield from node.args
