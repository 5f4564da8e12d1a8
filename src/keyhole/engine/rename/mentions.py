"""The old name in comments and strings, for who asks for these too."""

from __future__ import annotations

from keyhole.engine.rename.found import SymbolPlaces
from keyhole.engine.sweep.spellings import stands_alone
from keyhole.fastclasses import replace
from keyhole.segments.languages.table import LANGUAGES, language_of
from keyhole.segments.outline import Span
from keyhole.text.document import Document


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


def quoted(path: str, document: Document) -> list[Span]:
    """Return the comments and strings of a file."""
    language = language_of(path, document)
    if language == "python":
        from keyhole.engine.rename.python import quoted_spans

        return quoted_spans(document.text)
    return _named_by_grammar(language, document, ("comment", "string"))


def comments_of(path: str, document: Document) -> list[Span]:
    """Return the comments of a file that mean nothing to its language: no types of Python."""
    language = language_of(path, document)
    if language == "python":
        text = document.text
        spans = quoted(path, document)
        return [each for each in spans if text[each[0]] == "#" and not _is_type(text, each)]
    return _named_by_grammar(language, document, ("comment",))


def _named_by_grammar(language: str, document: Document, kinds: tuple[str, ...]) -> list[Span]:
    from keyhole.segments.literals import quoted_in

    return quoted_in(language, document.text, kinds) if language in LANGUAGES else []


def _is_type(text: str, span: Span) -> bool:
    return text[slice(*span)].lstrip("# \t").startswith("type:")
