"""The engines by name. A row says what an engine needs; where it lies is the caller's to say."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from edit_suite.engines import programs, servers
from edit_suite.engines.base import Engine
from edit_suite.engines.keyhole import SETS, keyhole
from edit_suite.engines.reference import Reference

NPM = {
    "server-filesystem": "@modelcontextprotocol/server-filesystem@2026.8.31",
    "desktop-commander": "@wonderwhy-er/desktop-commander@0.2.52",
    "codex-apply-patch": "@openai/codex@0.166.0",
}
PIP = {
    "serena": "serena-agent==2.1.0",
    "aider-editblock": "aider-chat==0.86.2",
    "str-replace": "inspect-tool-support==1.2.0",
}


def _modules(home: Path, *parts: str) -> Path:
    return home.joinpath("node_modules", *parts)


def _codex(home: Path) -> Engine:
    [program] = _modules(home, "@openai").glob("codex-*/vendor/*/bin/codex")
    link = home / "apply_patch"
    if not link.is_symlink():
        link.symlink_to(program.resolve())
    return programs.codex(link)


def _filesystem(home: Path) -> Engine:
    return servers.filesystem(
        _modules(home, "@modelcontextprotocol/server-filesystem/dist/index.js")
    )


def _desktop_commander(home: Path) -> Engine:
    program = _modules(home, "@wonderwhy-er/desktop-commander/dist/index.js")
    return servers.desktop_commander(program)


def _serena(home: Path) -> Engine:
    return servers.serena(home / "serena/bin/serena")


def _aider(home: Path) -> Engine:
    return servers.aider(home / "aider/bin/python")


def _str_replace(home: Path) -> Engine:
    return servers.str_replace(home / "str/bin/python")


def _keyhole(tools: str) -> Callable[[Path], Engine]:
    def start(_home: Path) -> Engine:
        beside = Path(sys.executable).with_name("keyhole")
        return keyhole(tools, str(beside) if beside.exists() else "keyhole")

    return start


ENGINES: dict[str, Callable[[Path], Engine]] = {
    **{"keyhole" if tools == "native" else f"keyhole-{tools}": _keyhole(tools) for tools in SETS},
    "server-filesystem": _filesystem,
    "desktop-commander": _desktop_commander,
    "serena": _serena,
    "str-replace": _str_replace,
    "aider-editblock": _aider,
    "codex-apply-patch": _codex,
    "git-apply": lambda _home: programs.git_apply(),
    "gnu-patch": lambda _home: programs.gnu_patch(),
    "reference": lambda _home: Reference(),
}
