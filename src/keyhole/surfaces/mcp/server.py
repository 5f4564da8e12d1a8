"""The server: each request of a client becomes one call at the desk, in a thread of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from keyhole import __version__
from keyhole.refusals import Refused
from keyhole.surfaces.mcp import guide, resources
from keyhole.surfaces.mcp.answers import answered, listed
from keyhole.surfaces.mcp.asking import QUESTION, Asked, changed_by_user, question_of
from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.client_roots import ROOTS, NoRoots, paths_of, require_roots
from keyhole.surfaces.mcp.setup import Setup
from keyhole.surfaces.mcp.tools import chosen, offered
from keyhole.surfaces.mcp.workspaces import Workspaces
from keyhole.toolsets.base import Caller, Said, refusals_said

Context = ServerRequestContext[Any, Any]
T = TypeVar("T")

# Writers that wait for one file must not keep readers out, so each kind has threads of its own.
_READERS, _WRITERS = 16, 16
_PATIENCE = 1.0
_LONGEST_NAME = 80


class Serving:
    """The state of one server: its workspaces, opened at once or when the client names roots."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.tools = chosen(setup.tools)
        self.workspaces = Workspaces.open(setup.roots, setup.allowed) if setup.roots else None
        self._opening = anyio.Lock()
        self._readers = anyio.CapacityLimiter(_READERS)
        self._writers = anyio.CapacityLimiter(_WRITERS)

    def close(self) -> None:
        """Let go of the workspaces."""
        if self.workspaces:
            self.workspaces.close()

    @asynccontextmanager
    async def lifespan(self, _: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        """Hold the workspaces while the server runs."""
        try:
            yield {}
        finally:
            self.close()

    async def list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        """List the tools on offer."""
        return listed(offered(self.tools.values(), read_only=self.setup.allowed.read_only))

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Carry out a call of a tool, and answer it whatever it lacks."""
        try:
            workspaces = await self.opened(context, params.input_responses)
        except NoRoots:
            return types.InputRequiredResult(input_requests={ROOTS: types.ListRootsRequest()})
        except Refused as refused:
            return answered(refusals_said(refused.refusals))
        try:
            return answered(await self._said(context, params, workspaces))
        except Asked as asked:
            return types.InputRequiredResult(input_requests={QUESTION: asked.request})

    async def _said(
        self, context: Context, params: types.CallToolRequestParams, workspaces: Workspaces
    ) -> Said:
        """Carry out a call, and once more if the user overrules its refusal."""
        desk = Desk(workspaces, self.tools, self.setup.allowed.read_only)
        caller = Caller(actor_of(context), self.setup.task)
        tool = self.tools.get(params.name)
        limiter = self._writers if tool and tool.writes else self._readers
        given = params.arguments or {}
        call = partial(desk.call, params.name, given, caller)
        said = await self._in_thread(context, call, limiter)
        question = question_of(params.name, given, said)
        if question is None:
            return said
        changes = await changed_by_user(context, question, params.input_responses)
        if changes is None:
            return said
        again = partial(desk.call, params.name, {**given, **changes}, caller)
        return await self._in_thread(context, again, limiter)

    async def list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        """List the one prompt there is."""
        return guide.listed()

    async def get_prompt(
        self, _: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Return the guide."""
        if params.name != guide.NAME:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name[:80]!r}")
        return guide.guide()

    async def list_resources(self, _: Context, __: object) -> types.ListResourcesResult:
        """List what can be read without a name."""
        return resources.listed()

    async def list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        """List what can be read by name."""
        return resources.templates()

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Return a resource by its name."""
        uri = str(params.uri)
        found = await self.look(context, lambda workspaces: resources.read(workspaces, uri))
        if found is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no resource {uri[:200]!r}")
        return found

    async def complete(
        self, context: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Return how the value of an argument can go on."""
        argument = params.argument
        known = params.context.arguments if params.context else None
        path = (known or {}).get("path", "")
        return await self.look(
            context,
            lambda workspaces: resources.completed(workspaces, argument.name, argument.value, path),
        )

    async def look(self, context: Context, work: Callable[[Workspaces], T]) -> T:
        """Run something that only reads, in a thread."""
        try:
            workspaces = await self.opened(context, None)
        except NoRoots:
            raise MCPError(
                types.INVALID_REQUEST, "call a tool first: roots are not known"
            ) from None
        except Refused as refused:
            raise MCPError(types.INVALID_REQUEST, str(refused)) from None
        return await self._in_thread(context, lambda: work(workspaces), self._readers)

    async def opened(self, context: Context, responses: types.InputResponses | None) -> Workspaces:
        """Return the workspaces; without roots of our own, those that the client names."""
        async with self._opening:
            if self.workspaces is None:
                roots = await paths_of(context, responses)
                self.workspaces = await anyio.to_thread.run_sync(
                    Workspaces.open, roots, self.setup.allowed
                )
            return self.workspaces

    async def _in_thread(
        self, context: Context, work: Callable[[], T], limiter: anyio.CapacityLimiter
    ) -> T:
        """Run work that blocks; a client that asked hears every second that it goes on.

        A call that is cancelled still runs to its end: its file is old or new, never between.
        """
        if not context.meta or "progress_token" not in context.meta:
            return await anyio.to_thread.run_sync(work, limiter=limiter)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_tell_progress, context)
            done = await anyio.to_thread.run_sync(work, limiter=limiter)
            tasks.cancel_scope.cancel()
        return done


async def _tell_progress(context: Context) -> None:
    seconds = 0
    while True:
        await context.session.report_progress(seconds, None, "working")
        await anyio.sleep(_PATIENCE)
        seconds += 1


def actor_of(context: Context) -> str:
    """Return who asks: the client by the name it gives itself."""
    params = context.session.client_params
    name = params.client_info.name if params else ""
    return "".join(filter(str.isprintable, name))[:_LONGEST_NAME].strip() or "mcp"


def server_of(serving: Serving) -> Server[Any]:
    """Return the protocol's side of a server."""
    server: Server[Any] = Server(
        "keyhole",
        version=__version__,
        title="keyhole: surgical file edits",
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
    )
    if not serving.setup.roots:
        server.middleware.append(require_roots)
    return server


def _instructions(serving: Serving) -> str:
    lines = ["Edits land exactly where they were meant, or are refused with what to do next."]
    if serving.workspaces:
        roots = [engine.tree.root.path for engine in serving.workspaces.engines]
        lines.append(f"Relative paths are below {roots[0]}.")
        if roots[1:]:
            lines.append(f"Name files below {', '.join(roots[1:])} by absolute paths.")
    return " ".join(lines)
