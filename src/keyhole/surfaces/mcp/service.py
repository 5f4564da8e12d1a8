"""What a server serves, whoever speaks for it: workspaces, tools, limits, and who calls."""

from __future__ import annotations

import time
from collections.abc import Mapping
from hashlib import sha256
from secrets import token_hex
from typing import TYPE_CHECKING

from keyhole.engine.options import session_name
from keyhole.surfaces.mcp.limits import Budget
from keyhole.surfaces.mcp.setup import Setup
from keyhole.surfaces.mcp.tools import chosen
from keyhole.surfaces.mcp.workspaces import Workspaces
from keyhole.toolsets.base import Caller, ToolAnswer

if TYPE_CHECKING:
    from keyhole.surfaces.mcp.calls import Desk

_LONGEST_NAME = 80
_LONGEST_ID = 200
# What hosts call the ids that they send along, without their own prefix, and what we call them;
# some name the model too.
_IDS = {
    "turnid": "turn",
    "threadid": "thread",
    "sessionid": "session",
    "promptid": "prompt",
    "tooluseid": "tool_use",
    "callid": "call",
    "toolcallid": "call",
    "model": "model",
    "modelid": "model",
    "modelname": "model",
}


class Service:
    """The state of one server: its workspaces, opened at once or when the client names roots."""

    def __init__(self, setup: Setup) -> None:
        self.setup, self.started = setup, time.time()
        self.tools = chosen(setup.tools)
        self.budget = None if setup.limits.is_none else Budget(setup.limits)
        self.workspaces = Workspaces.open(setup.roots, setup.allowed) if setup.roots else None
        # What became of plain calls of which there is more to say, by the request's id.
        self.made: dict[object, ToolAnswer | BaseException] = {}
        self.roots_changed = False
        # What the front calls the session; nothing where there is none.
        self.session = ""
        self._name = token_hex(4)

    @property
    def desk(self) -> Desk | None:
        """Return where calls are taken, None while the roots are not known."""
        if self.workspaces is None or self.roots_changed:
            return None
        return self.desk_for(self.workspaces)

    def desk_for(self, workspaces: Workspaces) -> Desk:
        """Return where calls on these workspaces are taken."""
        from keyhole.surfaces.mcp.calls import Desk

        return Desk(workspaces, self.tools, self.setup.allowed.read_only, self.budget)

    @property
    def root_paths(self) -> list[str]:
        """Return the roots that are known."""
        return [place.root for place in self.workspaces.places] if self.workspaces else []

    def caller(self, name: str, meta: Mapping[str, object], request: object) -> Caller:
        """Return who asks: the client by the name it gives itself, and the ids of the call."""
        plain = "".join(filter(str.isprintable, name))[:_LONGEST_NAME].strip()
        own = {"request": f"{self.session}:{request!r}"} if self.session else {}
        ids, session = host_ids(meta) | own, self.task()
        task = self.setup.task or session
        return Caller(plain or "mcp", task, shrink="refuse", ids=ids, session=session)

    def task(self, number: int = 0) -> str:
        """Return the task of calls that name none; a front's session keeps it, whatever engine."""
        known = sha256(self.session.encode()).hexdigest()[:8] if self.session else self._name
        return session_name(known, number)

    def end(self, session: str) -> None:
        """End the task of a session in the workspaces where it wrote."""
        if self.workspaces and not self.setup.allowed.read_only:
            self.workspaces.end(session)

    def forget_roots(self) -> None:
        """Take no call on the client's roots as they were; those that the user named stay."""
        self.roots_changed = not self.setup.roots

    def close(self) -> None:
        """Let go of the workspaces."""
        if self.workspaces:
            self.end(self.task())
            self.workspaces.close()


def host_ids(meta: Mapping[str, object]) -> dict[str, str]:
    """Return the ids that a host sends with a call: of its turn, thread, prompt, use of a tool."""
    found: dict[str, str] = {}
    level = [*meta.items()]
    while level:
        for name, value in level:
            known = _IDS.get("".join(filter(str.isalnum, name.rpartition("/")[2])).lower())
            if known and isinstance(value, str | int) and len(str(value)) <= _LONGEST_ID:
                found.setdefault(known, str(value))
        inner = (value for _, value in level if isinstance(value, Mapping))
        level = [item for value in inner for item in value.items()]
    return found
