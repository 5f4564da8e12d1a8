"""From an address or a body to what is asked for: filters, wishes, views."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole import arguments
from keyhole.refusals import Refused
from keyhole.surfaces.web.pages.diffs import VIEWS
from keyhole.surfaces.web.pages.timeline import Filters
from keyhole.walks.recalling import UndoRequest
from keyhole.walks.timeline import OUTCOMES, Filter

Words = Mapping[str, str]

_NAMES = (
    "path",
    "segment",
    "task",
    "actor",
    "machine",
    "worktree",
    "outcome",
    "since",
    "until",
    "q",
    "refusals",
)


def asked_of(words: Words) -> Filters:
    """Return the filters of an address; a time that is none, or an unknown outcome, is refused."""
    given = {name: words[name] for name in _NAMES if words.get(name)}
    outcome = given.get("outcome", "")
    if outcome and outcome not in OUTCOMES:
        headline = f"`outcome` is {outcome[:40]!r}; it is one of {', '.join(OUTCOMES)}"
        raise Refused(arguments.bad_argument("outcome", headline))
    wanted = Filter(
        path=given.get("path", "").strip("/"),
        segment=given.get("segment", ""),
        task=given.get("task", ""),
        actor=given.get("actor", ""),
        outcome=outcome,
        since=arguments.since(given),
        until=arguments.since({"since": given["until"]}) if "until" in given else None,
        text=given.get("q", ""),
        refusals=given.get("refusals") != "no",
        machine=given.get("machine", ""),
        worktree=given.get("worktree", ""),
    )
    return Filters(given, wanted, words.get("before", ""))


def view_of(words: Words) -> str:
    """Return the view an address asks for."""
    view = words.get("view", "")
    return view if view in VIEWS else VIEWS[0]


def wish_of(words: Mapping[str, object]) -> UndoRequest:
    """Return what to take back, from an address or a body."""
    given = dict(words)
    if isinstance(edit := given.get("edit"), str):
        given["edit"] = int(edit) if edit.isascii() and edit.isdecimal() else None
    return UndoRequest(
        id=arguments.text(given, "id"),
        edit=None if given.get("edit") is None else arguments.number(given, "edit", 0),
        task=arguments.text(given, "task"),
        redo=bool(given.get("redo")),
        path=arguments.text(given, "path"),
        shown=arguments.text(given, "shown"),
    )
