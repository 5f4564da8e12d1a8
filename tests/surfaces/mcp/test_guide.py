import re

import pytest
from mcp import Client, types
from mcp.shared.exceptions import MCPError

from keyhole.surfaces.mcp.front.greeting import instructions
from keyhole.surfaces.mcp.guide import GUIDE, NAME, guide, listed
from keyhole.surfaces.mcp.tools import NATIVE
from keyhole.surfaces.mcp.workspaces import Workspaces
from keyhole.toolsets import tools_of
from keyhole.toolsets.guides import GUIDES, INSTRUCTIONS
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


GUIDED = {
    "text": ("text-editing-guide", ["TextReplace", "TextPatch", "TextInspect"]),
    "article": ("article-editing-guide", ["edit_article", "read_file", "write_file"]),
    "surgical": ("surgical-editing-guide", [tool.name for tool in tools_of("surgical")]),
    "safe-edit": ("safe-edit-guide", ["safe_edit_file", "query_file_schema"]),
}
# What the documents of the interfaces want an agent to be told.
TOLD = {
    "text": ["appendToSection", "beforeHeading", "codeBlock", "last resort", "expectedHash"],
    "article": ["old_string", "new_string", "reason", "stand once", "call nothing"],
    "surgical": ["research", "generate", "modify", "execute", "analyze", "on_conflict"],
    "safe-edit": ["markdown_section", "python_function", "python_method", "template_block"],
}


@pytest.mark.parametrize("name", GUIDED)
def test_another_interface_has_a_guide_of_its_own_and_instructions(host: Host, name: str) -> None:
    async def work(client: Client) -> tuple[list[str], str, str]:
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        text = said(await client.get_prompt(prompts[0]))
        return prompts, text, client.instructions or ""

    prompts, text, instructions = host.run(work, "--tools", name)

    prompt, tools = GUIDED[name]
    assert prompts == [prompt]
    assert [tool for tool in tools if f"`{tool}`" not in text] == []
    assert [word for word in TOLD[name] if word not in text] == []
    assert instructions.startswith(GUIDES[name].instructions)
    assert instructions.endswith(f"Relative paths are below {host.root}.")


def test_the_guides_of_several_sets_are_listed_together(host: Host) -> None:
    async def work(client: Client) -> list[str]:
        return [prompt.name for prompt in (await client.list_prompts()).prompts]

    assert host.run(work, "--tools", "native,text,codex") == [NAME, "text-editing-guide"]
    assert host.run(work, "--tools", "read,TextInspect") == [NAME, "text-editing-guide"]


def sentences(text: str) -> list[str]:
    return re.findall(r"[^.]+(?:\.(?! )[^.]+)*\.(?= |$)", text)


def test_six_sentences_tell_a_model_why_and_how(host: Host) -> None:
    async def work(client: Client) -> str:
        return client.instructions or ""

    told = sentences(host.run(work))

    assert len(told) == 6
    wanted = ["`sed`", "segment", "`reason`", "refusal", "`undo`", str(host.root)]
    assert [word for word, one in zip(wanted, told, strict=True) if word not in one] == []


def test_a_server_that_only_reads_speaks_of_reading(host: Host) -> None:
    async def work(client: Client) -> str:
        return client.instructions or ""

    told = host.run(work, "--read-only")

    assert "only read" in told
    assert "`undo`" not in told


def test_several_roots_and_none_are_told() -> None:
    assert instructions(INSTRUCTIONS, ["codex"], ["/a", "/b", "/c"], writes=True) == (
        "Edits land exactly where they were meant, or are refused. "
        "Relative paths are below /a; name files below /b, /c by absolute paths."
    )
    told = instructions(INSTRUCTIONS, ["native"], [], writes=True)
    assert told.endswith("below the root that the client names.")
