"""Whether a new name is free where the symbol stands, as far as a file alone can tell."""

from __future__ import annotations

import ast
import re
import sys

from keyhole.edits.by_text.target import Target
from keyhole.engine.rename.classes import member_of_relative
from keyhole.engine.rename.found import SymbolPlaces
from keyhole.engine.rename.mentions import quoted
from keyhole.engine.rename.scopes import parsed
from keyhole.engine.rename.symbol import Symbol, inner_symbol
from keyhole.engine.sweep.spellings import stands_alone
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.outline import Span
from keyhole.segments.registry import outline
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

_DUNDER = re.compile(r"__\w+__")


def check_free(tree: Tree, found: SymbolPlaces, symbol: Symbol, to: str) -> None:
    """Refuse a new name that is something else's, and an old one that is not the tree's alone."""
    if found.overrides or (symbol.language == "python" and _DUNDER.fullmatch(symbol.name)):
        raise Refused(_not_ours(found, symbol))
    parent = symbol.address.rpartition(".")[0]
    if symbol.is_member and (there := member_of_relative(tree, found, symbol, to)):
        raise Refused(_taken(there[0], to, there[1]))
    for path in sorted(found.offsets):
        document = found.documents[path]
        if parent:
            taken = _beside(symbol, f"{parent}.{to}", to) if path == symbol.path else 0
        elif symbol.language == "python":
            taken = _bound(document, to)
        else:
            taken = _defined(path, document, to) or _used(path, document, to)
        if taken:
            raise Refused(_taken(path, to, taken))


def _beside(symbol: Symbol, address: str, to: str) -> int:
    """Return the line where the owner of a symbol has the new name already; 0 if it has not."""
    path, document = symbol.path, symbol.document
    if taken := _defined(path, document, address):
        return taken
    if found := inner_symbol(Target(path, document), symbol.language, address):
        return document.line_at(found.start)
    return _used(path, document, to, symbol.scope) if symbol.scope else 0


def _defined(path: str, document: Document, address: str) -> int:
    """Return the line of the segment that has an address already; 0 if there is none."""
    there = outline(path, document).by_address.get(address)
    return document.line_at(there.span[0]) if there else 0


def _used(path: str, document: Document, name: str, scope: Span = (0, sys.maxsize)) -> int:
    """Return the first line of code with a name that is no member; 0 if there is none."""
    text, spans = document.text, quoted(path, document)
    for found in re.finditer(re.escape(name), text):
        low, high = found.span()
        is_whole = stands_alone(text, low, high, "identifier", path) and text[low - 1 : low] != "."
        is_whole = is_whole and scope[0] <= low < scope[1]
        if is_whole and not any(start <= low < end for start, end in spans):
            return document.line_at(low)
    return 0


def _bound(document: Document, name: str) -> int:
    """Return the first line with a name that is no attribute and no keyword; 0 if there is none."""
    tree = parsed(document.text)
    for node in ast.walk(tree) if tree else ():
        names: tuple[str | None, ...] = ()
        match node:
            case ast.Name():
                names = (node.id,)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names = (node.name,)
            case ast.alias():
                names = (node.asname or node.name.partition(".")[0],)
            case ast.arg():
                names = (node.arg,)
            case ast.ExceptHandler():
                names = (node.name,)
        if name in names:
            return int(getattr(node, "lineno", 0))
    return 0


def _taken(path: str, to: str, line: int) -> Refusal:
    return Refusal(
        "bad-request",
        say("{to} is `{}`, and line {} of {} uses that name already", to, line, FileName(path)),
        help=say("give another name; {mode:bare} interactive renames all the same"),
        path=path,
        data={"field": "to"},
    )


def _not_ours(found: SymbolPlaces, symbol: Symbol) -> Refusal:
    """Return the refusal of a name by which somebody else's code calls the symbol."""
    what = "is a name that Python itself calls"
    if found.overrides:
        what = f"overrides what {found.overrides} calls so, which is not in the workspace"
    return Refusal(
        "bad-request",
        say("`{}` of {} {}", symbol.name, FileName(symbol.path), what),
        help=say("rename another symbol; {mode:bare} interactive renames all the same"),
        path=symbol.path,
        data={"field": "segment"},
    )
