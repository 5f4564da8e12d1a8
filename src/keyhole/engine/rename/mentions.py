"""The old name where nobody tells what it means: in comments, strings and notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from keyhole.engine.rename.found import SymbolPlaces
from keyhole.engine.rename.symbol import Symbol
from keyhole.engine.sweep.spellings import stands_alone
from keyhole.fastclasses import replace
from keyhole.refusals import Refused
from keyhole.segments.languages.table import LANGUAGES, language_of
from keyhole.segments.notebook.outline import CellPlace, cells_of
from keyhole.segments.outline import Span
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

_WITH_JSDOC = frozenset({"typescript", "tsx", "javascript"})


def with_mentions(found: SymbolPlaces, name: str) -> SymbolPlaces:
    """Return the places with those in comments and strings of the same files."""
    offsets = {
        path: own | _mentions(path, found.documents[path], name) if own else own
        for path, own in found.offsets.items()
    }
    return replace(found, offsets=offsets)


def _mentions(path: str, document: Document, name: str) -> frozenset[int]:
    spans = quoted(path, document)
    found = []
    at = document.text.find(name)
    while at >= 0:
        is_whole = stands_alone(document.text, at, at + len(name), "identifier", path)
        if is_whole and any(low <= at < high for low, high in spans):
            found.append(at)
        at = document.text.find(name, at + len(name))
    return frozenset(found)


def in_notebooks(tree: Tree, symbol: Symbol) -> Iterator[str]:
    """Yield where cells of a symbol's language have its name, as messages name a line."""
    name = symbol.name.encode()
    for path in tree.walk_texts(".", lambda _, data: name in data, glob="*.ipynb"):
        with suppress(Refused):
            document = tree.read(path)
            for cell in cells_of(document.text) if document.notebook else ():
                if cell.language == symbol.language:
                    yield from _lines_in(path, document, cell, symbol.name)


def _lines_in(path: str, document: Document, cell: CellPlace, name: str) -> Iterator[str]:
    at = document.text.find(name, cell.start, cell.end)
    while at >= 0:
        if stands_alone(document.text, at, at + len(name), "identifier"):
            yield f"{path}:{document.place_shown(document.line_at(at))}"
        at = document.text.find(name, at + len(name), cell.end)


def quoted(path: str, document: Document) -> list[Span]:
    """Return the comments and strings of a file."""
    language = language_of(path, document)
    if language == "python":
        from keyhole.engine.rename.python import quoted_spans

        return quoted_spans(document.text)
    return _named_by_grammar(language, document, ("comment", "string"))


def comments_of(path: str, document: Document) -> list[Span]:
    """Return the comments of a file that mean nothing to its language: no types in them."""
    language, text = language_of(path, document), document.text
    if language == "python":
        spans = quoted(path, document)
        return [each for each in spans if text[each[0]] == "#" and not _is_type(text, each)]
    found = _named_by_grammar(language, document, ("comment",))
    if language in _WITH_JSDOC:
        return [each for each in found if not text.startswith("/**", each[0])]
    return found


def _named_by_grammar(language: str, document: Document, kinds: tuple[str, ...]) -> list[Span]:
    from keyhole.segments.literals import quoted_in

    return quoted_in(language, document.text, kinds) if language in LANGUAGES else []


def _is_type(text: str, span: Span) -> bool:
    return text[slice(*span)].lstrip("# \t").startswith("type:")
