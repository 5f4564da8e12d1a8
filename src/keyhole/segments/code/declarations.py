"""Declarations: which nodes of a syntax tree are segments, and under which path."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keyhole.fastclasses import dataclass
from keyhole.segments.code.layout import begins_line, indent_of
from keyhole.segments.code.parser import FoundNode

CALLABLE = frozenset({"function", "method", "constructor", "macro", "test", "modifier", "property"})
_OWNERS = frozenset(
    {"class", "struct", "interface", "trait", "impl", "enum", "object", "protocol", "extension"}
    | {"record", "contract", "library", "mixin", "instance", "actor", "union", "annotation"}
)
BLOCKS = CALLABLE | _OWNERS
# What a prototype announces; a macro or a struct may have its name beside it.
_DEFINITIONS = frozenset({"function", "method", "constructor"})
_LABELLED = frozenset({"impl", "extension", "instance"})
# What a lost bracket or a directive in its middle makes look like a function.
_STATEMENTS = {(word,) for word in ("if", "else", "for", "while", "switch", "return", "catch")}
# Deeper than this nobody names anything, and the addresses would outgrow the file.
_DEEPEST = 150
_CLOSES = re.compile(r"[\s;]*")
_COMMENTS = re.compile(r"(?:\s++|//[^\n]*+|/\*(?s:.*?)\*/)*")


@dataclass(slots=True)
class Declaration:
    """A node that is a segment: its kind, its path, the path inside it, its span.

    `is_astray`: it stands indented in an error and has lost its owner. `is_shared`: its statement
    declares others too. `holds_flush`: one inside is not indented deeper, perhaps because a
    bracket is missing.
    """

    found: FoundNode
    kind: str
    path: tuple[str, ...]
    inner: tuple[str, ...]
    start: int
    end: int
    is_astray: bool = False
    is_shared: bool = False
    holds_flush: bool = False


@dataclass(slots=True)
class _Open:
    """A node that is still open, what it lies in, and how many nodes stand directly in it."""

    found: FoundNode
    declared: Declaration | None = None
    holds: int = 0
    # What holds for all that is in it: the innermost declaration, whether an error is nearer than
    # that, whether it is local to a function. Each node knows, so that nobody looks all the way up.
    owner: Declaration | None = None
    is_in_error: bool = False
    is_local: bool = False

    def enter(self, around: _Open | None) -> None:
        """Take over what holds around this node, and add what it is itself."""
        is_error, own = self.found.role == "error", self.declared
        self.owner = own or (around.owner if around else None)
        self.is_in_error = is_error or (around is not None and around.is_in_error and not own)
        self.is_local = (around is not None and around.is_local) or self.found.role == "scope"
        self.is_local |= own is not None and own.kind in CALLABLE


def find_declarations(text: str, nodes: Sequence[FoundNode]) -> list[Declaration]:
    """Return the declarations among `nodes`, in file order."""
    declared: list[tuple[Declaration, list[_Open]]] = []
    opened: list[_Open] = []
    has_errors = any(node.role == "error" for node in nodes)
    for node in nodes:
        while opened and opened[-1].found.end <= node.start:
            opened.pop()
        if node.role in {"comment", "attribute", "aside"} or node.start == node.end:
            continue
        if node.role == "tail":
            _extend(declared, node, text)
        if _is_in_header(node, opened):
            continue
        if opened:
            opened[-1].holds += 1
        entry = _Open(node)
        counts = not (has_errors and node.names[-1:] in _STATEMENTS) and _counts(node, opened)
        if node.role == "segment" and len(opened) < _DEEPEST and counts:
            entry.declared = _declare(text, node, opened)
            declared.append((entry.declared, _wrappers(opened)))
            if has_errors:
                _mark_flush(text, node.start, opened)
        entry.enter(opened[-1] if opened else None)
        opened.append(entry)
    for declaration, wrappers in declared:
        _widen(declaration, wrappers, text)
    found = [declaration for declaration, _ in declared]
    return _without_prototypes(found, slice(-1, None) if has_errors else slice(None))


def _extend(declared: list[tuple[Declaration, list[_Open]]], tail: FoundNode, text: str) -> None:
    """Let the last declaration end with a tail that follows it."""
    last = declared[-1][0] if declared else None
    if last and last.end <= tail.start and _COMMENTS.fullmatch(text, last.end, tail.start):
        last.end = tail.end


def _is_in_header(node: FoundNode, opened: list[_Open]) -> bool:
    """Tell whether a node is the header of the declaration around it, which has the same name."""
    owner = opened[-1].owner if opened else None
    around = owner.found if owner else None
    if not around or not around.body or node.role != "segment" or node.body:
        return False
    return node.names == around.names and node.end <= around.body[0]


def _mark_flush(text: str, start: int, opened: list[_Open]) -> None:
    """Note in the declarations around one that it is not indented more than they are."""
    if not begins_line(text, start):
        return
    column = len(indent_of(text, start).expandtabs(8))
    for entry in opened:
        around = entry.declared
        if around and around.kind in BLOCKS:
            indent = indent_of(text, around.start)
            around.holds_flush |= column <= len(indent.expandtabs(8))


def _counts(node: FoundNode, opened: list[_Open]) -> bool:
    """Tell whether a node declares something: a variable does so outside functions and scopes."""
    if node.kind not in {"variable", "constant"}:
        return True
    return not (opened and opened[-1].is_local)


def _declare(text: str, node: FoundNode, opened: list[_Open]) -> Declaration:
    owner = opened[-1].owner if opened else None
    above = owner.inner if owner else ()
    kind = node.kind
    if kind == "function" and owner:
        methods = owner.kind in _OWNERS
        kind = "method" if methods else kind
        named = node.names[0].partition(".")[0] if len(node.names) == 1 else ""
        kind = "constructor" if methods and named == owner.inner[-1] else kind
    inner = (*above, *node.names)
    path = inner
    if kind in _LABELLED:
        # Two implementations for one type have one name; their headers tell them apart.
        header = text[node.start : node.body[0] if node.body else node.end]
        path = (*above, _label(header))
    is_astray = bool(opened) and opened[-1].is_in_error and not _is_flush(text, node.start)
    return Declaration(node, kind, path, inner, node.start, node.end, is_astray)


def _is_flush(text: str, start: int) -> bool:
    """Tell whether the line that holds `start` has no indentation."""
    return text[text.rfind("\n", 0, start) + 1] not in " \t"


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
            declaration.is_shared = wrapper.holds != 1
            return
        declaration.start, declaration.end = wrapper.found.start, wrapper.found.end


def _without_prototypes(declarations: list[Declaration], names: slice) -> list[Declaration]:
    """Leave out prototypes of what the file also defines: the name means the definition.

    `names` are those of a path to go by: where errors hide the owners, the last one only.
    """
    defined = {item.path[names] for item in declarations if item.kind in _DEFINITIONS}
    return [
        item for item in declarations if item.kind != "prototype" or item.path[names] not in defined
    ]
