"""Classes above and below those that define a member: what is called so in one is in all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property

from keyhole.engine.prefilter import text_filter
from keyhole.engine.rename.found import SymbolPlaces
from keyhole.engine.rename.symbol import Symbol
from keyhole.fastclasses import dataclass
from keyhole.refusals import Refused
from keyhole.segments.languages.table import language_of
from keyhole.segments.outline import Outline, Segment
from keyhole.segments.registry import outline
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

_WORD = re.compile(r"\w+")


def member_of_relative(
    tree: Tree, found: SymbolPlaces, symbol: Symbol, to: str
) -> tuple[str, int] | None:
    """Return where a class above or below one with the member gives itself the new name."""
    documents = dict(found.documents)
    for path in tree.walk_texts(".", text_filter(to)):
        with suppress(Refused):
            documents.setdefault(path, tree.read(path))
    classes = [
        each
        for path, document in documents.items()
        if language_of(path, document) == symbol.language and not document.is_binary
        for each in _classes(path, document)
    ]
    homes = {each.name for each in classes if each.has_definition(found.offsets.get(each.path, ()))}
    for near in (_above(classes, homes), _below(classes, homes)):
        for each in classes:
            if each.name in near and (line := each.line_of(to)):
                return each.path, line
    return None


@dataclass(frozen=True)
class _Class:
    """A class of a file, and the names in its first lines."""

    path: str
    document: Document
    outline: Outline
    segment: Segment

    @property
    def name(self) -> str:
        return self.segment.path[-1]

    @cached_property
    def others(self) -> frozenset[str]:
        """The names of the classes that this one is made from, among others."""
        low, high = self.segment.parts.get("signature", (0, 0))
        return frozenset(_WORD.findall(self.document.text[low:high])) - {self.name}

    def has_definition(self, offsets: Iterable[int]) -> bool:
        """Tell whether one of these places is the name of a member of the class."""
        for offset in offsets:
            inner = self.outline.enclosing(offset)
            if inner and inner.parent == self.segment.address:
                low, high = inner.parts.get("signature", inner.span)
                if low <= offset < high:
                    return True
        return False

    def line_of(self, name: str) -> int:
        """Return the line at which the class gives itself a member; 0 if it does not."""
        member = self.outline.by_address.get(f"{self.segment.address}.{name}")
        if member:
            return self.document.line_at(member.span[0])
        text = rf"(?:^[ \t]+|\b(self|this)\.){re.escape(name)}[ \t]*(?:=(?!=)|:)"
        for found in re.compile(text, re.MULTILINE).finditer(
            self.document.text, *self.segment.span
        ):
            inner = self.outline.enclosing(found.end() - 1)
            if found[1] or (inner and inner.address == self.segment.address):
                return self.document.line_at(found.start())
        return 0


def _classes(path: str, document: Document) -> list[_Class]:
    known = outline(path, document)
    found = (each for each in known.by_address.values() if each.kind == "class" and each.path)
    return [_Class(path, document, known, each) for each in found]


def _above(classes: Iterable[_Class], names: Iterable[str]) -> set[str]:
    """Return names of classes and of those that they are made from."""
    found = set(names)
    while more := {n for each in classes if each.name in found for n in each.others} - found:
        found |= more
    return found


def _below(classes: Iterable[_Class], names: Iterable[str]) -> set[str]:
    """Return names of classes and of those that are made from them."""
    found = set(names)
    while more := {each.name for each in classes if each.others & found} - found:
        found |= more
    return found
