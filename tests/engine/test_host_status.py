import json
import os
from pathlib import Path

import pytest

from keyhole.engine.host_status import HostStatus, set_up
from keyhole.engine.install.installer import install
from keyhole.engine.install.request import InstallRequest
from keyhole.fastclasses import replace
from keyhole.hosts.table import HOSTS
from tests.scene import engine_at, put

CONTINUE = "mcpServers:\n  - name: keyhole\n    command: keyhole\n"


def test_each_server_of_ours_is_told_with_whether_its_host_has_met_it(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    with engine_at(tmp_path) as engine:
        root, state = engine.root, engine._tree.state
        flag = "--durability=full"
        here, other = ({"args": ["mcp", "--root", each, flag]} for each in (root, "/other"))
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

    assert [(each.host, each.server, each.met, each.durability) for each in found] == [
        ("claude-code", "keyhole-here", True, "full"),
        ("continue", "keyhole", False, ""),
    ]
    assert [each.met for each in unmet] == [False, False]


@pytest.mark.parametrize("name", HOSTS)
def test_an_entry_that_gives_power_cuts_up_is_told(tmp_path: Path, name: str) -> None:
    """The entry is the one that `keyhole install` writes, whatever the format of its host is."""
    environment = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    scope = "user" if HOSTS[name].user else "project"
    found: list[HostStatus] = []
    with engine_at(tmp_path) as engine:
        project = Path(engine.root)
        for flags in ((), ("--durability", "process")):
            wish = InstallRequest(name, lambda: project, scope=scope, environment=environment)
            install(replace(wish, flags=flags))
            found += set_up(engine._tree, environment)

    assert [each.as_data()["durability"] for each in found] == ["", "process"]
    assert ["power cut" in each.as_text() for each in found] == [False, True]
