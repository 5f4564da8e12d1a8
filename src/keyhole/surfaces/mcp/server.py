"""The server: each request of a client becomes one call at the desk, in a thread of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import anyio.to_thread
from mcp import types
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from keyhole.refusals import Refused
from keyhole.surfaces.mcp import guide, loading, resources
from keyhole.surfaces.mcp.answers import answered, listed
from keyhole.surfaces.mcp.asking import QUESTION, Question, chosen_by_user, question_of
from keyhole.surfaces.mcp.client_roots import ROOTS, NoRoots, paths_of
from keyhole.surfaces.mcp.connections import Context
from keyhole.surfaces.mcp.limits import Budget
from keyhole.surfaces.mcp.logs import log, log_call
from keyhole.surfaces.mcp.news import Subscriptions
from keyhole.surfaces.mcp.setup import Setup
from keyhole.surfaces.mcp.tools import NATIVE, chosen, offered
from keyhole.surfaces.mcp.working import Workers
from keyhole.surfaces.mcp.workspaces import Workspaces
from keyhole.toolsets.base import Arguments, Caller, Said, refusals_said
from keyhole.values import replace

if TYPE_CHECKING:
    from keyhole.surfaces.mcp.calls import Desk

T = TypeVar("T")

_LONGEST_NAME = 80
_READY_SECONDS = 0.05
# What a bug or a broken disk raises: the client is told that, and no more.
BROKEN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NameError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


class Serving:
    """The state of one server: its workspaces, opened at once or when the client names roots."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.tools = chosen(setup.tools)
        self.budget = None if setup.limits.is_none else Budget(setup.limits)
        self.workspaces = Workspaces.open(setup.roots, setup.allowed) if setup.roots else None
        self.news = Subscriptions(lambda: self.workspaces)
        # What became of plain calls of which there is more to say, by the request's id.
        self.made: dict[object, Said | BaseException] = {}
        self._opening = anyio.Lock()
        self._workers = Workers()
        self._roots_changed = False
        self._listed = anyio.Event()

    @property
    def desk(self) -> Desk | None:
        """Return where calls are taken, None while the roots are not known."""
        if self.workspaces is None or self._roots_changed:
            return None
        return self._desk_for(self.workspaces)

    def _desk_for(self, workspaces: Workspaces) -> Desk:
        from keyhole.surfaces.mcp.calls import Desk

        return Desk(workspaces, self.tools, self.setup.allowed.read_only, self.budget)

    def caller(self, name: str) -> Caller:
        """Return who asks: the client by the name it gives itself."""
        plain = "".join(filter(str.isprintable, name))[:_LONGEST_NAME].strip()
        return Caller(plain or "mcp", self.setup.task, shrink="refuse")

    def close(self) -> None:
        """Let go of the workspaces."""
        if self.workspaces:
            self.workspaces.close()

    @asynccontextmanager
    async def lifespan(self, _: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        """Hold the workspaces while the server runs, and tell of what changes in them."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self.news.watch)
                tasks.start_soon(self._get_ready)
                yield {}
                tasks.cancel_scope.cancel()
        finally:
            self.close()

    async def _get_ready(self) -> None:
        """Load what calls need while the client makes up its mind, not before it has the list."""
        await self._listed.wait()
        await anyio.sleep(_READY_SECONDS)
        await anyio.to_thread.run_sync(loading.load)

    async def list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        """List the tools on offer."""
        self._listed.set()
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
        except Question as asked:
            return types.InputRequiredResult(input_requests={QUESTION: asked.request})

    async def _said(
        self, context: Context, params: types.CallToolRequestParams, workspaces: Workspaces
    ) -> Said:
        """Carry out a call, and once more if the user overrules its refusal."""
        caller = self.caller(_name_of(context))
        given = params.arguments or {}
        said = self.made.pop(context.request_id, None)
        if isinstance(said, BaseException):  # what failed is not tried again: it may be done
            await log(context, "error", f"{params.name} failed: {type(said).__name__}")
            raise said
        if said is None:
            said = await self._carried_out(context, workspaces, params.name, given, caller)
        else:
            await log_call(context, params.name, said, 0.0)
        question = question_of(params.name, given, said)
        if question is None:
            return said
        way = await chosen_by_user(context, question, params.input_responses)
        if way is None:
            return said
        given, caller = {**given, **way.changes}, replace(caller, shrink=way.shrink)
        return await self._carried_out(context, workspaces, params.name, given, caller)

    async def _carried_out(
        self,
        context: Context,
        workspaces: Workspaces,
        name: str,
        given: Arguments,
        caller: Caller,
    ) -> Said:
        """Run a call in a thread, and log what became of it."""
        tool = self.tools.get(name)
        run = self._workers.write if tool and tool.writes else self._workers.look
        start = anyio.current_time()
        try:
            # In the thread the first call may wait for the engine, and nobody else does.
            said = await run(context, lambda: self._desk_for(workspaces).call(name, given, caller))
        except BROKEN as error:
            await log(context, "error", f"{name} failed: {type(error).__name__}")
            raise
        if tool and tool.writes:
            self.news.nudge()
        await log_call(context, name, said, anyio.current_time() - start)
        return said

    async def list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        """List the one prompt there is, if the tools that it speaks of are on offer."""
        return guide.listed() if self._guided else types.ListPromptsResult(prompts=[])

    @property
    def _guided(self) -> bool:
        return any(tool in NATIVE for tool in self.tools.values())

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Return the guide, with the place that it is wanted for."""
        if params.name != guide.NAME or not self._guided:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name[:80]!r}")
        given = params.arguments or {}
        path, segment = given.get("path", ""), given.get("segment", "")
        try:
            return await self.look(context, lambda found: guide.guide(found, path, segment))
        except Refused as refused:
            raise MCPError(types.INVALID_PARAMS, str(refused)) from None

    async def list_resources(self, context: Context, _: object) -> types.ListResourcesResult:
        """List what can be read without asking for its name."""
        found = await self.look(context, resources.listed)
        await self.news.knows_list(context)
        return found

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
        return await self._workers.look(context, lambda: work(workspaces))

    async def opened(self, context: Context, responses: types.InputResponses | None) -> Workspaces:
        """Return the workspaces; without roots of our own, those that the client names."""
        async with self._opening:
            if self.workspaces is None or self._roots_changed:
                roots = await paths_of(context, responses)
                self.workspaces = await anyio.to_thread.run_sync(
                    Workspaces.open, roots, self.setup.allowed, self.workspaces
                )
                self._roots_changed = False
            return self.workspaces

    async def roots_changed(self, _: Context, __: object) -> None:
        """Ask the client for its roots again at the next call."""
        self.forget_roots()

    def forget_roots(self) -> None:
        """Take no call on the client's roots as they were; those that the user named stay."""
        self._roots_changed = not self.setup.roots


def _name_of(context: Context) -> str:
    params = context.session.client_params
    return params.client_info.name if params else ""
