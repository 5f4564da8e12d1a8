"""Our server over HTTP with the tools, resources and prompts that the conformance suite asks for.

python -m tests.surfaces.mcp.everything ROOT

All else is the server as it is: what the suite finds out about messages, sessions, versions and
headers, it finds out about `keyhole mcp --http`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import types
from mcp.shared.exceptions import MCPError

from keyhole.surfaces.mcp import http
from keyhole.surfaces.mcp.connections import Context, ask_client
from keyhole.surfaces.mcp.logs import log
from keyhole.surfaces.mcp.server import Serving
from keyhole.surfaces.mcp.setup import Setup

Params = types.CallToolRequestParams
Answer = types.CallToolResult | types.InputRequiredResult
# What the suite sends and gets; the models of the protocol check it.
Data = Any
Handler = Callable[[Context, Params], Awaitable[Answer]]

IMAGE = base64.b64encode(
    bytes.fromhex(
        "47494638396101000100800000ffffff00000021f90400000000002c00000000010001000002024401003b"
    )
).decode()
_RATE, _EMPTY = (8000).to_bytes(4, "little"), (0).to_bytes(4, "little")
SOUND = base64.b64encode(
    b"RIFF"
    + (36).to_bytes(4, "little")
    + b"WAVEfmt "
    + (16).to_bytes(4, "little")
    + b"\1\0\1\0"
    + _RATE
    + _RATE
    + b"\1\0\x08\0data"
    + _EMPTY
).decode()
_KEY = b"of this process only"
_OBJECT: dict[str, Any] = {"type": "object"}


def _text(words: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)])


def _picture() -> types.ImageContent:
    return types.ImageContent(type="image", data=IMAGE, mime_type="image/gif")


def _embedded(uri: str, words: str, kind: str = "text/plain") -> types.EmbeddedResource:
    body = types.TextResourceContents(uri=uri, mime_type=kind, text=words)
    return types.EmbeddedResource(type="resource", resource=body)


def _form(message: str, properties: Mapping[str, Any], *required: str) -> types.ElicitRequest:
    schema = {"type": "object", "properties": dict(properties), "required": list(required)}
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=message, requested_schema=schema)
    )


def _sample(prompt: str, most: int = 100) -> types.CreateMessageRequest:
    said = types.TextContent(type="text", text=prompt)
    message = types.SamplingMessage(role="user", content=said)
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=most)
    )


def _fixed(*content: Data) -> Handler:
    async def answer(_: Context, __: Params) -> Answer:
        return types.CallToolResult(content=list(content))

    return answer


async def _failing(_: Context, __: Params) -> Answer:
    said = types.TextContent(type="text", text="This tool always fails, for the suite.")
    return types.CallToolResult(content=[said], is_error=True)


async def _logging(context: Context, _: Params) -> Answer:
    for words in ("begun", "at work", "done"):
        await log(context, "warning", words)
    return _text("logged three times")


async def _progress(context: Context, _: Params) -> Answer:
    for done in (0.0, 50.0, 100.0):
        await context.session.report_progress(done, 100.0, f"{done:.0f} of 100")
        await anyio.sleep(0.05)
    return _text("reported three times")


async def _sampling(context: Context, params: Params) -> Answer:
    prompt = str((params.arguments or {}).get("prompt", ""))
    found = await ask_client(context, _sample(prompt), types.CreateMessageResult)
    return _text(f"LLM response: {getattr(found.content, 'text', '')}")


def _asking(message: str, properties: Mapping[str, Any], *required: str) -> Handler:
    """A tool that asks the user in the middle of its call."""

    async def answer(context: Context, params: Params) -> Answer:
        words = str((params.arguments or {}).get("message", message))
        asked = _form(words, properties, *required)
        found = await ask_client(context, asked, types.ElicitResult)
        content = json.dumps(found.content or {})
        return _text(f"User response: action={found.action}, content={content}")

    return answer


_STATES = ["active", "inactive", "pending"]
_DEFAULTS: Mapping[str, Any] = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": _STATES, "default": "active"},
    "verified": {"type": "boolean", "default": True},
}


def _titled(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"const": value, "title": title} for value, title in pairs]


_ENUMS: Mapping[str, Any] = {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": _titled(("value1", "First"), ("value2", "Second"))},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["One", "Two", "Three"],
    },
    "untitledMulti": {
        "type": "array",
        "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
    },
    "titledMulti": {
        "type": "array",
        "items": {"anyOf": _titled(("value1", "First"), ("value2", "Second"))},
    },
}


# Answers that ask first: what is asked, and the state that comes back with it.


def _sealed(state: str) -> str:
    return f"{state}.{hmac.new(_KEY, state.encode(), hashlib.sha256).hexdigest()}"


def _state_of(params: Data) -> str:
    """Return the state that a call brings back, "" if none; refuse one that is not ours."""
    given = params.request_state
    if given is None:
        return ""
    state, _, _ = given.rpartition(".")
    if not hmac.compare_digest(given, _sealed(state)):
        raise MCPError(types.INVALID_PARAMS, "the state of the request is not what was sent")
    return str(state)


def _input_tool(
    asked: Mapping[str, Any], say: Callable[[Mapping[str, Any]], str], state: str = ""
) -> Handler:
    async def answer(_: Context, params: Params) -> Answer:
        known = _state_of(params)
        given = params.input_responses or {}
        if any(key not in given for key in asked) or known != state:
            sealed = _sealed(state) if state else None
            return types.InputRequiredResult(input_requests=dict(asked), request_state=sealed)
        return _text(say(given))

    return answer


_NAME = _form("What is your name?", {"name": {"type": "string"}}, "name")
_CAPITAL = _sample("What is the capital of France?")


def _named(given: Data) -> str:
    return str((getattr(given, "content", None) or {}).get("name", ""))


def _said(given: Data) -> str:
    return str(getattr(getattr(given, "content", None), "text", given))


def _rooted(given: Data) -> str:
    return ", ".join(str(each.uri) for each in getattr(given, "roots", []))


async def _by_capability(context: Context, _: Params) -> Answer:
    """Ask only what the client can answer."""
    can = context.session.client_capabilities
    asked: dict[str, Any] = {}
    if can and can.elicitation is not None:
        asked["name"] = _NAME
    if can and can.sampling is not None:
        asked["capital"] = _CAPITAL
    return types.InputRequiredResult(input_requests=asked)


async def _rounds(_: Context, params: Params) -> Answer:
    """Ask twice, and know by the state what was answered before."""
    state, given = _state_of(params), params.input_responses or {}
    if state == "second" and "step2" in given:
        return _text("both steps are answered")
    if state == "first" and "step1" in given:
        colour = _form("Step 2: What is your favorite color?", {"color": {"type": "string"}})
        return types.InputRequiredResult(
            input_requests={"step2": colour}, request_state=_sealed("second")
        )
    name = _form("Step 1: What is your name?", {"name": {"type": "string"}}, "name")
    return types.InputRequiredResult(input_requests={"step1": name}, request_state=_sealed("first"))


async def _needs_sampling(context: Context, _: Params) -> Answer:
    can = context.session.client_capabilities
    if can is None or can.sampling is None:
        needed: Data = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling is required", needed)
    return _text("the client can sample")


_CONFIRM = _form("Please confirm", {"ok": {"type": "boolean"}}, "ok")
TOOLS: Mapping[str, Handler] = {
    "test_simple_text": _fixed(types.TextContent(type="text", text="A simple text for testing.")),
    "test_image_content": _fixed(_picture()),
    "test_audio_content": _fixed(
        types.AudioContent(type="audio", data=SOUND, mime_type="audio/wav")
    ),
    "test_embedded_resource": _fixed(_embedded("test://embedded-resource", "embedded text")),
    "test_multiple_content_types": _fixed(
        types.TextContent(type="text", text="Several kinds of content:"),
        _picture(),
        _embedded("test://mixed-content-resource", '{"test": 1}', "application/json"),
    ),
    "test_tool_with_logging": _logging,
    "test_logging_tool": _logging,
    "test_tool_with_progress": _progress,
    "test_error_handling": _failing,
    "test_sampling": _sampling,
    "test_elicitation": _asking("?", {"response": {"type": "string"}}, "response"),
    "test_elicitation_sep1034_defaults": _asking("Please fill in the form", _DEFAULTS),
    "test_elicitation_sep1330_enums": _asking("Please choose", _ENUMS),
    "test_missing_capability": _needs_sampling,
    "test_streaming_elicitation": _input_tool({"confirm": _CONFIRM}, lambda _: "confirmed"),
    "test_input_required_result_elicitation": _input_tool(
        {"user_name": _NAME}, lambda given: f"Hello, {_named(given['user_name'])}!"
    ),
    "test_input_required_result_sampling": _input_tool(
        {"capital_question": _CAPITAL}, lambda given: _said(given["capital_question"])
    ),
    "test_input_required_result_list_roots": _input_tool(
        {"client_roots": types.ListRootsRequest()}, lambda given: _rooted(given["client_roots"])
    ),
    "test_input_required_result_request_state": _input_tool(
        {"confirm": _CONFIRM}, lambda _: "state-ok", "waiting"
    ),
    "test_input_required_result_tampered_state": _input_tool(
        {"confirm": _CONFIRM}, lambda _: "state-ok", "sealed"
    ),
    "test_input_required_result_multiple_inputs": _input_tool(
        {
            "user_name": _NAME,
            "greeting": _sample("Generate a greeting", 50),
            "client_roots": types.ListRootsRequest(),
        },
        lambda given: f"{_named(given['user_name'])}: {_said(given['greeting'])}",
        "several",
    ),
    "test_input_required_result_multi_round": _rounds,
    "test_input_required_result_capabilities": _by_capability,
}
_2020 = "json_schema_2020_12_tool"
_SCHEMA_2020: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
RESOURCES: Mapping[str, str] = {
    "test://static-text": "This is the content of the static text resource.",
    "test://watched-resource": "This one is subscribed to.",
}
BINARY = "test://static-binary"
_TEMPLATE = "test://template/{id}/data"
_ARGUMENTS: Mapping[str, Sequence[str]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


def _prompt(name: str, given: Mapping[str, str]) -> list[Any]:
    if name == "test_prompt_with_arguments":
        words = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
        return [types.TextContent(type="text", text=words)]
    if name == "test_prompt_with_embedded_resource":
        return [_embedded(given["resourceUri"], "embedded text")]
    if name == "test_prompt_with_image":
        return [_picture()]
    return [types.TextContent(type="text", text="This is a simple prompt for testing.")]


class Everything(Serving):
    """The server with the suite's fixtures beside its own tools, resources and prompts."""

    async def list_tools(self, context: Context, params: object) -> types.ListToolsResult:
        found = await super().list_tools(context, params)
        own = [types.Tool(name=name, description=name, input_schema=_OBJECT) for name in TOOLS]
        own.append(types.Tool(name=_2020, description=_2020, input_schema=_SCHEMA_2020))
        return types.ListToolsResult(tools=[*found.tools, *own])

    async def call_tool(self, context: Context, params: Params) -> Answer:
        handler = TOOLS.get(params.name)
        return await (handler(context, params) if handler else super().call_tool(context, params))

    async def list_resources(self, context: Context, params: object) -> types.ListResourcesResult:
        found = await super().list_resources(context, params)
        own = [types.Resource(uri=uri, name=uri) for uri in (*RESOURCES, BINARY)]
        return types.ListResourcesResult(resources=[*found.resources, *own])

    async def list_templates(
        self, context: Context, params: object
    ) -> types.ListResourceTemplatesResult:
        found = await super().list_templates(context, params)
        own = types.ResourceTemplate(uri_template=_TEMPLATE, name="data of an id")
        return types.ListResourceTemplatesResult(
            resource_templates=[*found.resource_templates, own]
        )

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri == BINARY:
            body = types.BlobResourceContents(uri=uri, mime_type="image/gif", blob=IMAGE)
            return types.ReadResourceResult(contents=[body])
        words = RESOURCES.get(uri)
        if uri.startswith("test://template/"):
            words = json.dumps({"id": uri.split("/")[3], "templateTest": True})
        if words is None:
            return await super().read_resource(context, params)
        kind = "application/json" if words.startswith("{") else "text/plain"
        text = types.TextResourceContents(uri=uri, mime_type=kind, text=words)
        return types.ReadResourceResult(contents=[text])

    async def list_prompts(self, context: Context, params: object) -> types.ListPromptsResult:
        found = await super().list_prompts(context, params)
        own = [
            types.Prompt(
                name=name,
                description=name,
                arguments=[types.PromptArgument(name=one, required=True) for one in arguments],
            )
            for name, arguments in _ARGUMENTS.items()
        ]
        return types.ListPromptsResult(prompts=[*found.prompts, *own])

    async def get_prompt(  # type: ignore[override] # a prompt of the suite asks first
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        if params.name not in _ARGUMENTS:
            return await super().get_prompt(context, params)
        if params.name == "test_input_required_result_prompt" and not params.input_responses:
            asked = _form("What context should the prompt use?", {"context": {"type": "string"}})
            return types.InputRequiredResult(input_requests={"user_context": asked})
        content = _prompt(params.name, params.arguments or {})
        messages = [types.PromptMessage(role="user", content=each) for each in content]
        return types.GetPromptResult(messages=messages)


if __name__ == "__main__":
    sys.exit(http.serve(Setup(roots=(Path(sys.argv[1]),)), "127.0.0.1:0", Everything))
