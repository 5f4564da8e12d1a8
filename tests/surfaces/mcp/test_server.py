import pytest
from mcp import Client, types
from mcp.shared.exceptions import MCPError

from tests.surfaces.mcp.host import Host, data

CODE = "def load():\n    return 1\n\n\ndef save():\n    return 2\n"


def contents(result: types.ReadResourceResult) -> str:
    [content] = result.contents
    assert isinstance(content, types.TextResourceContents)
    return content.text


def test_history_transactions_and_outlines_are_resources(host: Host) -> None:
    host.write("a b.py", CODE)

    async def work(client: Client) -> list[str]:
        edits = [{"find": "return 1", "content": "return 3", "reason": "odd"}]
        done = data(await client.call_tool("edit", {"path": "a b.py", "edits": edits}))
        uris = [
            "keyhole://history",
            f"keyhole://transaction/{done['transaction']}",
            "keyhole://outline/a%20b.py",
        ]
        assert [str(one.uri) for one in (await client.list_resources()).resources] == uris[:1]
        return [contents(await client.read_resource(uri)) for uri in uris]

    history, transaction, outline = host.run(work)

    assert "applied  a b.py" in history
    assert "odd" in transaction
    assert "+    return 3" in transaction
    assert "load  function 1-2" in outline


@pytest.mark.parametrize(
    "uri",
    ["keyhole://transaction/9", "keyhole://outline/absent", "keyhole://outline/..%2Fx", "file:///"],
)
def test_a_resource_that_is_not_there_is_an_error(host: Host, uri: str) -> None:
    async def work(client: Client) -> str:
        with pytest.raises(MCPError) as error:
            await client.read_resource(uri)
        return error.value.message

    assert "there is no resource" in host.run(work)


def test_paths_addresses_and_ids_are_completed(host: Host) -> None:
    host.write("src/app.py", CODE)
    host.write("src/other.py", CODE)
    outline = types.ResourceTemplateReference(type="ref/resource", uri="keyhole://outline/{+path}")

    async def work(client: Client) -> list[list[str]]:
        edits = [{"find": "return 1", "content": "return 3"}]
        done = data(await client.call_tool("edit", {"path": "src/app.py", "edits": edits}))

        async def ask(name: str, value: str, **context: str) -> list[str]:
            argument = {"name": name, "value": value}
            found = await client.complete(outline, argument, context_arguments=context or None)
            return found.completion.values

        assert await ask("id", "") == [done["transaction"]]
        return [
            await ask("path", "src/a"),
            await ask("segment", "s", path="src/app.py"),
            await ask("segment", "s", path="absent.py"),
            await ask("colour", ""),
        ]

    assert host.run(work) == [["src/app.py"], ["save"], [], []]
