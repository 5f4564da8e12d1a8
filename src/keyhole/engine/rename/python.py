"""The places of a Python symbol without a language server: by jedi, and a look at what it left.

Jedi follows a name from its definition. What else is called so is asked the other way round, where
it leads, so that nothing is missed that can be known; what nobody can know is told.
"""

from __future__ import annotations

import io
import os
import re
import tokenize
from collections.abc import Iterator, Mapping
from contextlib import suppress

from keyhole.engine.prefilter import text_filter
from keyhole.engine.rename.found import SymbolPlaces
from keyhole.engine.rename.symbol import Symbol
from keyhole.engine.sweep.spellings import stands_alone
from keyhole.fastclasses import dataclass
from keyhole.phrases import say
from keyhole.refactor.python import NamePlace, PythonNames
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document, masked
from keyhole.workspace.tree import Tree

# Files with the name in them, and names that are asked where they lead.
_MOST_FILES, _MOST_ASKED = 2_000, 3_000
_LISTED = re.compile(r"^__all__\b[^=\n]*\+?=\s*[\[(](.*?)[\])]", re.MULTILINE | re.DOTALL)


def python_places(tree: Tree, symbol: Symbol) -> SymbolPlaces:
    """Return the places of a symbol in the Python files of a tree."""
    documents = _documents(tree, symbol)
    names = PythonNames(tree.root.path, str(tree.state / "jedi"))
    at = _place(tree, symbol.path, symbol.document, symbol.start)
    known = names.references(at, masked(symbol.document.text), symbol.name)
    known.add(at)
    view = _View(tree, documents, symbol.name)
    asked = 0
    doubts: list[str] = []
    for path, document in documents.items():
        left = [each for each in view.in_code(path) if view.place(path, each) not in known]
        asked += len(left)
        if asked > _MOST_ASKED:
            raise Refused(_too_many(symbol.name))
        places = {view.place(path, each): each for each in left}
        found = names.definitions(places, masked(document.text))
        meant = {each for each, ends in found.items() if ends & (known - {each})}
        known |= meant
        doubts += [
            f"{path}:{each.line}"
            for each in sorted(found.keys() - meant, key=lambda one: one.line)
            if not found[each] - {each} and document.text[places[each] - 1 : places[each]] == "."
        ]
    offsets = view.offsets(known)
    if "." not in symbol.address:
        offsets = {
            path: found | view.listed(path) if found else found for path, found in offsets.items()
        }
    return SymbolPlaces(documents, offsets, "jedi", tuple(doubts))


def _documents(tree: Tree, symbol: Symbol) -> dict[str, Document]:
    """Return the Python files that hold a name, each as it stands."""
    found = {symbol.path: symbol.document}
    for path in tree.walk_texts(".", text_filter(symbol.name), glob="*.{py,pyi}"):
        with suppress(Refused):
            document = tree.read(path)
            if not document.is_binary:
                found.setdefault(path, document)
        if len(found) > _MOST_FILES:
            raise Refused(_too_many(symbol.name))
    return found


def _place(tree: Tree, path: str, document: Document, offset: int) -> NamePlace:
    line = document.line_at(offset)
    column = offset - document.span_of_lines(line, line)[0]
    return NamePlace(f"{tree.root.path}/{path}", line, column)


@dataclass(frozen=True, slots=True)
class _View:
    """The files that hold a name, and where in them it stands."""

    tree: Tree
    documents: Mapping[str, Document]
    name: str

    def in_code(self, path: str) -> list[int]:
        """Return the offsets of the name outside of comments and strings."""
        text = self.documents[path].text
        quoted = quoted_spans(text)
        return [
            start
            for start in whole_names(text, self.name)
            if not any(low <= start < high for low, high in quoted)
        ]

    def listed(self, path: str) -> frozenset[int]:
        """Return the offsets of the name in the list of what a module exports."""
        text = self.documents[path].text
        quotes = re.compile(rf"""(?<=['"]){re.escape(self.name)}(?=['"])""")
        return frozenset(
            match.start()
            for exported in _LISTED.finditer(text)
            for match in quotes.finditer(text, *exported.span(1))
        )

    def place(self, path: str, offset: int) -> NamePlace:
        """Return an offset of a file as jedi counts."""
        return _place(self.tree, path, self.documents[path], offset)

    def offsets(self, places: set[NamePlace]) -> dict[str, frozenset[int]]:
        """Return the places in files of the tree, those that .gitignore names left out."""
        found: dict[str, set[int]] = {}
        for place in places:
            path = os.path.relpath(place.path, self.tree.root.path)
            document = self.documents.get(path)
            if document is None:
                continue
            line = min(place.line, max(document.line_count, 1))
            start = document.span_of_lines(line, line)[0] + place.column
            found.setdefault(path, set()).add(start)
        return {path: frozenset(offsets) for path, offsets in found.items()}


def whole_names(text: str, name: str) -> Iterator[int]:
    """Yield where a name stands that is no part of a longer one."""
    for match in re.finditer(re.escape(name), text):
        if stands_alone(text, *match.span(), "word"):
            yield match.start()


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Return the comments and strings of a Python text, as far as it can be read."""
    starts = [0]
    for line in io.StringIO(text, newline=""):
        starts.append(starts[-1] + len(line))
    spans = []
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type in {tokenize.COMMENT, tokenize.STRING}:
                (first, low), (last, high) = token.start, token.end
                spans.append((starts[first - 1] + low, starts[last - 1] + high))
    return spans


def _too_many(name: str) -> Refusal:
    headline = f"`{name}` stands at too many places to ask what each of them means"
    help_line = say("rename it by {edit:tool} with {glob}, or by a language server")
    return Refusal("too-large", headline, help=help_line)
