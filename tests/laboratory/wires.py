"""Four interfaces of models over HTTP: what a request says, and a reply as the host reads it.

Standard library only. A `ModelRequest` is the same for all four, and so is a `Reply`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# What JSON holds; a host that sends another shape fails the run with a traceback.
Data = Any
# Calls carry their step and their number in it, so that a conversation says how far it has come.
_CALL_ID = re.compile(r"call_(\d{3})_(\d+)")


def call_id(step: int, number: int) -> str:
    """Return the id of a call."""
    return f"call_{step:03d}_{number}"


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool as a host offers it to the model."""

    name: str
    description: str = ""
    schema: Mapping[str, Data] = field(default_factory=dict)
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request of a host: the tools, the system's text, and the conversation so far."""

    wire: str
    system: str
    prompt: str
    tools: tuple[ToolOffer, ...]
    calls: tuple[str, ...]
    results: Mapping[str, str]
    stream: bool = True

    @property
    def step(self) -> int:
        """The step that comes next, by the calls that are in the conversation."""
        steps = [int(found[1]) for each in self.calls if (found := _CALL_ID.search(each))]
        return max(steps, default=-1) + 1

    def results_of(self, step: int) -> list[str]:
        """Return what the model sees of the calls of a step, in their order."""
        prefix = f"call_{step:03d}_"
        found = [(key, text) for key, text in self.results.items() if prefix in key]
        return [text for _, text in sorted(found)]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as a reply carries it."""

    id: str
    name: str
    arguments: Mapping[str, Data]
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answers: a text, calls, or both."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Wire:
    """An interface: the end of its path, how a request is read, how a reply is written."""

    name: str
    path: str
    read: Callable[[Data], ModelRequest]
    events: Callable[[Reply], Iterator[tuple[str, Data]]]
    whole: Callable[[Reply], Data]


def text_of(content: Data) -> str:
    """Return the text of a content that is a text, or a list of parts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        return "\n".join(text_of(part) for part in content)
    if isinstance(content, Mapping) and isinstance(content.get("text"), str):
        return str(content["text"])
    return json.dumps(content, ensure_ascii=False)


# Messages


