"""The server: each request of a client becomes one call at the desk, in a thread of its own."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from mcp import types
from mcp.server.apps import client_supports_apps
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from keyhole.fastclasses import replace
from keyhole.progress import Count, counted
from keyhole.refusals import Refused
from keyhole.surfaces.http.announced import ADDRESS, address_at
from keyhole.surfaces.mcp import guide, resources
from keyhole.surfaces.mcp.answers import answered, listed
from keyhole.surfaces.mcp.app import document
from keyhole.surfaces.mcp.app.cards import DECIDE, LOOK, Cards, with_cards
from keyhole.surfaces.mcp.connections import Context, connection_of
from keyhole.surfaces.mcp.elicitation import (
    QUESTION,
    Question,
    chosen_by_user,
    lead_to_page,
    question_of,
    takes_addresses,
    waiting_of,
)
from keyhole.surfaces.mcp.logs import log, log_call
from keyhole.surfaces.mcp.news import Subscriptions
from keyhole.surfaces.mcp.progress import LOOK_SECONDS, Telling
from keyhole.surfaces.mcp.roots import ROOTS, NoRoots, paths_of
from keyhole.surfaces.mcp.service import Service
from keyhole.surfaces.mcp.shortcut import BROKEN
from keyhole.surfaces.mcp.tools import offered, sets_of
from keyhole.surfaces.mcp.workspaces import Workspaces
from keyhole.toolsets.base import Arguments, Caller, ToolAnswer, refusals_answer

T = TypeVar("T")

# Writers that wait for one file must not keep readers out, so each kind has threads of its own.
_READERS, _WRITERS = 16, 16


class Workers:
    """The threads of a server."""

    def __init__(self) -> None:
        self._readers = anyio.CapacityLimiter(_READERS)
        self._writers = anyio.CapacityLimiter(_WRITERS)

    async def look(self, context: Context, work: Callable[[], T]) -> T:
        """Run something that only reads."""
        return await _with_progress(context, work, self._readers)

    async def write(self, context: Context, work: Callable[[], T]) -> T:
        """Run something that may write.

        A call that is cancelled still runs to its end: its file is old or new, never between.
        """
        return await _with_progress(context, work, self._writers)


async def _with_progress(
    context: Context, work: Callable[[], T], limiter: anyio.CapacityLimiter
) -> T:
    if not context.meta or "progress_token" not in context.meta:
        return await anyio.to_thread.run_sync(work, limiter=limiter)
    count = Count()
    telling = Telling(count, anyio.current_time())
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_tell, context, telling)
            with counted(count):
                done = await anyio.to_thread.run_sync(work, limiter=limiter)
            tasks.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        raise _alone(group) from None  # who waits knows refusals and bugs as the work raised them
    if report := telling.last():
        await context.session.report_progress(*report)
    return done


async def _tell(context: Context, telling: Telling) -> None:
    while True:
        await anyio.sleep(LOOK_SECONDS)
        if report := telling.due(anyio.current_time()):
            await context.session.report_progress(*report)


def _alone(error: BaseException) -> BaseException:
    """Return the one exception of a group, however deep; a group of several as it is."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        [error] = error.exceptions
    return error


_SESSION = "session"
# Receipts of so many proposals wait for their call to come again.
_MOST_PROPOSED = 100


def _proposed_before(name: str) -> ToolAnswer:
    """Return what is left to say of a proposal whose receipt is lost."""
    data = {"ok": True, "outcome": "proposed", "transaction": name, "files": []}
    return ToolAnswer(f"proposed {name}: it waits for a person", data)


