"""The places of a symbol, each checked to be the old name, as the edits that rename it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from keyhole.engine.prefilter import text_filter
from keyhole.engine.rename.symbol import Symbol
from keyhole.engine.sweep.find import SweptPlaces
from keyhole.engine.sweep.places import SweepPlace, named
from keyhole.fastclasses import dataclass, field, replace
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree


class NewFault(NamedTuple):
    """What is wrong in the new text of a file alone."""

    path: str
    line: int
    message: str


class NewFaults(NamedTuple):
    """What a server finds wrong in new texts alone, or why it does not say so."""

    found: tuple[NewFault, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class SymbolPlaces:
    """Where a symbol stands: offsets in the versions of the files that were looked at."""

    documents: Mapping[str, Document]
    offsets: Mapping[str, frozenset[int]]
    # Who found them.
    source: str
    # Places that have the name and of which nobody knows what they mean, by file and line; and
    # those that who found these does not take for the symbol.
    unsure: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    # Those that who found the others took for the symbol, while the code tells that they are not.
    own: tuple[str, ...] = ()
    # How many files were not looked at, by why.
    left_out: Mapping[str, int] = field(default_factory=dict)
    # What is written at a place by its file and offset, where that is more than the new name.
    written: Mapping[tuple[str, int], str] = field(default_factory=dict)
    # What is told beside the places.
    notes: tuple[str, ...] = ()
    # Asks who found them what is wrong in new texts of files and not in those that there are.
    new_faults: Callable[[Mapping[str, Document], Mapping[str, str]], NewFaults] | None = None
    # The file of somebody else's that has a method which the symbol overrides.
    overrides: str = ""


def documents_with_name(
    tree: Tree, symbol: Symbol, glob: str = "", most: int = sys.maxsize
) -> tuple[dict[str, Document], Counter[str]]:
    """Return the files that have a name, up to `most` and one, and how many are left out by why."""
    found, left_out = {symbol.path: symbol.document}, Counter[str]()
    for path in tree.walk_texts(".", text_filter(symbol.name), glob=glob):
        try:
            document = tree.read(path)
        except Refused:
            left_out["unreadable"] += 1
            continue
        if not document.is_binary and symbol.name in document.text:
            found.setdefault(path, document)
        if len(found) > most:
            break
    return found, left_out


def joined(first: SymbolPlaces, second: SymbolPlaces) -> SymbolPlaces:
    """Return the places of two symbols that change together."""
    offsets = dict(first.offsets)
    for path, more in second.offsets.items():
        offsets[path] = offsets.get(path, frozenset()) | more
    return replace(
        first,
        documents={**first.documents, **second.documents},
        offsets=offsets,
        others=tuple(each for each in first.others if each in second.others),
        own=tuple(dict.fromkeys((*first.own, *second.own))),
        written={**first.written, **second.written},
    )


def places_to_rename(found: SymbolPlaces, old: str, new: str) -> tuple[SweptPlaces, ...]:
    """Return the edits of a rename; refuse if any place is not the old name."""
    return tuple(
        _of_file(path, found, offsets, (old, new))
        for path, offsets in sorted(found.offsets.items())
        if offsets
    )


def _of_file(
    path: str, found: SymbolPlaces, offsets: Iterable[int], names: tuple[str, str]
) -> SweptPlaces:
    document, (old, new) = found.documents[path], names
    places = []
    for start in sorted(offsets):
        end = start + len(old)
        if document.text[start:end] != old:
            raise Refused(_other_text(path, document, start, old))
        text = found.written.get((path, start), new)
        places.append(SweepPlace(0, start, end, (Change(start, end, text),)))
    return SweptPlaces(path, document.hash, tuple(named(path, document, places)))


def _other_text(path: str, document: Document, start: int, old: str) -> Refusal:
    line = document.line_at(min(start, len(document.text)))
    return Refusal(
        "stale",
        say("line {} of {} does not have `{}` where it was found", line, FileName(path), old),
        help="the file may have just changed: send the same request again",
        path=path,
        hash_current=document.hash,
    )
