"""One sweep from request to receipt: find, choose, and carry out as one transaction."""

from __future__ import annotations

from collections.abc import Callable

from keyhole.answers.receipt import Receipt
from keyhole.answers.sweep import counted, first_of
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import CandidateEdit
from keyhole.engine.edit.requests import Request
from keyhole.engine.options import Options
from keyhole.engine.sweep.choose import ChosenPlaces, chosen
from keyhole.engine.sweep.find import Findings, SweptPlaces, find_places
from keyhole.engine.sweep.preview import carried_out, summary_of
from keyhole.engine.sweep.request import Sweep
from keyhole.fastclasses import replace
from keyhole.phrases import FileName, joined, say
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.tree import Tree

# Carries a request out, or raises `Refused`.
CarryOut = Callable[[Request, Options], Receipt]
# How often a sweep is looked for again, if a file changes before it is locked.
_TRIES = 3


def swept(tree: Tree, sweep: Sweep, options: Options, carry_out: CarryOut) -> Receipt:
    """Return the preview of a sweep, or carry it out where the call says which places it means."""
    if options.expected_hash:
        raise Refused(_no_hashes())
    sweep = replace(sweep, path=tree.resolve(sweep.path))
    if not sweep.writes:
        found = find_places(tree, sweep)
        if not found.files:
            raise Refused(_no_place(found))
        return Receipt(
            "verified",
            dry_run=True,
            warnings=_doubts(found),
            sweep=summary_of(tree, found, sweep.offset, is_full=sweep.is_full),
        )
    for _ in range(_TRIES - 1):
        try:
            return _carried_out(tree, sweep, options, carry_out)
        except Refused as refused:
            # A file changed between the look and the lock: its places may be elsewhere by now.
            if sweep.only or any(each.code != "stale" for each in refused.refusals):
                raise
    return _carried_out(tree, sweep, options, carry_out)


def _carried_out(tree: Tree, sweep: Sweep, options: Options, carry_out: CarryOut) -> Receipt:
    found = find_places(tree, sweep)
    meant = chosen(sweep, found, skips=options.on_conflict == "skip")
    receipt = carried(request_for(meant, sweep), options, carry_out)
    summary = carried_out(found, meant.count)
    warnings = (*meant.warnings, *_doubts(found), *receipt.warnings)
    return replace(receipt, sweep=summary, warnings=warnings)


def carried(request: Request, options: Options, carry_out: CarryOut) -> Receipt:
    """Carry places out; a file that changed since they were found is refused in their words."""
    try:
        return carry_out(request, options)
    except Refused as refused:
        stale = (_moved(each) if each.code == "stale" else each for each in refused.refusals)
        raise Refused(*stale) from None


def _moved(refusal: Refusal) -> Refusal:
    return Refusal(
        "stale",
        say("{} changed while its places were looked for", FileName(refusal.path)),
        help="nothing was changed: send the same request again",
        path=refusal.path,
        hash_current=refusal.hash_current,
    )


def _doubts(found: Findings) -> tuple[str, ...]:
    """Return warnings about places that only read like a pattern, and globs that name no file."""
    told = []
    if found.alike:
        told += [
            say(
                "the pattern reads like {} that the grammar takes for something else, "
                "left as they are: {}",
                counted(len(found.alike), "more place"),
                first_of(found.alike),
            )
        ]
    told += [
        say("{except} `{}` names none of the files that {glob} names", each)
        for each in sorted(found.idle)
    ]
    return tuple(told)


def request_for(meant: ChosenPlaces, sweep: Sweep) -> Request:
    """Return the places of each file as one edit, made for the version they were found in."""
    reason = "; ".join(dict.fromkeys(edit.reason for edit in sweep.edits if edit.reason))
    way = "pattern" if all(edit.pattern for edit in sweep.edits) else "exact"
    return request_of_places(meant.files, way, reason)


def request_of_places(files: tuple[SweptPlaces, ...], matched: str, reason: str) -> Request:
    """Return a request that makes the changes of some places, in versions that are named."""
    offered = {f"{number:012x}": _edit_of(file, matched) for number, file in enumerate(files)}
    operations = tuple(
        Edit(path=each.path, accept=accept, reason=reason) for accept, each in offered.items()
    )
    paths = [file.path for file in files]
    return Request(operations, frozenset(paths), {path: path for path in paths}, offered)


def _edit_of(file: SweptPlaces, matched: str) -> CandidateEdit:
    changes = tuple(change for place in file.places for change in place.changes)
    span = file.places[0].start, file.places[-1].end
    count = len(file.places)
    made = CandidateEdit("", file.path, file.hash, changes, span)
    return replace(made, matched=matched, found=count, replaced=count)


def _no_place(found: Findings) -> Refusal:
    left = ", ".join(f"{number} {why}" for why, number in found.left_out.items())
    beside = f"; left out: {left}" if left else ""
    return Refusal(
        "not-found",
        say("no place in the {} files that {glob} names{}", found.looked, beside),
        where=joined("\n", _doubts(found)),
        help=say("check {find:bare} and {glob:bare}; {search:tool} tells where a text stands"),
    )


def _no_hashes() -> Refusal:
    return Refusal(
        "bad-request",
        say("{expected_hash} and {glob} do not go together"),
        help=say("{expected_count:bare} or the ids of places say what was seen"),
        data={"field": "expected_hash"},
    )
