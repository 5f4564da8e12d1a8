"""The desk: calls of tools by their names, on the workspaces of a server.

Everything here blocks; the server runs it in threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from keyhole.answers.history import PastTransaction
from keyhole.engine.history.recall import HistoryRequest
from keyhole.fastclasses import dataclass
from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.mcp.limits import Budget
from keyhole.surfaces.mcp.tools import offered
from keyhole.toolsets.base import (
    Arguments,
    Caller,
    Tool,
    ToolAnswer,
    call,
    carry_out,
    refusals_answer,
)
from keyhole.toolsets.native.calls import WALKS
from keyhole.toolsets.native.tools import TOOLS as NATIVE

if TYPE_CHECKING:
    from keyhole.engine.facade import Engine
    from keyhole.surfaces.mcp.workspaces import Workspaces

# Transactions that are looked through for the call that an engine died over.
_MOST_TRANSACTIONS = 1000


@dataclass(frozen=True, slots=True)
class Desk:
    """Where calls are taken: the workspaces, and the tools on offer."""

    workspaces: Workspaces
    tools: Mapping[str, Tool]
    read_only: bool = False
    budget: Budget | None = None

    def call(self, name: str, given: Arguments, caller: Caller) -> ToolAnswer:
        """Carry out a call; whatever it lacks, the answer says so."""
        try:
            tool = self._tool(name)
            if self.budget is not None:
                self.budget.spend(caller.actor, tool, given)
        except Refused as refused:
            return refusals_answer(refused.refusals, caller.detail)
        if tool not in NATIVE:
            return call(tool, self._engine_at, given, caller)

        def run(given: Arguments, caller: Caller) -> ToolAnswer:
            return WALKS[name](self.workspaces, given, caller)

        return carry_out(tool, run, given, caller, lambda: self.workspaces.first.spellings)

    def landed(self, name: str, caller: Caller, since: float) -> ToolAnswer | None:
        """Return the receipt of a call that an engine died over, None if it did not land."""
        wanted = HistoryRequest(since=since, limit=_MOST_TRANSACTIONS)
        for engine in self.workspaces.engines:
            for past in engine.history(wanted).transactions:
                ids = past.entry.call.details.get("ids")
                is_own = isinstance(ids, Mapping) and ids.get("request") == caller.ids["request"]
                if is_own and past.entry.outcome != "not_applied":
                    return _landed(self.workspaces.named(engine, past), self.tools.get(name))
        return None

    def _engine_at(self, paths: Iterable[str]) -> Engine:
        return self.workspaces.at(*paths)

    def _tool(self, name: str) -> Tool:
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


def _landed(past: PastTransaction, tool: Tool | None) -> ToolAnswer:
    """Return the receipt of a transaction whose own receipt was lost."""
    note = "done when the engine stopped, not done twice"
    files: list[dict[str, object]] = []
    rows = [f"{past.entry.outcome} {past.entry.id}: {note}"]
    for change in past.entry.files:
        moves = {"moved_from": change.moved_from, "moved_to": change.moved_to}
        moved = {name: value for name, value in moves.items() if value}
        files.append({"path": change.path, "hash_after": change.after or "", **moved})
        words = "".join(f", {name.replace('_', ' ')} {value}" for name, value in moved.items())
        rows.append(f"{change.path} {change.after or 'deleted'}{words}")
    data = {"ok": True, "outcome": past.entry.outcome, "transaction": past.entry.id}
    data |= {"warnings": [note], "files": files}
    # The receipts of other interfaces have other fields, which clients check unless it is an error.
    return ToolAnswer("\n".join(rows), data, tool not in NATIVE)
