"""A rename by the SDK's client, whose server the kernel confines: jedi needs no other program."""

from mcp import Client, types

from tests.surfaces.mcp.host import Host, data


def test_a_symbol_is_renamed_and_its_uses_are_listed(host: Host) -> None:
    host.write("core.py", "def load():\n    return 1\n")
    host.write("user.py", "from core import load\n\nprint(load())\n")

    async def work(client: Client) -> list[types.CallToolResult]:
        uses = await client.call_tool("search", {"path": "core.py", "symbol": "load"})
        given = {"path": "core.py", "segment": "load", "to": "fetch"}
        return [uses, await client.call_tool("rename", given)]

    uses, done = host.run(work)

    assert [(hit["path"], hit["line"]) for hit in data(uses)["hits"]] == [
        ("core.py", 1),
        ("user.py", 1),
        ("user.py", 3),
    ]
    assert (data(done)["outcome"], data(done)["found_by"]) == ("applied", "jedi")
    assert (host.root / "user.py").read_text(
        encoding="utf-8"
    ) == "from core import fetch\n\nprint(fetch())\n"
