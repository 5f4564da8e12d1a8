"""Declarations: which nodes of a syntax tree are segments, and under which path."""

from __future__ import annotations

import re
from collections.abc import Iterable

from keyhole.segments.code import Found
from keyhole.segments.language import Language
from keyhole.values import dataclass

CALLABLE = frozenset({"function", "method", "constructor", "macro", "test", "modifier", "property"})
_OWNERS = frozenset(
    {"class", "struct", "interface", "trait", "impl", "enum", "object", "protocol", "extension"}
    | {"record", "contract", "library", "mixin", "instance", "actor", "union", "annotation"}
)
_LABELLED = frozenset({"impl", "extension", "instance"})
_CLOSES = re.compile(r"[\s;]*")


@dataclass(slots=True)
class Declaration:
    """A node that is a segment: its kind, its path, that of what is inside it, its characters."""

    found: Found
    kind: str
    path: tuple[str, ...]
    inner: tuple[str, ...]
    start: int
    end: int


@dataclass(slots=True)
class _Open:
    """A node that is still open, and how many nodes stand directly in it."""

    found: Found
    declared: Declaration | None = None
    holds: int = 0


def find_declarations(language: Language, text: str, nodes: Iterable[Found]) -> list[Declaration]:
    """Return the declarations among `nodes`, in file order."""
    declared: list[tuple[Declaration, list[_Open]]] = []
    opened: list[_Open] = []
    for node in nodes:
        while opened and opened[-1].found.end <= node.start:
            opened.pop()
        if node.role in {"comment", "attribute", "error"}:
            continue
        if opened:
            opened[-1].holds += 1
        entry = _Open(node)
        if node.role == "segment" and _counts(node, opened):
            entry.declared = _declare(language, text, node, opened)
            declared.append((entry.declared, _wrappers(opened)))
        opened.append(entry)
    for declaration, wrappers in declared:
        _widen(declaration, wrappers, text)
    return _without_prototypes([declaration for declaration, _ in declared])


def _counts(node: Found, opened: list[_Open]) -> bool:
    """Tell whether a node declares something: a variable does so outside functions and scopes."""
    if node.kind not in {"variable", "constant"}:
        return True
    return not any(
        entry.found.role == "scope" or (entry.declared and entry.declared.kind in CALLABLE)
        for entry in opened
    )


def _declare(language: Language, text: str, node: Found, opened: list[_Open]) -> Declaration:
    owner = next((entry.declared for entry in reversed(opened) if entry.declared), None)
    above = owner.inner if owner else ()
    kind = node.kind
    if kind == "function" and owner:
        methods = owner.kind in _OWNERS or owner.kind in language.methods_in.split()
        kind = "method" if methods else kind
    inner = (*above, *node.names)
    path = inner
    if kind in _LABELLED:
        # Two implementations for one type have one name; their headers tell them apart.
        header = text[node.start : node.body[0] if node.body else node.end]
        path = (*above, _label(header))
    return Declaration(node, kind, path, inner, node.start, node.end)


def _label(header: str) -> str:
    bare = re.sub(r"^(impl)\s*<[^>]*>", r"\1", " ".join(header.split()))
    return bare.rstrip(" {:")


def _wrappers(opened: list[_Open]) -> list[_Open]:
    """Return the wrappers directly around, the innermost first."""
    wrappers = []
    for entry in reversed(opened):
        if entry.found.role != "wrapper":
            break
        wrappers.append(entry)
    return wrappers


def _widen(declaration: Declaration, wrappers: list[_Open], text: str) -> None:
    """Take in the wrappers that hold this declaration alone."""
    for wrapper in wrappers:
        closes = _CLOSES.fullmatch(text, declaration.end, wrapper.found.end)
        if wrapper.holds != 1 or not closes:
            return
        declaration.start, declaration.end = wrapper.found.start, wrapper.found.end


def _without_prototypes(declarations: list[Declaration]) -> list[Declaration]:
    """Leave out prototypes of what the file also defines: the name means the definition."""
    defined = {item.path for item in declarations if item.kind != "prototype"}
    return [item for item in declarations if item.kind != "prototype" or item.path not in defined]
