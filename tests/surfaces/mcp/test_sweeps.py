"""A sweep by the SDK's client: two calls for what took thirty."""

import json

from mcp import Client, types

from tests.surfaces.mcp.host import Host, data, text


def test_two_calls_change_every_place_and_each_answer_fits(host: Host) -> None:
    for number in range(150):
        host.write(f"src/module_{number}.py", "import old\nvalue = old.load()\n")
    edits = [{"find": "old", "content": "fresh"}]

    async def sweep(client: Client) -> list[types.CallToolResult]:
        preview = await client.call_tool("edit", {"glob": "*.py", "edits": edits})
        count = str(data(preview)["count"])
        given = {"glob": "*.py", "edits": edits, "expected_count": count}
        done = await client.call_tool("edit", given)
        ahead = await client.call_tool("undo", {"dry_run": True})
        return [preview, done, ahead, await client.call_tool("undo", {})]

    preview, done, ahead, undone = host.run(sweep)

    assert (data(preview)["outcome"], data(preview)["count"]) == ("verified", 300)
    assert {*data(preview)["files"][0]["places"][0]} == {
        *("id", "line", "segment", "text", "becomes")
    }
    assert data(done)["outcome"] == "applied"
    assert len(data(done)["files"]) + data(done)["files_more"] == 150
    assert (data(ahead)["outcome"], data(undone)["outcome"]) == ("verified", "applied")
    for answer in (ahead, undone):
        [back] = data(answer)["took_back"]
        assert len(back["files"]) + back["files_more"] == 150
        assert len(data(answer)["files"]) + data(answer)["files_more"] == 150
        assert f"... and {data(answer)['files_more']} more files" in text(answer)
    for answer in (preview, done, ahead, undone):
        assert len(text(answer).encode()) < 8000
        assert len(json.dumps(data(answer), separators=(",", ":")).encode()) < 8000
    assert (host.root / "src/module_7.py").read_text(
        encoding="utf-8"
    ) == "import old\nvalue = old.load()\n"
