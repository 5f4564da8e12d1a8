"""Over MCP `undo` takes back what a session of the host did since a prompt."""

import json
import subprocess
import sys
from pathlib import Path

from mcp import Client

from tests.surfaces.mcp.host import Data, Host, codes, data


def hook(host: Host, event: str, **more: object) -> None:
    said = {"hook_event_name": event, "session_id": "s1", "prompt_id": "p1", **more}
    said["cwd"] = str(host.root)
    program = [str(Path(sys.executable).with_name("keyhole")), "hook", "claude-code"]
    body = json.dumps(said).encode()
    subprocess.run(program, input=body, env=host.environment, check=True)


def test_what_was_done_since_a_prompt_is_undone(host: Host) -> None:
    host.write("keyhole.toml", "")
    file = host.write("a.txt", "one\n")
    hook(host, "UserPromptSubmit", prompt="do it")
    tool: Data = {"tool_name": "Bash", "tool_use_id": "t1"}
    hook(host, "PreToolUse", **tool)
    file.write_text("two\n", encoding="utf-8")
    hook(host, "PostToolUse", **tool)

    async def work(client: Client) -> list[Data]:
        other = await client.call_tool("undo", {"prompt": "p1", "session": "s2"})
        return [codes(other), data(await client.call_tool("undo", {"prompt": "p1"}))]

    other, done = host.run(work)

    assert other == ["nothing-to-undo"]
    assert [each["tool"] for each in done["took_back"]] == ["observed"]
    assert file.read_text(encoding="utf-8") == "one\n"


def test_what_a_person_did_stands_before_the_first_edit_by_a_server_behind_its_fence(
    host: Host,
) -> None:
    host.write("keyhole.toml", "")
    host.write("a.txt", "one\n")
    hook(host, "UserPromptSubmit", prompt="do it")

    async def work(client: Client) -> Data:
        await client.call_tool("read", {"path": "a.txt"})
        host.write("a.txt", "two\n")
        host.write("new.txt", "two\n")
        for path in ("a.txt", "new.txt"):
            edits = [{"find": "two", "content": "three", "reason": "again"}]
            assert data(await client.call_tool("edit", {"path": path, "edits": edits}))["ok"]
        return data(await client.call_tool("history", {}))

    told = host.run(work)["transactions"]

    assert [each["actor"] for each in told] == ["tester", "person", "tester", "person"]
