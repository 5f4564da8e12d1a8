"""Other interfaces over the protocol: the real server, spoken to by a real client."""

import subprocess

from mcp import Client

from tests.surfaces.mcp.host import Data, Host, data, text

FILES = {"a.py": "def f():\n    return 1\n", "a.md": "# A\n\none\n\n## B\n\ntwo\n"}


def ready(host: Host) -> Host:
    for path, body in FILES.items():
        host.write(path, body)
    return host


def test_sets_are_served_together_and_each_tool_works(host: Host) -> None:
    segment = {"segment_type": "python_function", "segment_name": "f"}

    async def work(client: Client) -> list[Data]:
        calls: dict[str, dict[str, object]] = {
            "safe_edit_file": {
                "path": "a.py",
                "segment_edit": {**segment, "new_content": "def f():\n    return 2"},
            },
            "query_file_schema": {"path": "a.md"},
            "TextReplace": {"filePath": "a.md", "oldText": "one", "newText": "$& \\1"},
            "TextPatch": {
                "filePath": "a.md",
                "operation": "insert",
                "target": {"appendToSection": "## B"},
                "content": "three",
            },
            "TextInspect": {"filePath": "a.md"},
            "edit_file": {"path": "a.py", "old_content": "return 2", "new_content": "return 3"},
            "patch_file": {"path": "a.py", "patch": "@@ -2 +2 @@\n-    return 3\n+    return 4\n"},
            "insert_at": {"path": "a.py", "line": 0, "content": "import os\n"},
            "read_file": {"path": "a.py"},
            "write_file": {"path": "b.txt", "content": "new\n"},
            "search_files": {"pattern": "return"},
            "list_files": {},
        }
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert sorted(listed) == sorted(calls)
        return [data(await client.call_tool(name, given)) for name, given in calls.items()]

    answers = ready(host).run(work, "--tools", "safe-edit,text,surgical")

    assert all(one.get("success", one.get("status", True)) for one in answers)
    assert host.read("a.py") == "import os\ndef f():\n    return 4\n"
    assert host.read("a.md") == "# A\n\n$& \\1\n\n## B\n\ntwo\n\nthree\n"
    assert host.read("b.txt") == "new\n"


def test_the_article_is_edited_and_audited(host: Host) -> None:
    change = {"old_string": "one", "new_string": "two words", "reason": "clearer"}

    async def work(client: Client) -> tuple[Data, Data]:
        done = await client.call_tool("edit_article", {"path": "a.md", "edits": [change]})
        other = await client.call_tool("edit_article", {"path": "a.py", "edits": [change]})
        return done, other

    done, other = ready(host).run(work, "--tools", "article", "--article", "a.md")

    assert data(done)["appliedEdits"] == [{"index": 0, "reason": "clearer"}]
    assert other.is_error
    assert text(other).startswith("path must be the article, a.md; it is a.py")


def test_two_sets_with_a_tool_of_the_same_name_are_refused_at_start(host: Host) -> None:
    command = host.command("--tools", "article,surgical")

    done = subprocess.run(
        command, input=b"", capture_output=True, check=False, env=host.environment
    )

    assert done.returncode == 1
    assert b"`article` and `surgical` both have a tool" in done.stderr
