"""Bare names of Python that cannot be a symbol, whoever says so: their scope has its own.

A language server may take every name for the symbol in code that it does not read, such as that
for another platform. What a scope says needs no reading of types: a parameter is no function of
another file, and a method is called by no bare name.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from keyhole.text.document import Document

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_Scope = _Function | _Comprehension | ast.ClassDef
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class ScopedName(NamedTuple):
    """A bare name at an offset: whether it binds, by a plain import, in the module's own scope."""

    offset: int
    binds: bool
    is_import: bool
    is_of_module: bool


def names_of_others(document: Document, name: str, *, is_member: bool) -> frozenset[int]:
    """Return where a bare name stands that is no symbol of a module, or no member of a class."""
    tree = parsed(document.text)
    return frozenset(
        _offset(document, node, name)
        for node, scopes in (_names(tree, name, ()) if tree else ())
        if _is_other(node, scopes, name, is_member=is_member)
    )


def parsed(text: str) -> ast.Module | None:
    """Return what Python reads in a text, None where it cannot."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
    return None


def _is_other(node: ast.AST, scopes: tuple[_Scope, ...], name: str, *, is_member: bool) -> bool:
    inner = next((each for each in reversed(scopes) if not isinstance(each, _Comprehension)), None)
    if is_member:
        return not isinstance(inner, ast.ClassDef)
    if isinstance(inner, ast.ClassDef) and inner is scopes[-1]:
        return isinstance(node, _Definition) or _is_stored(node)
    for scope in reversed(scopes):
        if not isinstance(scope, ast.ClassDef) and (kinds := _bindings(scope, name)):
            return kinds == {"own"}
    return False


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)


def _bindings(scope: _Scope, name: str) -> set[str]:
    """Return how a scope makes a name its own: by itself, by an import, by leaving it outside."""
    kinds = set()
    for node in _own(scope):
        match node:
            case ast.Global() | ast.Nonlocal() if name in node.names:
                kinds.add("outer")
            case ast.alias() if (node.asname or node.name) == name:
                kinds.add("import")
            case _ if _word(node) == name and (_is_stored(node) or not isinstance(node, ast.Name)):
                kinds.add("own")
    return kinds


def _word(node: ast.AST) -> str | None:
    """Return the bare name that a node is, or gives to something."""
    match node:
        case ast.Name():
            return node.id
        case ast.arg():
            return node.arg
        case ast.MatchMapping():
            return node.rest
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.name
        case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
            return node.name
    return None


def _bound_word(node: ast.AST) -> str | None:
    return (node.asname or node.name) if isinstance(node, ast.alias) else _word(node)


def names_by_scope(tree: ast.Module, document: Document, name: str) -> Iterator[list[ScopedName]]:
    """Yield the bare names of a module scope by scope, those that imports bind included."""
    known: dict[ast.AST, set[str]] = {}
    groups: dict[ast.AST, list[ScopedName]] = {}
    for node, scopes in _names(tree, name, (), _bound_word):
        scope = _scope_of(scopes, name, known) or tree
        is_import = isinstance(node, ast.alias) and not node.asname
        binds = not isinstance(node, ast.Name) or _is_stored(node)
        offset = _offset(document, node, name)
        groups.setdefault(scope, []).append(ScopedName(offset, binds, is_import, scope is tree))
    yield from groups.values()


def _scope_of(
    scopes: tuple[_Scope, ...], name: str, known: dict[ast.AST, set[str]]
) -> _Scope | None:
    """Return the scope that a name belongs to, None for that of the module."""
    for scope in reversed(scopes):
        if scope not in known:
            known[scope] = _bindings(scope, name)
        kinds = known[scope]
        if "outer" in kinds and any(
            isinstance(each, ast.Global) and name in each.names for each in _own(scope)
        ):
            return None
        is_seen = scope is scopes[-1] or not isinstance(scope, ast.ClassDef)
        if kinds - {"outer"} and "outer" not in kinds and is_seen:
            return scope
    return None


def _own(scope: _Scope) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, those of scopes inside of it left out."""
    left = list(_parts(scope)[1])
    while left:
        node = left.pop()
        yield node
        left += _parts(node)[0] if isinstance(node, _Scope) else ast.iter_child_nodes(node)


def _parts(scope: _Scope) -> tuple[list[ast.AST], list[ast.AST]]:
    """Return what of a scope's code belongs to the scope around it, and what to itself."""
    children = list(ast.iter_child_nodes(scope))
    if isinstance(scope, ast.ClassDef):
        outer = [*scope.decorator_list, *scope.bases, *scope.keywords]
    elif isinstance(scope, _Comprehension):
        outer = [scope.generators[0].iter]
        children += [each for one in scope.generators for each in (one.target, *one.ifs)]
        children += [each.iter for each in scope.generators[1:]]
        children = [each for each in children if not isinstance(each, ast.comprehension)]
    else:
        args = [each for each in ast.walk(scope.args) if isinstance(each, ast.arg)]
        outer = [*scope.args.defaults, *(each for each in scope.args.kw_defaults if each)]
        outer += [each.annotation for each in args if each.annotation]
        if not isinstance(scope, ast.Lambda):
            outer += [*scope.decorator_list, *([scope.returns] if scope.returns else [])]
        bare = [ast.copy_location(ast.arg(each.arg), each) for each in args]
        children = [*bare, *(each for each in children if not isinstance(each, ast.arguments))]
    return outer, [each for each in children if each not in outer]


def _names(
    node: ast.AST,
    name: str,
    scopes: tuple[_Scope, ...],
    word: Callable[[ast.AST], str | None] = _word,
) -> Iterator[tuple[ast.AST, tuple[_Scope, ...]]]:
    """Yield each node that is the bare name, with the scopes it is in, from outside in."""
    own: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, _Scope):
        outer, own = _parts(node)
        for each in outer:
            yield from _names(each, name, scopes, word)
    if word(node) == name:
        yield node, scopes
    inner = (*scopes, node) if isinstance(node, _Scope) else scopes
    for each in own:
        yield from _names(each, name, inner, word)


def _offset(document: Document, node: ast.AST, name: str) -> int:
    """Return where a node has the name: at its start or end, or behind a word of its kind."""
    if isinstance(node, ast.MatchAs | ast.MatchStar) or (
        isinstance(node, ast.alias) and node.asname
    ):
        return place_of(document, node.end_lineno, node.end_col_offset) - len(name)
    start = place_of(document, node.lineno, node.col_offset)  # type: ignore[attr-defined]
    if isinstance(node, ast.Name | ast.arg | ast.alias):
        return start
    found = re.compile(rf"(?:\b(?:def|class|as)\s|\*\*)\s*(?={name}\b)").search(
        document.text, start
    )
    return found.end() if found else start


def place_of(document: Document, line: int | None, column: int | None) -> int:
    """Return the offset of a place as the parser counts: from the line's start, in bytes."""
    assert line, "BUG: what was parsed has a place"
    before = document.line(line).encode()[:column].decode()
    return document.span_of_lines(line, line)[0] + len(before)
