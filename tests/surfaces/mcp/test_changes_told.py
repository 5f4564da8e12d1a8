"""Over MCP a model is told, in text and data, what others did to a file since it saw it."""

import subprocess
import sys
from pathlib import Path

from mcp import Client

from tests.surfaces.mcp.host import Data, Host, data


def test_a_model_is_told_what_a_person_did_under_it(host: Host) -> None:
    host.write("keyhole.toml", "")
    file = host.write("app.py", "one\ntwo\nthree\nfour\n")
    observe = [str(Path(sys.executable).with_name("keyhole")), "observe"]
    subprocess.run(observe, cwd=host.root, env=host.environment, capture_output=True, check=True)

    async def work(client: Client) -> list[Data]:
        seen = data(await client.call_tool("read", {"path": "app.py"}))
        file.write_text("one\nTWO\nthree\nfour\n", encoding="utf-8")
        edit = {"path": "app.py", "edits": [{"find": "four", "content": "4"}]}
        edited = data(await client.call_tool("edit", edit))
        file.write_text("one\nTWO\nTHREE\n4\n", encoding="utf-8")
        again = await client.call_tool("read", {"path": "app.py"})
        return [seen, edited, data(again)]

    seen, edited, again = host.run(work)

    assert "warnings" not in seen
    assert edited["files"][0]["warnings"] == ["a person changed line 2 of app.py since you read it"]
    assert again["warnings"] == ["a person changed line 3 of app.py since you edited it"]
