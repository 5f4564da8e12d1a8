"""The places of a Python symbol without a language server: by jedi, and a look at what it left.

Jedi follows a name from its definition. What else is called so is asked the other way round, where
it leads, so that nothing is missed that can be known; what nobody can know is told.
"""

from __future__ import annotations

import io
import os
import re
import tokenize
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from keyhole.engine.rename.found import SymbolPlaces, documents_with_name
from keyhole.engine.rename.plain_python import plain_python
from keyhole.engine.rename.same_scope import plain_imports, with_scope_mates
from keyhole.engine.rename.symbol import Symbol
from keyhole.engine.sweep.spellings import stands_alone
from keyhole.fastclasses import dataclass, replace
from keyhole.phrases import say
from keyhole.refactor.python import NamePlace, PythonNames
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document, masked
from keyhole.workspace.tree import Tree

# Files with the name in them, and names that are asked where they lead.
_MOST_FILES, _MOST_ASKED = 2_000, 3_000


def python_places(tree: Tree, symbol: Symbol, to: str) -> SymbolPlaces:
    """Return the places of a symbol in the Python files of a tree."""
    names, view = _names_and_view(tree, symbol)
    at = view.place(symbol.path, symbol.start)
    known, outside = _family(names, view, at) if symbol.is_member else ({at}, "")
    known |= names.references(at, view.texts[symbol.path], symbol.name)
    known -= _imported_from_outside(names, view, known)
    ends = _ends(names, view, known)
    written: Mapping[tuple[str, int], str] = {}
    while True:
        while more := {each for each, far in ends.items() if far & (known - {each})} - known:
            known |= more
        unsure = tuple(view.unsure(ends.keys() - known, ends))
        found = SymbolPlaces(view.documents, view.offsets(known), "jedi", unsure)
        found = replace(found, written=written, overrides=outside, left_out=view.left_out)
        if symbol.is_member:
            return found
        found, _ = with_scope_mates(found, symbol.name, to)
        more = {view.place(path, each) for path, some in found.offsets.items() for each in some}
        if more <= known:
            return found
        known, written = known | more, found.written


def _imported_from_outside(
    names: PythonNames, view: _View, known: Collection[NamePlace]
) -> set[NamePlace]:
    """Return where a file imports the name from a file that is not of the tree."""
    found = set()
    for path, document in view.documents.items():
        places = {view.place(path, each) for each in plain_imports(document, view.name)}
        ends = names.definitions(sorted(places.intersection(known)), view.texts[path])
        found |= {each for each, far in ends.items() if not any(map(view.has, far - {each}))}
    return found


def overriding(tree: Tree, symbol: Symbol) -> tuple[list[Symbol], str]:
    """Return the methods that override a method, and that it overrides, in the tree and outside."""
    names, view = _names_and_view(tree, symbol)
    family, outside = _family(names, view, view.place(symbol.path, symbol.start))
    places = view.offsets(family)
    found = [
        replace(symbol, path=path, document=view.documents[path], start=start)
        for path, offsets in places.items()
        for start in offsets
    ]
    return found, outside


def _names_and_view(tree: Tree, symbol: Symbol) -> tuple[PythonNames, _View]:
    documents, left_out = documents_with_name(tree, symbol, "*.{py,pyi}", _MOST_FILES)
    if len(documents) > _MOST_FILES:
        raise Refused(_too_many(symbol.name))
    texts = {path: plain_python(masked(each.text)) for path, each in documents.items()}
    names = PythonNames(tree.root.path, str(tree.state / "jedi"))
    return names, _View(tree, documents, texts, symbol.name, left_out)


def _family(names: PythonNames, view: _View, at: NamePlace) -> tuple[set[NamePlace], str]:
    """Return a method with those that override it or that it overrides, and who else has one."""
    ends = _ends(names, view, set(), "def ")
    family = {at}
    while (
        more := {
            each
            for one, found in ends.items()
            if family & {one, *found}
            for each in {one, *found}
            if view.has(each)
        }
        - family
    ):
        family |= more
    outside = (each.path for one in family for each in ends.get(one, ()) if not view.has(each))
    return family, Path(next(outside, "")).name


def _ends(
    names: PythonNames, view: _View, known: set[NamePlace], before: str = ""
) -> dict[NamePlace, set[NamePlace]]:
    """Return where each place with the name leads to, but for those that are known."""
    ends: dict[NamePlace, set[NamePlace]] = {}
    for path, text in view.texts.items():
        places = (each for each in view.in_code(path) if text.endswith(before, 0, each))
        left = {view.place(path, each) for each in places} - known
        if len(ends) + len(left) > _MOST_ASKED:
            raise Refused(_too_many(view.name))
        ends |= names.definitions(sorted(left), text)
    return ends


@dataclass(frozen=True, slots=True)
class _View:
    """The files that hold a name, and where in them it stands."""

    tree: Tree
    documents: Mapping[str, Document]
    # As jedi reads them: types without their quotes.
    texts: Mapping[str, str]
    name: str
    # How many files with the name could not be looked at, by why.
    left_out: Mapping[str, int]

    def in_code(self, path: str) -> list[int]:
        """Return the offsets of the name outside of comments and strings."""
        text = self.texts[path]
        quoted = quoted_spans(text)
        return [
            start
            for start in whole_names(text, self.name)
            if not any(low <= start < high for low, high in quoted)
        ]

    def place(self, path: str, offset: int) -> NamePlace:
        """Return an offset of a file as jedi counts."""
        document = self.documents[path]
        line = document.line_at(offset)
        column = offset - document.span_of_lines(line, line)[0]
        return NamePlace(f"{self.tree.root.path}/{path}", line, column)

    def has(self, place: NamePlace) -> bool:
        """Tell whether a place lies in a file of the tree."""
        return os.path.relpath(place.path, self.tree.root.path) in self.documents

    def unsure(
        self, left: Iterable[NamePlace], ends: Mapping[NamePlace, set[NamePlace]]
    ) -> Iterator[str]:
        """Yield the lines that have the name as a member of nobody knows what."""
        for each in sorted(left):
            path = os.path.relpath(each.path, self.tree.root.path)
            line = self.documents[path].line(each.line)
            if not ends[each] - {each} and line[: each.column].endswith("."):
                yield f"{path}:{each.line}"

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
