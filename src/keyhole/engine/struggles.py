"""Refused calls: what was sent, what was there, what was offered, and whether it was made good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

from keyhole.edits.model.operations import Edit, Operation
from keyhole.engine.edit.requests import attempt_of
from keyhole.engine.options import Options
from keyhole.fastclasses import dataclass, field
from keyhole.journal.model import Attempt, Journal, Query
from keyhole.phrases import render
from keyhole.refusals import Refusal, Refused
from keyhole.refused_calls import KEPT, LONGEST, RefusedCalls
from keyhole.workspace.tree import Tree

_MOST_KEPT = 20
_MOST_COUNTED = 5_000
_MOST_LATER = 200
_SENT = ("segment", "find", "until", "lines", "pattern", "action", "content", "reason")


def refused_calls(tree: Tree) -> RefusedCalls:
    """Return the refused calls of a workspace."""
    return RefusedCalls(tree.state / "refused")


def keep(
    tree: Tree, refused: Refused, options: Options, path: str, sent: Sequence[Operation]
) -> None:
    """Remember a refused call: in the journal that it was, in a file what it said."""
    attempt = attempt_of(tree, refused, options, path)
    with suppress(Refused):  # calls that need the journal say when it cannot be used
        tree.journal.refuse(attempt)
    data = {
        "sent": [_sent(each) for each in sent[:_MOST_KEPT]],
        "more": max(len(sent) - _MOST_KEPT, 0),
        "refusals": [_told(each) for each in refused.refusals[:_MOST_KEPT]],
        "model": options.ids.get("model", ""),
    }
    with suppress(OSError):
        refused_calls(tree).keep(attempt, data)


def _sent(operation: Operation) -> dict[str, str]:
    if not isinstance(operation, Edit):
        return {"kind": type(operation).__name__, "path": operation.path}
    values = {name: getattr(operation, name) for name in _SENT}
    said = {name: str(each)[:LONGEST] for name, each in values.items() if each not in {None, ""}}
    if said.get("action") == "replace":
        del said["action"]
    return {"path": operation.path, **said}


def _told(refusal: Refusal) -> dict[str, object]:
    return {
        "code": refusal.code,
        "message": render(refusal.headline)[:LONGEST],
        "where": render(refusal.where)[:LONGEST],
        "help": render(refusal.help)[:LONGEST],
        "edit": refusal.edit,
        "candidates": [
            {"lines": list(each.lines), "text": each.text[:LONGEST], "differs": each.differs}
            for each in refusal.candidates
        ],
    }


@dataclass(frozen=True, slots=True)
class Struggle:
    """One refused call with what is known around it."""

    attempt: Attempt
    sent: tuple[Mapping[str, str], ...] = ()
    refusals: tuple[Mapping[str, object], ...] = ()
    more: int = 0
    # The transaction that brought the same actor through at the same file, "" if none did.
    recovered: str = ""
    seconds: float = 0.0
    # How many more calls of the actor at the file were refused before.
    tries: int = 0
    # Which model it was, where the host says it.
    model: str = ""


def struggle(tree: Tree, at: float, actor: str) -> Struggle:
    """Return one refused call by its time and actor, or refuse."""
    journal = tree.journal
    query = Query(actor=actor, since=at, until=at + 1e-3, limit=10)
    attempt = next((each for each in journal.attempts(query) if each.time == at), None)
    if attempt is None:
        headline = "there is no refused call of this actor at this time"
        raise Refused(Refusal("nothing-to-undo", headline, help="look at the list of refusals"))
    return told(tree, attempt)


def told(tree: Tree, attempt: Attempt) -> Struggle:
    """Return a refused call with what was sent, and what came of it."""
    kept = refused_calls(tree).get(attempt)
    recovered, seconds, tries = _what_came(tree.journal, attempt)
    return Struggle(
        attempt,
        tuple(_mappings(kept.get("sent"))),
        tuple(_mappings(kept.get("refusals"))),
        int(str(kept.get("more") or 0)),
        recovered,
        seconds,
        tries,
        _model(kept),
    )


def _model(kept: Mapping[str, object]) -> str:
    return str(kept.get("model") or "")


def _mappings(value: object) -> list[dict[str, str]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _what_came(journal: Journal, attempt: Attempt) -> tuple[str, float, int]:
    """Return the transaction that made a refusal good, after how long and how many tries."""
    query = Query(attempt.path, attempt.actor, since=attempt.time, limit=_MOST_LATER)
    done = [each for each in journal.entries(query) if not each.call.undoes]
    first = done[-1] if done else None
    until = first.time if first else None
    again = journal.attempts(
        Query(attempt.path, attempt.actor, since=attempt.time, until=until, limit=_MOST_LATER)
    )
    tries = sum(each.time > attempt.time for each in again)
    return (first.id, first.time - attempt.time, tries) if first else ("", 0.0, tries)


@dataclass(frozen=True, slots=True)
class Struggles:
    """The latest refused calls, and how many there are by code, tool, actor, file and model."""

    latest: tuple[Struggle, ...]
    by_code: Mapping[str, int] = field(default_factory=dict)
    by_tool: Mapping[str, int] = field(default_factory=dict)
    by_actor: Mapping[str, int] = field(default_factory=dict)
    by_file: Mapping[str, int] = field(default_factory=dict)
    # Of those whose words are kept, and whose host said it.
    by_model: Mapping[str, int] = field(default_factory=dict)


def struggles(tree: Tree, since: float, *, code: str = "", size: int = 30) -> Struggles:
    """Return refused calls, newest first; of one code if it is named."""
    found = tree.journal.attempts(Query(since=since, limit=_MOST_COUNTED))
    if code:
        found = tuple(each for each in found if code in each.codes)
    known = refused_calls(tree)
    return Struggles(
        tuple(told(tree, each) for each in found[:size]),
        Counter(code for each in found for code in each.codes),
        Counter(each.tool for each in found),
        Counter(each.actor for each in found),
        Counter(each.path for each in found if each.path),
        Counter(filter(None, (_model(known.get(each)) for each in found[:KEPT]))),
    )
