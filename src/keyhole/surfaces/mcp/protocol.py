"""The protocol's side of a server: what the SDK is told to ask, and what it announces."""

from __future__ import annotations

import logging
from typing import Any

from mcp import types
from mcp.server.lowlevel.server import Server

from keyhole.engine.settings import wants_trace
from keyhole.surfaces.mcp.answers import KEYHOLE, SERVER_INFO, icon
from keyhole.surfaces.mcp.front.greeting import instructions
from keyhole.surfaces.mcp.logs import set_level
from keyhole.surfaces.mcp.roots import require_roots
from keyhole.surfaces.mcp.server import Serving
from keyhole.surfaces.mcp.tools import offered
from keyhole.toolsets.guides import INSTRUCTIONS
from keyhole.toolsets.native.tools import TOOLS as NATIVE


def server_of(serving: Serving) -> Server[Any]:
    """Return the protocol's side of a server."""
    if not wants_trace():
        # Standard error may be a pipe that nobody reads: once it is full, a log would stop us.
        logging.getLogger("mcp").setLevel(logging.CRITICAL)
    server = Server(
        **{**SERVER_INFO, "icons": [icon(KEYHOLE)]},
        instructions=_instructions(serving),
        lifespan=serving.lifespan,
        on_list_tools=serving.list_tools,
        on_call_tool=serving.call_tool,
        on_list_prompts=serving.list_prompts,
        on_get_prompt=serving.get_prompt,
        on_list_resources=serving.list_resources,
        on_list_resource_templates=serving.list_templates,
        on_read_resource=serving.read_resource,
        on_completion=serving.complete,
        on_subscribe_resource=serving.news.follow,
        on_unsubscribe_resource=serving.news.unfollow,
        on_subscriptions_listen=serving.news.listen,
    )
    # Hosts of earlier versions of the protocol know these; by the constructor they would warn.
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)
    server.add_notification_handler(
        "notifications/roots/list_changed", types.NotificationParams, serving.roots_changed
    )
    if not serving.service.setup.roots:
        server.middleware.append(require_roots)
    return server


def _instructions(serving: Serving) -> str:
    service = serving.service
    tools = offered(service.tools.values(), read_only=service.setup.allowed.read_only)
    writes = any(tool in NATIVE and tool.writes for tool in tools)
    return instructions(INSTRUCTIONS, serving.sets, service.root_paths, writes=writes)
