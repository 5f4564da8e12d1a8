"""Files that are written as few people write them: our entry goes in, or a refusal says why not."""

import json
import os
import pwd
from pathlib import Path

import pytest

from keyhole.engine.install.installer import install, printed, uninstall
from keyhole.engine.install.request import InstallRequest
from keyhole.fastclasses import replace
from keyhole.hosts.model import located, nested
from keyhole.hosts.table import HOSTS
from keyhole.refusals import Refused
from tests.engine.install.configurations import read_jsonc, read_yaml

FILES = {
    "claude-code": ".claude.json",
    "codex": ".codex/config.toml",
    "continue": ".continue/config.yaml",
    "gemini-cli": ".gemini/settings.json",
    "goose": ".config/goose/config.yaml",
}


@pytest.fixture
def wish(tmp_path: Path) -> InstallRequest:
    environment = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}
    return InstallRequest(
        "goose", lambda: tmp_path, program=("/opt/keyhole",), environment=environment
    )


def file_of(tmp_path: Path, host: str, text: str) -> Path:
    path = tmp_path / "home" / FILES[host]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("text", ["{}\r\n", "# {}\n{} # none\n", "--- # a\n~\n"])
def test_a_yaml_file_that_says_nothing_gets_our_entry_in_the_place_of_that(
    tmp_path: Path, wish: InstallRequest, text: str
) -> None:
    file = file_of(tmp_path, "goose", text)

    install(wish)
    written = file.read_bytes().decode()
    uninstall(wish)

    assert read_yaml(written.replace("\r", "").removeprefix("--- # a\n"))["extensions"]["keyhole"]
    assert file.read_bytes().decode() == text


@pytest.mark.parametrize(
    ("host", "text", "refusal"),
    [
        ("goose", "A: 1\n...\n", "wrong-segment-kind: a YAML document ends before"),
        ("continue", "---\nname: A\n---\nname: B\n", "wrong-segment-kind: a YAML document ends"),
        ("goose", "extensions:\n\td: 1\n", "unparsable: the file is no YAML at line 1"),
        ("codex", "[a]\nb = 1\n[a]\n", "unparsable: the file is no TOML at line 3"),
        (
            "codex",
            '[[mcp_servers]]\nname = "x"\n',
            "wrong-segment-kind: `mcp_servers` is no object",
        ),
        (
            "goose",
            '{"A": "x"}\n',
            "wrong-segment-kind: the file is written so that no entry can be put",
        ),
        (
            "goose",
            "extensions: yes\n",
            "wrong-segment-kind: the file is written so that no entry can be",
        ),
    ],
)
def test_a_file_that_an_entry_would_break_is_refused_with_what_its_owner_can_do(
    tmp_path: Path, wish: InstallRequest, host: str, text: str, refusal: str
) -> None:
    file = file_of(tmp_path, host, text)

    with pytest.raises(Refused) as refused:
        install(replace(wish, host=host))

    [said] = refused.value.refusals
    assert f"{said.code}: {said.headline}".startswith(refusal)
    assert said.path == str(file)
    assert "mode interactive" not in said.help
    assert file.read_text(encoding="utf-8") == text


def test_a_document_that_ends_with_dots_takes_what_goes_into_its_middle(
    tmp_path: Path, wish: InstallRequest
) -> None:
    text = "---\nextensions:\n  fs:\n    cmd: npx\n...\n"
    file = file_of(tmp_path, "goose", text)

    install(wish)

    assert file.read_text(encoding="utf-8").startswith("---\nextensions:\n  fs:\n    cmd: npx\n  k")
    assert file.read_text(encoding="utf-8").endswith("\n...\n")


def test_comments_in_a_list_are_no_items_of_it(tmp_path: Path, wish: InstallRequest) -> None:
    exclude = '[\n      // "replace",\n      "web", // "write_file", http://x\n    ]'
    file = file_of(
        tmp_path, "gemini-cli", f'{{\n  "tools": {{\n    "exclude": {exclude}\n  }}\n}}\n'
    )
    gemini = replace(wish, host="gemini-cli")

    install(replace(gemini, only=True))
    written = file.read_text(encoding="utf-8")
    file.write_text(written.replace('"web"', '"net"'), encoding="utf-8")
    uninstall(gemini)

    assert read_jsonc(written)["tools"]["exclude"] == ["web", "replace", "write_file"]
    assert exclude.replace("web", "net") in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("host", ["claude-code", "gemini-cli", "opencode"])
