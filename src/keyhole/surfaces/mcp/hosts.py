"""Configuration for agent hosts, ready to paste: each with absolute paths."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from keyhole.fastclasses import dataclass, field
from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.mcp.limits import ServerLimits
from keyhole.surfaces.mcp.workspaces import Allowed


@dataclass(frozen=True, slots=True)
class Agent:
    """A host: where its configuration lives, and what to put there for a command."""

    title: str
    where: str
    entry: Callable[[Sequence[str]], str]


def configuration(name: str, command: Sequence[str]) -> str:
    """Return what to paste for a host, below a line that says where."""
    agent = AGENTS.get(name)
    if agent is None:
        headline = f"there is no host {name[:40]!r}"
        raise Refused(Refusal("bad-request", headline, help=f"name one of {', '.join(AGENTS)}"))
    return agent.entry(command)


def where(name: str) -> str:
    """Return where the configuration of a host goes, for a person."""
    return f"{AGENTS[name].title}: {AGENTS[name].where}"


def _json(*keys: str, **more: object) -> Callable[[Sequence[str]], str]:
    """Return a writer of the usual entry: a command and its arguments, below some keys."""

    def entry(command: Sequence[str]) -> str:
        value: dict[str, object] = {**more, "command": command[0], "args": list(command[1:])}
        return _below(keys, {"keyhole": value})

    return entry


def _below(keys: Sequence[str], value: Mapping[str, object]) -> str:
    for key in reversed(keys):
        value = {key: value}
    return json.dumps(value, indent=2, ensure_ascii=False)


def _claude_code(command: Sequence[str]) -> str:
    return shlex.join(["claude", "mcp", "add", "keyhole", "--", *command])


def _codex(command: Sequence[str]) -> str:
    # A JSON text is a TOML text too.
    arguments = json.dumps(list(command[1:]), ensure_ascii=False)
    return f"[mcp_servers.keyhole]\ncommand = {json.dumps(command[0])}\nargs = {arguments}"


def _opencode(command: Sequence[str]) -> str:
    value = {"keyhole": {"type": "local", "command": list(command), "enabled": True}}
    return _below(("mcp",), value)


AGENTS: Mapping[str, Agent] = {
    "claude-code": Agent("Claude Code", "run this command in a shell", _claude_code),
    "claude-desktop": Agent(
        "Claude Desktop",
        "put this into claude_desktop_config.json (Settings, Developer, Edit Config)",
        _json("mcpServers"),
    ),
    "vscode": Agent("VS Code", "put this into .vscode/mcp.json", _json("servers", type="stdio")),
    "cursor": Agent("Cursor", "put this into ~/.cursor/mcp.json", _json("mcpServers")),
    "codex": Agent("Codex", "put this into ~/.codex/config.toml", _codex),
    "zed": Agent("Zed", "put this into ~/.config/zed/settings.json", _json("context_servers")),
    "gemini-cli": Agent("Gemini CLI", "put this into ~/.gemini/settings.json", _json("mcpServers")),
    "opencode": Agent("opencode", "put this into opencode.json", _opencode),
}


@dataclass(frozen=True, slots=True)
class Setup:
    """The roots, what is allowed below them, the tools on offer, and the task of plain calls."""

    roots: tuple[Path, ...] = ()
    allowed: Allowed = field(default_factory=Allowed)
    tools: tuple[str, ...] = ()
    task: str = ""
    limits: ServerLimits = field(default_factory=ServerLimits)
