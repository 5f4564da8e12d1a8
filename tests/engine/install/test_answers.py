"""What an installation says, of everything that it can do at once."""

import json
from pathlib import Path

import pytest

from keyhole.engine.install.installer import install, printed, uninstall
from keyhole.engine.install.request import InstallRequest
from keyhole.fastclasses import replace
from keyhole.hosts.table import HOSTS
from keyhole.refusals import Refused
from tests.scene import put

SCOPES = [
    (name, scope)
    for name, host in HOSTS.items()
    for scope in ("user", "project")
    if host.file(scope)
]


def everything(base: Path, host: str, scope: str) -> InstallRequest:
    (base / "home").mkdir()
    (base / "project").mkdir()
    return InstallRequest(
        host,
        lambda: base / "project",
        program=("/opt/keyhole",),
        environment={"HOME": str(base / "home"), "XDG_STATE_HOME": str(base / "state")},
        scope=scope,
        only=True,
        hooks=True,
        instructions=True,
        trust=True,
    )


@pytest.mark.parametrize(("host", "scope"), SCOPES, ids=map("-".join, SCOPES))
def test_all_that_can_be_asked_for_is_said_and_done_once_and_comes_out_again(
    tmp_path: Path, host: str, scope: str
) -> None:
    wish = everything(tmp_path, host, scope)
    done = install(wish)
    again = install(wish)

    for change in done.changes:
        assert f"  {change.path}: " in done.as_text()
        assert Path(change.path).exists()
    assert {each.outcome for each in done.changes} == {"applied"}
    assert {each.outcome for each in again.changes} == {"unchanged"}
    assert "was set up already" in again.as_text()
    assert "was taken out" in uninstall(wish).as_text()
    assert [each for name in ("home", "project") for each in (tmp_path / name).iterdir()] == []


@pytest.mark.parametrize(("host", "scope"), SCOPES, ids=map("-".join, SCOPES))
def test_what_is_printed_is_what_is_written_into_a_new_file(
    tmp_path: Path, host: str, scope: str
) -> None:
    wish = replace(everything(tmp_path, host, scope), only=False, hooks=False, instructions=False)
    text, _ = printed(wish)
    [change] = install(wish).changes

    assert Path(change.path).read_text(encoding="utf-8") == f"{text}\n"


Data = dict[str, object]
# What settings say before; afterwards, whatever came between, they say it again.
MINE: dict[str, tuple[str, Data, Data]] = {
    "claude-code": (
        "~/.claude/settings.json",
        {"permissions": {"deny": ["Write"]}, "hooks": {"Stop": [{"hooks": []}]}},
        {"permissions": {"deny": []}},
    ),
    "gemini-cli": (
        "~/.gemini/settings.json",
        {"tools": {"exclude": ["x"], "y": 1}, "hooks": {"BeforeTool": []}},
        {"tools": {"exclude": []}},
    ),
    "opencode": (
        "~/.config/opencode/opencode.json",
        {"tools": {"edit": True, "write": False}},
        {"tools": {}},
    ),
}


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "old"])
@pytest.mark.parametrize("host", MINE)
def test_all_of_it_comes_out_of_settings_that_were_changed_since(
    tmp_path: Path, host: str, *, is_new: bool
) -> None:
    wish = everything(tmp_path, host, "user")
    path, old, new = MINE[host]
    path = path.replace("~", "home")
    file, said = tmp_path / path, new if is_new else old
    if not is_new:
        put(tmp_path, path, json.dumps(old, indent=2))
    install(wish)
    now = json.loads(file.read_text(encoding="utf-8"))
    # Another layout and order: no installation can be undone as it was done.
    put(tmp_path, path, json.dumps(dict(reversed(now.items())) | {"mine": [1]}, indent=4))

    uninstall(wish)

    left = json.loads(file.read_text(encoding="utf-8"))
    assert left.pop(HOSTS[host].keys[0], {}) == {}
    assert left == {**said, "mine": [1]}
    with pytest.raises(Refused):
        uninstall(wish)