@pytest.mark.parametrize("hooks", ["null", '{"Stop": null}'])
def test_null_is_a_place_for_lists_hooks_and_switches(
    wish: InstallRequest, host: str, hooks: str
) -> None:
    everything, settings = replace(wish, host=host, only=True, hooks=True), HOSTS[host].only
    assert settings
    file = Path(located(settings.user.paths[0], wish.environment, "", mac=False))
    file.parent.mkdir(parents=True)
    first, *rest = settings.keys
    text = f'{{\n  "{first}": {json.dumps(nested(rest, None))},\n  "hooks": {hooks}\n}}\n'
    file.write_text(text, encoding="utf-8")

    install(everything)
    again = install(everything)
    written = file.read_text(encoding="utf-8")
    uninstall(everything)

    assert all(f'"{value}"' in written for value in settings.values)
    assert {change.outcome for change in again.changes} == {"unchanged"}
    assert file.read_text(encoding="utf-8") == text


def test_what_cannot_be_read_is_named_by_its_full_path(
    tmp_path: Path, wish: InstallRequest
) -> None:
    link = tmp_path / "home/.claude.json"
    link.parent.mkdir()
    link.symlink_to("/dev/null")

    with pytest.raises(Refused) as refused:
        install(replace(wish, host="claude-code"))

    [said] = refused.value.refusals
    assert (said.path, str(said.headline)) == (str(link), f"{link} is not a regular file")


def test_a_file_that_nobody_may_write_is_refused_as_such(
    tmp_path: Path, wish: InstallRequest
) -> None:
    file = file_of(tmp_path, "goose", "A: 1\n")
    file.chmod(0o400)

    with pytest.raises(Refused, match=f"read-only.*{file} is write-protected"):
        install(wish)


def test_what_one_file_refuses_changes_no_other(tmp_path: Path, wish: InstallRequest) -> None:
    settings = tmp_path / "home/.claude/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"permissions": ', encoding="utf-8")

    with pytest.raises(Refused):
        install(replace(wish, host="claude-code", only=True))

    assert not (tmp_path / "home/.claude.json").exists()


def test_what_one_file_refuses_stays_in_all_of_them(tmp_path: Path, wish: InstallRequest) -> None:
    install(replace(wish, host="claude-code", only=True, instructions=True))
    section = (tmp_path / "CLAUDE.md").read_text(encoding="utf-8")
    (tmp_path / "home/.claude/settings.json").write_text('{"permissions": ', encoding="utf-8")

    with pytest.raises(Refused, match="the file is no JSON"):
        uninstall(replace(wish, host="claude-code"))

    assert (tmp_path / "CLAUDE.md").read_text(encoding="utf-8") == section
    assert "keyhole" in (tmp_path / "home/.claude.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("environment", [{}, {"HOME": ""}])
def test_without_a_variable_the_file_of_the_user_is_where_the_system_knows_the_home(
    wish: InstallRequest, environment: dict[str, str]
) -> None:
    home = pwd.getpwuid(os.getuid()).pw_dir

    _, told = printed(replace(wish, host="kimi-code", environment=environment))

    assert told == f"Kimi Code: put this into {home}/.kimi-code/mcp.json"


def test_a_file_that_grew_elsewhere_is_restored_around_what_grew(
    tmp_path: Path, wish: InstallRequest
) -> None:
    claude = replace(wish, host="claude-code")
    file = file_of(tmp_path, "claude-code", '{\n  "a": 1,\n  "b": 2\n}\n')
    install(claude)
    grown = file.read_text(encoding="utf-8").replace('"a": 1', '"a": 3')
    file.write_text(grown, encoding="utf-8")

    uninstall(claude)

    assert json.loads(grown)["mcpServers"]
    assert file.read_text(encoding="utf-8") == '{\n  "a": 3,\n  "b": 2\n}\n'
