"""Whether a new name is free where the symbol stands, as far as a file alone can tell."""

from __future__ import annotations

import ast

from keyhole.engine.rename.found import SymbolPlaces
from keyhole.engine.rename.symbol import Symbol
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.registry import outline
from keyhole.text.document import Document


def check_free(found: SymbolPlaces, symbol: Symbol, to: str) -> None:
    """Refuse a new name that the files of the symbol use for something else already."""
    parent = symbol.address.rpartition(".")[0]
    for path in sorted(found.offsets):
        document = found.documents[path]
        if parent:
            taken = _defined(path, document, f"{parent}.{to}") if path == symbol.path else 0
        elif symbol.language == "python":
            taken = _bound(document, to)
        else:
            taken = _defined(path, document, to)
        if taken:
            raise Refused(_taken(path, to, taken))


def _defined(path: str, document: Document, address: str) -> int:
    """Return the line of the segment that has an address already; 0 if there is none."""
    there = outline(path, document).by_address.get(address)
    return document.line_at(there.span[0]) if there else 0


def _bound(document: Document, name: str) -> int:
    """Return the first line with a name that is no attribute and no keyword; 0 if there is none."""
    try:
        tree = ast.parse(document.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    for node in ast.walk(tree):
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
