"""From our values to the protocol's: tools as they are listed, answers as they are sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from keyhole.toolsets.base import Said, Tool

if TYPE_CHECKING:
    from mcp import types

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
        hints.idempotent_hint = tool.idempotent
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=dict(tool.takes),
        output_schema=dict(tool.gives) if tool.gives else None,
        annotations=hints,
    )


def answered(said: Said) -> types.CallToolResult:
    """Return an answer with its text for the model and its data for programs."""
    from mcp import types

    return types.CallToolResult(
        content=[types.TextContent(type="text", text=clean(said.text))],
        structured_content=clean(said.data),
        is_error=said.refused,
    )


def warnings_of(tool: str, said: Said) -> list[str]:
    """Return what a call warns of, for the client's log."""
    warnings, conflicts = said.data.get("warnings"), said.data.get("conflicts")
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
