"""The scripted model on all four wires, as a host speaks to it."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.laboratory.model import DONE, Call, Earlier, ScriptedModel, Serving, Step, steps_from
from tests.laboratory.wires import WIRES, Reply, ToolCall, Wire, as_event

Data = Any

EDIT = {"path": "a.py", "find": "1", "content": "2"}
SCRIPT = (
    Step((Call("edit", EDIT),)),
    Step((Call("edit", {"accept": Earlier(r"accept\W+(\w+)")}), Call("read", {"path": "a.py"}))),
)
PATHS = {
    "messages": "/v1/messages",
    "responses": "/v1/responses",
    "chat": "/v1/chat/completions",
    "gemini": "/v1beta/models/m:streamGenerateContent?alt=sse",
}


class Client:
    """A host as small as it gets: it keeps a conversation on a wire, and sends it again."""

    def __init__(self, url: str, wire: str) -> None:
        self.url, self.wire = url, wire
        self.turns: list[Data] = []

    def body(self, *, tools: bool = True) -> dict[str, Data]:
        schema = {"type": "object", "properties": {"path": {"type": "string"}}}
        names = ["mcp__keyhole__edit", "mcp__keyhole__read"] if tools else []
        if self.wire == "messages":
            offers = [{"name": n, "description": "d", "input_schema": schema} for n in names]
            first = {"role": "user", "content": [{"type": "text", "text": "please"}]}
            turns = [first, *self.turns]
            return {"system": "sys", "messages": turns, "tools": offers, "stream": True}
        if self.wire == "responses":
            inner = [
                {"type": "function", "name": n[14:], "description": "d", "parameters": schema}
                for n in names
            ]
            space = {"type": "namespace", "name": "mcp__keyhole", "description": "i"}
            user = {"role": "user", "content": [{"type": "input_text", "text": "please"}]}
            return {
                "instructions": "sys",
                "input": [{"type": "message", **user}, *self.turns],
                "tools": [{**space, "tools": inner}] if inner else [],
                "stream": True,
            }
        if self.wire == "chat":
            offers = [
                {"type": "function", "function": {"name": n, "description": "d", "parameters": {}}}
                for n in names
            ]
            said = [{"role": "system", "content": "sys"}, {"role": "user", "content": "please"}]
            return {"messages": [*said, *self.turns], "tools": offers, "stream": True}
        offers = [{"name": n, "description": "d", "parametersJsonSchema": schema} for n in names]
        user = {"role": "user", "parts": [{"text": "please"}]}
        return {
            "systemInstruction": {"parts": [{"text": "sys"}]},
            "contents": [user, *self.turns],
            "tools": [{"functionDeclarations": offers}] if offers else [],
        }

    def send(self, *, tools: bool = True) -> list[Data]:
        data = json.dumps(self.body(tools=tools)).encode()
        request = urllib.request.Request(self.url + PATHS[self.wire], data)
        request.add_header("content-type", "application/json")
        with urllib.request.urlopen(request) as answer:
            lines = answer.read().decode().splitlines()
        found = [line[6:] for line in lines if line.startswith("data: ")]
        return [json.loads(each) for each in found if each != "[DONE]"]

    def calls(self, events: list[Data]) -> list[tuple[str, str, Data]]:
        """Return id, name and arguments of the calls in a stream."""
        if self.wire == "messages":
            begun = [each["content_block"] for each in events if "content_block" in each]
            said = [each["delta"]["partial_json"] for each in events if _is_input(each)]
            blocks = [block for block in begun if block["type"] == "tool_use"]
            pairs = zip(blocks, said, strict=True)
            return [(block["id"], block["name"], json.loads(text)) for block, text in pairs]
        if self.wire == "responses":
            items = [each["item"] for each in events if each["type"].endswith("item.done")]
            calls = [item for item in items if item["type"] == "function_call"]
            assert all(call["namespace"] == "mcp__keyhole" for call in calls)
            return [(c["call_id"], c["name"], json.loads(c["arguments"])) for c in calls]
        if self.wire == "chat":
            deltas = [each["choices"][0]["delta"] for each in events if each["choices"]]
            made = [call for each in deltas for call in each.get("tool_calls", ())]
            functions = [(call["id"], call["function"]) for call in made]
            return [(key, f["name"], json.loads(f["arguments"])) for key, f in functions]
        parts = [part for each in events for part in each["candidates"][0]["content"]["parts"]]
        made = [part["functionCall"] for part in parts if "functionCall" in part]
        return [(call["id"], call["name"], call["args"]) for call in made]

    def answer(self, made: list[tuple[str, str, Data]], text: str) -> None:
        """Put calls and their results into the conversation."""
        if self.wire == "messages":
            uses = [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in made]
            results = [
                {
                    "type": "tool_result",
                    "tool_use_id": i,
                    "content": [{"type": "text", "text": text}],
                }
                for i, _, _ in made
            ]
            self.turns += [{"role": "assistant", "content": uses}]
            self.turns += [{"role": "user", "content": results}]
        elif self.wire == "responses":
            for key, name, arguments in made:
                call = {"type": "function_call", "call_id": key, "name": name}
                self.turns.append({**call, "arguments": json.dumps(arguments)})
            for key, _, _ in made:
                self.turns += [{"type": "function_call_output", "call_id": key, "output": text}]
        elif self.wire == "chat":
            calls = [{"id": i, "function": {"name": n, "arguments": "{}"}} for i, n, _ in made]
            self.turns += [{"role": "assistant", "content": None, "tool_calls": calls}]
            self.turns += [{"role": "tool", "tool_call_id": i, "content": text} for i, _, _ in made]
        else:
            # A host may drop the ids here.
            parts = [{"functionCall": {"name": n, "args": a}} for _, n, a in made]
            shown = {"response": {"output": text}}
            back = [{"functionResponse": {"name": n, **shown}} for _, n, _ in made]
            self.turns += [{"role": "model", "parts": parts}, {"role": "user", "parts": back}]


def _is_input(event: Data) -> bool:
    return event.get("delta", {}).get("type") == "input_json_delta"  # type: ignore[no-any-return]


@pytest.fixture(name="model")
def _model() -> ScriptedModel:
    return ScriptedModel(SCRIPT)


@pytest.fixture(name="url")
def _url(model: ScriptedModel) -> Iterator[str]:
    with Serving(model) as serving:
        yield serving.url


@pytest.mark.parametrize("wire", PATHS)
def test_a_script_is_played_to_its_end(model: ScriptedModel, url: str, wire: str) -> None:
    client = Client(url, wire)
    first = client.calls(client.send())
    assert [(name.removeprefix("mcp__keyhole__"), given) for _, name, given in first] == [
        ("edit", EDIT)
    ]
    client.answer(first, "refused: accept: b2c")
    second = client.calls(client.send())
    assert [given for _, _, given in second] == [{"accept": "b2c"}, {"path": "a.py"}]
    client.answer(second, "applied")
    assert DONE in json.dumps(client.send())
    shown = [["refused: accept: b2c"], ["applied", "applied"]]
    prefix = "output: " if wire == "gemini" else ""
    assert model.seen() == [[prefix + each for each in step] for step in shown]


@pytest.mark.parametrize("wire", PATHS)
def test_the_first_request_is_kept_as_it_was_shown(
    model: ScriptedModel, url: str, wire: str
) -> None:
    Client(url, wire).send()
    assert model.first
    assert (model.first.system, model.first.prompt) == ("sys", "please")
    offers = [(f"{each.namespace}__{each.name}", each.description) for each in model.first.tools]
    expected = [("mcp__keyhole__edit", "d"), ("mcp__keyhole__read", "d")]
    assert [(name.lstrip("_"), said) for name, said in offers][-2:] == expected


@pytest.mark.parametrize("wire", PATHS)
def test_the_same_request_gets_the_same_reply(model: ScriptedModel, url: str, wire: str) -> None:
    client = Client(url, wire)
    assert client.send() == client.send()
    assert len(model.requests) == 2


@pytest.mark.parametrize("wire", PATHS)
def test_a_side_request_gets_a_text_and_takes_no_step(
    model: ScriptedModel, url: str, wire: str
) -> None:
    client = Client(url, wire)
    assert DONE in json.dumps(client.send(tools=False))
    assert not model.requests
    assert client.calls(client.send())


def test_what_happens_before_a_step_happens_once() -> None:
    happened: list[object] = []
    model = ScriptedModel([Step((Call("edit", EDIT),), before="kill")], act=happened.append)
    with Serving(model) as serving:
        client = Client(serving.url, "chat")
        client.send()
        client.send()
    assert happened == ["kill"]


def test_a_value_that_no_answer_held_is_said(model: ScriptedModel, url: str) -> None:
    client = Client(url, "chat")
    client.answer(client.calls(client.send()), "applied, nothing to take")
    [(_, _, given), _] = client.calls(client.send())
    assert given["accept"].startswith("nothing like")
    assert model.requests


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.path)
def test_a_reply_without_a_stream_holds_the_same_calls(wire: Wire) -> None:
    reply = Reply("text", (ToolCall("call_000_0", "edit", EDIT),))
    whole = json.dumps(wire.whole(reply))
    assert "call_000_0" in whole
    assert "text" in whole
    streamed = b"".join(as_event(kind, data) for kind, data in wire.events(reply))
    assert b"call_000_0" in streamed
    assert b'"text"' in streamed


def test_other_addresses_are_answered(url: str) -> None:
    with urllib.request.urlopen(f"{url}/v1/models") as answer:
        assert json.load(answer)["data"]
    request = urllib.request.Request(f"{url}/v1/messages/count_tokens", b"{}")
    with urllib.request.urlopen(request) as answer:
        assert json.load(answer)["input_tokens"]


def test_the_model_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    script = [[{"tool": "edit", "arguments": {**EDIT, "accept": {"earlier": "(x)"}}}], "bye"]
    assert steps_from(script)[1] == Step(text="bye")
    (tmp_path / "script").write_text(json.dumps(script), encoding="utf-8")
    command = [sys.executable, "-m", "tests.laboratory.model", "script", "record"]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [*command[:3], str(tmp_path / "script"), str(tmp_path / "record")],
        stdout=subprocess.PIPE,
        cwd=root,
        encoding="utf-8",
    ) as process:
        assert process.stdout
        client = Client(process.stdout.readline().strip(), "messages")
        assert client.calls(client.send())
        while not (tmp_path / "record").read_text(encoding="utf-8"):
            assert process.poll() is None
        process.terminate()
    [recorded] = (tmp_path / "record").read_text(encoding="utf-8").splitlines()
    assert json.loads(recorded)["prompt"] == "please"