class Serving:
    """One server as the protocol's library sees it: a handler for each of its requests."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.news = Subscriptions(lambda: service.workspaces, service.started)
        # Clients over HTTP that have a session have a task each.
        self._sessions = itertools.count(1)
        self._opening = anyio.Lock()
        self._workers = Workers()
        self._cards = Cards()
        # Receipts of proposals whose page the user is led to, until the call comes again.
        self._proposed: dict[str, ToolAnswer] = {}

    def _session_of(self, context: Context) -> str:
        """Return the session of a request; it ends with its connection.

        Standard input has one connection, and over HTTP clients without a session are one: whoever
        holds the token.
        """
        connection = connection_of(context)
        if connection.session_id is None:
            return self.service.task()
        if _SESSION not in connection.state:
            session = self.service.task(next(self._sessions))
            connection.state[_SESSION] = session
            connection.exit_stack.callback(self.service.end, session)
        return str(connection.state[_SESSION])

    @asynccontextmanager
    async def lifespan(self, _: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        """Hold the workspaces while the server runs, and tell of what changes in them."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self.news.watch)
                yield {}
                tasks.cancel_scope.cancel()
        finally:
            self.service.close()

    async def list_tools(self, context: Context, __: object) -> types.ListToolsResult:
        """List the tools on offer."""
        read_only = self.service.setup.allowed.read_only
        found = listed(offered(self.service.tools.values(), read_only=read_only))
        if not client_supports_apps(context):
            return found
        return with_cards(found, read_only=read_only)

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Carry out a call of a tool, and answer it whatever it lacks."""
        try:
            workspaces = await self.opened(context, params.input_responses)
        except NoRoots:
            return types.InputRequiredResult(input_requests={ROOTS: types.ListRootsRequest()})
        except Refused as refused:
            return answered(refusals_answer(refused.refusals))
        if name := params.request_state:
            return answered(self._proposed.pop(name, _proposed_before(name)))
        has_cards = client_supports_apps(context)
        if has_cards and params.name in {LOOK, DECIDE}:
            return answered(await self._card_call(context, params, workspaces))
        try:
            outcome = await self._outcome(context, params, workspaces)
            if not has_cards:
                await self._show_page(context, workspaces, outcome)
        except Question as asked:
            state = asked.state or None
            requests: types.InputRequests = {QUESTION: asked.request}
            return types.InputRequiredResult(input_requests=requests, request_state=state)
        answer = answered(outcome)
        if has_cards:
            name = params.name
            meta = await self._workers.look(
                context, lambda: self._cards.meta(workspaces, name, outcome)
            )
            answer.meta = meta or None
        return answer

    async def _show_page(
        self, context: Context, workspaces: Workspaces, outcome: ToolAnswer
    ) -> None:
        """Lead the user to a proposal that was just made, if its page is served."""
        name = waiting_of(outcome)
        if not name or not takes_addresses(context):
            return
        address = await self._workers.look(
            context, lambda: address_at(workspaces.knowing(name).review.private(ADDRESS))
        )
        if not address:
            return
        try:
            await lead_to_page(context, name, address)
        except Question:  # the call comes again with the answer, and is not carried out again
            self._proposed[name] = outcome
            if len(self._proposed) > _MOST_PROPOSED:
                del self._proposed[next(iter(self._proposed))]
            raise

    async def _card_call(
        self, context: Context, params: types.CallToolRequestParams, workspaces: Workspaces
    ) -> ToolAnswer:
        """Carry out what the card of an edit asks for, on behalf of the person who sees it."""
        given, actor = params.arguments or {}, _name_of(context) or "mcp"
        run = self._workers.write if params.name == DECIDE else self._workers.look
        start = anyio.current_time()
        outcome = await run(
            context, lambda: self._cards.call(workspaces, params.name, given, actor)
        )
        if params.name == DECIDE:
            self.news.nudge()
        await log_call(context, params.name, outcome, anyio.current_time() - start)
        return outcome

    async def _outcome(
        self, context: Context, params: types.CallToolRequestParams, workspaces: Workspaces
    ) -> ToolAnswer:
        """Carry out a call, and once more if the user overrules its refusal."""
        meta = (context.params or {}).get("_meta") or {}
        caller = self.service.caller(_name_of(context), meta, context.request_id)
        session = self._session_of(context)
        caller = replace(caller, task=self.service.setup.task or session, session=session)
        given: Arguments = params.arguments or {}
        outcome = self.service.made.pop(context.request_id, None)
        if isinstance(outcome, BaseException):  # what failed is not tried again: it may be done
            await log(context, "error", f"{params.name} failed: {type(outcome).__name__}")
            raise outcome
        if outcome is None:
            outcome = await self._carried_out(context, workspaces, params.name, given, caller)
        else:
            await log_call(context, params.name, outcome, 0.0)
        given = outcome.given or given
        question = question_of(params.name, given, outcome)
        if question is None:
            return outcome
        way = await chosen_by_user(context, question, params.input_responses)
        if way is None:
            return outcome
        given, caller = {**given, **way.changes}, replace(caller, shrink=way.shrink)
        return await self._carried_out(context, workspaces, params.name, given, caller)

    async def _carried_out(
        self,
        context: Context,
        workspaces: Workspaces,
        name: str,
        given: Arguments,
        caller: Caller,
    ) -> ToolAnswer:
        """Run a call in a thread, and log what became of it."""
        tool = self.service.tools.get(name)
        run = self._workers.write if tool and tool.writes else self._workers.look
        start = anyio.current_time()
        try:
            desk = self.service.desk_for(workspaces)
            outcome = await run(context, lambda: desk.call(name, given, caller))
        except BROKEN as error:
            await log(context, "error", f"{name} failed: {type(error).__name__}")
            raise
        if tool and tool.writes:
            self.news.nudge()
        await log_call(context, name, outcome, anyio.current_time() - start)
        return outcome

    async def list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        """List the guides to the tools on offer."""
        return guide.listed(self.sets)

    @cached_property
    def sets(self) -> frozenset[str]:
        """Return the sets that the tools on offer are of."""
        return frozenset(sets_of(self.service.setup.tools))

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Return a guide; ours comes with the place that it is wanted for."""
        if params.name != guide.NAME or "native" not in self.sets:
            if (found := guide.other(self.sets, params.name)) is not None:
                return found
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name[:80]!r}")
        given = params.arguments or {}
        path, segment = given.get("path", ""), given.get("segment", "")
        try:
            return await self.look(context, lambda found: guide.guide(found, path, segment))
        except Refused as refused:
            raise MCPError(types.INVALID_PARAMS, str(refused)) from None

    async def list_resources(self, _: Context, __: object) -> types.ListResourcesResult:
        """List what can be read without asking for its name."""
        return resources.listed()

    async def list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        """List what can be read by name."""
        return resources.templates()

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Return a resource by its name."""
        uri = str(params.uri)
        if uri == document.URI and client_supports_apps(context):
            return document.resource()
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
            service = self.service
            if service.workspaces is None or service.roots_changed:
                roots = await paths_of(context, responses)
                service.workspaces = await anyio.to_thread.run_sync(
                    Workspaces.open, roots, service.setup.allowed, service.workspaces
                )
                service.roots_changed = False
            return service.workspaces

    async def roots_changed(self, _: Context, __: object) -> None:
        """Ask the client for its roots again at the next call."""
        self.service.forget_roots()


def _name_of(context: Context) -> str:
    params = context.session.client_params
    return params.client_info.name if params else ""
