"""The places of a symbol as a search shows them."""

from __future__ import annotations

from collections.abc import Iterator

from keyhole.answers.reading import Hit, Hits
from keyhole.engine.rename.found import SymbolPlaces, places_to_rename
from keyhole.engine.rename.rename import Finder
from keyhole.engine.rename.symbol import symbol_of
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.registry import outline
from keyhole.workspace.tree import Tree

_LONGEST = 400


def references(tree: Tree, path: str, segment: str, limit: int, find: Finder) -> Hits:
    """Return where a symbol is defined, imported and used, each place with its segment."""
    if tree.is_directory(path):
        raise Refused(_no_file(path))
    symbol = symbol_of(tree, tree.resolve(path), segment)
    found = find(tree, symbol, symbol.name)
    places_to_rename(found, symbol.name, symbol.name)  # each is the name, or the call is refused
    total = sum(len(offsets) for offsets in found.offsets.values())
    return Hits(tuple(_hits(found, limit)), total)


def _hits(found: SymbolPlaces, limit: int) -> Iterator[Hit]:
    left = limit
    for path, offsets in sorted(found.offsets.items()):
        if not offsets or left <= 0:
            continue
        document = found.documents[path]
        segments = outline(path, document)
        _ = document.starts  # each place asks for its line
        for offset in sorted(offsets)[:left]:
            line = document.line_at(offset)
            column = offset - document.span_of_lines(line, line)[0] + 1
            inner = segments.enclosing(offset)
            address = inner.address if inner else ""
            yield Hit(path, line, column, document.line(line)[:_LONGEST], address)
        left -= len(offsets)


def _no_file(path: str) -> Refusal:
    return Refusal(
        "bad-request",
        say("{symbol} needs the file that defines it, and {} is a directory", FileName(path)),
        help=say("name the file in {path:bare}; {outline:tool} tells where a name is defined"),
        data={"field": "path"},
    )
