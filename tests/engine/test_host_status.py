import json
import os
from pathlib import Path

from keyhole.engine.host_status import set_up
from tests.scene import engine_at, put

CONTINUE = "mcpServers:\n  - name: keyhole\n    command: keyhole\n"


def test_each_server_of_ours_is_told_with_whether_its_host_has_met_it(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    with engine_at(tmp_path) as engine:
        root, state = engine.root, engine._tree.state
        here, other = ({"args": ["mcp", "--root", each]} for each in (root, "/other"))
        servers = {"keyhole-here": here, "keyhole-other": other, "theirs": here}
        put(tmp_path, ".claude.json", json.dumps({"mcpServers": servers, "projects": {}}))
        put(tmp_path, ".continue/config.yaml", CONTINUE)
        put(tmp_path, ".kimi-code/mcp.json", json.dumps({"mcpServers": {}}))
        os.mkfifo(put(tmp_path, ".gemini/there", "").with_name("settings.json"))
        put(state, "greetings", '"Claude-Code"\nno JSON\n')
        found = set_up(engine._tree, environment)
        (state / "greetings").unlink()
        (state / "greetings").mkdir()
        unmet = set_up(engine._tree, environment)

    assert [(each.host, each.server, each.met) for each in found] == [
        ("claude-code", "keyhole-here", True),
        ("continue", "keyhole", False),
    ]
    assert [each.met for each in unmet] == [False, False]
