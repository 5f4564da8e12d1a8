import json
from pathlib import Path

import pytest

from keyhole.engine.hooks.events import HOOKS as READERS
from keyhole.engine.install.installer import install, uninstall
from keyhole.engine.install.request import InstallRequest
from keyhole.fastclasses import replace
from keyhole.hosts.hooks import HOOKS
from keyhole.hosts.model import located
from tests.scene import put

OWN = """{
  // mine
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": []}
    ]
  }
}
"""


@pytest.fixture(name="wish")
def _wish(tmp_path: Path) -> InstallRequest:
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    environment = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}
    return InstallRequest(
        "claude-code",
        lambda: tmp_path / "project",
        program=("/opt/my keyhole",),
        hooks=True,
        environment=environment,
    )


def file_of(wish: InstallRequest, host: str) -> Path:
    return Path(located(HOOKS[host].user.paths[0], wish.environment, "", mac=False))


def test_every_event_that_is_written_is_understood() -> None:
    assert HOOKS.keys() == READERS.keys()
    for host, rows in HOOKS.items():
        assert rows.is_module or set(rows.events) <= READERS[host].events.keys()


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini-cli", "qwen-code"])
def test_a_host_is_told_to_call_keyhole_and_forgets_it_again(
    wish: InstallRequest, host: str
) -> None:
    wish = replace(wish, host=host)
    done = install(wish)

    hooks = json.loads(file_of(wish, host).read_text(encoding="utf-8"))["hooks"]
    assert tuple(hooks) == HOOKS[host].events
    [before] = hooks["BeforeTool" if host == "gemini-cli" else "PreToolUse"]
    assert before["matcher"] == "*"
    assert before["hooks"][0]["command"] == f"'/opt/my keyhole' hook {host}"
    assert "hooks" in [change.what for change in done.changes]
    again = install(wish)
    assert {change.outcome for change in again.changes} == {"unchanged"}
    uninstall(wish)
    left = file_of(wish, host)
    assert not left.exists() or "keyhole" not in left.read_text(encoding="utf-8")


def test_the_hooks_that_there_are_stay(wish: InstallRequest) -> None:
    file = file_of(wish, "claude-code")
    put(file.parent, file.name, OWN)

    install(wish)

    text = file.read_text(encoding="utf-8")
    assert text.count("my keyhole") == len(HOOKS["claude-code"].events)
    assert '{"matcher": "Bash", "hooks": []}' in text
    uninstall(wish)
    assert file.read_text(encoding="utf-8") == OWN


def test_a_host_with_modules_gets_one(wish: InstallRequest) -> None:
    wish = replace(wish, host="opencode")
    install(wish)
    file = file_of(wish, "opencode")

    assert '["/opt/my keyhole", "hook", "opencode"]' in file.read_text(encoding="utf-8")
    file.write_text("// of another version\n", encoding="utf-8")
    install(wish)
    assert "of another version" not in file.read_text(encoding="utf-8")


def test_a_file_of_a_project_names_no_place(tmp_path: Path, wish: InstallRequest) -> None:
    install(replace(wish, scope="project"))

    text = (tmp_path / "project/.claude/settings.json").read_text(encoding="utf-8")
    assert '"command": "keyhole hook claude-code"' in text


@pytest.mark.parametrize(("host", "scope"), [("zed", ""), ("codex", "project")])
def test_a_host_without_hooks_is_told_of(wish: InstallRequest, host: str, scope: str) -> None:
    done = install(replace(wish, host=host, scope=scope))

    assert any("has no hooks" in str(note) for note in done.notes)
    assert [change.what for change in done.changes] == ["server"]
