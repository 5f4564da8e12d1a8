"""Plugins and the catalogues that list them, as files by their paths in the repository."""

import json
from base64 import b64encode
from collections.abc import Mapping
from textwrap import fill
from urllib.parse import quote

from keyhole.hosts.model import CLIENT
from packages.facts import (
    GET_IT,
    NAME,
    SKILL,
    Facts,
    advice,
    as_json,
    facts,
    rule,
    server,
    skill,
)
from packages.icon import icon

AGENT_PLUGINS = "https://agent-plugins.org/schemas/1.0.0"
CATEGORY = "development"
HOOK = "hooks/session-start.sh"


def files() -> dict[str, bytes]:
    """Return every file that hosts read from the repository."""
    known = facts()
    plugins = {
        "claude-code": _claude_code(known),
        "codex": _codex(known),
        "cursor": _cursor(known),
        "agent-plugin": _agent_plugin(known),
    }
    made = {
        f"plugins/{folder}/{path}": text
        for folder, contents in plugins.items()
        for path, text in {**contents, **_common(known, folder)}.items()
    }
    written = {path: text.encode() for path, text in {**made, **_catalogues(known)}.items()}
    return {**written, "plugins/claude-code/.claude-plugin/icon.png": icon()}


def _common(known: Facts, folder: str) -> dict[str, str]:
    return {
        f"skills/{SKILL}/SKILL.md": skill(),
        "README.md": _readme(known, _HOW[folder]),
        "LICENSE": known.licence_text,
    }


def _claude_code(known: Facts) -> dict[str, str]:
    return {
        ".claude-plugin/plugin.json": as_json({**known.about, "displayName": NAME}),
        ".mcp.json": _servers(server("claude-code", ".")),
        "hooks/hooks.json": as_json(_hooks()),
        HOOK: _session_start(),
    }


def _codex(known: Facts) -> dict[str, str]:
    manifest = {
        **known.about,
        "skills": "./skills/",
        "mcpServers": "./.mcp.json",
        "interface": {
            "displayName": NAME,
            "shortDescription": known.description,
            "developerName": known.author,
            "category": CATEGORY,
        },
    }
    return {
        ".codex-plugin/plugin.json": as_json(manifest),
        ".mcp.json": _servers(server("codex", ".")),
    }


def _cursor(known: Facts) -> dict[str, str]:
    manifest = {**known.about, "displayName": NAME, "mcpServers": "./mcp.json", "rules": "./rules/"}
    return {
        ".cursor-plugin/plugin.json": as_json(manifest),
        "mcp.json": _servers(server("cursor", CLIENT)),
        "rules/keyhole.mdc": rule(),
    }


def _agent_plugin(known: Facts) -> dict[str, str]:
    entry = {"type": "stdio", "command": NAME, "args": ["mcp"]}
    schema = f"{AGENT_PLUGINS}/mcp.schema.json"
    return {
        "plugin.json": as_json({"$schema": f"{AGENT_PLUGINS}/plugin.schema.json", **known.about}),
        "mcp.json": as_json({"$schema": schema, "mcpServers": {NAME: entry}}),
    }


def _servers(entry: Mapping[str, object]) -> str:
    return as_json({"mcpServers": {NAME: entry}})


def _hooks() -> dict[str, object]:
    command = f'sh "${{CLAUDE_PLUGIN_ROOT}}/{HOOK}"'
    hook = {"type": "command", "command": command, "timeout": 10}
    return {
        "description": "Say at the start of a session how files are edited, or what is missing",
        "hooks": {"SessionStart": [{"hooks": [hook]}]},
    }


def _session_start() -> str:
    """Return the hook: a text for the model, whatever happens, and never an error."""
    tool = f"mcp__plugin_{NAME}_{NAME}__edit"
    return f"""\
# What a session begins with: how to edit files, or why the tools for it are missing.
if command -v {NAME} >/dev/null 2>&1; then
  cat <<'END'
{advice()} The full name of `edit` here is `{tool}`.
END
else
  cat <<'END'
The plugin keyhole is loaded, but the program `{NAME}` is not on the search path, so its tools are
missing. Go on with your own tools for editing, and tell the user once: install keyhole, for example
with `{GET_IT}`, and start the session anew.
END
fi
exit 0
"""


def _readme(known: Facts, how: str) -> str:
    tools = ", ".join(f"`{name}`" for name in known.tools)
    first = (
        "The plugin starts the program `keyhole`, which has to be on the search path: install its "
        f"wheel first, for example with `{GET_IT}`. {how}"
    )
    return f"""\
# keyhole

{known.description}.

An edit lands exactly where it was meant, or is refused with what is there instead and the next
move. Every edit is durable, all or nothing, explained, and can be taken back later.

{fill(first, 100, break_on_hyphens=False)}

It brings the tools {tools},
and a skill that says which to use when.

The server reads and writes files of your project, and keeps a record of its edits on your machine.
"""


_HOW = {
    "claude-code": "Then `claude plugin marketplace add DIRECTORY`, with the directory that has "
    "`.claude-plugin/marketplace.json`, and `claude plugin install keyhole@keyhole`; or load it "
    "for one session with `claude --plugin-dir`. A hook says at the start of a session how files "
    "are edited, or that the program is missing; it never stops the session.",
    "codex": "Then `codex plugin marketplace add DIRECTORY`, with the directory that has "
    "`.agents/plugins/marketplace.json`, and `codex plugin add keyhole@keyhole`.",
    "cursor": "Then add the plugin in Cursor's settings.",
    "agent-plugin": "Then add this folder as a plugin in a host that reads Agent Plugins 1.0. The "
    "host names the directories to work in as its roots.",
}


def _catalogues(known: Facts) -> dict[str, str]:
    """Return the files by which hosts find the plugins in a repository."""
    entry = {"name": NAME, "description": known.description, "version": known.version}
    claude = {
        "name": NAME,
        "description": known.description,
        "owner": {"name": known.author},
        "plugins": [{**entry, "source": "./plugins/claude-code", "category": CATEGORY}],
    }
    codex = {
        "name": NAME,
        "interface": {"displayName": NAME},
        "plugins": [
            {
                "name": NAME,
                "source": {"source": "local", "path": "./plugins/codex"},
                "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                "category": CATEGORY,
            }
        ],
    }
    cursor = {
        "name": NAME,
        "owner": {"name": known.author},
        "plugins": [{"name": NAME, "source": "plugins/cursor", "description": known.description}],
    }
    return {
        ".claude-plugin/marketplace.json": as_json(claude),
        ".agents/plugins/marketplace.json": as_json(codex),
        ".cursor-plugin/marketplace.json": as_json(cursor),
    }


def links() -> dict[str, str]:
    """Return the links that set the server up in an editor, which names its roots itself."""
    code = {"name": NAME, **server("vscode", CLIENT)}
    cursor = json.dumps(server("cursor", CLIENT), separators=(",", ":")).encode()
    config = quote(b64encode(cursor).decode(), safe="")
    deeplink = "cursor://anysphere.cursor-deeplink/mcp/install"
    return {
        "VS Code": f"vscode:mcp/install?{quote(json.dumps(code, separators=(',', ':')), safe='')}",
        "Cursor": f"{deeplink}?name={NAME}&config={config}",
    }
