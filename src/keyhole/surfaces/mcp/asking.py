"""Questions to the user, through the client: only where a person may overrule a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp import types
from mcp.server.context import ServerRequestContext

from keyhole.surfaces.mcp.answers import clean
from keyhole.toolsets.base import Arguments, Said
from keyhole.values import dataclass

QUESTION = "keyhole"
_STOP = "stop"

Context = ServerRequestContext[Any, Any]


class Asked(Exception):  # noqa: N818 - it is a question, not an error
    """The client must put the question to the user and send the call again with the answer."""

    def __init__(self, request: types.ElicitRequest) -> None:
        super().__init__("a question is open")
        self.request = request


@dataclass(frozen=True, slots=True)
class Question:
    """A refusal that the user may overrule: what it says, and what each answer changes."""

    message: str
    ways: Mapping[str, Arguments]

    @property
    def request(self) -> types.ElicitRequest:
        """Return the question as the protocol puts it."""
        answer = {"type": "string", "enum": [*self.ways, _STOP], "title": "What shall happen?"}
        schema = {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}
        params = types.ElicitRequestFormParams(message=clean(self.message), requested_schema=schema)
        return types.ElicitRequest(params=params)


def question_of(tool: str, given: Arguments, said: Said) -> Question | None:
    """Return what to ask about a refusal, None where the refusal is the answer."""
    refusals = said.data.get("refusals") if said.refused else None
    codes = {one["code"] for one in refusals} if isinstance(refusals, list) else set()
    if codes == {"conflict"} and given.get("on_conflict") == "ask":
        return Question(said.text, {way: {"on_conflict": way} for way in ("skip", "force")})
    if codes == {"shrinks"} and tool == "write":
        return Question(said.text, {"force": {"allow_shrink": True}})
    return None


async def changed_by_user(
    context: Context, question: Question, responses: types.InputResponses | None
) -> Arguments | None:
    """Return what the user's answer changes about the call; None leaves the refusal as it is."""
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.elicitation is None:
        return None
    answer = (responses or {}).get(QUESTION)
    if answer is None:
        if not context.session.can_send_request:
            raise Asked(question.request)
        answer = await context.session.send_request(question.request, types.ElicitResult)
    if not isinstance(answer, types.ElicitResult) or answer.action != "accept":
        return None
    return question.ways.get(str((answer.content or {}).get("answer")))