def _read_messages(body: Data) -> ModelRequest:
    prompts, calls, results, system = [], [], {}, [text_of(body.get("system"))]
    for message in body["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in parts:
            if part["type"] == "tool_use":
                calls.append(part["id"])
            elif part["type"] == "tool_result":
                results[part["tool_use_id"]] = text_of(part.get("content"))
            elif message["role"] == "user":
                prompts.append(text_of(part))
            elif message["role"] == "system":
                system.append(text_of(part))
    tools = tuple(
        ToolOffer(each["name"], each.get("description", ""), each.get("input_schema", {}))
        for each in body.get("tools") or ()
    )
    stream = bool(body.get("stream"))
    return ModelRequest(
        "messages",
        "\n".join(system),
        "\n".join(prompts),
        tools,
        tuple(calls),
        results,
        stream,
    )


def _message_blocks(reply: Reply) -> list[dict[str, Data]]:
    text = [{"type": "text", "text": reply.text}] if reply.text or not reply.calls else []
    calls = [
        {"type": "tool_use", "id": each.id, "name": each.name, "input": each.arguments}
        for each in reply.calls
    ]
    return [*text, *calls]


def _message(reply: Reply) -> dict[str, Data]:
    return {
        "id": "msg_laboratory",
        "type": "message",
        "role": "assistant",
        "model": "laboratory",
        "content": _message_blocks(reply),
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }


def _message_events(reply: Reply) -> Iterator[tuple[str, Data]]:
    start = {**_message(reply), "content": [], "stop_reason": None}
    yield "message_start", {"type": "message_start", "message": start}
    for index, block in enumerate(_message_blocks(reply)):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        kinds: list[tuple[str, dict[str, Data]]] = [
            ("content_block_start", {"content_block": empty}),
            ("content_block_delta", {"delta": delta}),
            ("content_block_stop", {}),
        ]
        for kind, more in kinds:
            yield kind, {"type": kind, "index": index, **more}
    end = {"stop_reason": "tool_use" if reply.calls else "end_turn", "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": end, "usage": {"output_tokens": 10}}
    yield "message_stop", {"type": "message_stop"}


# Responses


def _read_responses(body: Data) -> ModelRequest:
    prompts, calls, results, system = [], [], {}, [text_of(body.get("instructions"))]
    given = body["input"]
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else given:
        kind = item.get("type", "message")
        if kind in {"function_call", "custom_tool_call"}:
            calls.append(item["call_id"])
        elif kind in {"function_call_output", "custom_tool_call_output"}:
            results[item["call_id"]] = text_of(item["output"])
        elif item.get("role") == "user":
            prompts.append(text_of(item["content"]))
        elif item.get("role") in {"system", "developer"}:
            system.append(text_of(item["content"]))
    return ModelRequest(
        "responses",
        "\n".join(system),
        "\n".join(prompts),
        tuple(_response_tools(body.get("tools") or (), "")),
        tuple(calls),
        results,
        bool(body.get("stream")),
    )


def _response_tools(tools: Sequence[Data], namespace: str) -> Iterator[ToolOffer]:
    for each in tools:
        name, description = each.get("name", each["type"]), each.get("description", "")
        if each["type"] == "namespace":
            # What the namespace says is shown beside its tools.
            yield ToolOffer("", description, {}, name)
            yield from _response_tools(each["tools"], name)
        else:
            yield ToolOffer(name, description, each.get("parameters") or {}, namespace)


def _response_items(reply: Reply) -> list[dict[str, Data]]:
    content = [{"type": "output_text", "text": reply.text, "annotations": []}]
    text = {"type": "message", "id": "msg_laboratory", "role": "assistant", "content": content}
    calls = [
        {
            "type": "function_call",
            "id": f"fc_{each.id}",
            "call_id": each.id,
            "name": each.name,
            "arguments": json.dumps(each.arguments),
            **({"namespace": each.namespace} if each.namespace else {}),
        }
        for each in reply.calls
    ]
    return [*([text] if reply.text or not calls else []), *calls]


def _response(reply: Reply) -> dict[str, Data]:
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
    return {
        "id": "resp_laboratory",
        "object": "response",
        "status": "completed",
        "model": "laboratory",
        "output": _response_items(reply),
        "usage": {**usage, "input_tokens_details": None, "output_tokens_details": None},
    }


def _response_events(reply: Reply) -> Iterator[tuple[str, Data]]:
    begun = {**_response(reply), "status": "in_progress", "output": [], "usage": None}
    yield "response.created", {"type": "response.created", "response": begun}
    for index, item in enumerate(_response_items(reply)):
        for kind in ("response.output_item.added", "response.output_item.done"):
            yield kind, {"type": kind, "output_index": index, "item": item}
    yield "response.completed", {"type": "response.completed", "response": _response(reply)}


# Chat Completions


def _read_chat(body: Data) -> ModelRequest:
    prompts, calls, results, system = [], [], {}, []
    for message in body["messages"]:
        text = text_of(message.get("content"))
        calls += [each["id"] for each in message.get("tool_calls") or ()]
        if message["role"] == "tool":
            results[message["tool_call_id"]] = text
        elif message["role"] == "user":
            prompts.append(text)
        elif message["role"] in {"system", "developer"}:
            system.append(text)
    functions = [each["function"] for each in body.get("tools") or () if "function" in each]
    tools = tuple(
        ToolOffer(each["name"], each.get("description", ""), each.get("parameters") or {})
        for each in functions
    )
    return ModelRequest(
        "chat",
        "\n".join(system),
        "\n".join(prompts),
        tools,
        tuple(calls),
        results,
        bool(body.get("stream")),
    )


def _chat_message(reply: Reply) -> dict[str, Data]:
    calls = [
        {
            "index": index,
            "id": each.id,
            "type": "function",
            "function": {"name": each.name, "arguments": json.dumps(each.arguments)},
        }
        for index, each in enumerate(reply.calls)
    ]
    return {
        "role": "assistant",
        "content": reply.text or (None if calls else ""),
        **({"tool_calls": calls} if calls else {}),
    }


def _completion(kind: str, choice: dict[str, Data]) -> dict[str, Data]:
    return {
        "id": "chatcmpl-laboratory",
        "object": kind,
        "created": 0,
        "model": "laboratory",
        "choices": [{"index": 0, **choice}],
    }


_USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}


