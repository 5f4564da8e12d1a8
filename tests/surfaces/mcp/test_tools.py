import json
import re
import sys
from types import ModuleType
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import jsonschema  # type: ignore[import-untyped]
import pytest
from mcp import Client, types

from keyhole.edits.model.operations import ASKABLE
from keyhole.fastclasses import replace
from keyhole.refusals import Refused
from keyhole.surfaces.mcp.answers import listed
from keyhole.surfaces.mcp.tools import NATIVE, chosen, offered
from keyhole.surfaces.mcp.tools import SETS as SETS_OF_ALL
from keyhole.toolsets import SETS, tools_of
from keyhole.toolsets.base import Tool
from keyhole.toolsets.native.tools import EDIT
from tests.surfaces.mcp.host import Data, Host, text


def wire(tools: tuple[Tool, ...]) -> str:
    return listed(tools).model_dump_json(by_alias=True, exclude_unset=True)


def test_the_list_of_tools_stays_small() -> None:
    tools = json.loads(wire(NATIVE))["tools"]
    read = [{name: each[name] for name in ("name", "description", "inputSchema")} for each in tools]
    beside = [{name: each[name] for name in each if name not in read[0]} for each in tools]

    assert sum(len(compact(each)) for each in read) <= 10_000
    assert sum(len(compact(each)) for each in beside) <= 6_000


def compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def test_the_client_sees_the_list_as_it_is(host: Host) -> None:
    async def work(client: Client) -> list[types.Tool]:
        return (await client.list_tools()).tools

    assert [tool.name for tool in host.run(work)] == [tool.name for tool in NATIVE]


@pytest.mark.parametrize("tool", NATIVE, ids=[tool.name for tool in NATIVE])
def test_every_tool_has_sound_schemas_a_title_hints_and_an_example(tool: Tool) -> None:
    [sent] = json.loads(wire((tool,)))["tools"]

    for schema in (sent["inputSchema"], sent["outputSchema"]):
        jsonschema.Draft202012Validator.check_schema(schema)
    answer = sent["outputSchema"]
    assert set(answer.get("required", ())) <= set(answer["properties"])
    assert sent["title"]
    assert sent["annotations"]["readOnlyHint"] is not tool.writes
    _, _, example = tool.about.partition("Example: ")
    jsonschema.validate(json.loads(example), sent["inputSchema"])


@pytest.mark.parametrize("group", ["native", *SETS])
def test_a_refusal_is_an_answer_of_its_tool(host: Host, group: str) -> None:
    """Hosts hold refusals to the schema too, and show the model an error of theirs instead."""
    outside = {"path": "../../x", "filePath": "../../x", "command": "view", "query": "x"}

    async def work(client: Client) -> list[tuple[str, Data, Data]]:
        tools = (await client.list_tools()).tools
        calls = [(tool, given) for tool in tools for given in (outside, {"no_such_argument": 1})]
        answers = [(tool, await client.call_tool(tool.name, given)) for tool, given in calls]
        return [
            (tool.name, tool.output_schema, answer.structured_content)
            for tool, answer in answers
            if answer.is_error
        ]

    refused = host.run(work, "--tools", group)
    assert {name for name, _, _ in refused} == {tool.name for tool in tools_of(group)}
    for _, schema, found in refused:
        if schema:
            jsonschema.validate(found, schema)


def test_a_host_is_told_what_to_show_at_once_and_how_to_find_the_rest() -> None:
    tools = {each["name"]: each for each in json.loads(wire(NATIVE))["tools"]}
    meta = {name: tool["_meta"] for name, tool in tools.items()}

    always = {name for name in meta if meta[name].get("anthropic/alwaysLoad") is True}
    assert always == {"edit", "read", "outline", "search"}
    assert {name for name in meta if meta[name].get("anthropic/searchHint")} == {*tools} - always
    long = {name for name in meta if meta[name].get("anthropic/maxResultSizeChars") == 500_000}
    assert long == {"read", "outline", "search", "history"}


@pytest.mark.parametrize("name", ["native", *SETS])
def test_every_tool_has_an_icon_that_is_a_picture(name: str) -> None:
    tools = json.loads(wire(NATIVE if name == "native" else tools_of(name)))["tools"]

    for tool in tools:
        [icon] = tool["icons"]
        kind, _, picture = icon["src"].partition(",")
        assert (kind, icon["mimeType"]) == ("data:image/svg+xml", "image/svg+xml")
        assert re.fullmatch(r"[\w;,/?:@&=+$.!~*'()%-]+", icon["src"], re.ASCII), "no address"
        assert ET.fromstring(unquote(picture)).tag.endswith("svg")
        assert "_meta" in tool or name != "native"
        assert tool.get("_meta", {}) is not None


def test_the_schema_of_an_edit_has_the_fields_of_an_edit() -> None:
    names: Data = EDIT["properties"]

    assert set(names) == set(ASKABLE)


def test_unknown_tools_are_refused_with_those_there_are() -> None:
    with pytest.raises(Refused) as error:
        chosen(("native", "hammer"))

    [refusal] = error.value.refusals
    assert refusal.headline == "there are no tools 'hammer'"
    assert refusal.help == f"name one of {', '.join([*SETS_OF_ALL, *(t.name for t in NATIVE)])}"


def test_sets_and_single_tools_are_offered_together() -> None:
    assert list(chosen(("read", "codex", "edit"))) == ["read", "apply_patch", "edit"]
    assert list(chosen(("apply_patch", "codex"))) == ["apply_patch"]
    assert list(chosen(())) == [tool.name for tool in NATIVE]


def test_a_read_only_server_offers_what_looks() -> None:
    tools = chosen(("native", "codex")).values()

    shown = [tool.name for tool in offered(tools, read_only=True)]

    assert shown == [tool.name for tool in NATIVE if not tool.writes]


def test_two_sets_with_a_tool_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = replace(tools_of("codex")[0])
    module = ModuleType("other_set")
    module.__dict__["TOOLS"] = (tools,)
    monkeypatch.setitem(sys.modules, "other_set", module)
    monkeypatch.setattr("keyhole.toolsets.SETS", {**SETS, "other": "other_set"})

    for names, said in ((("codex", "other"), "codex"), (("apply_patch",), "codex")):
        with pytest.raises(Refused) as error:
            chosen(names)
        headline = error.value.refusals[0].headline
        assert headline == f"`{said}` and `other` both have a tool `apply_patch`"


def test_a_set_is_served_beside_our_own_tools(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work(client: Client) -> tuple[list[str], types.CallToolResult]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        patch = "*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** End Patch"
        return names, await client.call_tool("apply_patch", {"input": patch})

    names, done = host.run(work, "--tools", "codex,read")

    assert names == ["apply_patch", "read"]
    assert text(done) == "Success. Updated the following files:\nM a.txt"
    assert host.read("a.txt") == "two\n"
