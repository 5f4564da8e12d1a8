"""The public interfaces over the protocol: the real server, spoken to by a real client."""

from mcp import Client

from tests.surfaces.mcp.host import Host, text

EDITOR = "str_replace_based_edit_tool"


def test_the_editor_and_apply_patch_are_served_together(host: Host) -> None:
    host.write("a.py", "def f():\n    return 1\n")
    patch = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-    return 1\n+    return 2\n"

    async def work(client: Client) -> list[str]:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert sorted(listed) == ["apply_patch", EDITOR]
        calls: list[tuple[str, dict[str, object]]] = [
            ("apply_patch", {"input": patch}),
            (EDITOR, {"command": "view", "path": "a.py", "view_range": [2, -1]}),
            (EDITOR, {"command": "undo_edit", "path": "a.py"}),
            (EDITOR, {"command": "str_replace", "path": "a.py", "old_str": "nowhere at all"}),
        ]
        return [text(await client.call_tool(name, given)) for name, given in calls]

    patched, viewed, undone, refused = host.run(work, "--tools", "claude,codex")

    assert patched == "Success. Updated the following files:\nM a.py"
    assert viewed == "     2\t    return 2"
    assert undone.startswith("undid ")
    assert refused.startswith("refused: nothing was changed\nnot-found")
    assert host.read("a.py") == "def f():\n    return 1\n"


def test_a_read_only_server_still_shows_files(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work(client: Client) -> list[str]:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed == [EDITOR]
        new: dict[str, object] = {"command": "create", "path": "b.txt", "file_text": "x"}
        view: dict[str, object] = {"command": "view", "path": "a.txt"}
        return [text(await client.call_tool(EDITOR, given)) for given in (view, new)]

    viewed, refused = host.run(work, "--tools", "claude,codex", "--read-only")

    assert viewed == "     1\tone"
    assert refused.split("\n")[1].startswith("read-only")
