import pytest
from mcp import Client, types
from mcp.shared.exceptions import MCPError

from keyhole.surfaces.mcp.guide import GUIDE, NAME, guide, listed
from keyhole.surfaces.mcp.tools import NATIVE
from keyhole.surfaces.mcp.workspaces import Workspaces
from tests.surfaces.mcp.host import Host, written

CODE = "def load():\n    return 1\n\n\ndef save():\n    return 2\n"


def said(prompt: types.GetPromptResult) -> str:
    [message] = prompt.messages
    assert message.role == "user"
    assert isinstance(message.content, types.TextContent)
    return message.content.text


def test_the_guide_is_one_message_of_the_user(workspaces: Workspaces) -> None:
    assert said(guide(workspaces)) == GUIDE
    assert [prompt.name for prompt in listed().prompts] == [NAME]


def test_the_guide_names_every_tool_and_costs_little() -> None:
    assert [tool.name for tool in NATIVE if f"`{tool.name}`" not in GUIDE] == []
    assert len(GUIDE) < 3000


def test_the_guide_for_a_file_brings_its_outline(workspaces: Workspaces) -> None:
    written(workspaces, 0, "a.txt")

    assert said(guide(workspaces, "a.txt")).startswith(f"{GUIDE}\nThe file to edit:\n\na.txt ")


def test_a_user_picks_a_place_with_completions_and_gets_the_guide_for_it(host: Host) -> None:
    host.write("app.py", CODE)
    prompt = types.PromptReference(type="ref/prompt", name=NAME)

    async def work(client: Client) -> str:
        [offered] = (await client.list_prompts()).prompts
        assert [one.name for one in offered.arguments or ()] == ["path", "segment"]
        paths = await client.complete(prompt, {"name": "path", "value": "a"})
        [path] = paths.completion.values
        argument = {"name": "segment", "value": "s"}
        found = await client.complete(prompt, argument, context_arguments={"path": path})
        [segment] = found.completion.values
        with pytest.raises(MCPError, match="no-file"):
            await client.get_prompt(NAME, {"path": "absent.py"})
        return said(await client.get_prompt(NAME, {"path": path, "segment": segment}))

    told = host.run(work)

    assert told.startswith(f"{GUIDE}\nThe place to edit:\n\napp.py ")
    assert told.endswith("5| def save():\n6|     return 2\n")


def test_a_server_without_our_own_tools_has_no_guide(host: Host) -> None:
    async def work(client: Client) -> list[types.Prompt]:
        with pytest.raises(MCPError, match="there is no prompt"):
            await client.get_prompt(NAME)
        return (await client.list_prompts()).prompts

    assert host.run(work, "--tools", "codex") == []
