from mcp import Client

from tests.surfaces.mcp.host import Data, Host, codes, data

DESIGN = {"problem_statement": "It is slow.", "decision": "A cache."}


def test_a_file_is_made_listed_and_edited_by_block(host: Host) -> None:
    async def work(client: Client) -> list[Data]:
        listed = data(await client.call_tool("scaffold", {}))
        told = data(await client.call_tool("scaffold", {"template": "design"}))
        call = {"template": "design", "path": "d.md", "variables": DESIGN}
        made = data(await client.call_tool("scaffold", call))
        edit = {"segment": "decision", "part": "body", "content": "Two."}
        edited = data(await client.call_tool("edit", {"path": "d.md", "edits": [edit]}))
        outline = data(await client.call_tool("outline", {"path": "d.md"}))
        return [listed, told, made, edited, outline]

    listed, told, made, edited, outline = host.run(work)

    assert len(listed["templates"]) == 9
    assert told["templates"][0]["schema"]["required"] == ["decision", "problem_statement"]
    assert made["files"][0]["created"]
    assert edited["files"][0]["edits"][0]["notes"][0] == (
        "`decision` is a block of template design"
    )
    assert "## Decision\n\nTwo.\n" in host.read("d.md")
    assert outline["template"]["id"] == "design"
    assert "template_block" in outline["editable"]


def test_missing_variables_are_returned_with_the_schema(host: Host) -> None:
    async def work(client: Client) -> Data:
        return await client.call_tool("scaffold", {"template": "design", "path": "d.md"})

    answer = host.run(work)

    assert codes(answer) == ["template-variables"]
    [refusal] = answer.structured_content["refusals"]
    assert refusal["schema"]["required"] == ["decision", "problem_statement"]


def test_a_read_only_server_makes_no_files(host: Host) -> None:
    async def work(client: Client) -> Data:
        names = [tool.name for tool in (await client.list_tools()).tools]
        return names, await client.call_tool("scaffold", {"template": "plan", "path": "p.md"})

    names, answer = host.run(work, "--read-only")

    assert "scaffold" not in names
    assert codes(answer) == ["read-only"]
