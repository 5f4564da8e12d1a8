"""What the native tools do: from arguments to a walk of the engine, and back to an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

from keyhole import arguments
from keyhole.answers.history import History
from keyhole.answers.lean import lean, lean_text
from keyhole.answers.paging import MOST_ROWS, PageRequest, paged
from keyhole.arguments import bad_argument
from keyhole.engine.edit.requests import operation_of, paths_in
from keyhole.engine.history.recall import HistoryRequest, UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.reading import ReadRequest, Search, Shape
from keyhole.engine.rename.request import Rename
from keyhole.engine.scaffold import Scaffold
from keyhole.engine.sweep.request import SWEEP_ARGUMENTS, Sweep
from keyhole.fastclasses import dataclass
from keyhole.refusals import Refused
from keyhole.toolsets.base import Arguments, Caller, ToolAnswer, receipt_answer

if TYPE_CHECKING:
    from keyhole.answers.receipt import Answer
    from keyhole.engine.facade import Engine

T = TypeVar("T")
_MOST_HITS = 1000
_MOST_TRANSACTIONS = 1000
_MOST_DIGITS = 8


class Roots(Protocol):
    """The workspaces that a call may be about."""

    @property
    def engines(self) -> tuple[Engine, ...]:
        """Return the engines, in the order of the roots."""

    @property
    def first(self) -> Engine:
        """Return the workspace of relative paths."""

    def at(self, *paths: str) -> Engine:
        """Return the workspace that paths lie in, or refuse if they lie in several."""

    def named(self, engine: Engine, answer: T) -> T:
        """Return an answer of one workspace with names of files that mean the same in a call."""

    def offered(self, accept: str) -> str:
        """Return the full path of the file that a refusal offered to edit, "" if nobody did."""

    def knowing(self, name: str) -> Engine:
        """Return the workspace whose journal has a transaction, else the first."""

    def meant(self, wish: UndoRequest, actor: str) -> Engine:
        """Return the workspace that an undo is about."""


@dataclass(frozen=True, slots=True)
class OneRoot:
    """The one workspace of a command."""

    first: Engine

    @property
    def engines(self) -> tuple[Engine, ...]:
        """Return the engine."""
        return (self.first,)

    def at(self, *_: str) -> Engine:
        """Return the engine, whatever the paths."""
        return self.first

    def named(self, _: Engine, answer: T) -> T:
        """Return an answer as it is."""
        return answer

    def offered(self, _: str) -> str:
        """Return no path: an offer is found by its id."""
        return ""

    def knowing(self, _: str) -> Engine:
        """Return the engine, whatever the transaction."""
        return self.first

    def meant(self, _: UndoRequest, __: str) -> Engine:
        """Return the engine, whatever the undo."""
        return self.first


def _page(answer: Answer, given: Arguments, caller: Caller, limit: int = MOST_ROWS) -> ToolAnswer:
    is_full = _detail(given, caller) != "lean"
    page = PageRequest(given, _offset(given), limit, is_full=is_full)
    return _rendered(paged(answer, page), given, caller)


def _rendered(answer: Answer, given: Arguments, caller: Caller) -> ToolAnswer:
    # Some hosts show a model the text alone: who asks for all of it reads no less.
    text = lean_text(answer) if caller.detail == "lean" else answer.as_text()
    is_lean = _detail(given, caller) == "lean"
    return ToolAnswer(text, lean(answer) if is_lean else answer.as_data())


def _detail(given: Arguments, caller: Caller) -> str:
    """Return how much an answer says: all of it, or what a model need read."""
    return "full" if arguments.detail(given) == "full" else caller.detail


def _offset(given: Arguments) -> int:
    """Return how many rows an answer leaves out, as the answer before it said."""
    offset = arguments.text(given, "offset")
    if offset and not (offset.isascii() and offset.isdecimal() and len(offset) <= _MOST_DIGITS):
        raise Refused(bad_argument("offset", "`offset` is no number; take it from `next`"))
    return int(offset or 0)


def _outline(roots: Roots, given: Arguments, caller: Caller) -> ToolAnswer:
    path = arguments.text(given, "path") or "."
    engine = roots.at(path)
    shape = Shape(
        arguments.number(given, "depth", 0),
        arguments.texts(given, "kinds"),
        arguments.text(given, "query"),
    )
    return _page(roots.named(engine, engine.outline(path, shape, caller.actor)), given, caller)


def _read(roots: Roots, given: Arguments, caller: Caller) -> ToolAnswer:
    path = arguments.required(given, "path")
    wanted = ReadRequest(
        arguments.text(given, "segment"),
        arguments.text(given, "part") or "whole",
        given.get("lines"),  # type: ignore[arg-type] # checked where lines of edits are
        arguments.flag(given, "numbered", default=True),
    )
    return _page(roots.at(path).read(path, wanted, caller.actor), given, caller)


def _search(roots: Roots, given: Arguments, caller: Caller) -> ToolAnswer:
    path = arguments.text(given, "path") or "."
    engine = roots.at(path)
    limit = _offset(given) + min(arguments.number(given, "limit", 100), _MOST_HITS)
    if symbol := arguments.text(given, "symbol"):
        found = engine.refactoring.references(path, symbol, limit)
        return _page(roots.named(engine, found), given, caller)
    search = Search(
        arguments.required(given, "query"),
        path,
        arguments.flag(given, "regex"),
        arguments.text(given, "glob"),
        arguments.number(given, "context", 0),
        limit,
    )
    return _page(roots.named(engine, engine.search(search)), given, caller)


def _edit(roots: Roots, given: Arguments, caller: Caller) -> ToolAnswer:
    if given.keys() & SWEEP_ARGUMENTS and (sweep := Sweep.of(given)):
        return _sweep(roots, sweep, given, caller)
    edits = arguments.edits(given)
    path = arguments.text(given, "path")
    named = [edit.path or path or roots.offered(edit.accept or "") for edit in edits]
    engine = roots.at(*filter(None, named))
    detail = _detail(given, caller)
    receipt = engine.edit(edits, _options("edit", given, caller), path)
    return receipt_answer(roots.named(engine, receipt), detail)


def _sweep(roots: Roots, sweep: Sweep, given: Arguments, caller: Caller) -> ToolAnswer:
    engine = roots.at(sweep.path)
    receipt = engine.refactoring.sweep(sweep, _options("edit", given, caller))
    return receipt_answer(roots.named(engine, receipt), _detail(given, caller))


def _rename(roots: Roots, given: Arguments, caller: Caller) -> ToolAnswer:
    path = arguments.required(given, "path")
    wanted = Rename(
        path,
        arguments.required(given, "segment"),
        arguments.required(given, "to"),
        arguments.flag(given, "comments"),
    )
    engine = roots.at(path)
    receipt = engine.refactoring.rename(wanted, _options("rename", given, caller))
    return receipt_answer(roots.named(engine, receipt), _detail(given, caller))


def _patch(roots: Roots, given: Arguments, caller: Caller) -> ToolAnswer:
    patch = arguments.required(given, "patch")
    path = arguments.text(given, "path")
    engine = roots.at(*([path] if path else _named_in(patch, roots)))
    detail = _detail(given, caller)
    receipt = engine.patch(patch, _options("patch", given, caller), path)
    return receipt_answer(roots.named(engine, receipt), detail)


def _named_in(patch: str, roots: Roots) -> list[str]:
    """Return the files a patch names, if it takes them to tell one root from another."""
    if len(roots.engines) == 1:
        return []
    return paths_in(patch)


def _write(roots: Roots, given: Arguments, caller: Caller) -> ToolAnswer:
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
    engine = roots.at(*filter(None, [path, target]))
    detail = _detail(given, caller)
    receipt = engine.write(operation, _options("write", given, caller))
    return receipt_answer(roots.named(engine, receipt), detail)


def _options(tool: str, given: Arguments, caller: Caller) -> Options:
    return Options(
        expected_hash=arguments.expected_hash(given),
        mode=arguments.text(given, "mode") or "strict",
        dry_run=arguments.flag(given, "dry_run") or caller.rehearses,
        on_conflict=arguments.text(given, "on_conflict") or "refuse",
        task=arguments.text(given, "task") or caller.task,
        claim=arguments.claim(given),
        reason=arguments.text(given, "reason"),
        actor=caller.actor,
        tool=f"{caller.door} {tool}",
        propose=arguments.flag(given, "propose"),
        session=caller.session,
        shrink=caller.shrink if tool in {"edit", "patch"} else "allow",
        ids=caller.ids,
    )


def _session(given: Arguments, caller: Caller) -> str:
    """Return the task that a session's calls belong to; `this` is the caller's own."""
    named = arguments.text(given, "session")
    return (caller.task or caller.session) if named == "this" else named


def _history(roots: Roots, given: Arguments, caller: Caller) -> ToolAnswer:
    if name := arguments.text(given, "id"):
        engine = roots.knowing(name)
        return _page(roots.named(engine, engine.named(name)), given, caller)
    path = arguments.text(given, "path")
    limit = min(arguments.number(given, "limit", 50), _MOST_TRANSACTIONS)
    engines = [roots.at(path)] if path else list(roots.engines)
    wanted = HistoryRequest(
        path=path,
        actor=arguments.text(given, "actor") or None,
        task=arguments.text(given, "task") or _session(given, caller) or None,
        since=arguments.since(given),
        limit=_offset(given) + limit + 1,
    )
    segment = arguments.text(given, "segment")
    listed = [roots.named(one, one.history(wanted, segment)) for one in engines]
    found = [past for one in listed for past in one.transactions]
    if len(engines) > 1:
        found = sorted(found, key=lambda past: past.entry.time, reverse=True)[: wanted.limit]
    offers = tuple(offer for one in listed for offer in one.proposals)
    note = "; ".join(dict.fromkeys(one.note for one in listed if one.note))
    return _page(History(tuple(found), note, offers), given, caller, limit)


def _undo(roots: Roots, given: Arguments, caller: Caller) -> ToolAnswer:
    prompt = arguments.text(given, "prompt")
    # With a prompt the session is the host's; alone it is a connection, which is a task.
    session, named = _session(given, caller), arguments.text(given, "session")
    wish = UndoRequest(
        id=arguments.text(given, "id"),
        edit=None if given.get("edit") is None else arguments.number(given, "edit", 0),
        task=arguments.text(given, "task") or ("" if prompt else session),
        to=arguments.text(given, "to"),
        prompt=prompt,
        session="" if named == "this" else named,
        partly=arguments.flag(given, "partly"),
    )
    engine = roots.meant(wish, caller.actor)
    # `task` says here what to take back, not what the undo belongs to.
    own = {name: value for name, value in given.items() if name != "task"}
    detail = _detail(given, caller)
    receipt = engine.undo(wish, _options("undo", own, caller))
    return receipt_answer(roots.named(engine, receipt), detail)


def _scaffold(roots: Roots, given: Arguments, caller: Caller) -> ToolAnswer:
    template, path = arguments.text(given, "template"), arguments.text(given, "path")
    if not template or not path:
        return _rendered(roots.first.templates(template), given, caller)
    wanted = Scaffold(template, path, arguments.mapping(given, "variables"))
    receipt = roots.at(path).scaffold(wanted, _options("scaffold", given, caller))
    return receipt_answer(receipt, _detail(given, caller))


WALKS: Mapping[str, Callable[[Roots, Arguments, Caller], ToolAnswer]] = {
    "outline": _outline,
    "read": _read,
    "search": _search,
    "edit": _edit,
    "rename": _rename,
    "patch": _patch,
    "write": _write,
    "history": _history,
    "undo": _undo,
    "scaffold": _scaffold,
}
