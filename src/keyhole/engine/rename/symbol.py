"""The symbol that a rename is about: its name and the place where it is defined."""

from __future__ import annotations

import keyword
import re
from functools import partial

from keyhole.edits.by_name.segment_target import found_segment
from keyhole.edits.by_text.target import Target
from keyhole.engine.edit.plan import not_text
from keyhole.engine.rename.request import Rename
from keyhole.engine.sweep.spellings import stands_alone
from keyhole.fastclasses import dataclass
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.code.inner_names import inner_name
from keyhole.segments.languages.table import LANGUAGES, language_of
from keyhole.segments.outline import Outline, Segment, Span
from keyhole.segments.registry import outline
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

# Languages that have symbols, but for which a rename is a change of a key or a heading.
_WITHOUT_SYMBOLS = frozenset({"text", "markdown", "mdx", "json", "jsonc", "yaml", "toml", "html"})
_OVERLOADING = frozenset({"typescript", "tsx", "javascript"})
_NO_SYMBOLS = frozenset({"imports", "docstring"})
_SCOPES = frozenset({"class", "struct", "enum", "interface", "type", "union", "trait"})


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol: the file that defines it, its name, and where in the file the name stands."""

    path: str
    document: Document
    language: str
    name: str
    start: int
    address: str
    # The function that a parameter belongs to.
    scope: Span | None = None

    @property
    def is_member(self) -> bool:
        """Tell whether the symbol belongs to a class."""
        parent = self.address.rpartition(".")[0]
        around = outline(self.path, self.document).by_address.get(parent)
        return around is not None and around.kind == "class"


def symbol_of(tree: Tree, path: str, segment: str) -> Symbol:
    """Return the symbol that a segment defines, or refuse what is none."""
    document = tree.read(path)
    if document.is_binary:
        raise Refused(not_text(path))
    language = language_of(path, document)
    target = Target(path, document)
    try:
        found = found_segment(target, segment).segment
    except Refused as refused:
        one = _of_one_name(outline(path, document), language, refused.refusals[0])
        if one is None and (inner := inner_symbol(target, language, segment)):
            return inner
        if one is None:
            raise Refused(*(each.at(path=path) for each in refused.refusals)) from None
        found = one
    name = found.path[-1] if found.path else found.name
    start = _start_of(document, found, name, path)
    if start is None or language in _WITHOUT_SYMBOLS or found.kind in _NO_SYMBOLS:
        raise Refused(_no_symbol(found, path))
    return Symbol(path, document, language, name, start, found.address)


def _of_one_name(known: Outline, language: str, refusal: Refusal) -> Segment | None:
    """Return the first of segments that are one symbol: a property's, a method's overloads."""
    stems = {each.rpartition("#")[0] for each in refusal.suggestions}
    if refusal.code != "ambiguous" or len(stems) != 1 or "" in stems:
        return None
    first = known.by_address[refusal.suggestions[0]]
    around = known.by_address.get(first.parent)
    is_member = around is not None and around.kind in {"class", "interface"}
    # A scope of Python has one thing of a name.
    one = language == "python" or (is_member and language in _OVERLOADING)
    return first if one else None


def inner_symbol(target: Target, language: str, address: str) -> Symbol | None:
    """Return a field, a member of an enum or a parameter by its owner: `Color.RED`."""
    owner, _, name = address.rpartition(".")
    if not owner or not name.isidentifier() or language not in {"python", *LANGUAGES}:
        return None
    try:
        found = found_segment(target, owner).segment
    except Refused:
        return None
    inside = outline(target.path, target.document).by_address.values()
    is_scope = found.kind in _SCOPES
    span = found.span if is_scope else found.parts.get("signature", found.span)
    others = {each.span for each in inside if each.parent == found.address}
    start = inner_name(language, target.document.text, span, others, name)
    if start is None:
        return None
    own = f"{found.address}.{name}"
    scope = None if is_scope else found.span
    return Symbol(target.path, target.document, language, name, start, own, scope)


def _start_of(document: Document, segment: Segment, name: str, path: str) -> int | None:
    """Return where a segment's name stands: first in its signature, else in the segment."""
    if not name.lstrip("$#@").isidentifier():
        return None
    low, high = segment.parts.get("signature", segment.span)
    for match in re.finditer(re.escape(name), document.text[low:high]):
        start, end = low + match.start(), low + match.end()
        if stands_alone(document.text, start, end, "identifier", path):
            return start
    return None


def check_new_name(symbol: Symbol, wanted: Rename) -> None:
    """Refuse the name that the symbol has, and a word that the language keeps for itself."""
    is_keyword = symbol.language == "python" and keyword.iskeyword(wanted.to)
    is_bare = symbol.language != "python" or wanted.to.isidentifier()
    if wanted.to != symbol.name and not is_keyword and is_bare:
        return
    what = "the name that it has" if wanted.to == symbol.name else f"no name in {symbol.language}"
    headline = say("{to} is `{}`, {}", wanted.to, what)
    raise Refused(Refusal("bad-request", headline, help="give another name", data={"field": "to"}))


def _no_symbol(segment: Segment, path: str) -> Refusal:
    said = partial(say, "`{}` of {} is a {} and no symbol")
    return Refusal(
        "wrong-segment-kind",
        said(segment.address, FileName(path), segment.kind),
        help=say("name a function, class, method or variable; for a text {edit:tool} with {glob}"),
        path=path,
    )
