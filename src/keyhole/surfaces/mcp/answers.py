"""From our values to the protocol's: tools as they are listed, answers as they are sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from keyhole import __version__
from keyhole.toolsets.base import Tool, ToolAnswer
from keyhole.toolsets.native.tools import TOOLS as NATIVE

if TYPE_CHECKING:
    from mcp import types

# Tools whose schemas a host shows at once; what it looks the others up by.
_ALWAYS = {"edit", "read", "outline", "search"}
_HINTS = {
    "rename": "rename a symbol",
    "patch": "apply a diff or patch to files",
    "write": "create, delete, move or rename a file",
    "history": "list edits: who changed which file, when and why",
    "undo": "revert, roll back or redo an edit",
    "scaffold": "new file from a template",
}
# A page fits everywhere; who asks for all of it may get as much as one answer holds.
_MOST_CHARACTERS = 500_000
_LONG = {"read", "outline", "search", "history"}
_SVG = (
    "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20viewBox='0,0,16,16'%20"
    "fill='none'%20stroke='%230a7'%3E%3Cpath%20d='{}'/%3E%3C/svg%3E"
)
_PENCIL = _SVG.format("m2,14,1-4,8-8,3,3-8,8z")
_LENS = _SVG.format("M11,7a4,4,0,1,1-8,0,4,4,0,0,1,8,0m-1,3,4,4")
KEYHOLE = _SVG.format("M8,2a3,3,0,0,1,2,5l1,7H5l1-7a3,3,0,0,1,2-5z")
# What the server says of itself, in the newest protocol with every answer.
SERVER_INFO: dict[str, Any] = {
    "name": "keyhole",
    "title": "keyhole: surgical file edits",
    "version": __version__,
    "description": "Edits of files that land where they were meant, or are refused",
    "icons": [{"src": KEYHOLE, "mimeType": "image/svg+xml"}],
}
_SURROGATE = re.compile("[\ud800-\udfff]")


def listed(tools: Iterable[Tool]) -> types.ListToolsResult:
    """Return the tools as a client lists them."""
    from mcp import types

    return types.ListToolsResult(tools=[_tool(tool) for tool in tools])


def _tool(tool: Tool) -> types.Tool:
    from mcp import types

    hints = types.ToolAnnotations(read_only_hint=not tool.writes, open_world_hint=False)
    if tool.writes:
        hints.destructive_hint = tool.destructive
    if tool.idempotent:
        hints.idempotent_hint = True
    listed = types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=dict(tool.takes),
        output_schema=dict(tool.gives) if tool.gives else None,
        annotations=hints,
        icons=[icon(_PENCIL if tool.writes else _LENS)],
    )
    if meta := _meta(tool):
        listed.meta = meta
    return listed


def icon(source: str) -> types.Icon:
    """Return a picture, which is of any size."""
    from mcp import types

    return types.Icon(src=source, mime_type="image/svg+xml")


def _meta(tool: Tool) -> dict[str, object]:
    """Return what Claude Code is told of a tool: whether to show it at once, how to find it."""
    if tool not in NATIVE:
        return {}
    found: dict[str, object] = {}
    if tool.name in _ALWAYS:
        found["anthropic/alwaysLoad"] = True
    if tool.name in _HINTS:
        found["anthropic/searchHint"] = _HINTS[tool.name]
    if tool.name in _LONG:
        found["anthropic/maxResultSizeChars"] = _MOST_CHARACTERS
    return found


def answered(answer: ToolAnswer) -> types.CallToolResult:
    """Return an answer with its text for the model and its data for programs."""
    from mcp import types

    return types.CallToolResult(
        content=[types.TextContent(type="text", text=clean(answer.text))],
        structured_content=clean(answer.data),
        is_error=answer.refused,
    )


def warnings_of(tool: str, answer: ToolAnswer) -> list[str]:
    """Return what a call warns of, for the client's log."""
    warnings, conflicts = answer.data.get("warnings"), answer.data.get("conflicts")
    found = [f"{tool}: {each}" for each in warnings] if isinstance(warnings, list) else []
    others = conflicts if isinstance(conflicts, list) else []
    return [*found, *(f"{tool}: conflict with task {each['task']}" for each in others)]


def clean(value: Any) -> Any:
    """Return a value that JSON can carry: bytes of a file name that are no text become U+FFFD."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {clean(key): clean(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [clean(one) for one in value]
    return value
