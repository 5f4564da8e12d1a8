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

from keyhole.fastclasses import replace
from keyhole.progress import Count, counted
from keyhole.refusals import Refused
from keyhole.surfaces.mcp import guide, loading, resources
from keyhole.surfaces.mcp.answers import answered, listed
from keyhole.surfaces.mcp.connections import Context
from keyhole.surfaces.mcp.elicitation import QUESTION, Question, chosen_by_user, question_of
from keyhole.surfaces.mcp.hosts import Setup
from keyhole.surfaces.mcp.limits import Budget
from keyhole.surfaces.mcp.logs import log, log_call
from keyhole.surfaces.mcp.news import Subscriptions
from keyhole.surfaces.mcp.tools import NATIVE, chosen, offered
from keyhole.surfaces.mcp.workspaces import ROOTS, NoRoots, Workspaces, paths_of
from keyhole.toolsets.base import Arguments, Caller, Said, refusals_said

if TYPE_CHECKING:
    from keyhole.surfaces.mcp.calls import Desk


T = TypeVar("T")

# Writers that wait for one file must not keep readers out, so each kind has threads of its own.
_READERS, _WRITERS = 16, 16
_LOOK_SECONDS = 0.1
_PATIENCE = 1.0


class Workers:
    """The threads of a server."""

    def __init__(self) -> None:
        self._readers = anyio.CapacityLimiter(_READERS)
        self._writers = anyio.CapacityLimiter(_WRITERS)

    async def look(self, context: Context, work: Callable[[], T]) -> T:
        """Run something that only reads."""
        return await _told(context, work, self._readers)

    async def write(self, context: Context, work: Callable[[], T]) -> T:
        """Run something that may write.

        A call that is cancelled still runs to its end: its file is old or new, never between.
        """
        return await _told(context, work, self._writers)


async def _told(context: Context, work: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
    if not context.meta or "progress_token" not in context.meta:
        return await anyio.to_thread.run_sync(work, limiter=limiter)
    count = Count()
    teller = _Teller(context, count)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(teller.tell)
            with counted(count):
                done = await anyio.to_thread.run_sync(work, limiter=limiter)
            tasks.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        raise _alone(group) from None  # who waits knows refusals and bugs as the work raised them
    await teller.finish()
    return done


def _alone(error: BaseException) -> BaseException:
    """Return the one exception of a group, however deep; a group of several as it is."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        [error] = error.exceptions
    return error


class _Teller:
    """Tells a client how far its call is: the steps done, or that time goes by."""

    def __init__(self, context: Context, count: Count) -> None:
        self._context, self._count = context, count
        self._said = -1.0

    async def tell(self) -> None:
        """Tell at once, then when something is new, and every second in any case."""
        waited = _PATIENCE
        while True:
            if self._so_far > self._said or waited >= _PATIENCE:
                await self._send(max(self._so_far, self._grown))
                waited = 0.0
            await anyio.sleep(_LOOK_SECONDS)
            waited += _LOOK_SECONDS

    async def finish(self) -> None:
        """Tell that a counted call is through all its steps."""
        if self._count.total and self._count.done > self._said:
            await self._send(float(self._count.done))

    @property
    def _so_far(self) -> float:
        """Return the steps that are done; all of them only once the call is over."""
        done, total = self._count.done, self._count.total
        return done - 0.5 if 0 < total <= done else float(done)

    @property
    def _grown(self) -> float:
        """Return a little more than was told: it must grow, also while one long step goes on."""
        total = self._count.total
        return self._said + (min(1.0, total - self._said) if total else 1.0) / 100

    async def _send(self, progress: float) -> None:
        self._said = progress = max(progress, 0.0)
        count = self._count
        total = float(count.total) if count.total else None
        await self._context.session.report_progress(progress, total, count.doing)


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
