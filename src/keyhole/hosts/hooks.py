"""The hooks of hosts, one row each: where they are written, and at which events keyhole looks."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence

from keyhole.fastclasses import dataclass
from keyhole.hosts.model import HostFile

_SECONDS = 60
_CLAUDE = (
    *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"),
    *("PostToolBatch", "Stop", "SessionEnd"),
)


@dataclass(frozen=True, slots=True)
class HostHooks:
    """How a host is told to call a command: below `hooks` of a JSON file, or by a module."""

    user: HostFile
    project: HostFile | None
    events: tuple[str, ...] = _CLAUDE
    # Units of the time limit in a second.
    units: int = 1
    is_module: bool = False
    note: str = ""

    def entries(self, host: str, program: Sequence[str]) -> dict[str, list[object]]:
        """Return what stands below `hooks`, by event."""
        return {event: [self.entry(host, program, event)] for event in self.events}

    def entry(self, host: str, program: Sequence[str], event: str) -> dict[str, object]:
        """Return the entry of one event; only those of tools have something to match."""
        command = shlex.join([*program, "hook", host])
        one = {"type": "command", "command": command, "timeout": _SECONDS * self.units}
        matches = {"matcher": "*"} if "Tool" in event else {}
        return {**matches, "hooks": [one]}


HOOKS: Mapping[str, HostHooks] = {
    "claude-code": HostHooks(
        HostFile(("{claude-settings}/settings.json",)), HostFile((".claude/settings.json",))
    ),
    "codex": HostHooks(
        HostFile(("{codex}/hooks.json",)),
        None,
        ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"),
        note="Codex runs hooks that you trust: it asks when it starts next",
    ),
    "gemini-cli": HostHooks(
        HostFile(("~/.gemini/settings.json",)),
        HostFile((".gemini/settings.json",)),
        ("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"),
        units=1000,
    ),
    "qwen-code": HostHooks(
        HostFile(("~/.qwen/settings.json",)), HostFile((".qwen/settings.json",))
    ),
    "opencode": HostHooks(
        HostFile(("{config}/opencode/plugin/keyhole.js",)),
        HostFile((".opencode/plugin/keyhole.js",)),
        is_module=True,
    ),
}

_MODULE = """\
// Written by `keyhole install opencode --hooks`: keyhole looks before and after each tool.
import { spawn } from "node:child_process"

const COMMAND = %s

const tell = (said) =>
  new Promise((done) => {
    const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "ignore", "ignore"] })
    child.on("error", done)
    child.on("close", done)
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(said))
  })

export const Keyhole = async ({ directory }) => ({
  "chat.message": async ({ sessionID, messageID }) =>
    tell({ event: "chat.message", directory, sessionID, messageID }),
  "tool.execute.before": async ({ tool, sessionID, callID }, { args }) =>
    tell({ event: "tool.execute.before", directory, tool, sessionID, callID, args }),
  "tool.execute.after": async ({ tool, sessionID, callID }) =>
    tell({ event: "tool.execute.after", directory, tool, sessionID, callID }),
  event: async ({ event }) => {
    if (event.type === "session.idle")
      await tell({ event: "session.idle", directory, sessionID: event.properties.sessionID })
  },
})
"""


def module(host: str, program: Sequence[str]) -> str:
    """Return the module that calls keyhole, for a host that has modules in the place of hooks."""
    return _MODULE % json.dumps([*program, "hook", host])
