"""Questions to the user, through the client: to overrule a refusal, or to look at a proposal."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from keyhole.fastclasses import dataclass, field
from keyhole.surfaces.mcp.answers import clean
from keyhole.toolsets.base import Arguments, ToolAnswer

if TYPE_CHECKING:
    from mcp import types

    from keyhole.surfaces.mcp.connections import Context

QUESTION = "keyhole"
_STOP = "stop"
# So long a call waits for a user who is led to a page.
_PAGE_SECONDS = 30


class Question(Exception):  # noqa: N818 - it is a question, not an error
    """The client must put the question to the user and send the call again with the answer."""

    def __init__(self, request: types.ElicitRequest, state: str = "") -> None:
        super().__init__("a question is open")
        self.request = request
        # What the client sends back beside the answer.
        self.state = state


@dataclass(frozen=True, slots=True)
class Override:
    """What an answer changes about the call: arguments, or what becomes of large deletions."""

    changes: Arguments = field(default_factory=dict)
    shrink: str = "refuse"


@dataclass(frozen=True, slots=True)
class Elicited:
    """A refusal that the user may overrule: what it says, and what each answer changes."""

    message: str
    ways: Mapping[str, Override]

    @property
    def request(self) -> types.ElicitRequest:
        """Return the question as the protocol puts it."""
        from mcp import types

        answer = {"type": "string", "enum": [*self.ways, _STOP], "title": "What shall happen?"}
        schema = {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}
        params = types.ElicitRequestFormParams(message=clean(self.message), requested_schema=schema)
        return types.ElicitRequest(params=params)


def question_of(tool: str, given: Arguments, outcome: ToolAnswer) -> Elicited | None:
    """Return what to ask about a refusal, None where the refusal is the answer."""
    if given.get("dry_run") or given.get("mode") == "verify_only":
        return None
    codes = {*outcome.codes}
    if codes == {"conflict"} and given.get("on_conflict") == "ask":
        ways = {way: Override({"on_conflict": way}) for way in ("skip", "force")}
        return Elicited(outcome.text, ways)
    if codes == {"shrinks"} and tool == "write":
        return Elicited(outcome.text, {"force": Override({"allow_shrink": True})})
    if codes == {"shrinks"} and tool in {"edit", "patch"}:
        ways = {"skip": Override(shrink="skip"), "force": Override(shrink="allow")}
        return Elicited(outcome.text, ways)
    return None


def waiting_of(outcome: ToolAnswer) -> str:
    """Return the proposal that a call left for a person, "" if it left none."""
    name = outcome.data.get("transaction")
    is_waiting = outcome.data.get("outcome") == "proposed" and not outcome.refused
    return name if is_waiting and isinstance(name, str) else ""


def takes_addresses(context: Context) -> bool:
    """Tell whether the client can lead the user to an address."""
    capabilities = context.session.client_capabilities
    asks = capabilities.elicitation if capabilities else None
    return asks is not None and asks.url is not None


async def lead_to_page(context: Context, name: str, address: str) -> None:
    """Lead the user to the page of a proposal; nothing depends on what comes of that."""
    from anyio import move_on_after
    from mcp import types
    from mcp.shared.exceptions import MCPError

    from keyhole.surfaces.mcp.connections import ask_client

    message = f"Proposal {name} waits for your word. The review page shows it, and takes it."
    url = f"{address}/proposals/{name}"
    params = types.ElicitRequestURLParams(message=message, url=url, elicitation_id=name)
    request = types.ElicitRequest(params=params)
    if not context.session.can_send_request:
        raise Question(request, name)
    with suppress(MCPError, ValueError), move_on_after(_PAGE_SECONDS):
        await ask_client(context, request, types.ElicitResult)


async def chosen_by_user(
    context: Context, question: Elicited, responses: types.InputResponses | None
) -> Override | None:
    """Return what the user's answer changes about the call; None leaves the refusal as it is."""
    from mcp import types
    from mcp.shared.exceptions import MCPError

    from keyhole.surfaces.mcp.connections import ask_client

    capabilities = context.session.client_capabilities
    asks = capabilities.elicitation if capabilities else None
    if asks is None or (asks.form is None and asks.url is not None):
        return None
    answer = (responses or {}).get(QUESTION)
    if answer is None:
        if not context.session.can_send_request:
            raise Question(question.request)
        try:
            answer = await ask_client(context, question.request, types.ElicitResult)
        except (MCPError, ValueError):  # nobody could be asked, or what came back is no answer
            return None
    if not isinstance(answer, types.ElicitResult) or answer.action != "accept":
        return None
    return question.ways.get(str((answer.content or {}).get("answer")))
