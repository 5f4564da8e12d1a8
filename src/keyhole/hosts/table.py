"""The table of hosts: one row each; a new host is a row here."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.hosts.model import (
    ABSOLUTE,
    CLIENT,
    Host,
    HostFile,
    HostSetting,
    in_one_list,
    listed,
    named_command,
    plain,
    with_transport,
)

_SERVERS = ("mcpServers",)
_WORKSPACE = "${workspaceFolder}"


def _files(*paths: str, root: str = ".", note: str = "") -> HostFile:
    return HostFile(paths, root, note)


def _switched_off(user: HostFile, project: HostFile) -> HostSetting:
    return HostSetting(user, project, ("tools",), ("edit", "write", "patch"), switches=True)


_OPENCODE = _files("{config}/opencode/opencode.json", "{config}/opencode/opencode.jsonc")
_OPENCODE_PROJECT = _files("opencode.json", "opencode.jsonc")
_KILO = _files("{config}/kilo/kilo.json", "{config}/kilo/kilo.jsonc")
_KILO_PROJECT = _files("kilo.json", "kilo.jsonc", ".kilo/kilo.json", ".kilo/kilo.jsonc")
_GEMINI, _GEMINI_PROJECT = (
    _files("~/.gemini/settings.json"),
    _files(".gemini/settings.json", note="Gemini CLI starts servers of a folder that it trusts"),
)
_QWEN, _QWEN_PROJECT = _files("~/.qwen/settings.json"), _files(".qwen/settings.json")

HOSTS: Mapping[str, Host] = {
    "claude-code": Host(
        "Claude Code",
        _SERVERS,
        # It sends its first request without a server that is late, unless it is told to wait.
        plain(type="stdio", alwaysLoad=True),
        user=_files("{claude}/.claude.json"),
        project=_files(".mcp.json", note="Claude Code asks for approval when it starts next"),
        instructions="CLAUDE.md",
        only=HostSetting(
            _files("{claude-settings}/settings.json"),
            _files(".claude/settings.json"),
            ("permissions", "deny"),
            ("Edit", "Write", "NotebookEdit"),
        ),
        program="claude",
        see="run `claude mcp list`",
        client="claude-code",
        tried=True,
    ),
    "codex": Host(
        "Codex",
        ("mcp_servers",),
        # An optional server has a second to start, then its tools are missing without a word.
        plain(required=True, startup_timeout_sec=30),
        # It hands servers a part of its environment, and writing tools no approval when headless.
        inherited="env_vars",
        trusted={"default_tools_approval_mode": "approve"},
        user=_files("{codex}/config.toml"),
        project=_files(
            ".codex/config.toml", note="Codex reads the file of a project that it trusts"
        ),
        program="codex",
        see="run `codex mcp list`",
        client="codex",
        tried=True,
    ),
    "opencode": Host(
        "opencode",
        ("mcp",),
        in_one_list,
        user=_OPENCODE,
        project=_OPENCODE_PROJECT,
        only=_switched_off(_OPENCODE, _OPENCODE_PROJECT),
        program="opencode",
        see="run `opencode mcp list`",
        client="opencode",
        tried=True,
    ),
    "gemini-cli": Host(
        "Gemini CLI",
        _SERVERS,
        plain(),
        trusted={"trust": True},
        user=_GEMINI,
        project=_GEMINI_PROJECT,
        instructions="GEMINI.md",
        only=HostSetting(_GEMINI, _GEMINI_PROJECT, ("tools", "exclude"), ("replace", "write_file")),
        program="gemini",
        see="run `gemini mcp list`",
        client="gemini-cli",
        tried=True,
    ),
    "qwen-code": Host(
        "Qwen Code",
        _SERVERS,
        plain(),
        trusted={"trust": True},
        user=_QWEN,
        project=_QWEN_PROJECT,
        instructions="QWEN.md",
        only=HostSetting(_QWEN, _QWEN_PROJECT, ("tools", "exclude"), ("edit", "write_file")),
        program="qwen",
        see="run `qwen mcp list`",
        client="qwen",
        tried=True,
    ),
    "pi": Host(
        "pi with pi-mcp-adapter",
        _SERVERS,
        # Without it the tools are behind one proxy, and no schema is shown.
        plain(directTools=True),
        user=_files("~/.pi/agent/mcp.json"),
        project=_files(".pi/mcp.json"),
        program="pi",
        see="start pi and open /mcp",
        client="pi",
        tried=True,
    ),
    "cline": Host(
        "Cline",
        _SERVERS,
        with_transport,
        user=_files("~/.cline/data/settings/cline_mcp_settings.json"),
        program="cline",
        see="run `cline config mcp`",
        client="cline",
        tried=True,
    ),
    "copilot-cli": Host(
        "Copilot CLI",
        _SERVERS,
        plain(type="local", tools=["*"]),
        user=_files("{copilot}/mcp-config.json"),
        program="copilot",
        see="run `copilot mcp list`",
        client="copilot",
        tried=True,
    ),
    "kilo": Host(
        "Kilo",
        ("mcp",),
        in_one_list,
        user=_KILO,
        project=_KILO_PROJECT,
        only=_switched_off(_KILO, _KILO_PROJECT),
        program="kilo",
        see="run `kilo mcp list`",
        client="kilo",
        tried=True,
    ),
    "kimi-code": Host(
        "Kimi Code",
        _SERVERS,
        plain(),
        user=_files("~/.kimi-code/mcp.json"),
        program="kimi",
        see="start kimi and enter /mcp",
        client="kimi",
        tried=True,
    ),
    "continue": Host(
        "Continue",
        _SERVERS,
        listed,
        user=_files("~/.continue/config.yaml"),
        is_list=True,
        preamble="name: Local\nversion: 1.0.0\nschema: v1\n",
        program="cn",
        see="start cn and enter /mcp",
        client="continue",
        tried=True,
    ),
    "claude-desktop": Host(
        "Claude Desktop",
        _SERVERS,
        plain(),
        user=_files("{applications}/Claude/claude_desktop_config.json", root=ABSOLUTE),
        see="start it anew and look at Settings, Developer",
        client="claude-ai",
    ),
    "vscode": Host(
        "VS Code",
        ("servers",),
        plain(type="stdio"),
        user=_files("{applications}/Code/User/mcp.json", root=CLIENT),
        project=_files(".vscode/mcp.json", root=_WORKSPACE),
        program="code",
        see="run `MCP: List Servers` from the command palette",
        client="visual studio code",
    ),
    "cursor": Host(
        "Cursor",
        _SERVERS,
        plain(),
        user=_files("~/.cursor/mcp.json", root=ABSOLUTE),
        project=_files(".cursor/mcp.json", root=_WORKSPACE),
        instructions=".cursor/rules/keyhole.mdc",
        program="cursor",
        see="look at Settings, MCP",
        client="cursor",
    ),
    "zed": Host(
        "Zed",
        ("context_servers",),
        plain(source="custom"),
        user=_files("{config}/zed/settings.json", root=ABSOLUTE),
        project=_files(".zed/settings.json"),
        program="zed",
        see="open the settings of the agent panel",
        client="zed",
    ),
    "jetbrains": Host(
        "JetBrains Junie",
        _SERVERS,
        plain(),
        user=_files("~/.junie/mcp/mcp.json", root=ABSOLUTE),
        project=_files(".junie/mcp/mcp.json"),
        instructions=".junie/guidelines.md",
        see="look at Settings, Tools, Junie, MCP Settings",
        client="junie",
    ),
    "windsurf": Host(
        "Windsurf",
        _SERVERS,
        plain(),
        user=_files("~/.codeium/windsurf/mcp_config.json", root=ABSOLUTE),
        program="windsurf",
        see="open the MCP toolbar of Cascade and refresh",
        client="windsurf",
    ),
    "goose": Host(
        "Goose",
        ("extensions",),
        named_command,
        user=_files("{config}/goose/config.yaml"),
        program="goose",
        see="run `goose configure` and list the extensions",
        client="goose",
    ),
}

# What a section of an instruction file tells a model.
HEADING = "## Editing files with keyhole"
INSTRUCTIONS = f"""\
{HEADING}

Change files with the `edit` tool of keyhole, not by rewriting them: quote the lines to replace, or
name a function, section or key. Whitespace and line numbers need not be exact. Put edits that
belong together into one call, and give each a reason. A refusal has changed nothing and says the
next move. `undo` takes any edit back.
"""
