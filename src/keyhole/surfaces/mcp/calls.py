"""Calls: from a tool's name and arguments to a walk of the engine, and back to an answer.

Everything here blocks; the server runs it in threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from keyhole import arguments, toolsets
from keyhole.answers.history import History, PastTransaction
from keyhole.answers.lean import lean, lean_text
from keyhole.engine.edit.requests import operation_of, paths_in
from keyhole.engine.history.recall import HistoryRequest, UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.reading import ReadRequest, Search, Shape
from keyhole.engine.scaffold import Scaffold
from keyhole.fastclasses import dataclass
from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.mcp.limits import Budget
from keyhole.surfaces.mcp.tools import Offered, offered
from keyhole.toolsets.base import Arguments, Caller, Said, receipt_said, refusals_said

if TYPE_CHECKING:
    from keyhole.answers.receipt import Answer
    from keyhole.engine.facade import Engine
    from keyhole.surfaces.mcp.workspaces import Workspaces

_MOST_HITS = 1000
_MOST_TRANSACTIONS = 1000


@dataclass(frozen=True, slots=True)
class Desk:
    """Where calls are taken: the workspaces, and the tools on offer."""

    workspaces: Workspaces
    tools: Mapping[str, Offered]
    read_only: bool = False
    budget: Budget | None = None

    def call(self, name: str, given: Arguments, caller: Caller) -> Said:
        """Carry out a call; whatever it lacks, the answer says so."""
        try:
            tool = self._tool(name)
            if self.budget is not None:
                self.budget.spend(caller.actor, tool, given)
            if isinstance(tool, toolsets.Tool):
                return toolsets.call(tool, self._engine_at, given, caller)
            arguments.check_names(given, tool.arguments, f"`{name}`")
            return _WALKS[name](self.workspaces, given, caller)
        except Refused as refused:
            detail = "full" if given.get("detail") == "full" else "lean"
            return refusals_said(refused.refusals, detail)

    def landed(self, name: str, caller: Caller, since: float) -> Said | None:
        """Return the receipt of a call that an engine died over, None if it did not land."""
        wanted = HistoryRequest(actor=caller.actor, since=since, limit=_MOST_TRANSACTIONS)
        for engine in self.workspaces.engines:
            for past in engine.history(wanted).transactions:
                ids = past.entry.call.details.get("ids")
                is_own = isinstance(ids, Mapping) and ids.get("request") == caller.ids["request"]
                if is_own and past.entry.outcome != "not_applied":
                    return _landed(self.workspaces.named(engine, past), self.tools.get(name))
        return None

    def _engine_at(self, paths: Iterable[str]) -> Engine:
        return self.workspaces.at(*paths)

    def _tool(self, name: str) -> Offered:
        tool = self.tools.get(name)
        if tool is None:
            usable = offered(self.tools.values(), read_only=self.read_only)
            help_line = f"use one of {', '.join(each.name for each in usable)}"
            headline = f"there is no tool `{name[:80]}`"
            raise Refused(Refusal("bad-request", headline, help=help_line))
        if not offered([tool], read_only=self.read_only):
            headline = f"this server is read-only, so `{name}` is not offered"
            raise Refused(Refusal("read-only", headline, help="ask the user to allow writing"))
        return tool


def _landed(past: PastTransaction, tool: Offered | None) -> Said:
    """Return the receipt of a transaction whose own receipt was lost."""
    head = f"{past.entry.outcome} {past.entry.id}: done when the engine stopped, not done twice"
    data = {
        "ok": True,
        "outcome": past.entry.outcome,
        "transaction": past.entry.id,
        "files": past.as_data()["files"],
    }
    # The receipts of other interfaces have other fields, which clients check unless it is an error.
    return Said(f"{head}\n{past.as_text()}", data, isinstance(tool, toolsets.Tool))


def _said(answer: Answer, given: Arguments) -> Said:
    data = answer.as_data() if _detail(given) == "full" else lean(answer)
    return Said(lean_text(answer), data)


def _detail(given: Arguments) -> str:
    """Return how much an answer says: all of it, or what a model need read."""
    return "full" if arguments.detail(given) == "full" else "lean"


def _outline(workspaces: Workspaces, given: Arguments, caller: Caller) -> Said:
    path = arguments.text(given, "path") or "."
    engine = workspaces.at(path)
    shape = Shape(
        arguments.number(given, "depth", 0),
        arguments.texts(given, "kinds"),
        arguments.text(given, "query"),
    )
    return _said(workspaces.named(engine, engine.outline(path, shape, caller.actor)), given)


def _read(workspaces: Workspaces, given: Arguments, caller: Caller) -> Said:
    path = arguments.required(given, "path")
    wanted = ReadRequest(
        arguments.text(given, "segment"),
        arguments.text(given, "part") or "whole",
        given.get("lines"),  # type: ignore[arg-type] # checked where lines of edits are
        arguments.flag(given, "numbered", default=True),
    )
    return _said(workspaces.at(path).read(path, wanted, caller.actor), given)


def _search(workspaces: Workspaces, given: Arguments, _: Caller) -> Said:
    path = arguments.text(given, "path") or "."
    engine = workspaces.at(path)
    search = Search(
        arguments.required(given, "query"),
        path,
        arguments.flag(given, "regex"),
        arguments.text(given, "glob"),
        arguments.number(given, "context", 0),
        min(arguments.number(given, "limit", 100), _MOST_HITS),
    )
    return _said(workspaces.named(engine, engine.search(search)), given)


def _edit(workspaces: Workspaces, given: Arguments, caller: Caller) -> Said:
    edits = arguments.edits(given)
    path = arguments.text(given, "path")
    named = [edit.path or path or workspaces.offered(edit.accept or "") for edit in edits]
    engine = workspaces.at(*filter(None, named))
    detail = _detail(given)
    receipt = engine.edit(edits, _options("edit", given, caller), path)
    return receipt_said(workspaces.named(engine, receipt), detail)


def _patch(workspaces: Workspaces, given: Arguments, caller: Caller) -> Said:
    patch = arguments.required(given, "patch")
    path = arguments.text(given, "path")
    engine = workspaces.at(*([path] if path else _named_in(patch, workspaces)))
    detail = _detail(given)
    receipt = engine.patch(patch, _options("patch", given, caller), path)
    return receipt_said(workspaces.named(engine, receipt), detail)


def _named_in(patch: str, workspaces: Workspaces) -> list[str]:
    """Return the files a patch names, if it takes them to tell one root from another."""
    if len(workspaces.engines) == 1:
        return []
    return paths_in(patch)


def _write(workspaces: Workspaces, given: Arguments, caller: Caller) -> Said:
    path = arguments.required(given, "path")
    target = arguments.text(given, "move_to")
    content = None if given.get("content") is None else arguments.text(given, "content")
    operation = operation_of(
        path,
        content,
        delete=arguments.flag(given, "delete"),
        move_to=target,
        allow_shrink=arguments.flag(given, "allow_shrink"),
    )
    engine = workspaces.at(*filter(None, [path, target]))
    detail = _detail(given)
    receipt = engine.write(operation, _options("write", given, caller))
    return receipt_said(workspaces.named(engine, receipt), detail)


def _options(tool: str, given: Arguments, caller: Caller) -> Options:
    return Options(
        expected_hash=arguments.expected_hash(given),
        mode=arguments.text(given, "mode") or "strict",
        dry_run=arguments.flag(given, "dry_run"),
        on_conflict=arguments.text(given, "on_conflict") or "refuse",
        task=arguments.text(given, "task") or caller.task,
        claim=arguments.claim(given),
        reason=arguments.text(given, "reason"),
        actor=caller.actor,
        tool=f"mcp {tool}",
        propose=arguments.flag(given, "propose"),
        session=caller.session,
        shrink=caller.shrink if tool in {"edit", "patch"} else "allow",
        ids=caller.ids,
    )


def _session(given: Arguments, caller: Caller) -> str:
    """Return the task that a session's calls belong to; `this` is the caller's own."""
    named = arguments.text(given, "session")
    return (caller.task or caller.session) if named == "this" else named


def _history(workspaces: Workspaces, given: Arguments, caller: Caller) -> Said:
    if name := arguments.text(given, "id"):
        engine = workspaces.knowing(name)
        return _said(workspaces.named(engine, engine.named(name)), given)
    path = arguments.text(given, "path")
    engines = [workspaces.at(path)] if path else list(workspaces.engines)
    wanted = HistoryRequest(
        path=path,
        actor=arguments.text(given, "actor") or None,
        task=arguments.text(given, "task") or _session(given, caller) or None,
        since=arguments.since(given),
        limit=min(arguments.number(given, "limit", 50), _MOST_TRANSACTIONS),
    )
    segment = arguments.text(given, "segment")
    listed = [workspaces.named(one, one.history(wanted, segment)) for one in engines]
    found = [past for one in listed for past in one.transactions]
    if len(engines) > 1:
        found = sorted(found, key=lambda past: past.entry.time, reverse=True)[: wanted.limit]
    offers = tuple(offer for one in listed for offer in one.proposals)
    note = "; ".join(dict.fromkeys(one.note for one in listed if one.note))
    return _said(History(tuple(found), note, offers), given)


def _undo(workspaces: Workspaces, given: Arguments, caller: Caller) -> Said:
    wish = UndoRequest(
        id=arguments.text(given, "id"),
        edit=None if given.get("edit") is None else arguments.number(given, "edit", 0),
        task=arguments.text(given, "task") or _session(given, caller),
        to=arguments.text(given, "to"),
    )
    engine = workspaces.meant(wish, caller.actor)
    # `task` says here what to take back, not what the undo belongs to.
    own = {name: value for name, value in given.items() if name != "task"}
    detail = _detail(given)
    receipt = engine.undo(wish, _options("undo", own, caller))
    return receipt_said(workspaces.named(engine, receipt), detail)


def _scaffold(workspaces: Workspaces, given: Arguments, caller: Caller) -> Said:
    template, path = arguments.text(given, "template"), arguments.text(given, "path")
    if not template or not path:
        return _said(workspaces.first.templates(template), given)
    wanted = Scaffold(template, path, arguments.mapping(given, "variables"))
    detail = _detail(given)
    receipt = workspaces.at(path).scaffold(wanted, _options("scaffold", given, caller))
    return receipt_said(receipt, detail)


_WALKS: Mapping[str, Callable[[Workspaces, Arguments, Caller], Said]] = {
    "outline": _outline,
    "read": _read,
    "search": _search,
    "edit": _edit,
    "patch": _patch,
    "write": _write,
    "history": _history,
    "undo": _undo,
    "scaffold": _scaffold,
}
