"""Sets of tools, each on the same engine: our own, and interfaces that agents know.

A set is found by its name and loaded when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import Caller, Tool, call
from keyhole.toolsets.native.tools import TOOLS as NATIVE

__all__ = ["SETS", "Caller", "Tool", "call", "tool_named", "tools_of"]

# The name users give, and the file that holds `TOOLS`.
SETS: Mapping[str, str] = {
    "safe-edit": "keyhole.toolsets.safe_edit.tools",
    "text": "keyhole.toolsets.text.tools",
    "text-files": "keyhole.toolsets.text.file_tools",
    "article": "keyhole.toolsets.article.tools",
    "sections": "keyhole.toolsets.article.sections",
    "surgical": "keyhole.toolsets.surgical.tools",
    "claude": "keyhole.toolsets.claude",
    "codex": "keyhole.toolsets.codex",
}


def tools_of(name: str) -> tuple[Tool, ...]:
    """Return the tools of a set, or refuse a name that is none."""
    if name == "native":
        return NATIVE
    if name not in SETS:
        headline = f"there is no set of tools {name[:40]!r}"
        raise Refused(Refusal("bad-request", headline, help=f"name one of {', '.join(SETS)}"))
    tools: tuple[Tool, ...] = import_module(SETS[name]).TOOLS
    return tools


def tool_named(name: str, sets: tuple[str, ...] = ()) -> Tool:
    """Return a tool by its name, from these sets or from any, or refuse."""
    known = [(owner, tool) for owner in sets or ("native", *SETS) for tool in tools_of(owner)]
    found = [(owner, tool) for owner, tool in known if tool.name == name]
    if len(found) == 1:
        return found[0][1]
    headline = f"{'several sets have a' if found else 'there is no'} tool {name[:40]!r}"
    names = [owner for owner, _ in found] or [tool.name for _, tool in known]
    raise Refused(Refusal("bad-request", headline, help=f"name one of {', '.join(names)}"))
