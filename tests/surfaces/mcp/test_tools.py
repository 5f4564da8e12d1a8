import json

import jsonschema  # type: ignore[import-untyped]
import pytest
from mcp import Client, types

from keyhole.edits.operations import Edit
from keyhole.refusals import Refused
from keyhole.surfaces.mcp.answers import listed
from keyhole.surfaces.mcp.schemas import EDIT
from keyhole.surfaces.mcp.tools import NATIVE, Tool, chosen
from tests.surfaces.mcp.host import Data, Host


def wire(tools: tuple[Tool, ...]) -> str:
    return listed(tools).model_dump_json(by_alias=True, exclude_unset=True)


def test_the_list_of_tools_stays_small() -> None:
    assert len(wire(NATIVE).encode()) < 12_000


def test_the_client_sees_the_list_as_it_is(host: Host) -> None:
    async def work(client: Client) -> list[types.Tool]:
        return (await client.list_tools()).tools

    assert [tool.name for tool in host.run(work)] == [tool.name for tool in NATIVE]


@pytest.mark.parametrize("tool", NATIVE, ids=[tool.name for tool in NATIVE])
def test_every_tool_has_sound_schemas_a_title_hints_and_an_example(tool: Tool) -> None:
    [sent] = json.loads(wire((tool,)))["tools"]

    for schema in (sent["inputSchema"], sent["outputSchema"]):
        jsonschema.Draft202012Validator.check_schema(schema)
    assert sent["title"]
    assert sent["annotations"]["readOnlyHint"] is not tool.writes
    _, _, example = tool.about.partition("Example: ")
    jsonschema.validate(json.loads(example), sent["inputSchema"])


@pytest.mark.parametrize("tool", NATIVE, ids=[tool.name for tool in NATIVE])
def test_no_schema_lets_an_unknown_argument_through(tool: Tool) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"colour": 1}, dict(tool.takes))


def test_the_schema_of_an_edit_has_the_fields_of_an_edit() -> None:
    names: Data = EDIT["properties"]

    assert set(names) == set(Edit.__match_args__)


def test_unknown_tools_are_refused_with_those_there_are() -> None:
    with pytest.raises(Refused) as error:
        chosen(("native", "hammer"), read_only=False)

    [refusal] = error.value.refusals
    assert refusal.headline == "there are no tools 'hammer'"
    assert refusal.help.startswith("name one of native, outline, read, search, edit")
