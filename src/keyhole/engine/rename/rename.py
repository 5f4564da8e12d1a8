"""One rename from request to receipt: find the symbol, check its places, and carry it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from keyhole.answers.receipt import Receipt
from keyhole.answers.sweep import SweepSummary, counted, first_of
from keyhole.engine.edit.requests import Request
from keyhole.engine.options import Options
from keyhole.engine.rename.found import NewFault, SymbolPlaces, places_to_rename
from keyhole.engine.rename.free import check_free
from keyhole.engine.rename.mentions import in_notebooks, with_mentions
from keyhole.engine.rename.request import Rename
from keyhole.engine.rename.symbol import Symbol, check_new_name, symbol_of
from keyhole.engine.sweep.find import Findings, SweptPlaces
from keyhole.engine.sweep.preview import summary_of
from keyhole.engine.sweep.sweep import CarryOut, carried, request_of_places
from keyhole.fastclasses import replace
from keyhole.phrases import FileName, joined, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import ChangeSet
from keyhole.workspace.tree import Tree

_TRIES = 3
_MOST_SHOWN, _LONGEST = 10, 300
# Finds the places of a symbol, or raises `Refused`.
Finder = Callable[[Tree, Symbol, str], SymbolPlaces]


def renamed(
    tree: Tree, wanted: Rename, options: Options, find: Finder, carry_out: CarryOut
) -> Receipt:
    """Rename a symbol everywhere, or change nothing and say why."""
    path = tree.resolve(wanted.path)
    for _ in range(_TRIES - 1):
        try:
            return _renamed(tree, replace(wanted, path=path), options, find, carry_out)
        except Refused as refused:
            # A file changed between the look and the lock: its places may be elsewhere by now.
            if any(each.code != "stale" for each in refused.refusals):
                raise
    return _renamed(tree, replace(wanted, path=path), options, find, carry_out)


def _renamed(
    tree: Tree, wanted: Rename, options: Options, find: Finder, carry_out: CarryOut
) -> Receipt:
    symbol = symbol_of(tree, wanted.path, wanted.segment)
    check_new_name(symbol, wanted)
    found = find(tree, symbol, wanted.to)
    if options.mode != "interactive":
        check_free(tree, found, symbol, wanted.to)
    if wanted.comments:
        found = with_mentions(found, symbol.name)
    files = places_to_rename(found, symbol.name, wanted.to)
    if options.mode != "interactive":
        found = _without_new_faults(found, files)
    receipt = carried(_request(files, options), options, carry_out)
    left = (*_doubts(found), *_in_notebooks(tree, symbol))
    warnings = (*receipt.warnings, *found.notes, *left)
    summary = _summary(tree, files, found, is_preview=not options.writes)
    return replace(receipt, sweep=summary, warnings=warnings)


def _without_new_faults(found: SymbolPlaces, files: tuple[SweptPlaces, ...]) -> SymbolPlaces:
    """Refuse a rename after which who found the places finds more wrong than before."""
    if found.new_faults is None:
        return found
    after = {file.path: _text_after(file, found.documents[file.path].text) for file in files}
    faults = found.new_faults(found.documents, after)
    if faults.found:
        raise Refused(_breaks(found.source, faults.found))
    return replace(found, notes=(*found.notes, faults.note)) if faults.note else found


def _text_after(file: SweptPlaces, text: str) -> str:
    changes = tuple(change for place in file.places for change in place.changes)
    return ChangeSet(len(text), changes).apply(text)


def _breaks(name: str, faults: tuple[NewFault, ...]) -> Refusal:
    rows = [
        say("{}:{} {}", FileName(each.path), each.line, each.message[:_LONGEST]) for each in faults
    ]
    more = len(rows) - _MOST_SHOWN
    tail = [f"and {more} more"] if more > 0 else []
    mend = "make these places ready for the new name first, such as an object that has the old one"
    return Refusal(
        "lint-broken",
        f"the rename adds {counted(len(faults), 'error')}, says {name}",
        where=joined("\n", [*rows[:_MOST_SHOWN], *tail]),
        help=say("{}; or set {mode:bare} interactive to rename all the same", mend),
        mend=mend,
        kind="check",
        path=faults[0].path,
    )


def _request(files: tuple[SweptPlaces, ...], options: Options) -> Request:
    return request_of_places(files, "symbol", options.reason)


def _summary(
    tree: Tree, files: tuple[SweptPlaces, ...], found: SymbolPlaces, *, is_preview: bool
) -> SweepSummary:
    count = sum(len(file.places) for file in files)
    summary = SweepSummary(count, len(files), left_out=found.left_out, changed=count)
    if is_preview:
        summary = replace(summary_of(tree, Findings(list(files), Counter(found.left_out))), help="")
    return replace(summary, found_by=found.source)


def _doubts(found: SymbolPlaces) -> tuple[str, ...]:
    """Return warnings about places with the name that are left."""
    why = "nobody knows whose name it is there"
    others = f"{found.source} does not take them for the symbol"
    own = f"the code has a name of its own there, whatever {found.source} says"
    doubts = ((why, found.unsure), (others, found.others), (own, found.own))
    return tuple(f"left as they are, for {why}: {first_of(each)}" for why, each in doubts if each)


def _in_notebooks(tree: Tree, symbol: Symbol) -> Iterator[str]:
    """Yield a warning if cells of notebooks have the name, which nobody can tell the meaning of."""
    if found := tuple(dict.fromkeys(in_notebooks(tree, symbol))):
        yield say(
            "left as they are, for nobody here knows the names of notebooks: {}; "
            "{edit:tool} with {glob} and {boundary} identifier changes the name there",
            first_of(found),
        )
