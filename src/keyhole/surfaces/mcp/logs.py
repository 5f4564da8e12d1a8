"""Log messages to the client: what calls did, for people who look at their host's log."""

from __future__ import annotations

from mcp import types
from mcp.server.connection import allowed_log_levels

from keyhole.surfaces.mcp.answers import clean, warnings_of
from keyhole.surfaces.mcp.connections import Context, connection_of
from keyhole.toolsets.base import ToolAnswer

LEVELS: tuple[types.LoggingLevel, ...] = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)
_LEVEL = "keyhole-log-level"
_UNASKED = "warning"


async def set_level(context: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
    """Remember from which level on a client wants to hear."""
    connection_of(context).state[_LEVEL] = params.level
    return types.EmptyResult()


async def log(context: Context, level: types.LoggingLevel, message: str) -> None:
    """Send a message, if the client wants to hear of its level."""
    if not _is_wanted(context, level):
        return
    params = types.LoggingMessageNotificationParams(
        level=level, logger="keyhole", data=clean(message)
    )
    note = types.LoggingMessageNotification(params=params)
    await context.session.send_notification(note, related_request_id=context.request_id)


def _is_wanted(context: Context, level: types.LoggingLevel) -> bool:
    version = context.protocol_version
    if not allowed_log_levels(version, None):  # it says so with each request
        return level in allowed_log_levels(version, context.meta)
    least = connection_of(context).state.get(_LEVEL, _UNASKED)
    return LEVELS.index(level) >= LEVELS.index(least)


async def log_call(context: Context, tool: str, answer: ToolAnswer, seconds: float) -> None:
    """Say what became of a call: warnings it brought, what it changed, why it was refused."""
    for warning in warnings_of(tool, answer):
        await log(context, "warning", warning)
    taken = f"{seconds * 1000:.0f} ms"
    if answer.refused:
        await log(context, "info", f"{tool} refused in {taken}: {_second_line(answer.text)}")
    elif answer.data.get("transaction"):
        await log(context, "info", f"{tool} {answer.text.split(chr(10), 1)[0]} in {taken}")
    else:
        await log(context, "debug", f"{tool} answered in {taken}")


def _second_line(text: str) -> str:
    """Return the first refusal of an answer: the line above says that nothing was changed."""
    return text.split("\n", 2)[1] if "\n" in text else text