def _chat_whole(reply: Reply) -> Data:
    reason = "tool_calls" if reply.calls else "stop"
    choice = {"message": _chat_message(reply), "finish_reason": reason}
    return {**_completion("chat.completion", choice), "usage": _USAGE}


def _chat_events(reply: Reply) -> Iterator[tuple[str, Data]]:
    choice = {"delta": _chat_message(reply), "finish_reason": None}
    yield "", _completion("chat.completion.chunk", choice)
    reason = "tool_calls" if reply.calls else "stop"
    last = _completion("chat.completion.chunk", {"delta": {}, "finish_reason": reason})
    yield "", last
    # Some hosts take a chunk that counts tokens for the end, and drop the rest of it.
    yield "", {**last, "choices": [], "usage": _USAGE}
    yield "", "[DONE]"


# generateContent


def _read_gemini(body: Data) -> ModelRequest:
    prompts, calls, results, answered = [], [], {}, 0
    step = 0
    for content in body["contents"]:
        mine = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        # Calls need not have an id here: then their order names them.
        calls += [each.get("id") or call_id(step, number) for number, each in enumerate(mine)]
        step += bool(mine)
        for part in content["parts"]:
            if "functionResponse" in part:
                found = part["functionResponse"]
                results[found.get("id") or calls[answered]] = _gemini_result(found["response"])
                answered += 1
            elif content.get("role") == "user" and "text" in part:
                prompts.append(part["text"])
    declared = [
        each for group in body.get("tools") or () for each in group.get("functionDeclarations", ())
    ]
    tools = tuple(
        ToolOffer(
            each["name"],
            each.get("description", ""),
            each.get("parametersJsonSchema") or each.get("parameters") or {},
        )
        for each in declared
    )
    system = text_of((body.get("systemInstruction") or {}).get("parts"))
    return ModelRequest("gemini", system, "\n".join(prompts), tools, tuple(calls), results)


def _gemini_result(response: Data) -> str:
    return "\n".join(f"{key}: {text_of(value)}" for key, value in response.items())


def _gemini_whole(reply: Reply) -> Data:
    text = [{"text": reply.text}] if reply.text or not reply.calls else []
    calls = [
        {"functionCall": {"name": each.name, "args": each.arguments, "id": each.id}}
        for each in reply.calls
    ]
    content = {"role": "model", "parts": [*text, *calls]}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
    return {
        "candidates": [{"index": 0, "content": content, "finishReason": "STOP"}],
        "usageMetadata": usage,
        "modelVersion": "laboratory",
    }


def _gemini_events(reply: Reply) -> Iterator[tuple[str, Data]]:
    yield "", _gemini_whole(reply)


WIRES = (
    Wire("messages", "/messages", _read_messages, _message_events, _message),
    Wire("responses", "/responses", _read_responses, _response_events, _response),
    Wire("chat", "/chat/completions", _read_chat, _chat_events, _chat_whole),
    Wire("gemini", ":streamGenerateContent", _read_gemini, _gemini_events, _gemini_whole),
    Wire("gemini", ":generateContent", _read_gemini, _gemini_events, _gemini_whole),
)


def as_event(kind: str, data: Data) -> bytes:
    """Return one event of a stream."""
    text = data if isinstance(data, str) else json.dumps(data)
    name = f"event: {kind}\n" if kind else ""
    return f"{name}data: {text}\n\n".encode()
